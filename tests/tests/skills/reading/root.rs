//! The root directory of a skill, which is part of the output about the skill.

use serde_json::{Value, json};
use skillc_tests::World;

fn world() -> World {
    World::built(&[
        (
            "SKILL.md",
            "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n## Run\n\n`sh scripts/run.sh`\n\n## Rest\n\nNothing.\n",
        ),
        ("scripts/run.sh", "echo run\n"),
    ])
}

#[test]
fn json_objects_have_the_root_and_arrays_stay_arrays() {
    let world = world();
    for args in [
        &["open", "demo", "SKILL.md"][..],
        &["show", "demo", "--section", "Rest"],
        &["search", "demo", "nothing"],
        &["sources", "demo"],
        &["outline", "demo"],
        &["stats", "demo"],
        &["lint", "demo"],
        &["build", "demo"],
        &["doctor", "demo"],
        &["budget", "demo"],
        &[
            "lint",
            "--stdin",
            "--stdin-filename",
            ".skillc/skills/demo/SKILL.md",
        ],
    ] {
        let args = [args, &["--format", "json"]].concat();
        let output = world.skc_at(&world.cwd, &args);
        let root = match output.json() {
            Value::Array(_) => continue,
            answer => answer["root"].clone(),
        };
        assert_eq!(root, json!(world.demo_source()), "{args:?}");
    }
    assert!(
        world
            .skc(["outline", "demo", "-o", "json"])
            .json()
            .is_array()
    );
    let made = world.skc(["init", "fresh", "-o", "json"]).success().json();
    let fresh = world.cwd.join(".skillc/skills/fresh");
    assert_eq!(made["root"], json!(fresh));
    for args in [
        &["list"][..],
        &["lint"],
        &["stats", "--all"],
        &["init"],
        &["doctor"],
        &["budget"],
        &["budget", "demo", "fresh"],
    ] {
        let args = [args, &["--format", "json"]].concat();
        let answer = world.skc_at(&world.cwd, &args).json();
        assert!(answer.get("root").is_none(), "{args:?}: {answer}");
    }
}

/// Standard output contains only the content of the file.
#[test]
fn text_that_mentions_a_file_adds_the_root_on_standard_error() {
    let world = world();
    let line = format!("root: {}\n", world.demo_source().display());
    let section = ["show", "demo", "--section", "Run"];
    let output = world.skc_at(&world.cwd, &section).success();
    assert_eq!(output.text(), "## Run\n\n`sh scripts/run.sh`\n\n");
    assert_eq!(output.stderr, line);
    assert_eq!(world.skc(["open", "demo", "SKILL.md"]).stderr, line);
    let json = [&section[..], &["-o", "json"]].concat();
    assert_eq!(world.skc_at(&world.cwd, &json).stderr, "");
    for args in [
        &["show", "demo", "--section", "Rest"][..],
        &["open", "demo", "scripts/run.sh"],
        &["sources", "demo"],
    ] {
        assert_eq!(
            world.skc_at(&world.cwd, args).success().stderr,
            "",
            "{args:?}"
        );
    }
}
