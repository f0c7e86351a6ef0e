//! Unusable databases.

use std::fs;

use rusqlite::Connection;
use skillc_tests::{World, database};

use crate::registry::support::{PROGRAM, counts, db, listed, registry, skill, sync, with, write};

/// Every command that opens the database.
const COMMANDS: [&[&str]; 3] = [&["sync"], &["list"], &["get", "a"]];

/// Asserts that every command fails with this reason and leaves the file unchanged.
#[track_caller]
fn assert_refused(world: &World, reason: &str) {
    let path = db(world);
    let before = fs::read(&path).expect("a file");
    let is_database = before.starts_with(b"SQLite format 3\0");
    let may_be_dear = !is_database || reason == "it is not a skill registry";
    let line = format!(
        "error[E066]: registry unusable: '{}': {reason}",
        path.display()
    );
    for command in COMMANDS {
        let output = registry(world, command);
        output.error(&line);
        let says_remove = output.stderr.contains(": delete ");
        assert!(says_remove != may_be_dear, "{}", output.stderr);
    }
    assert!(fs::read(&path).expect("a file") == before);
}

/// REG-DB.8.
#[test]
fn a_database_of_a_newer_version_is_not_changed() {
    let world = with(&["a"]);
    sync(&world);
    database::change(
        &db(&world),
        "PRAGMA journal_mode = DELETE; PRAGMA user_version = 999",
    );
    assert_refused(&world, "it was created by a newer version of skc");
}

/// REG-LOAD.10.
#[test]
fn a_file_that_is_not_a_database_is_not_changed() {
    let world = with(&["a"]);
    write(&db(&world), [0xaa; 4096]);
    assert_refused(&world, "it is damaged");
    write(&db(&world), "mine");
    assert_refused(&world, "it is damaged");
}

#[test]
fn the_database_of_another_program_is_not_changed() {
    let world = with(&["a"]);
    fs::create_dir_all(db(&world).parent().expect("a parent")).expect("a directory");
    database::change(
        &db(&world),
        "CREATE TABLE notes(x); INSERT INTO notes VALUES ('mine')",
    );
    assert_refused(&world, "it is not a skill registry");
}

/// REG-LOAD.2, REG-LOAD.10: a failed transaction is rolled back.
#[test]
fn a_failed_sync_leaves_the_rows_unchanged() {
    let world = with(&["a", "b"]);
    sync(&world);
    let trigger = "CREATE TRIGGER t BEFORE INSERT ON skills WHEN new.name = 'c' BEGIN SELECT raise(ABORT, 'no'); END";
    database::change(&db(&world), trigger);
    skill(&world, "c", "");
    registry(&world, &["sync"]).code("E066");
    assert_eq!(listed(&world, &[]), "a,b");
}

#[test]
fn a_locked_database_is_reported() {
    let world = with(&["a"]);
    sync(&world);
    database::change(&db(&world), "PRAGMA journal_mode = DELETE");
    let other = Connection::open(db(&world)).expect("a database");
    other.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    skill(&world, "b", "");
    let line = format!(
        "error[E066]: registry unusable: '{}': it is locked by another program",
        db(&world).display()
    );
    registry(&world, &["sync"]).error(&line);
    drop(other);
    assert_eq!(listed(&world, &[]), "a");
    assert_eq!(counts(&sync(&world)), [2, 0, 0, 2]);
}

/// D12, REG-LOAD.15: W063 goes to standard error, and the counters are as usual.
#[cfg(target_os = "linux")]
#[test]
fn without_a_writable_home_the_registry_is_kept_in_memory() {
    use skillc_tests::unreadable::run_without_privilege;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let world = with(&["a", "b"]);
    let close =
        |mode| fs::set_permissions(&world.home, Permissions::from_mode(mode)).expect("our own");
    close(0o555);
    let run = |args: &[&str]| run_without_privilege(&world, PROGRAM, args);
    let synced = run(&["registry", "sync", "-o", "json"]);
    let list = run(&["registry", "list", "-o", "json"]);
    let named = run(&["registry", "sync", "--db", "../home/x.db"]);
    close(0o755);
    let (Some(synced), Some(list), Some(named)) = (synced, list, named) else {
        return;
    };
    assert_eq!(counts(&synced), [2, 0, 0, 2]);
    assert_eq!(synced.json()["db"], serde_json::Value::Null);
    assert!(
        synced
            .stderr
            .starts_with("warning[W063]: registry kept in memory: "),
        "{synced:?}"
    );
    assert_eq!(synced.stderr.lines().count(), 1);
    assert_eq!(list.json()["total_count"], 2);
    named.code("E066");
    assert!(!world.home.join(".skillc").exists());
}

/// REG-READ.9.
#[cfg(target_os = "linux")]
#[test]
fn a_read_only_database_is_read() {
    use skillc_tests::unreadable::run_without_privilege;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let world = with(&["a"]);
    sync(&world);
    let file = db(&world);
    let folder = file.parent().expect("a parent").to_path_buf();
    let set = |path: &std::path::Path, mode| {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("our own");
    };
    set(&file, 0o444);
    set(&folder, 0o555);
    let list = run_without_privilege(&world, PROGRAM, &["registry", "list", "-o", "json"]);
    set(&folder, 0o755);
    set(&file, 0o644);
    if let Some(list) = list {
        assert_eq!(list.success().json()["total_count"], 1);
    }
}
