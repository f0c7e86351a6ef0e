//! Project detection, and which projects a command searches.

use std::fs;

use skillc_tests::{World, snapshot};

use crate::stores::support::{column, entries, names, place, skill};

/// G-INTRO.5, D-PROJECT-ROOT.
#[test]
fn every_command_works_from_any_subdirectory_of_a_project() {
    let world = World::demo(&[("docs/a.md", "# Alpha\n\nneedle\n")]);
    let deep = world.cwd.join("src/deep/er");
    fs::create_dir_all(&deep).unwrap();
    let commands: [&[&str]; 8] = [
        &["build", "demo"],
        &["lint", "demo"],
        &["list"],
        &["outline", "demo"],
        &["search", "demo", "needle"],
        &["show", "demo", "--section", "Alpha"],
        &["open", "demo", "docs/a.md"],
        &["sources", "demo"],
    ];
    for command in commands {
        let there = world.skc_at(&deep, command).success();
        let here = world.skc_at(&world.cwd, command).success();
        assert_eq!(there.text(), here.text(), "{command:?}");
        assert!(!here.stdout.is_empty(), "{command:?}");
    }
    assert!(entries(&deep).is_empty());
}

/// G-INTRO.4, C-RESOLUTION@7.2.
#[test]
fn the_project_wins_over_the_global_store() {
    let world = World::project();
    world.global_skill("demo", &[("SKILL.md", &skill("demo", "global"))]);
    assert_eq!(place(&world, &world.cwd, "demo"), "global");
    world.project_skill("demo", &[("SKILL.md", &skill("demo", "project"))]);
    assert_eq!(place(&world, &world.cwd, "demo"), "project");
    let elsewhere = world.cwd.parent().unwrap();
    assert_eq!(place(&world, elsewhere, "demo"), "global");
}

/// D-PROJECT-ROOT, F-56.
#[test]
fn the_nearest_project_that_has_the_skill_wins() {
    let world = World::project();
    let (middle, inner) = (world.cwd.join("middle"), world.cwd.join("middle/inner"));
    fs::create_dir_all(inner.join(".skillc/skills")).unwrap();
    world.project_skill("both", &[("SKILL.md", &skill("both", "outer"))]);
    world.project_skill("outer", &[("SKILL.md", &skill("outer", "outer"))]);
    world.directory(
        "middle/.skillc/skills/both",
        &[("SKILL.md", &skill("both", "middle"))],
    );
    world.global_skill("far", &[("SKILL.md", &skill("far", "global"))]);
    assert_eq!(place(&world, &inner, "both"), "middle");
    assert_eq!(place(&world, &inner, "outer"), "outer");
    assert_eq!(place(&world, &inner, "far"), "global");
    assert_eq!(place(&world, &middle, "both"), "middle");
    assert_eq!(place(&world, &world.cwd, "both"), "outer");
}

/// D-PROJECT-ROOT, F-56, C-LIST.1.
#[test]
fn the_list_has_all_parent_projects_and_nearer_skills_shadow_others() {
    let world = World::project();
    world.project_skill("both", &[]);
    world.project_skill("outer", &[]);
    world.directory("sub/.skillc/skills/both", &[]);
    world.directory("sub/.skillc/skills/inner", &[]);
    world.global_skill("both", &[]);
    let list = world
        .skc_at(&world.cwd.join("sub"), &["list", "-o", "json"])
        .success();
    assert_eq!(names(&list), ["both", "inner", "outer", "both"]);
    let inner = world.cwd.join("sub/.skillc/skills/both");
    assert_eq!(column(&list, "source_path")[0], inner.to_string_lossy());
    assert_eq!(
        column(&list, "scope"),
        ["project", "project", "project", "global"]
    );
}

/// D-PROJECT-ROOT.
#[test]
fn a_skillc_directory_that_is_empty_or_marked_is_a_project() {
    for mark in ["", "skills/", "runtime/", "plugins/", "config.toml"] {
        let world = World::new();
        let dot = world.cwd.join(".skillc");
        let sub = world.cwd.join("sub");
        fs::create_dir_all(dot.join("logs")).unwrap();
        if mark.is_empty() {
            fs::remove_dir(dot.join("logs")).unwrap();
        } else if mark.ends_with('/') {
            fs::create_dir(dot.join(mark)).unwrap();
        } else {
            fs::write(dot.join(mark), "").unwrap();
        }
        fs::create_dir(&sub).unwrap();
        world.skc_at(&sub, &["init", "x"]).success();
        assert!(dot.join("skills/x/SKILL.md").is_file(), "{mark}");
        assert!(entries(&sub).is_empty(), "{mark}");
    }
}

/// D-PROJECT-ROOT, F-56.
#[test]
fn logs_or_a_manifest_alone_are_not_a_project() {
    for marks in [
        &["logs/"][..],
        &["manifest.json"],
        &["logs/", "manifest.json"],
    ] {
        let world = World::new();
        let (dot, sub) = (world.cwd.join(".skillc"), world.cwd.join("sub"));
        fs::create_dir_all(&dot).unwrap();
        fs::create_dir(&sub).unwrap();
        for mark in marks {
            if mark.ends_with('/') {
                fs::create_dir(dot.join(mark)).unwrap();
                fs::write(dot.join(mark).join("demo.db"), "").unwrap();
            } else {
                fs::write(dot.join(mark), "{}").unwrap();
            }
        }
        let before = snapshot(&dot);
        world.skc_at(&sub, &["init", "x"]).success();
        assert!(sub.join(".skillc/skills/x/SKILL.md").is_file(), "{marks:?}");
        assert_eq!(snapshot(&dot), before);
    }
}

/// F-56, D-RUNTIME-STORE.
#[test]
fn a_directory_with_only_logs_does_not_receive_imports() {
    let world = World::new();
    fs::create_dir_all(world.cwd.join(".skillc/logs")).unwrap();
    world.directory("dev/demo", &[]);
    world.skc(["build", "dev/demo"]).success();
    assert_eq!(entries(&world.cwd.join(".skillc")), ["logs"]);
    assert!(world.home.join(".skillc/skills/demo/SKILL.md").is_file());
}

/// D-PROJECT-ROOT.
#[test]
fn imports_go_to_the_nearest_project() {
    let world = World::project();
    let inner = world.cwd.join("inner");
    fs::create_dir_all(inner.join(".skillc/skills")).unwrap();
    fs::create_dir_all(inner.join("deep")).unwrap();
    world.directory("inner/dev/demo", &[]);
    world
        .skc_at(&inner.join("deep"), &["build", "../dev/demo"])
        .success();
    assert!(inner.join(".skillc/runtime/demo/SKILL.md").is_file());
    assert_eq!(entries(&inner.join(".skillc/skills")), ["demo"]);
    assert!(entries(&world.cwd.join(".skillc/skills")).is_empty());
    assert_eq!(entries(&world.home.join(".skillc")), ["builds"]);
}

/// D-PROJECT-ROOT.
#[test]
fn a_file_named_skillc_is_not_a_project() {
    let world = World::new();
    let sub = world.cwd.join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(world.cwd.join(".skillc"), "").unwrap();
    world.skc_at(&sub, &["init", "x"]).success();
    assert!(sub.join(".skillc/skills/x/SKILL.md").is_file());
}
