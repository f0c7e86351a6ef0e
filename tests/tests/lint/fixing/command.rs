//! The changes and the output of a run with fixes.

use std::fs;
use std::time::Duration;

use serde_json::json;
use skillc_tests::{MINIMAL, World, snapshot};

/// A skill with safe and unsafe fixes: the fixes of the skipped level and of the mistyped anchor are safe, and the fix
/// of the name is unsafe.
const FAULTY: &str = "---\nname: other # ours\ndescription: A demo. Use when testing.\n---\n\n# Other demo\n\n\
                      ### Set it up\n\nSee [it](#set-it-upp).\n";

fn faulty() -> World {
    World::demo(&[("SKILL.md", FAULTY)])
}

fn text(world: &World) -> String {
    fs::read_to_string(world.demo_source().join("SKILL.md")).expect("a file")
}

/// R22.
#[test]
fn without_an_option_fixes_are_announced_but_not_applied() {
    let world = faulty();
    let run = world.skc(["lint", "demo"]).success();
    assert_eq!(text(&world), FAULTY);
    let last = run.stderr.lines().last();
    let expected = "[*] 2 fixable with --fix, 1 more with --unsafe-fixes";
    assert_eq!(last, Some(expected), "{}", run.stderr);
}

/// R22.
#[test]
fn safe_fixes_change_only_their_own_bytes() {
    let world = faulty();
    let run = world.skc(["lint", "demo", "--fix"]).success();
    let expected = FAULTY.replace("### Set", "## Set").replace("upp", "up");
    assert_eq!(text(&world), expected);
    assert!(run.text().contains("Fixed 2 findings in 1 file.\n"));
    let again = world.skc(["lint", "demo", "--fix"]).success();
    assert!(again.text().contains("Nothing was fixed.\n"));
    assert_eq!(text(&world), expected);
}

#[test]
fn stale_temporary_files_of_a_killed_run_are_removed() {
    let world = faulty();
    let at = |name: &str| world.demo_source().join(name);
    for (name, hours) in [(".skc-tmp-old", 2), (".skc-tmp-new", 0), (".old", 2)] {
        let left = fs::File::create(at(name)).expect("a file");
        let made = left.metadata().and_then(|found| found.modified());
        let age = Duration::from_secs(60 * 60 * hours);
        left.set_modified(made.expect("a time") - age)
            .expect("a time");
    }
    world.skc(["lint", "demo", "--fix"]).success();
    assert!(!at(".skc-tmp-old").exists());
    assert!(at(".skc-tmp-new").exists() && at(".old").exists());
}

/// R22.
#[test]
fn unsafe_fixes_are_applied_on_request() {
    let world = faulty();
    world
        .skc(["lint", "demo", "--fix", "--unsafe-fixes"])
        .success();
    assert!(
        text(&world).starts_with("---\nname: demo # ours\n"),
        "{}",
        text(&world)
    );
}

/// R22.
#[test]
fn the_title_is_fixed_with_the_new_name_of_the_skill() {
    let titled = FAULTY.replace("# Other demo", "# Queries");
    let world = World::demo(&[("SKILL.md", &titled)]);
    world
        .skc(["lint", "demo", "--preset=spec", "--fix", "--unsafe-fixes"])
        .success();
    let text = text(&world);
    assert!(text.contains("\nname: demo # ours\n"), "{text}");
    assert!(text.contains("\n# Demo: Queries\n"), "{text}");
}

/// R22.
#[test]
fn nested_skills_are_not_fixed() {
    let inner = FAULTY.replace("name: other", "name: inner");
    let world = World::demo(&[("SKILL.md", FAULTY), ("inner/SKILL.md", &inner)]);
    let main = world.demo_source().join("SKILL.md");
    let run = world
        .skc(["lint", main.to_str().expect("UTF-8"), "--fix"])
        .success();
    assert!(
        run.text().contains("Fixed 2 findings in 1 file.\n"),
        "{run:?}"
    );
    let left = fs::read_to_string(world.demo_source().join("inner/SKILL.md"));
    assert_eq!(left.expect("a file"), inner);
    let all = world
        .skc([
            "lint",
            world.demo_source().to_str().expect("UTF-8"),
            "--fix",
        ])
        .success();
    assert!(
        all.text().contains("Fixed 2 findings in 1 file.\n"),
        "{all:?}"
    );
}

/// R22.
#[test]
fn line_endings_byte_order_mark_and_comments_are_preserved() {
    let crlf = format!("\u{feff}{}", FAULTY.replace('\n', "\r\n"));
    let world = World::demo(&[("SKILL.md", &crlf)]);
    world
        .skc(["lint", "demo", "--select", "SKL", "--fix", "--unsafe-fixes"])
        .success();
    let expected = crlf
        .replace("name: other", "name: demo")
        .replace("### Set", "## Set")
        .replace("upp", "up");
    assert_eq!(text(&world), expected);
}

/// R22.
#[test]
fn a_diff_shows_fixes_without_applying_them() {
    let world = faulty();
    let before = snapshot(&world.cwd);
    let run = world.skc(["lint", "demo", "--diff"]).success();
    assert_eq!(snapshot(&world.cwd), before);
    let expected = "--- .skillc/skills/demo/SKILL.md\n+++ .skillc/skills/demo/SKILL.md\n@@ -5,6 +5,6 @@\n \n # Other demo\n \n\
                    -### Set it up\n+## Set it up\n \n-See [it](#set-it-upp).\n+See [it](#set-it-up).\n";
    assert_eq!(run.text(), expected);
    assert!(
        run.stderr.contains("Would fix 2 findings in 1 file.\n"),
        "{}",
        run.stderr
    );
}

/// R22.
#[test]
fn a_diff_of_a_clean_skill_is_empty() {
    let world = World::demo(&[("SKILL.md", MINIMAL)]);
    let run = world.skc(["lint", "demo", "--diff"]).success();
    assert_eq!(
        (run.text(), run.stderr.as_str()),
        ("", "Nothing would be fixed.\n")
    );
}

/// R22, D-LINT-JSON.
#[test]
fn json_output_lists_fixable_and_fixed_findings() {
    let world = faulty();
    let before = world.skc(["lint", "demo", "-o", "json"]).json();
    let found = before["diagnostics"].as_array().expect("a list").iter();
    let found: Vec<_> = found
        .map(|found| json!([found["rule"], found["fixable"]]))
        .collect();
    let expected = json!([["SKL104", "unsafe"], ["SKL205", "safe"], ["SKL302", "safe"]]);
    assert!(
        expected
            .as_array()
            .expect("a list")
            .iter()
            .all(|one| found.contains(one)),
        "{found:?}"
    );
    assert!(before.get("fixes").is_none());
    let after = world.skc(["lint", "demo", "--fix", "-o", "json"]).json();
    let fixes = json!({ "fixed": 2, "files": ["SKILL.md"], "refused": [] });
    assert_eq!(after["fixes"], fixes);
}

/// R22: the exit status reflects the remaining findings.
#[test]
fn a_run_that_fixes_all_errors_passes() {
    let colon = MINIMAL.replace("A demo. Use", "A demo: small. Use");
    let world = World::demo(&[("SKILL.md", &colon)]);
    assert!(!world.skc(["lint", "demo"]).ok);
    world.skc(["lint", "demo", "--fix"]).success();
    assert!(text(&world).contains("description: \"A demo: small. Use when testing.\"\n"));
}
