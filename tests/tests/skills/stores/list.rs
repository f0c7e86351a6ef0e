//! `skc list`: selection, order and formats.

use std::fs;

use serde_json::json;
use skillc_tests::World;

use crate::stores::support::{column, names};

/// Creates five skills in two scopes; `built` is built, and `changed` is built and then edited.
fn five() -> World {
    let world = World::project();
    for name in ["changed", "built", "plain"] {
        world.project_skill(name, &[]);
    }
    for name in ["b-global", "a-global"] {
        world.global_skill(name, &[]);
    }
    for name in ["built", "changed"] {
        world.skc(["build", name]).success();
    }
    world.project_skill("changed", &[("more.md", "# More\n")]);
    world
}

/// C-LIST.5, D-LIST-COUNTS, F-54.
#[test]
fn the_json_has_every_field_with_absolute_paths() {
    let world = World::demo(&[]);
    world.global_skill("other", &[]);
    world.skc(["build", "demo"]).success();
    let list = world.skc(["list", "--format", "json"]).success();
    let path = |root: &std::path::Path, rest: &str| root.join(rest).display().to_string();
    let expected = json!({
        "skills": [
            {
                "name": "demo", "scope": "project", "status": "normal",
                "source_path": path(&world.cwd, ".skillc/skills/demo"),
                "runtime_path": path(&world.cwd, ".skillc/runtime/demo"),
            },
            {
                "name": "other", "scope": "global", "status": "not-built",
                "source_path": path(&world.home, ".skillc/skills/other"),
                "runtime_path": path(&world.home, ".skillc/runtime/other"),
            },
        ],
        "total": 2,
        "filtered": 2,
    });
    assert_eq!(list.json(), expected);
}

/// C-LIST.8.
#[test]
fn without_skills_the_list_is_empty_and_succeeds() {
    for world in [World::new(), World::project()] {
        let list = world.skc(["list", "-o", "json"]).success();
        assert_eq!(
            list.json(),
            json!({"skills": [], "total": 0, "filtered": 0})
        );
        let text = world.skc(["list"]).success();
        assert!(!text.text().contains("STATUS") && text.stderr.is_empty());
    }
}

/// C-LIST.4.
#[test]
fn the_text_is_a_table_with_one_row_per_skill() {
    let world = five();
    let list = world.skc(["list"]).success();
    let rows: Vec<Vec<&str>> = list
        .text()
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let expected = [
        ["SKILL", "SCOPE", "STATUS"],
        ["built", "project", "normal"],
        ["changed", "project", "normal"],
        ["plain", "project", "not-built"],
        ["a-global", "global", "not-built"],
        ["b-global", "global", "not-built"],
    ];
    assert_eq!(rows, expected);
    assert!(!list.text().contains('\u{1b}'));
}

/// C-LIST.4.
#[test]
fn the_verbose_table_has_short_source_paths_even_in_a_subdirectory() {
    let world = World::demo(&[]);
    world.global_skill("other", &[]);
    let sub = world.cwd.join("a/b");
    fs::create_dir_all(&sub).unwrap();
    for args in [&["list", "--verbose"][..], &["list", "-v"], &["-v", "list"]] {
        let list = world.skc_at(&sub, args).success();
        let rows: Vec<Vec<&str>> = list
            .text()
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let expected = [
            ["SKILL", "SCOPE", "STATUS", "SOURCE"],
            ["demo", "project", "not-built", ".skillc/skills/demo"],
            ["other", "global", "not-built", "~/.skillc/skills/other"],
        ];
        assert_eq!(rows, expected);
    }
}

/// C-LIST.7.
#[test]
fn projects_come_first_and_names_are_in_byte_order() {
    let world = World::project();
    for name in ["b", "a-b", "a", "Z", "a_b", "é"] {
        world.project_skill(name, &[]);
    }
    world.global_skill("A", &[]);
    let all = world.skc(["list", "-o", "json"]).success();
    assert_eq!(names(&all), ["Z", "a", "a-b", "a_b", "b", "é", "A"]);
}

/// C-LIST.7, C-LIST.6, D-LIST-COUNTS.
#[test]
fn the_limit_applies_last_and_counts_include_omitted_skills() {
    let world = five();
    let run = |args: &[&str]| {
        let mut all = vec!["list", "-o", "json"];
        all.extend(args);
        world.skc_at(&world.cwd, &all).success()
    };
    let list = run(&["--status", "not-built", "--limit", "2"]);
    assert_eq!(names(&list), ["plain", "a-global"]);
    assert_eq!(list.json()["total"], 5);
    assert_eq!(list.json()["filtered"], 3);
    let none = run(&["--limit", "0"]);
    assert_eq!(
        none.json(),
        json!({"skills": [], "total": 5, "filtered": 5})
    );
    assert_eq!(names(&run(&["-l", "1"])), ["built"]);
}

/// C-LIST.6.
#[test]
fn filters_by_scope_status_and_pattern_combine() {
    let world = five();
    let run = |args: &[&str]| {
        let mut all = vec!["list", "-o", "json"];
        all.extend(args);
        names(&world.skc_at(&world.cwd, &all).success())
    };
    assert_eq!(run(&["--scope", "project"]), ["built", "changed", "plain"]);
    assert_eq!(run(&["--scope", "global"]), ["a-global", "b-global"]);
    assert_eq!(run(&["--scope", "all"]).len(), 5);
    assert_eq!(run(&["--status", "normal"]), ["built", "changed"]);
    assert_eq!(run(&["--pattern", "*-global"]), ["a-global", "b-global"]);
    assert_eq!(run(&["--pattern", "[a-b]?global"]).len(), 2);
    assert_eq!(run(&["-p", "{plain,built}"]), ["built", "plain"]);
    assert_eq!(run(&["-p", "Built"]), [""; 0]);
    let both = run(&["--scope", "project", "--status", "not-built", "-p", "*"]);
    assert_eq!(both, ["plain"]);
}

/// C-LIST.6, F-54.
#[test]
fn an_invalid_value_or_glob_is_refused() {
    let world = World::demo(&[]);
    let bad: [&[&str]; 7] = [
        &["--scope", "mine"],
        &["--status", "stale"],
        &["--limit", "-1"],
        &["--limit", "many"],
        &["--pattern", "[a"],
        &["--pattern", "{a,b"],
        &["extra"],
    ];
    for args in bad {
        let mut all = vec!["list"];
        all.extend(args);
        let run = world.skc_at(&world.cwd, &all);
        run.code("E100");
        assert!(run.stdout.is_empty(), "{run:?}");
    }
}

/// C-LIST.2, F-54.
#[test]
fn a_skill_is_built_if_its_manifest_can_be_read() {
    let world = World::demo(&[]);
    let status = || column(&world.skc(["list", "-o", "json"]).success(), "status");
    assert_eq!(status(), ["not-built"]);
    world.skc(["build", "demo"]).success();
    assert_eq!(status(), ["normal"]);
    fs::write(
        world.demo_source().join("SKILL.md"),
        skillc_tests::MINIMAL.to_owned() + "more\n",
    )
    .unwrap();
    assert_eq!(status(), ["normal"]);
    let manifest = world.demo_runtime().join(".skillc-meta/manifest.json");
    for broken in ["", "{", "[]", "{\"skill\": \"demo\"}", "\u{0}"] {
        fs::write(&manifest, broken).unwrap();
        assert_eq!(status(), ["not-built"], "{broken:?}");
    }
    fs::remove_file(&manifest).unwrap();
    fs::create_dir(&manifest).unwrap();
    assert_eq!(status(), ["not-built"]);
}

/// C-LIST.3, D-LIST-OBSOLETE.
#[test]
fn the_check_distinguishes_changed_and_unchanged_skills() {
    let world = five();
    let list = world
        .skc(["list", "--check-obsolete", "-o", "json"])
        .success();
    let expected = ["normal", "obsolete", "not-built", "not-built", "not-built"];
    assert_eq!(column(&list, "status"), expected);
    fs::remove_file(world.cwd.join(".skillc/skills/changed/more.md")).unwrap();
    let list = world
        .skc(["list", "--check-obsolete", "-o", "json"])
        .success();
    assert_eq!(column(&list, "status")[1], "normal");
}

/// D-LIST-OBSOLETE.
#[test]
fn asking_for_obsolete_skills_implies_the_check() {
    let world = five();
    let list = world
        .skc(["list", "--status", "obsolete", "-o", "json"])
        .success();
    assert_eq!(names(&list), ["changed"]);
    let with_check = world.skc([
        "list",
        "--status",
        "normal",
        "--check-obsolete",
        "-o",
        "json",
    ]);
    assert_eq!(names(&with_check), ["built"]);
    world.skc(["list", "--status", "stale"]).code("E100");
}

/// C-LIST.2, C-LIST.3.
#[test]
fn a_project_skill_built_globally_counts_as_built_and_is_checked_there() {
    let world = World::demo(&[]);
    world.skc(["build", "demo", "--global"]).success();
    let list = || {
        world
            .skc(["list", "--check-obsolete", "-o", "json"])
            .success()
    };
    assert_eq!(column(&list(), "status"), ["normal"]);
    let runtime = world.home.join(".skillc/runtime/demo");
    assert_eq!(column(&list(), "runtime_path"), [runtime.to_string_lossy()]);
    world.project_skill("demo", &[("new.md", "# New\n")]);
    assert_eq!(column(&list(), "status"), ["obsolete"]);
}
