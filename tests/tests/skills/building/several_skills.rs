//! Building several skills with one command.

use std::fs;

use skillc_tests::{World, write_config};

use crate::building::support::named;

/// Creates a project with these skills.
fn world(names: &[&str]) -> World {
    let world = World::project();
    for name in names {
        world.project_skill(name, &[("SKILL.md", &named(name))]);
    }
    world
}

fn is_built(world: &World, name: &str) -> bool {
    let runtime = world.cwd.join(".skillc/runtime").join(name);
    let place = world.home.join(".claude/skills").join(name);
    runtime.join("SKILL.md").is_file() && place.join("SKILL.md").is_file()
}

#[test]
fn several_names_globs_and_all_are_built() {
    for (args, built) in [
        (&["api-a", "other"][..], &["api-a", "other"][..]),
        (&["api-*"], &["api-a", "api-b"]),
        (
            &["other", "api-*", "other", "api-a"],
            &["other", "api-a", "api-b"],
        ),
        (&["--all"], &["api-a", "api-b", "other"]),
    ] {
        let world = world(&["api-a", "api-b", "other"]);
        world.global_skill("api-user", &[("SKILL.md", &named("api-user"))]);
        let args = [&["build", "-o", "json"][..], args].concat();
        let json = world.skc_at(&world.cwd, &args).success().json();
        let skills = json["skills"].as_array().expect("a list");
        let names: Vec<&str> = skills
            .iter()
            .filter_map(|skill| skill["skill"].as_str())
            .collect();
        assert_eq!(names, built, "{args:?}");
        assert_eq!(json["failed"], serde_json::json!([]));
        assert!(built.iter().all(|name| is_built(&world, name)));
        assert!(!is_built(&world, "api-user"));
    }
}

#[test]
fn outside_a_project_all_means_the_users_skills() {
    let world = World::new();
    for name in ["one", "two"] {
        world.global_skill(name, &[("SKILL.md", &named(name))]);
    }
    let built = world.skc(["build", "--all"]).success();
    let home = world.home.display();
    let expected = format!(
        "Built one (global)\n  Deploy:  {home}/.claude/skills/one (symlink)\nBuilt two (global)\n  Deploy:  {home}/.claude/skills/two (symlink)\nBuilt 2 skills\n"
    );
    assert_eq!(built.text(), expected);
}

#[test]
fn a_failure_is_reported_and_does_not_stop_the_others() {
    let world = world(&["a", "z"]);
    world.project_skill("bad", &[("SKILL.md", "# No frontmatter\n")]);
    let run = world.skc(["build", "a", "bad", "nope", "x-*", "z"]);
    assert!(!run.ok);
    assert!(is_built(&world, "a") && is_built(&world, "z"));
    assert!(
        run.text().ends_with("Built 2 of 5 skills; 3 failed\n"),
        "{run:?}"
    );
    for line in [
        "bad: error[E011]: ",
        "nope: error[E001]: skill 'nope' not found",
        "x-*: error[E001]: skill 'x-*' not found",
    ] {
        assert!(
            run.stderr.lines().any(|found| found.starts_with(line)),
            "{run:?}"
        );
    }
    let run = world.skc(["build", "--all", "-o", "json"]);
    assert!(!run.ok);
    let json = run.json();
    assert_eq!(json["skills"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["failed"][0]["skill"], "bad");
    let error = json["failed"][0]["error"].as_str().expect("a text");
    assert!(error.starts_with("error[E011]: "), "{error}");
}

#[test]
fn one_named_skill_keeps_the_single_skill_output() {
    let world = world(&["a"]);
    let json = world.skc(["build", "a", "-o", "json"]).success().json();
    assert_eq!(json["skill"], "a");
    world
        .skc(["build", "nope"])
        .error("error[E001]: skill 'nope' not found");
}

#[test]
fn nothing_to_build_is_an_error() {
    let world = World::project();
    world
        .skc(["build", "--all"])
        .error("error[E100]: invalid option: 'no skills to build'");
    world.skc(["build"]).code("E100");
    world.skc(["build", "--all", "x"]).code("E100");
    let run = world.skc(["build", "api-*"]);
    assert!(
        !run.ok && run.stderr.starts_with("api-*: error[E001]: "),
        "{run:?}"
    );
}

/// `build --all` writes one row to the usage log of each skill.
#[test]
fn each_skill_has_a_row_in_its_own_log() {
    let world = world(&["a", "b"]);
    world.skc(["build", "--all"]).success();
    for name in ["a", "b"] {
        let stats = world.skc(["stats", name, "-o", "json"]).success();
        assert!(
            stats.text().contains("build") || stats.text().contains('1'),
            "{stats:?}"
        );
        let log = world
            .cwd
            .join(".skillc/runtime")
            .join(name)
            .join(".skillc-meta/logs.db");
        assert!(log.is_file(), "{name}");
    }
}

#[test]
fn several_skills_follow_the_scope_of_their_project() {
    let world = world(&["a", "b"]);
    write_config(&world.cwd, "[deploy]\nscope = \"project\"\n");
    world.skc(["build", "--all"]).success();
    for name in ["a", "b"] {
        let place = world.cwd.join(".claude/skills").join(name);
        assert!(fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_some()));
    }
    assert!(!world.home.join(".claude").exists());
}
