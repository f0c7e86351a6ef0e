//! Fixes that are not applied, and the reasons.

use std::fs;
use std::path::Path;

use serde_json::json;
use skillc_tests::{MINIMAL, World, snapshot};

const DEEP: &str =
    "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n### Deep\n";

/// R22.
#[test]
fn a_fix_that_would_introduce_a_finding_is_refused_and_reported() {
    let text = MINIMAL
        .replace("name: demo", "name: small")
        .replace("# Demo", "# Small");
    let world = World::demo(&[("SKILL.md", &text)]);
    let run = world
        .skc(["lint", "demo", "--preset=spec", "--fix", "--unsafe-fixes"])
        .success();
    let said = "not fixed: SKL104 at .skillc/skills/demo/SKILL.md:2: it would cause SKL203: ";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    assert_eq!(
        fs::read_to_string(world.demo_source().join("SKILL.md")).expect("a file"),
        text
    );
}

/// R22.
#[test]
fn conflicting_options_are_refused() {
    let world = World::demo(&[("SKILL.md", DEEP)]);
    let before = snapshot(&world.cwd);
    world.skc(["lint", "demo", "--fix", "--diff"]).code("E100");
    world.skc(["lint", "demo", "--unsafe-fixes"]).code("E100");
    assert_eq!(snapshot(&world.cwd), before);
}

/// R22.
#[test]
fn a_read_only_file_is_left_alone_and_reported() {
    let world = World::demo(&[("SKILL.md", DEEP)]);
    let file = world.demo_source().join("SKILL.md");
    let mut permissions = file.metadata().expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).expect("permissions can be set");
    let before = snapshot(&world.cwd);
    let run = world.skc(["lint", "demo", "--fix"]);
    run.code("E999");
    assert!(
        run.stderr.contains("SKILL.md' is read-only"),
        "{}",
        run.stderr
    );
    assert_eq!(snapshot(&world.cwd), before);
    // If there are several skills, the others are fixed.
    world.project_skill(
        "other",
        &[(
            "SKILL.md",
            &DEEP.replace("demo", "other").replace("# Demo", "# Other"),
        )],
    );
    let run = world.skc(["lint", "--fix"]);
    assert!(
        !run.ok && run.text().contains("Fixed 1 finding in 1 file.\n"),
        "{}",
        run.text()
    );
    assert!(!run.text().contains("unreadable"), "{}", run.text());
}

/// R22.
#[test]
fn a_compiled_skill_is_never_fixed() {
    let world = World::built(&[("SKILL.md", MINIMAL)]);
    let runtime = world.demo_runtime();
    let file = runtime.join("SKILL.md");
    let text = fs::read_to_string(&file).expect("a file") + "\n##### Deep\n";
    fs::write(&file, text).expect("writable");
    let before = snapshot(&runtime);
    let path = Path::new(&runtime).to_str().expect("UTF-8");
    for args in [
        &["lint", path, "--fix"][..],
        &["lint", path, "--fix", "--force"],
    ] {
        world.skc_at(&world.cwd, args);
        assert_eq!(snapshot(&runtime), before, "{args:?}");
    }
    let run = world.skc(["lint", path, "--force", "--fix"]);
    let said = "the skill is build output: fix its source";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let report = world.skc(["lint", path, "--force", "-o", "json"]).json();
    let found = report["diagnostics"].as_array().expect("a list");
    assert!(!found.is_empty() && found.iter().all(|found| found.get("fixable").is_none()));
}

/// R22.
#[test]
fn a_file_that_is_not_utf_8_is_not_changed() {
    let world = World::demo(&[("SKILL.md", DEEP)]);
    let file = world.demo_source().join("SKILL.md");
    let bytes = [DEEP.as_bytes(), b"\xff\n"].concat();
    fs::write(&file, &bytes).expect("writable");
    let run = world.skc(["lint", "demo", "--fix", "-o", "json"]).json();
    assert_eq!(
        run["fixes"]["refused"][0]["reason"],
        json!("'SKILL.md' is not UTF-8 text")
    );
    assert_eq!(fs::read(&file).expect("a file"), bytes);
}
