//! A baseline named in the configuration.

use std::fs;

use skillc_tests::World;

use crate::linting::support::{DEEP, NAMELESS, findings, reports};

/// Creates a project with two skills: one with an error, and one in a nested folder with a warning.
fn world(config: &str) -> World {
    let world = World::project();
    world.project_skill("nameless", &[("SKILL.md", NAMELESS)]);
    world.directory("team/deep", &[("SKILL.md", DEEP)]);
    fs::write(world.cwd.join(".skillc/config.toml"), config).expect("a file");
    world
}

fn write(world: &World, file: &str, text: &str) {
    fs::write(world.cwd.join(file), text).expect("a file");
}

/// Returns the codes of all findings shown.
fn shown(world: &World, args: &[&str]) -> Vec<String> {
    let run = world.skc_at(&world.cwd, &[&["lint", "-o", "json"], args].concat());
    reports(&run).iter().flat_map(findings).collect()
}

#[test]
fn a_baseline_named_in_config_toml_is_written_and_used_without_options() {
    let world = world("[lint]\nbaseline = \"known.toml\"\n");
    let run = world.skc(["lint", "nameless"]);
    run.error("error[E100]: invalid option: 'no such baseline: .skillc/known.toml'");
    let run = world.skc(["lint", "--write-baseline"]).success();
    let said = "Wrote 1 known finding to .skillc/known.toml\n";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let list = fs::read_to_string(world.cwd.join(".skillc/known.toml")).expect("a list");
    assert!(list.contains("skill = \"skills/nameless\""), "{list}");
    for args in [&["nameless"][..], &[], &["."]] {
        let found = shown(&world, args);
        assert!(
            !found.contains(&"SKL101 SKILL.md".to_owned()),
            "{args:?}: {found:?}"
        );
    }
    assert_eq!(
        shown(&world, &["nameless", "--no-baseline"]),
        ["SKL101 SKILL.md"]
    );
    let empty = "version = 1\n";
    write(&world, "other.toml", empty);
    let found = shown(&world, &["nameless", "--baseline", "other.toml"]);
    assert_eq!(
        found,
        ["SKL101 SKILL.md"],
        "the command line takes precedence"
    );
    // The same baseline applies from another directory.
    let inside = world.cwd.join("team");
    assert!(world.skc_at(&inside, &["lint", "nameless"]).ok);
    // The client matrix does not report findings.
    assert!(world.skc(["lint", "nameless", "--matrix"]).ok);
}

#[test]
fn a_baseline_named_in_skilllint_toml_applies_to_skills_below_it() {
    let world = world("");
    write(
        &world,
        "team/.skilllint.toml",
        "baseline = \"known.toml\"\n",
    );
    world.skc(["lint", ".", "--write-baseline"]);
    let list = fs::read_to_string(world.cwd.join("team/known.toml")).expect("a list");
    assert!(
        list.contains("skill = \"deep\"") && !list.contains("nameless"),
        "{list}"
    );
    let found = shown(&world, &["."]);
    assert_eq!(found, ["SKL101 SKILL.md"], "that skill has no baseline");
    assert!(!world.cwd.join(".skilllint-baseline.toml").exists());
}

#[test]
fn two_baselines_in_one_run_are_refused() {
    let world = world("[lint]\nbaseline = \"known.toml\"\n");
    write(
        &world,
        "team/.skilllint.toml",
        "baseline = \"known.toml\"\n",
    );
    world
        .skc(["lint", "nameless", "--write-baseline"])
        .success();
    world
        .skc(["lint", "team/deep", "--write-baseline"])
        .success();
    let run = world.skc(["lint", "."]);
    run.error(
        "error[E100]: invalid option: 'the skills have different baselines: .skillc/known.toml and team/known.toml'",
    );
    assert!(run.stderr.contains("--no-baseline"), "{}", run.stderr);
    assert!(!world.skc(["lint", ".", "--no-baseline"]).ok);
}

/// The configuration of a cloned repository must not name files outside the repository.
#[test]
fn a_baseline_outside_the_project_is_refused() {
    let world = world("");
    let outside = world.home.join("notes.toml");
    let absolute = format!("baseline = {:?}", outside.display().to_string());
    for text in [
        "baseline = \"../../../notes.toml\"",
        &absolute,
        "baseline = \"link/notes.toml\"",
        "baseline = \"\"",
        "baseline = [\"a.toml\"]",
    ] {
        #[cfg(unix)]
        let _ = std::os::unix::fs::symlink(&world.home, world.cwd.join("team/link"));
        #[cfg(not(unix))]
        if text.contains("link") {
            continue;
        }
        write(&world, "team/.skilllint.toml", text);
        let run = world.skc(["lint", "team/deep", "--write-baseline"]);
        run.code("E100");
        assert!(
            run.stderr.contains("team/.skilllint.toml:1:12: "),
            "{text}: {}",
            run.stderr
        );
        assert!(!outside.exists(), "{text}");
    }
    // The `baseline` in an extended file is ignored, because the file may belong to another project.
    write(&world, "house.toml", "baseline = \"known.toml\"");
    write(
        &world,
        "team/.skilllint.toml",
        "extends = \"../house.toml\"",
    );
    assert_eq!(shown(&world, &["team/deep"]), ["SKL205 SKILL.md"]);
}

/// An editor hook lints unsaved text on standard input: known findings of the file are hidden in this text as well.
#[test]
fn standard_input_is_compared_with_the_configured_baseline() {
    let world = world("[lint]\nbaseline = \"known.toml\"\n");
    world.skc(["lint", "--write-baseline"]).success();
    let name = ".skillc/skills/nameless/SKILL.md";
    let args = ["--stdin-filename", name, "-q"];
    let run = crate::linting::stdin::lint(&world, ".", NAMELESS, &args);
    assert!(run.ok && run.text().is_empty(), "{run:?}");
}
