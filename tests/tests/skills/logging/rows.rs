//! The logged row of each command.

use std::fs;

use serde_json::{Value, json};
use skillc_core::layout::RuntimeDir;
use skillc_tests::{MINIMAL, Output, World};

use crate::logging::support::{Row, SKC, outline, primary, rows};

const GUIDE: &str = "# Guide\n\n## Getting *Started*\n\nsecretword here\n";

fn world() -> World {
    let world = World::built(&[("references/guide.md", GUIDE)]);
    fs::remove_file(primary(&world)).expect("the row of the build");
    world
}

/// Returns the single row that a command adds.
#[track_caller]
fn row_of(world: &World, args: &[&str]) -> (Output, Row) {
    let before = rows(&primary(world)).len();
    let output = world.skc_at(&world.cwd, args);
    let mut rows = rows(&primary(world));
    assert_eq!(rows.len(), before + 1, "{args:?}: {output:?}");
    (output, rows.pop().expect("one row was added"))
}

/// C-LOGGING@7.1, C-LOGGING@7.2, C-OVERVIEW@2.2, C-PRINCIPLES.1, F-49.
#[test]
fn every_command_about_a_skill_adds_one_row_with_all_its_columns() {
    let world = world();
    for args in [
        &["build", "demo"][..],
        &["lint", "demo"],
        &["outline", "demo"],
        &["show", "demo", "--section", "Demo"],
        &["open", "demo", "SKILL.md"],
        &["sources", "demo"],
        &["search", "demo", "hello"],
        &["stats", "demo"],
    ] {
        let (output, row) = row_of(&world, args);
        output.success();
        let expected = Row {
            timestamp: "2026-01-31T08:15:00Z".to_owned(),
            run_id: "test".to_owned(),
            command: args[0].to_owned(),
            skill: "demo".to_owned(),
            skill_path: world.demo_source().display().to_string(),
            cwd: world.cwd.display().to_string(),
            args: row.args.clone(),
            error: None,
        };
        assert_eq!(row, expected);
    }
}

/// C-LOGGING@7.1, C-LOGGING@4.2, D-EMPTY-QUERY-ORDER (the query is checked after resolution, so the error is logged),
/// F-49, F-50.
#[test]
fn a_failure_after_the_skill_was_found_is_logged_with_its_message() {
    let world = world();
    for (args, error) in [
        (
            &["show", "demo", "--section", "None"][..],
            "error[E020]: section not found: 'None'",
        ),
        (
            &["open", "demo", "no.md"],
            "error[E021]: file not found: 'no.md'",
        ),
        (
            &["open", "demo", "../x"],
            "error[E012]: path escapes skill root: '../x'",
        ),
        (
            &["sources", "demo", "--dir", "no"],
            "error[E022]: directory not found: 'no'",
        ),
        (&["search", "demo", " \t"], "error[E004]: empty query"),
    ] {
        let (output, row) = row_of(&world, args);
        output.error(error);
        assert_eq!(
            (&*row.command, row.error.as_deref()),
            (args[0], Some(error))
        );
    }
    fs::remove_file(world.demo_index()).expect("an index");
    let error = "error[E002]: search index unusable; run 'skc build demo' to rebuild";
    let (_, row) = row_of(&world, &["search", "demo", "hello"]);
    assert_eq!(row.error.as_deref(), Some(error));
    assert_eq!(row.args, json!({"query": "hello", "result_count": 0}));

    fs::write(world.demo_source().join("SKILL.md"), "# Demo\n").expect("a file");
    let (_, row) = row_of(&world, &["build", "demo"]);
    let error = "error[E011]: missing frontmatter field 'name' in SKILL.md";
    assert_eq!(
        (&*row.command, row.error.as_deref()),
        ("build", Some(error))
    );
}

/// F-50, C-CODES.6: the message is logged on one line, in the form in which it is printed without colour.
#[test]
fn control_characters_are_escaped_in_messages() {
    let world = world();
    let (_, row) = row_of(&world, &["open", "demo", "\u{1b}[31m\n"]);
    let error = "error[E021]: file not found: '\\u{1b}[31m\\n'";
    assert_eq!(row.error.as_deref(), Some(error));
}

/// C-LOGGING@7.1: a failure before the skill is resolved is not logged either.
#[test]
fn commands_without_a_skill_are_not_logged() {
    let world = world();
    for args in [
        &["open", "nope", "x"][..],
        &["outline", "demo", "--level", "7"],
        &["build", "demo", "--target", ""],
        &["init", "other"],
        &["list"],
        &["rules"],
        &["budget"],
        &["registry", "sync"],
        &["registry", "get", "demo"],
        &["doctor", "--all"],
        &["explain", "SKL205"],
        &["lint"],
        &["lint", "demo", "other"],
    ] {
        world.skc_at(&world.cwd, args);
        assert_eq!(rows(&primary(&world)), [], "{args:?}");
    }
}

/// C-LOGGING@7.10, C-LOGGING@4.1.
#[test]
fn arguments_are_logged_by_name() {
    let world = world();
    let cases: [(&[&str], Value); 13] = [
        (&["outline", "demo"], json!({"level": null})),
        (&["outline", "demo", "--level", "2"], json!({"level": 2})),
        (
            &["open", "demo", "SKILL.md"],
            json!({"path": "SKILL.md", "max_lines": null}),
        ),
        (
            &["open", "demo", "no.md", "--max-lines", "3"],
            json!({"path": "no.md", "max_lines": 3}),
        ),
        (
            &["sources", "demo"],
            json!({"depth": null, "dir": null, "limit": 100, "pattern": null}),
        ),
        (
            &[
                "sources",
                "demo",
                "--depth",
                "1",
                "--dir",
                "references",
                "--limit",
                "5",
                "-p",
                "*.md",
            ],
            json!({"depth": 1, "dir": "references", "limit": 5, "pattern": "*.md"}),
        ),
        (
            &["search", "demo", "hello"],
            json!({"query": "hello", "result_count": 1}),
        ),
        (
            &["search", "demo", "nowhere to be found"],
            json!({
                "query": "nowhere to be found",
                "result_count": 0,
                "unmatched": ["nowhere", "to", "be", "found"]
            }),
        ),
        (
            &["search", "demo", "  "],
            json!({"query": "  ", "result_count": 0}),
        ),
        (&["lint", "demo"], json!({"force": false})),
        (&["lint", "demo", "--force"], json!({"force": true})),
        (
            &["build", "demo"],
            json!({"global": false, "target": ["claude"], "copy": false, "force": false}),
        ),
        (
            &["build", "demo", "-g", "-t", "claude,cursor", "--copy", "-f"],
            json!({"global": true, "target": ["claude", "cursor"], "copy": true, "force": true}),
        ),
    ];
    for (args, expected) in cases {
        let (_, row) = row_of(&world, args);
        assert_eq!(row.args, expected, "{args:?}");
    }
}

/// C-LOGGING@7.10, D-STATS-COUNTING: different spellings of a section are logged as one section.
#[test]
fn show_logs_the_heading_and_file_that_it_found() {
    let world = world();
    let found =
        json!({"section": "Getting Started", "file": "references/guide.md", "max_lines": null});
    for asked in [
        "getting started",
        "GETTING STARTED",
        "Getting Started \u{2014} how",
    ] {
        let (output, row) = row_of(&world, &["show", "demo", "--section", asked]);
        output.success();
        assert_eq!(row.args, found);
    }
    let asked = [
        "show",
        "demo",
        "--section",
        "absent",
        "--file",
        "a.md",
        "--max-lines",
        "1",
    ];
    let (_, row) = row_of(&world, &asked);
    let expected = json!({"section": "absent", "file": "a.md", "max_lines": 1});
    assert_eq!(row.args, expected);
}

/// D-STATS-COUNTING: different spellings of a path are logged as one path.
#[test]
fn open_logs_the_path_that_it_found() {
    let world = world();
    let (output, row) = row_of(&world, &["open", "demo", "./references//guide.md"]);
    output.success();
    assert_eq!(row.args["path"], "references/guide.md");
}

/// G-STATS.1: the log records the time, command, section and path of each use, but never any content.
#[test]
fn the_log_has_no_skill_content() {
    let world = world();
    world.skc(["build", "demo"]).success();
    world
        .skc(["show", "demo", "--section", "Getting Started"])
        .success();
    world.skc(["open", "demo", "references/guide.md"]).success();
    world.skc(["search", "demo", "here"]).success();
    assert_eq!(rows(&primary(&world)).len(), 4);
    let bytes = fs::read(primary(&world)).expect("a log");
    let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    assert!(has(b"Getting Started") && !has(b"secretword"));
}

/// C-LOGGING@7.3.
#[test]
fn a_run_has_the_id_from_the_environment_or_a_generated_one() {
    let mut world = World::demo(&[]);
    let run = |world: &World| {
        let mut command = world.process(SKC, &["outline", "demo"]);
        Output::new(command.output().expect("the program runs")).success();
        rows(&primary(world)).pop().expect("a row").run_id
    };
    let mut made: Vec<String> = (0..3).map(|_| run(&world)).collect();
    world.set("SKC_RUN_ID", "");
    made.push(run(&world));
    for id in &made {
        let shape: String = id
            .chars()
            .map(|c| if c.is_ascii_digit() { '9' } else { c })
            .collect();
        let (time, random) = shape.split_once('-').expect("two parts");
        assert_eq!(time, "99999999T999999Z", "{id}");
        let is_hex = |c: char| matches!(c, '9' | 'a'..='f');
        assert!(random.len() == 4 && random.chars().all(is_hex), "{id}");
    }
    assert!(made.iter().any(|id| *id != made[0]), "{made:?}");
    world.set("SKC_RUN_ID", "session 7/ü");
    assert_eq!(run(&world), "session 7/ü");
}

/// C-LOGGING@7.2: both paths are canonical, and the skill's name is the name under which the directory was found.
#[cfg(unix)]
#[test]
fn logged_paths_have_symlinks_resolved() {
    use std::os::unix::fs::symlink;

    let world = World::project();
    let real = world.directory("develop/real-name", &[]);
    symlink(&real, world.cwd.join(".skillc/skills/demo")).expect("a link");
    let around = world.cwd.parent().expect("a parent").join("around");
    symlink(&world.cwd, &around).expect("a link");
    let inside = around.join("develop/../develop");
    world.skc_at(&inside, &["outline", "demo"]).success();
    let row = rows(&primary(&world)).pop().expect("a row");
    assert_eq!(row.skill, "demo");
    assert_eq!(row.skill_path, real.display().to_string());
    assert_eq!(row.cwd, world.cwd.join("develop").display().to_string());
}

/// C-RESOLUTION@7.4, C-LOGGING@7.2: sources with the same name share a log; the path in a row shows to which source it
/// belongs.
#[test]
fn skills_with_one_name_share_a_log() {
    let world = World::demo(&[]);
    let other = world.directory("lib/demo", &[("SKILL.md", MINIMAL)]);
    outline(&world);
    world.skc(["outline", "lib/demo"]).success();
    let paths: Vec<String> = rows(&primary(&world))
        .into_iter()
        .map(|row| row.skill_path)
        .collect();
    let expected = [world.demo_source(), other].map(|path| path.display().to_string());
    assert_eq!(paths, expected);
}

/// C-LOGGING@7.1: an import is logged under the stored skill.
#[test]
fn a_build_that_imports_is_logged_with_the_stored_skill() {
    let world = World::project();
    world.directory("downloads/demo-main", &[]);
    world.skc(["build", "downloads/demo-main"]).success();
    let row = rows(&primary(&world)).pop().expect("a row");
    assert_eq!(row.skill_path, world.demo_source().display().to_string());
    assert_eq!(
        rows(&RuntimeDir(world.cwd.join(".skillc/runtime/demo-main")).logs()),
        []
    );
}

/// R20: the logged length of an argument is bounded.
#[test]
fn long_arguments_and_messages_are_truncated() {
    let world = world();
    let path = "ü".repeat(5_000);
    let (_, row) = row_of(&world, &["open", "demo", &path]);
    assert_eq!(row.args["path"], "ü".repeat(2_048));
    assert_eq!(row.error.map(|error| error.len()), Some(4_096));
}

/// A lint run that reports errors in a skill is not itself a failure.
#[test]
fn lint_findings_are_not_logged_as_an_error() {
    let world = World::demo(&[("SKILL.md", "# Demo\n")]);
    let (output, row) = row_of(&world, &["lint", "demo"]);
    assert!(!output.ok, "{output:?}");
    assert_eq!((&*row.command, row.error), ("lint", None));
}
