//! `skc path`: the path of a skill, or of one of its files.

use serde_json::json;
use skillc_tests::World;

fn world() -> World {
    World::demo(&[("scripts/run me.py", "print()\n"), ("a.md", "# A\n")])
}

#[test]
fn the_output_is_one_line() {
    let world = world();
    let dir = world.demo_source();
    let line = |path: &std::path::Path| format!("{}\n", path.display());
    for (args, path) in [
        (&["path", "demo"][..], dir.clone()),
        (&["path", ".skillc/skills/demo"], dir.clone()),
        (&["path", "demo", "a.md"], dir.join("a.md")),
        (
            &["path", "demo", "./scripts/run me.py"],
            dir.join("scripts/run me.py"),
        ),
        (&["path", "demo", "scripts"], dir.join("scripts")),
        (&["path", "demo", "scripts/"], dir.join("scripts")),
    ] {
        let output = world.skc_at(&world.cwd, args).success();
        assert_eq!(output.text(), line(&path), "{args:?}");
        assert_eq!(output.stderr, "", "{args:?}");
    }
}

#[test]
fn json_output_has_skill_path_and_root() {
    let world = world();
    let dir = world.demo_source();
    let output = world.skc(["path", "demo", "a.md", "-o", "json"]).success();
    let expected = json!({"skill": "demo", "path": dir.join("a.md"), "root": dir});
    assert_eq!(output.json(), expected);
    let output = world.skc(["path", "demo", "--format", "json"]).success();
    let expected = json!({"skill": "demo", "path": dir, "root": dir});
    assert_eq!(output.json(), expected);
}

#[test]
fn errors_match_those_of_open() {
    let world = world();
    for (args, error) in [
        (&["nope"][..], "error[E001]: skill 'nope' not found"),
        (
            &["demo", "nope.py"],
            "error[E021]: file not found: 'nope.py'",
        ),
        (
            &["demo", "../demo"],
            "error[E012]: path escapes skill root: '../demo'",
        ),
        (
            &["demo", "/etc/hosts"],
            "error[E012]: path escapes skill root: '/etc/hosts'",
        ),
    ] {
        let output = world.skc_at(&world.cwd, &[&["path"], args].concat());
        output.error(error);
        assert!(output.stdout.is_empty(), "{output:?}");
    }
}

/// A symlink that leads out of the skill is not one of the skill's files. A symlink that stays inside resolves to its
/// target.
#[cfg(unix)]
#[test]
fn symlinks_are_followed_only_inside_the_skill() {
    use std::os::unix::fs::symlink;

    let world = world();
    let dir = world.demo_source();
    symlink("a.md", dir.join("b.md")).expect("a link");
    symlink("/etc", dir.join("out")).expect("a link");
    let output = world.skc(["path", "demo", "b.md"]).success();
    assert_eq!(output.text(), format!("{}\n", dir.join("a.md").display()));
    world.skc(["path", "demo", "out"]).code("E012");
    world.skc(["path", "demo", "out/hosts"]).code("E012");
}
