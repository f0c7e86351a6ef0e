//! Invalid input and its errors.

use serde_json::json;
use skillc_tests::World;

use crate::stats::support::{log_of, run, show};

/// C-ERRORS@3.1, C-LOGGING@4.3, D-GROUP-BY, F-38: the error is E030, not the usage error E100.
#[test]
fn an_unknown_type_is_e030() {
    let world = World::demo(&[]);
    for kind in [
        "searches", "section", "Summary", "", "prune", "x y", "--since",
    ] {
        for option in ["--group-by", "--query"] {
            let output = run(&world, &[&format!("{option}={kind}")]);
            output.error(&format!("error[E030]: invalid query type: '{kind}'"));
            let known = "\nKnown: sections, files, commands, ";
            assert!(output.stderr.contains(known), "{output:?}");
        }
    }
}

/// C-ERRORS@3.1, C-FILTERS.1.
#[test]
fn an_invalid_time_is_e031() {
    let world = World::demo(&[]);
    for text in [
        "yesterday",
        "",
        "7",
        "d",
        "-7d",
        "7y",
        "1.5d",
        "7 d",
        "7D",
        "2026-02-30",
        "2026-01-31T08:15:00",
        "01/02/2026",
        "99999999999999999999d",
        "9999999999999999w",
        "999999999d",
        "é",
        "7é",
    ] {
        for name in ["since", "until"] {
            let output = run(&world, &[&format!("--{name}={text}")]);
            output.error(&format!(
                "error[E031]: invalid filter: '{name} is not a date (2026-01-31), a time \
                 (2026-01-31T08:15:00Z) or an age (90m, 12h, 7d, 4w): {text}'"
            ));
        }
    }
}

/// C-ERRORS@3.1, C-FILTERS.1: the bounds are reversed.
#[test]
fn since_after_until_is_e031() {
    let world = World::demo(&[]);
    run(&world, &["--since", "2026-01-02", "--until", "2026-01-01"]).error(
        "error[E031]: invalid filter: 'since (2026-01-02T00:00:00Z) is after until (2026-01-01T00:00:00Z)'",
    );
    run(&world, &["--since", "1d", "--until", "2d"]).code("E031");
    run(&world, &["--since", "2d", "--until", "1d"]).success();
    run(&world, &["--since", "1d", "--until", "1d"]).success();
}

/// C-ERRORS@3.1, C-CLI.2.
#[test]
fn a_missing_skill_is_e001_or_e010() {
    let world = World::project();
    std::fs::create_dir_all(world.cwd.join(".skillc/skills/hollow")).expect("a directory");
    world
        .skc(["stats", "nope"])
        .error("error[E001]: skill 'nope' not found");
    world.skc(["stats", "hollow"]).code("E010");
    world.skc(["stats", "../x"]).code("E001");
}

/// C-ERRORS@3.1: covers all other usage errors.
#[test]
fn usage_errors_are_e100() {
    let world = World::demo(&[]);
    for args in [
        &["stats"][..],
        &["stats", "demo", "--all"],
        &["stats", "demo", "--bogus"],
        &["stats", "demo", "--since"],
        &["stats", "demo", "--limit", "-1"],
        &["stats", "demo", "-o", "xml"],
        &["stats", "demo", "more"],
    ] {
        let output = world.skc_at(&world.cwd, args);
        output.code("E100");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

/// C-CLI.2: the skill is given by name or by path, and found in the nearest store.
#[test]
fn a_skill_is_resolved_as_usual_and_its_own_log_is_read() {
    let world = World::demo(&[]);
    world.global_skill("demo", &[]);
    show(&world, "SKILL.md", "Demo").log();
    let count = |skill: &str| {
        let output = world
            .skc(["stats", skill, "--until", "2026-01-02", "-o", "json"])
            .success();
        output.json()["data"]["total_accesses"].clone()
    };
    let source = world.demo_source();
    assert_eq!(count("demo"), json!(1));
    assert_eq!(count(source.to_str().expect("UTF-8")), json!(1));
    assert_eq!(count("./.skillc/skills/demo/"), json!(1));
    let global = world.home.join(".skillc/skills/demo");
    assert_eq!(count(global.to_str().expect("UTF-8")), json!(0));
    assert!(log_of(&world).is_file());
}
