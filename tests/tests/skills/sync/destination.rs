//! The destination of moved rows: the log that `skc stats` reads for their skill.

use std::fs;
use std::path::Path;

use serde_json::json;
use skillc_core::testkit::write_files;
use skillc_tests::{MINIMAL, World, snapshot};

use crate::sync::support::{access_of, local, logged, of_home, of_project, put, runs, synced};

/// D-SYNC-DEST, C-SYNC.2, F-53.
#[test]
fn rows_of_unknown_skills_are_assigned_by_name() {
    let world = World::project();
    world.project_skill("mine", &[]);
    world.project_skill("both", &[]);
    world.global_skill("both", &[]);
    world.global_skill("common", &[]);
    for name in ["mine", "both", "common", "nobody"] {
        logged(&world, name, &[name]);
    }
    let output = world.skc(["sync"]).success();
    let names = ["both", "common", "mine", "nobody"];
    assert_eq!(output.text(), names.map(|name| synced(1, name)).concat());
    for name in ["mine", "both"] {
        assert_eq!(runs(&of_project(&world.cwd, name)), [name]);
        assert!(!of_home(&world, name).exists());
    }
    for name in ["common", "nobody"] {
        assert_eq!(runs(&of_home(&world, name)), [name]);
        assert!(!of_project(&world.cwd, name).exists());
    }
}

/// D-SYNC-DEST: names are resolved in the project of the synced directory, not in that of the working directory.
#[test]
fn names_are_looked_up_from_the_synced_project() {
    let world = World::demo(&[]);
    let other = world.home.join("other");
    write_files(&other, &[(".skillc/skills/demo/SKILL.md", MINIMAL)]);
    let logs = other.join("deep/.skillc/logs/demo/.skillc-meta/logs.db");
    put(&logs, &access_of(Path::new("/gone/demo"), "x"));
    let dir = other.join("deep");
    let dir = dir.to_str().expect("UTF-8");
    world.skc(["sync", "--project", dir]).success();
    assert_eq!(runs(&of_project(&other, "demo")), ["x"]);
    assert!(!of_project(&world.cwd, "demo").exists());
}

/// D-SYNC-DEST: "a row whose `skill_path` lies in another known store goes there".
#[test]
fn rows_of_a_skill_in_another_store_go_to_its_log() {
    let world = World::demo(&[]);
    let global = world.global_skill("demo", &[]);
    let other = world.home.join("other");
    write_files(&other, &[(".skillc/skills/demo/SKILL.md", MINIMAL)]);
    let skills = [
        (world.demo_source(), "mine"),
        (global, "global"),
        (other.join(".skillc/skills/demo"), "other"),
    ];
    for _ in 0..2 {
        for (skill, run) in &skills {
            put(&local(&world, "demo"), &access_of(skill, run));
        }
    }
    let dry = world.skc(["sync", "--dry-run"]).success();
    assert_eq!(dry.text(), "Would sync 6 entries for 'demo'\n");
    assert_eq!(world.skc(["sync"]).success().text(), synced(6, "demo"));
    assert_eq!(runs(&of_project(&world.cwd, "demo")), ["mine"; 2]);
    assert_eq!(runs(&of_home(&world, "demo")), ["global"; 2]);
    assert_eq!(runs(&of_project(&other, "demo")), ["other"; 2]);
}

/// D-SYNC-DEST: a store counts as known if it can be reached, even if the skill was deleted.
#[test]
fn rows_of_a_deleted_skill_in_a_reachable_store_go_to_its_log() {
    let world = World::demo(&[]);
    let gone = world.cwd.join(".skillc/skills/gone");
    put(&local(&world, "demo"), &access_of(&gone, "project"));
    let gone = world.home.join(".skillc/skills/demo");
    put(&local(&world, "demo"), &access_of(&gone, "global"));
    assert_eq!(world.skc(["sync"]).success().text(), synced(2, "demo"));
    assert_eq!(runs(&of_project(&world.cwd, "gone")), ["project"]);
    assert_eq!(runs(&of_home(&world, "demo")), ["global"]);
}

/// D-SYNC-DEST: a log may come from another person and contain any path.
#[test]
fn nothing_is_created_where_there_is_no_skill() {
    let world = World::demo(&[]);
    let trap = world.home.join("trap");
    fs::create_dir_all(trap.join(".skillc/skills/hollow")).expect("directories");
    let before = snapshot(&trap);
    for path in [
        ".skillc/skills/demo",
        ".skillc/skills/hollow",
        "x/../demo",
        "",
    ] {
        put(&local(&world, "demo"), &access_of(&trap.join(path), "x"));
    }
    for path in ["relative/demo", "demo", "\u{0}/demo", ".skillc/skills/demo"] {
        put(&local(&world, "demo"), &access_of(Path::new(path), "x"));
    }
    assert_eq!(world.skc(["sync"]).success().text(), synced(8, "demo"));
    assert_eq!(runs(&of_project(&world.cwd, "demo")).len(), 8);
    assert_eq!(snapshot(&trap), before);
}

/// C-SYNC.2: the log of a skill outside every store is in the nearest store.
#[test]
fn rows_of_a_skill_given_by_path_go_to_the_log_of_that_path() {
    let world = World::project();
    let pdf = world.directory("lib/pdf", &[]);
    put(&local(&world, "pdf"), &access_of(&pdf, "x"));
    world.skc(["sync"]).success();
    assert_eq!(runs(&of_project(&world.cwd, "pdf")), ["x"]);
    let stats = world.skc(["stats", "lib/pdf", "-o", "json"]).success();
    assert_eq!(stats.json()["data"]["total_accesses"], 1, "{stats:?}");
}

/// C-SYNC.2, D-SYMLINKED-SKILL.
#[cfg(unix)]
#[test]
fn rows_of_a_symlinked_skill_go_to_the_log_of_the_symlink() {
    let world = World::project();
    let real = world.directory("elsewhere/real", &[]);
    let entry = world.cwd.join(".skillc/skills/entry");
    std::os::unix::fs::symlink(&real, entry).expect("a link");
    put(&local(&world, "entry"), &access_of(&real, "x"));
    assert_eq!(world.skc(["sync"]).success().text(), synced(1, "entry"));
    assert_eq!(runs(&of_project(&world.cwd, "entry")), ["x"]);
}

/// G-STATS.5: synced rows count as if logged directly.
#[test]
fn statistics_count_synced_rows() {
    let world = World::built(&[]);
    let runtime = world.cwd.join(".skillc/runtime");
    let hidden = world.cwd.join(".skillc/hidden");
    world.skc(["outline", "demo"]).success();
    fs::rename(&runtime, &hidden).expect("renamed");
    fs::write(&runtime, "in the way").expect("a file");
    for _ in 0..3 {
        world.skc(["open", "demo", "SKILL.md"]).success();
    }
    fs::remove_file(&runtime).expect("removed");
    fs::rename(&hidden, &runtime).expect("renamed");
    assert_eq!(world.skc(["sync"]).success().text(), synced(3, "demo"));
    let stats = world.skc(["stats", "demo", "--group-by", "commands", "-o", "json"]);
    let commands = &stats.success().json()["data"];
    assert_eq!(*commands, json!({"build": 1, "outline": 1, "open": 3}));
}
