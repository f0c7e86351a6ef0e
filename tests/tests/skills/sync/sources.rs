//! Local logs that are unreadable or are not logs, and invalid names.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use skillc_tests::{World, database, snapshot_with_logs};

use crate::sync::support::{
    access, local, logged, of_home, of_project, put, runs, synced, unreadable,
};

/// Checks that the local log of `bad` is reported and kept unchanged, and that the local log of `good` is still moved.
#[track_caller]
fn is_kept(world: &World) {
    logged(world, "a-good", &["x"]);
    logged(world, "good", &["y"]);
    let bad = world.cwd.join(".skillc/logs/bad");
    let before = snapshot_with_logs(&bad);
    for dry_run in [true, false] {
        let args = if dry_run {
            &["sync", "--dry-run"][..]
        } else {
            &["sync"]
        };
        let output = world.skc_at(&world.cwd, args);
        assert!(!output.ok, "{output:?}");
        assert_eq!(output.stderr, unreadable(&local(world, "bad")));
        let lines = ["a-good", "good"].map(|name| {
            if dry_run {
                format!("Would sync 1 entry for '{name}'\n")
            } else {
                synced(1, name)
            }
        });
        assert_eq!(output.text(), lines.concat());
        assert_eq!(snapshot_with_logs(&bad), before);
    }
    world
        .skc(["sync", "bad"])
        .error(unreadable(&local(world, "bad")).trim_end());
    assert!(!of_home(world, "bad").exists());
    let json = world.skc(["sync", "-o", "json"]).json();
    let expected = unreadable(&local(world, "bad"));
    assert_eq!(json["skills"][0]["errors"][0], expected.trim_end());
    assert_eq!(json["skills"][0]["removed"], false);
}

/// Creates a world with a local log of many rows, named `bad`.
fn with_bad() -> World {
    let world = World::new();
    let log = local(&world, "bad");
    for at in 0..200 {
        put(&log, &access("bad", &format!("run {at}")));
    }
    world
}

/// C-SYNC.6, F-40: a log is kept if its header, its end, or a page in between is damaged.
#[test]
fn a_damaged_log_is_kept_and_the_others_are_moved() {
    let whole = fs::read(local(&with_bad(), "bad")).expect("a log");
    let mut hole = whole.clone();
    let middle = whole.len() / 8192 * 4096;
    hole[middle..middle + 4096].fill(0);
    let half = whole[..whole.len() / 2].to_vec();
    for bytes in [hole, half, b"x".to_vec(), b"no database at all ".repeat(99)] {
        let world = with_bad();
        fs::write(local(&world, "bad"), bytes).expect("a file");
        is_kept(&world);
    }
}

/// C-SYNC.6: a page of the database declares one row fewer than it contains. Reading the rows causes no error.
#[test]
fn a_log_that_hides_a_row_is_kept() {
    let world = with_bad();
    let mut bytes = fs::read(local(&world, "bad")).expect("a log");
    let pages = bytes.chunks_mut(4096).skip(1);
    let mut leaves = pages.filter(|page| page[0] == 0x0d && page[4] > 10);
    leaves.next().expect("a page with rows")[4] -= 1;
    fs::write(local(&world, "bad"), bytes).expect("a file");
    assert_eq!(runs(&local(&world, "bad")).len(), 199);
    is_kept(&world);
}

/// C-SYNC.6.
#[test]
fn an_unrelated_database_is_kept() {
    for sql in [
        "DROP TABLE access_log; CREATE TABLE bookmarks(url TEXT);",
        "DROP TABLE access_log; CREATE TABLE access_log(host TEXT, status INTEGER);",
        "ALTER TABLE access_log RENAME TO t; CREATE VIEW access_log AS SELECT * FROM t;",
    ] {
        let world = with_bad();
        database::change(&local(&world, "bad"), sql);
        is_kept(&world);
    }
}

/// C-SYNC.6: rows of a newer log may have content that this version does not know.
#[test]
fn a_newer_log_is_kept() {
    let world = with_bad();
    let newer = "ALTER TABLE access_log ADD COLUMN agent TEXT; PRAGMA user_version = 2;";
    database::change(&local(&world, "bad"), newer);
    is_kept(&world);
}

/// C-SYNC.6.
#[test]
fn a_directory_in_place_of_the_log_is_kept() {
    let world = World::new();
    fs::create_dir_all(local(&world, "bad").join("inner")).expect("directories");
    is_kept(&world);
}

/// C-SYNC.6: symlinks are not followed, because the target could be the log of some skill.
#[cfg(unix)]
#[test]
fn nothing_is_moved_through_a_symlink() {
    use std::os::unix::fs::symlink;

    let log = ".skillc/runtime/demo/.skillc-meta/logs.db";
    for (link, target) in [
        (".skillc/logs/bad/.skillc-meta/logs.db", log),
        (
            ".skillc/logs/bad/.skillc-meta",
            ".skillc/runtime/demo/.skillc-meta",
        ),
        (".skillc/logs/bad", ".skillc/runtime/demo"),
    ] {
        let world = World::demo(&[]);
        put(&world.home.join(log), &access("demo", "x"));
        let before = snapshot_with_logs(&world.home);
        let link = world.cwd.join(link);
        fs::create_dir_all(link.parent().expect("a parent")).expect("directories");
        symlink(world.home.join(target), link).expect("a link");
        let output = world.skc(["sync"]);
        output.error(unreadable(&local(&world, "bad")).trim_end());
        assert_eq!(snapshot_with_logs(&world.home), before);
    }
    let world = World::demo(&[]);
    put(&world.home.join(log), &access("demo", "x"));
    let logs = world.cwd.join(".skillc/logs");
    symlink(world.home.join(".skillc/runtime"), logs).expect("a link");
    let output = world.skc(["sync"]);
    output.error(unreadable(&local(&world, "demo")).trim_end());
    assert_eq!(runs(&world.home.join(log)), ["x"]);
}

/// C-SYNC.8, D-NAME-SAFETY, F-01.
#[test]
fn a_name_with_path_traversal_is_refused_and_nothing_changes() {
    let world = World::demo(&[]);
    logged(&world, "demo", &["x"]);
    put(&of_project(&world.cwd, "demo"), &access("demo", "y"));
    let before = snapshot_with_logs(&world.cwd);
    let absolute = world.cwd.join(".skillc/logs/demo");
    let absolute = absolute.to_str().expect("UTF-8");
    for name in [
        "../runtime/demo",
        "..",
        ".",
        "demo/",
        "./demo",
        "",
        "a/../demo",
        "de\\mo",
        absolute,
    ] {
        let line = format!("error[E100]: invalid option: 'invalid skill name \"{name}\"'");
        world.skc(["sync", name]).error(&line);
    }
    assert_eq!(snapshot_with_logs(&world.cwd), before);
}

/// C-SYNC.6: a log locked by another process is left for a later sync.
#[test]
fn a_locked_log_is_kept() {
    let world = World::new();
    logged(&world, "demo", &["x"]);
    let other = Connection::open(local(&world, "demo")).expect("a log");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let output = world.skc(["sync"]);
    output.error(unreadable(&local(&world, "demo")).trim_end());
    drop(other);
    assert_eq!(world.skc(["sync"]).success().text(), synced(1, "demo"));
}

/// C-SYNC.1.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_with_a_non_utf8_name_is_skipped() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let world = World::new();
    logged(&world, "demo", &["x"]);
    let odd = world
        .cwd
        .join(".skillc/logs")
        .join(OsStr::from_bytes(b"b\xff"));
    fs::create_dir(&odd).expect("a directory");
    let output = world.skc(["sync"]).success();
    assert_eq!(output.text(), synced(1, "demo"));
    assert!(
        output.stderr.starts_with("warning[W026]: skipped 1 "),
        "{output:?}"
    );
    assert!(odd.is_dir());
}

/// C-SYNC.9, C-SYNC.6.
#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_log_is_e042() {
    use crate::sync::support::SKC;
    use skillc_tests::unreadable::{Unreadable, run_without_privilege};

    let world = World::new();
    logged(&world, "demo", &["x"]);
    let sync = |args: &[&str]| run_without_privilege(&world, SKC, args);
    let logs = world.cwd.join(".skillc/logs");
    let closed = |path: &Path, said: &Path, args: &[&str]| {
        let _closed = Unreadable::new(path.to_path_buf());
        if let Some(output) = sync(args) {
            output.error(unreadable(said).trim_end());
        }
    };
    let log = local(&world, "demo");
    closed(&log, &log, &["sync"]);
    closed(&logs.join("demo"), &log, &["sync"]);
    closed(&logs, &logs, &["sync"]);
    closed(&logs, &log, &["sync", "demo"]);
    closed(&world.cwd.join(".skillc"), &logs, &["sync"]);
    let outside = world.home.join("outside");
    fs::create_dir(&outside).expect("a directory");
    let logs = outside.join(".skillc/logs");
    let outside = outside.to_str().expect("UTF-8");
    closed(Path::new(outside), &logs, &["sync", "--project", outside]);
    assert_eq!(runs(&log), ["x"]);
}
