//! Unusual files and arguments lead to a result or a clear error, never to a crash.
//!
//! Design: R20.

use std::fs;
use std::process::Stdio;

use skillc_tests::World;

use crate::catalog::support::{PROGRAM, configure, json, names, skc, skill, text};

#[cfg(unix)]
#[test]
fn symlink_loops_do_not_affect_other_skills() {
    use std::os::unix::fs::symlink;

    let world = World::project();
    let path = skill(&world, "demo", "One");
    let dir = path.parent().expect("a directory");
    symlink(dir.parent().expect("a directory"), dir.join("round")).expect("a link");
    symlink(dir.join("self"), dir.join("self")).expect("a link");
    let list = json(&world, &["list"]);
    assert_eq!(names(&list["skills"]), ["demo"]);
    skc(&world, &["catalog", "load", "demo"]).success();
}

#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_root_is_an_error_and_does_not_affect_other_skills() {
    use crate::catalog::support::user_skill;
    use skillc_tests::unreadable::{Unreadable, run_without_privilege};

    let world = World::project();
    skill(&world, "demo", "One");
    user_skill(&world, "hidden", "Two");
    let root = world.home.join(".agents/skills");
    let _closed = Unreadable::new(root.clone());
    let run = |args: &[&str]| run_without_privilege(&world, PROGRAM, args);
    let Some(list) = run(&["catalog", "list", "--format", "json"]) else {
        return;
    };
    let list = list.success().json();
    assert_eq!(names(&list["skills"]), ["demo"]);
    let errors = list["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 1, "{list}");
    assert_eq!(errors[0]["path"], root.to_str().expect("a text"));
    let loaded = run(&["catalog", "load", "demo"]).expect("a run");
    assert!(loaded.success().text().contains("BODY-OF-demo"));
}

#[test]
fn ten_thousand_invalid_skills_are_counted_but_not_all_listed() {
    const COUNT: usize = 10_000;
    let world = World::project();
    skill(&world, "demo", "One");
    for number in 0..COUNT {
        // Stay below the limit on directories per root.
        let dir = world.cwd.join(format!(
            "{}.agents/skills/bad-{number}",
            "d/".repeat(number / 1_900)
        ));
        fs::create_dir_all(&dir).expect("a directory");
        fs::write(dir.join("SKILL.md"), "bad").expect("a file");
    }
    let mut inner = World::new();
    inner.home.clone_from(&world.home);
    inner.cwd = world.cwd.join("d/".repeat(COUNT / 1_900));
    let list = json(&inner, &["list"]);
    assert_eq!(list["errors"].as_array().map(Vec::len), Some(1_000));
    assert_eq!(list["error_count"], COUNT);
    let text = skc(&inner, &["catalog", "list"]).success();
    assert!(text.text().contains("10000 errors:"));
    assert!(text.text().lines().count() < 60);
    assert_eq!(
        names(&json(&inner, &["search", "demo"])["results"]),
        ["demo"]
    );
}

#[test]
fn a_search_treats_special_characters_literally() {
    let world = World::project();
    skill(&world, "percent", "Grow by 100% at a_b");
    skill(&world, "party", "\"Celebrate 🎉 it's done\"");
    for (query, expected) in [
        ("100%", &["percent"][..]),
        ("%", &[]),
        ("_", &[]),
        ("a_b", &["percent"]),
        ("'", &[]),
        ("\"", &[]),
        ("🎉", &[]),
        ("it's 🎉", &[]),
        ("celebration 🎉", &["party"]),
        ("* OR NEAR(", &[]),
        ("\\", &[]),
    ] {
        let found = json(&world, &["search", query]);
        assert_eq!(names(&found["results"]), expected, "{query}");
    }
    skc(&world, &["catalog", "search", ""]).code("E004");
    skc(&world, &["catalog", "search", " \t"]).code("E004");
    let page = format!("{} celebrate", "x ".repeat(50_000));
    let found = json(&world, &["search", &page]);
    assert_eq!(names(&found["results"]), ["party"]);
}

#[test]
fn names_that_differ_only_in_case_are_one_name() {
    let world = World::project();
    skill(&world, "demo", "One");
    // The capital letter makes this skill invalid, so it is not a second `demo`.
    let other = world.cwd.join(".agents/skills/group/Demo");
    fs::create_dir_all(&other).expect("a directory");
    fs::write(other.join("SKILL.md"), text("Demo", "Two")).expect("a file");
    let list = json(&world, &["list"]);
    assert_eq!(names(&list["skills"]), ["demo"]);
    assert_eq!(list["errors"].as_array().map(Vec::len), Some(1));
    assert_eq!(json(&world, &["load", "DEMO"])["name"], "demo");
}

#[test]
fn a_load_uses_the_current_file_even_if_it_changed_since_the_search() {
    let world = World::project();
    let path = skill(&world, "demo", "One");
    let found = json(&world, &["search", "demo"]);
    let found = found["results"][0]["path"].as_str().expect("a path");
    fs::write(&path, text("demo", "Edited")).expect("a file");
    let loaded = skc(&world, &["catalog", "load", found]).success();
    assert!(loaded.text().contains("description: Edited"));
    fs::write(&path, "nothing").expect("a file");
    skc(&world, &["catalog", "load", found]).code("E061");
    fs::remove_file(&path).expect("should be removable");
    skc(&world, &["catalog", "load", "demo"]).code("E001");
}

#[test]
fn invalid_arguments_are_clear_errors() {
    let world = World::project();
    skill(&world, "demo", "One");
    for (args, code) in [
        (&["load", ""][..], "E100"),
        (&["load", " "], "E100"),
        (&["load", "$"], "E001"),
        (&["load", "/etc/passwd"], "E061"),
        (&["load", "../../SKILL.md"], "E061"),
        (&["load", "demo/"], "E061"),
        (&["load", "a\u{1b}[31mb"], "E001"),
        (&["enable", ""], "E100"),
        (&["disable", "No Name"], "E100"),
        (&["allow", "a*"], "E100"),
        (&["deny", ""], "E100"),
        (&["deny", ".agents/skills/demo"], "E100"),
        (&["search"], "E100"),
        (&["list", "--scope", "none"], "E100"),
    ] {
        let output = skc(&world, &[&["catalog"], args].concat());
        output.code(code);
        assert!(!output.stderr.contains('\u{1b}'), "{args:?}");
    }
    let output = skc(&world, &["catalog", "load", "dem"]);
    assert!(
        output.stderr.contains("Did you mean 'demo'?"),
        "{}",
        output.stderr
    );
    let output = skc(&world, &["catalog", "deny", ".agents/skills/demo"]);
    assert!(
        output.stderr.contains("That skill's name is 'demo'."),
        "{}",
        output.stderr
    );
    assert!(!world.cwd.join(".skillc/config.toml").exists());
}

#[test]
fn control_sequences_in_a_description_are_escaped() {
    let world = World::project();
    skill(&world, "demo", "\"Red \\u001b[31m and \\u202e back\"");
    for args in [
        &["list"][..],
        &["list", "-v"],
        &["search", "red", "-v"],
        &["inspect"],
    ] {
        let output = skc(&world, &[&["catalog"], args].concat()).success();
        assert!(!output.text().contains(['\u{1b}', '\u{202e}']), "{args:?}");
    }
}

#[test]
fn concurrent_writes_all_go_to_the_projects_file() {
    let world = World::new();
    skill(&world, "demo", "One");
    let dir = world.cwd.join(".skillc");
    fs::create_dir_all(&dir).expect("a directory");
    // A killed process left this file behind.
    fs::write(dir.join(".skc-tmp-abc"), "").expect("a file");
    let names: Vec<String> = (0..8).map(|number| format!("demo-{number}")).collect();
    let running: Vec<_> = names
        .iter()
        .map(|name| {
            let mut command = world.process(PROGRAM, &["catalog", "deny", name]);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().expect("should run")
        })
        .collect();
    for mut child in running {
        assert!(child.wait().expect("should exit").success());
    }
    let written = fs::read_to_string(dir.join("config.toml")).expect("the project's file");
    for name in &names {
        let rule = format!("skill_name = \"{name}\"");
        assert_eq!(written.matches(&rule).count(), 1, "{written}");
    }
    assert!(!world.home.join(".skillc/config.toml").exists());
}

/// CAT-PERM.3: an unreadable configuration file might contain deny rules, so every load is denied.
#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_symlink_loop_denies_everything() {
    let world = World::project();
    skill(&world, "demo", "One");
    let file = world.cwd.join(".skillc/config.toml");
    std::os::unix::fs::symlink("config.toml", &file).expect("a link");
    let output = skc(&world, &["catalog", "load", "demo"]);
    assert!(!output.ok && output.stdout.is_empty(), "{output:?}");
    assert!(output.stderr.contains("error[E062]"), "{output:?}");
    assert!(output.stderr.contains("warning[W020]"), "{output:?}");
    assert!(!skc(&world, &["catalog", "deny", "demo"]).ok);
    assert!(!world.home.join(".skillc/config.toml").exists());
}

/// CAT-LOAD.5, CAT-DISC.17.
#[test]
fn loading_an_invalid_skill_says_what_is_wrong_with_it() {
    let world = World::project();
    skill(&world, "demo", "One");
    world.directory(
        ".agents/skills/demos",
        &[("SKILL.md", "---\nname: demos\n---\n")],
    );
    let output = skc(&world, &["catalog", "load", "demos"]);
    output.error("error[E001]: skill 'demos' not found");
    let wanted = "demos/SKILL.md is not a valid skill: ";
    assert!(output.stderr.contains(wanted), "{output:?}");
    assert!(!output.stderr.contains("Did you mean"), "{output:?}");
}

/// CAT-INJECT.8: only skills in the instructions count as injected.
#[test]
fn inspect_counts_the_injected_skills() {
    let world = World::project();
    skill(&world, "demo", "One");
    let told = |world: &World| json(world, &["inspect"])["skills"]["injected"]["entries"].clone();
    assert_eq!(told(&world), 1);
    configure(&world, "[skills.initial]\ninject = \"prompt\"\n");
    assert_eq!(told(&world), 0);
}

/// CAT-LOAD.13: a skill that was not delivered does not count as loaded.
#[cfg(target_os = "linux")]
#[test]
fn a_load_that_cannot_be_written_is_not_recorded() {
    let mut world = World::project();
    world.set("SKC_RUN_ID", "full");
    skill(&world, "demo", "One");
    let full = fs::File::options().write(true).open("/dev/full");
    let mut command = world.process(PROGRAM, &["catalog", "load", "demo"]);
    command.stdout(full.expect("/dev/full"));
    assert!(!command.output().expect("should run").status.success());
    for content in ["BODY-OF-demo", "<skill_context_reminder"] {
        let output = skc(&world, &["catalog", "load", "demo"]).success();
        assert!(output.text().contains(content), "{output:?}");
    }
}
