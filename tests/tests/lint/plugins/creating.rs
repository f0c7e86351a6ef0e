//! `skc plugin new`: the created script works at once.

use std::fs;

use skillc_core::testkit::write_files;
use skillc_tests::World;

use crate::plugins::support::{PROJECT, rule};

/// R5.
#[test]
fn created_scripts_pass_their_cases_and_every_check() {
    let world = World::project();
    let run = world.skc(["plugin", "new", "rule", "no-todo"]).success();
    assert_eq!(
        run.text(),
        "Created .skillc/plugins/no-todo.rhai (TEAM001)\n    and .skillc/plugins/no-todo.test.toml\n\
         Edit both, then run: skc plugin test .skillc/plugins/no-todo.rhai\n"
    );
    world.skc(["plugin", "new", "format", "glossary"]).success();
    let tested = world.skc(["plugin", "test"]).success();
    assert_eq!(
        tested.text().lines().collect::<Vec<_>>(),
        [
            ".skillc/plugins/glossary.rhai: 2 cases passed; 100 % of lines covered",
            ".skillc/plugins/no-todo.rhai: 2 cases passed; 100 % of lines covered",
            "2 scripts: 4 cases passed, 0 failed",
        ]
    );
    let checked = world.skc(["plugin", "check"]).success();
    assert!(checked.text().contains("2 scripts loaded"), "{checked:?}");
    for name in ["no-todo", "glossary"] {
        let script =
            fs::read_to_string(world.cwd.join(PROJECT).join(format!("{name}.rhai"))).unwrap();
        let lines = script.lines().filter(|line| !line.starts_with("///"));
        assert!(
            lines.count() <= 12 && !script.contains("{NAME}"),
            "{script}"
        );
    }
}

#[test]
fn a_new_rule_gets_the_next_free_code() {
    let world = World::project();
    write_files(
        &world.cwd.join(PROJECT),
        &[
            ("a.rhai", &rule("ACME001", "a")),
            ("broken.rhai", "rule(#{ code: \"ACME002\","),
        ],
    );
    let json = world
        .skc(["plugin", "new", "rule", "b", "-o", "json"])
        .json();
    assert_eq!(json["code"], "ACME003");
    assert_eq!(json["script"], ".skillc/plugins/b.rhai");
    world
        .skc(["plugin", "test", ".skillc/plugins/b.rhai"])
        .success();
}

#[test]
fn global_creates_the_script_in_the_home_directory() {
    let world = World::project();
    world
        .skc(["plugin", "new", "rule", "mine", "--global"])
        .success();
    assert!(!world.cwd.join(PROJECT).exists());
    let listed = world.skc(["plugin", "list"]).success();
    assert!(listed.text().contains("TEAM001"), "{listed:?}");
    // Codes that are used in the home directory are not reused.
    let json = world
        .skc(["plugin", "new", "rule", "ours", "-o", "json"])
        .json();
    assert_eq!(json["code"], "TEAM002");
}

#[test]
fn without_a_project_the_script_is_created_in_the_working_directory() {
    let world = World::new();
    world.skc(["plugin", "new", "rule", "mine"]).success();
    assert!(world.cwd.join(PROJECT).join("mine.test.toml").is_file());
    world.skc(["plugin", "test"]).success();
}

/// Wherever in a repository the command runs, the script is created at the root.
#[test]
fn in_a_repository_the_script_is_created_at_its_root() {
    let world = World::new();
    let below = world.cwd.join("src/deep");
    fs::create_dir_all(world.cwd.join(".git")).unwrap();
    fs::create_dir_all(&below).unwrap();
    let run = world
        .skc_at(&below, &["plugin", "new", "rule", "mine"])
        .success();
    let script = world.cwd.join(PROJECT).join("mine.rhai");
    let created = format!("Created {} (TEAM001)\n", script.display());
    assert!(run.text().starts_with(&created), "{}", run.text());
    assert!(script.is_file() && !below.join(".skillc").exists());
    // From then on, the root is the nearest project.
    let run = world.skc_at(&below, &["plugin", "test"]).success();
    assert!(
        run.text().contains("1 script: 2 cases passed"),
        "{}",
        run.text()
    );
    // If there is a nested project, it is nearer.
    fs::create_dir_all(world.cwd.join("src/.skillc/skills")).unwrap();
    world
        .skc_at(&below, &["plugin", "new", "rule", "inner"])
        .success();
    assert!(
        world
            .cwd
            .join("src")
            .join(PROJECT)
            .join("inner.rhai")
            .is_file()
    );
}

#[test]
fn existing_files_and_names_are_refused() {
    let world = World::project();
    write_files(
        &world.cwd.join(PROJECT),
        &[
            ("a.test.toml", "# mine"),
            ("c.rhai", &rule("TEAM001", "taken")),
        ],
    );
    let before = skillc_tests::snapshot(&world.cwd);
    for (kind, name, said) in [
        (
            "rule",
            "a",
            "\".skillc/plugins/a.test.toml\" already exists",
        ),
        (
            "rule",
            "taken",
            "rule \"taken\" already exists, in .skillc/plugins/c.rhai:2",
        ),
        (
            "rule",
            "heading-hierarchy",
            "rule \"heading-hierarchy\" already exists",
        ),
        (
            "format",
            "csv",
            "an indexer for \".csv\" files already exists",
        ),
        ("rule", "Mine", "\"Mine\" is not a valid name"),
        ("rule", "../mine", "\"../mine\" is not a valid name"),
        ("format", "a.b", "\"a.b\" is not a valid name"),
    ] {
        let run = world.skc(["plugin", "new", kind, name]);
        run.code("E100");
        assert!(run.stderr.contains(said), "{said}\n{}", run.stderr);
    }
    assert_eq!(skillc_tests::snapshot(&world.cwd), before);
}

/// R5: scripts in skills are never loaded, so none is created there.
#[test]
fn nothing_is_written_into_a_skill() {
    let world = World::new();
    let skill = world.directory("some", &[("SKILL.md", skillc_tests::MINIMAL)]);
    let run = world.skc_at(&skill, &["plugin", "new", "rule", "mine"]);
    run.code("E100");
    assert!(run.stderr.contains("is inside a skill"), "{run:?}");
    assert!(!skill.join(".skillc").exists());
}
