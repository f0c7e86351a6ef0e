//! The rows that are moved and reported. Nothing else changes.

use std::fs;

use serde_json::json;
use skillc_storage::Access;
use skillc_tests::{World, database, snapshot_with_logs};

use crate::sync::support::{
    NOTHING, access, later, local, logged, of_home, of_project, put, rows, runs, synced,
};

/// C-SYNC.3, C-SYNC.2, G-STATS.5, CL.7.
#[test]
fn all_columns_of_all_rows_are_moved_in_order_and_the_log_removed() {
    let world = World::demo(&[]);
    let failed = Access {
        error: Some("error[E021]: file not found: 'it\'s'".into()),
        args: "{".into(),
        cwd: "/\u{e9}\u{4e2d}".into(),
        ..access("demo", "b")
    };
    for row in [later(&failed, 5), access("demo", "a"), failed] {
        put(&local(&world, "demo"), &row);
    }
    let before = rows(&local(&world, "demo"));
    let log = of_project(&world.cwd, "demo");
    put(&log, &access("demo", "earlier"));
    let output = world.skc(["sync"]).success();
    assert_eq!((output.text(), &*output.stderr), (&*synced(3, "demo"), ""));
    assert_eq!(rows(&log)[1..], before);
    assert_eq!(runs(&log), ["earlier", "b", "a", "b"]);
    let left = snapshot_with_logs(&world.cwd.join(".skillc/logs"));
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(world.skc(["sync"]).success().text(), NOTHING);
}

/// C-SYNC.2: later commands append to the same log.
#[test]
fn the_log_is_created_if_missing() {
    let world = World::demo(&[]);
    logged(&world, "demo", &["a"]);
    world.skc(["sync"]).success();
    world.skc(["outline", "demo"]).success();
    assert_eq!(runs(&of_project(&world.cwd, "demo")), ["a", "test"]);
    let version = database::read(&of_project(&world.cwd, "demo")).query_row(
        "PRAGMA user_version",
        [],
        |row| row.get::<_, i64>(0),
    );
    assert_eq!(version, Ok(1));
}

/// C-SYNC.4: the order is bytewise, and does not depend on the order of directory entries.
#[test]
fn skills_are_ordered_by_name() {
    let world = World::new();
    for name in ["b", "a-b", "a", "B", "\u{e9}", "a.b"] {
        logged(&world, name, &["x"]);
    }
    let names = ["B", "a", "a-b", "a.b", "b", "\u{e9}"];
    let dry = world.skc(["sync", "--dry-run"]).success();
    let expected = names.map(|name| format!("Would sync 1 entry for '{name}'\n"));
    assert_eq!(dry.text(), expected.concat());
    let output = world.skc(["sync"]).success();
    assert_eq!(output.text(), names.map(|name| synced(1, name)).concat());
}

/// C-SYNC.1.
#[test]
fn a_name_restricts_it_to_one_skill() {
    let world = World::new();
    logged(&world, "a", &["x"]);
    logged(&world, "b", &["y", "z"]);
    let output = world.skc(["sync", "b"]).success();
    assert_eq!(output.text(), synced(2, "b"));
    assert_eq!(runs(&local(&world, "a")), ["x"]);
    assert_eq!(runs(&of_home(&world, "b")), ["y", "z"]);
}

/// C-SYNC.1: only the logs of the given directory itself are moved, not the logs of directories above or below it.
#[test]
fn the_project_option_names_another_directory() {
    let world = World::new();
    let other = world.cwd.join("other");
    fs::create_dir_all(other.join(".skillc/skills")).expect("directories");
    put(
        &other.join(".skillc/logs/a/.skillc-meta/logs.db"),
        &access("a", "there"),
    );
    logged(&world, "a", &["here"]);
    let below = other.join("below");
    fs::create_dir_all(&below).expect("directories");
    assert_eq!(world.skc_at(&below, &["sync"]).success().text(), NOTHING);
    let other = other.to_str().expect("UTF-8");
    for dir in ["other", "./other/../other/", other] {
        let dry = world.skc(["sync", "--project", dir, "--dry-run"]).success();
        assert_eq!(dry.text(), "Would sync 1 entry for 'a'\n");
    }
    let output = world.skc(["sync", "--project", "other"]).success();
    assert_eq!(output.text(), synced(1, "a"));
    assert_eq!(runs(&of_home(&world, "a")), ["there"]);
    assert_eq!(runs(&local(&world, "a")), ["here"]);
}

/// C-SYNC.5, C-SYNC.9, D-E040.
#[test]
fn without_local_logs_there_is_nothing_to_sync() {
    let world = World::demo(&[]);
    fs::write(world.cwd.join("file"), "").expect("a file");
    fs::create_dir_all(world.cwd.join(".skillc/logs/other")).expect("directories");
    fs::write(world.cwd.join(".skillc/logs/notes.txt"), "").expect("a file");
    for args in [
        &["sync"][..],
        &["sync", "--dry-run"],
        &["sync", "--project", "nowhere"],
        &["sync", "--project", "file"],
    ] {
        let output = world.skc_at(&world.cwd, args).success();
        assert_eq!((output.text(), &*output.stderr), (NOTHING, ""), "{args:?}");
    }
    for args in [
        &["sync", "demo"][..],
        &["sync", "demo", "--dry-run"],
        &["sync", "demo", "--project", "nowhere"],
        &["sync", "demo", "--project", "file"],
        &["sync", "notes.txt"],
    ] {
        let output = world.skc_at(&world.cwd, args);
        output.error("error[E040]: no local logs found");
    }
}

/// C-SYNC.4, F-53.
#[test]
fn a_dry_run_counts_what_is_missing_and_changes_nothing() {
    let world = World::demo(&[]);
    logged(&world, "demo", &["a", "b", "b", "c"]);
    logged(&world, "other", &["x"]);
    for run in ["b", "c", "d"] {
        put(&of_project(&world.cwd, "demo"), &access("demo", run));
    }
    let before = [&world.cwd, &world.home].map(|dir| snapshot_with_logs(dir));
    let output = world.skc(["sync", "--dry-run"]).success();
    let expected = "Would sync 2 entries for 'demo'\nWould sync 1 entry for 'other'\n";
    assert_eq!(output.text(), expected);
    let after = [&world.cwd, &world.home].map(|dir| snapshot_with_logs(dir));
    assert_eq!(before, after);
    let output = world.skc(["sync"]).success();
    assert_eq!(
        output.text(),
        [synced(2, "demo"), synced(1, "other")].concat()
    );
}

/// C-SYNC.3: only logs that were copied are removed.
#[test]
fn other_files_next_to_a_local_log_are_kept() {
    let world = World::new();
    logged(&world, "a", &["x"]);
    logged(&world, "b", &["y"]);
    let notes = world.cwd.join(".skillc/logs/a/notes.txt");
    fs::write(&notes, "mine").expect("a file");
    let output = world.skc(["sync"]).success();
    assert_eq!(output.text(), [synced(1, "a"), synced(1, "b")].concat());
    let left = snapshot_with_logs(&world.cwd.join(".skillc/logs"));
    let left: Vec<&str> = left.keys().filter_map(|path| path.to_str()).collect();
    assert_eq!(left, ["a", "a/notes.txt"]);
}

/// C-SYNC.3: cases are a log that was created and never written to, and the leftovers of a sync that was killed just
/// before its end.
#[test]
fn empty_logs_and_empty_directories_are_removed() {
    let world = World::new();
    let logs = world.cwd.join(".skillc/logs");
    for dir in ["begun/.skillc-meta", "gone/.skillc-meta", "hollow"] {
        fs::create_dir_all(logs.join(dir)).expect("directories");
    }
    fs::write(local(&world, "begun"), "").expect("a file");
    let before = snapshot_with_logs(&logs);
    let dry = world.skc(["sync", "--dry-run"]).success();
    assert_eq!(dry.text(), "Would sync 0 entries for 'begun'\n");
    assert_eq!(snapshot_with_logs(&logs), before);
    assert_eq!(world.skc(["sync"]).success().text(), synced(0, "begun"));
    assert!(snapshot_with_logs(&logs).is_empty());
    assert!(snapshot_with_logs(&world.home).is_empty());
}

/// C-LOGGING@7.1: a sync does not use any skill, so it is not logged.
#[test]
fn a_sync_is_not_a_use_of_a_skill() {
    let world = World::demo(&[]);
    world.skc(["sync"]).success();
    world.skc(["sync", "demo"]).code("E040");
    assert!(!of_project(&world.cwd, "demo").exists());
    assert!(!local(&world, "demo").exists());
}

/// C-COMMANDS.8: the JSON contains the same data as the text, and the destinations of the rows.
#[test]
fn json_output_names_the_logs() {
    let world = World::demo(&[]);
    logged(&world, "demo", &["a", "b"]);
    let source = local(&world, "demo");
    let log = of_project(&world.cwd, "demo");
    let expected = |dry_run: bool| {
        json!({
            "dry_run": dry_run,
            "skills": [{
                "skill": "demo",
                "source": source,
                "entries": 2,
                "destinations": [{"path": log, "entries": 2}],
                "removed": !dry_run,
                "errors": [],
            }],
        })
    };
    let dry = world.skc(["sync", "--dry-run", "-o", "json"]).success();
    assert_eq!(dry.json(), expected(true));
    let output = world.skc(["sync", "-o", "json"]).success();
    assert_eq!(output.json(), expected(false));
    let empty = world.skc(["sync", "-o", "json"]).success();
    assert_eq!(empty.json(), json!({"dry_run": false, "skills": []}));
}
