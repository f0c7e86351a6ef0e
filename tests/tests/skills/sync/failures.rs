//! Logs that cannot accept rows, and local logs that cannot be removed: nothing is lost.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use skillc_core::Context;
use skillc_tests::{World, database, run_in, snapshot_with_logs};

use crate::sync::support::{
    access, access_of, local, logged, of_home, of_project, put, runs, synced, unwritable,
};

/// No matter how many logs other processes have locked, a sync waits no longer in total than for a single log.
#[test]
fn the_wait_for_locked_logs_is_bounded_in_total() {
    const WAIT: Duration = Duration::from_millis(200);
    let world = World::project();
    let names: Vec<String> = (0..60).map(|at| format!("s{at:02}")).collect();
    for name in &names {
        world.project_skill(name, &[]);
        logged(&world, name, &["x"]);
    }
    let sync = || {
        let context = Context {
            lock_wait: WAIT,
            ..world.context_at(&world.cwd)
        };
        let begun = Instant::now();
        let output = run_in(context, &["sync"]);
        assert!(!output.ok, "{output:?}");
        assert_eq!(output.stderr.matches("error[E042]").count(), names.len());
        // The limit is far more than the sync needs, even on a busy machine.
        assert!(begun.elapsed() < WAIT * 40, "{:?}", begun.elapsed());
    };
    #[cfg(unix)]
    {
        let held = fs::File::open(world.cwd.join(".skillc/logs")).expect("a directory");
        held.lock().expect("it is unlocked");
        sync();
    }
    let locks: Vec<Connection> = names
        .iter()
        .map(|name| {
            let log = Connection::open(local(&world, name)).expect("a log");
            log.execute_batch("BEGIN EXCLUSIVE")
                .expect("it is unlocked");
            log
        })
        .collect();
    sync();
    drop(locks);
    world.skc(["sync"]).success();
    assert_eq!(runs(&of_project(&world.cwd, "s07")), ["x"]);
}

/// C-SYNC.6, C-SYNC.7, F-40, F-53: the error is exactly this line, with nothing after it; the logs of other skills are
/// moved.
#[test]
fn a_blocked_destination_keeps_the_local_log() {
    let world = World::project();
    for name in ["a", "b", "c"] {
        world.project_skill(name, &[]);
        logged(&world, name, &[name]);
    }
    let runtime = world.cwd.join(".skillc/runtime");
    fs::create_dir_all(&runtime).expect("a directory");
    fs::write(runtime.join("b"), "in the way").expect("a file");
    let before = fs::read(local(&world, "b")).expect("a log");
    let output = world.skc(["sync"]);
    assert!(!output.ok);
    assert_eq!(output.text(), [synced(1, "a"), synced(1, "c")].concat());
    assert_eq!(output.stderr, unwritable(&of_project(&world.cwd, "b")));
    assert_eq!(fs::read(local(&world, "b")).expect("a log"), before);
    fs::remove_file(runtime.join("b")).expect("removed");
    assert_eq!(world.skc(["sync"]).success().text(), synced(1, "b"));
}

/// A function that replaces a log with something else.
type Put = fn(&Path);

/// C-SYNC.6: nothing is written if there is a damaged log, a database of another program, or a directory in place of
/// the log.
#[test]
fn a_file_in_place_of_a_log_is_left_unchanged() {
    let bookmarks: Put = |log| database::change(log, "CREATE TABLE bookmarks(url TEXT)");
    let accesses: Put = |log| database::change(log, "CREATE TABLE access_log(host TEXT)");
    let text: Put = |log| fs::write(log, "no database at all".repeat(99)).expect("a file");
    let letter: Put = |log| fs::write(log, "x").expect("a file");
    let directory: Put = |log| fs::create_dir(log).expect("a directory");
    for put in [bookmarks, accesses, text, letter, directory] {
        let world = World::new();
        logged(&world, "demo", &["x"]);
        let log = of_home(&world, "demo");
        fs::create_dir_all(log.parent().expect("a parent")).expect("directories");
        put(&log);
        let before = [&world.cwd, &world.home].map(|dir| snapshot_with_logs(dir));
        world.skc(["sync"]).error(unwritable(&log).trim_end());
        let after = [&world.cwd, &world.home].map(|dir| snapshot_with_logs(dir));
        assert_eq!(before, after);
    }
}

/// C-SYNC.7: if the rows that are read back differ from the rows that were written, the move is rolled back.
#[test]
fn a_log_that_alters_written_rows_is_left_unchanged() {
    let world = World::new();
    let log = of_home(&world, "demo");
    fs::create_dir_all(log.parent().expect("a parent")).expect("directories");
    database::change(
        &log,
        "CREATE TABLE access_log(id INTEGER PRIMARY KEY, timestamp, run_id NUMERIC, command, skill, skill_path, cwd, args,
            error); PRAGMA user_version = 1;",
    );
    logged(&world, "demo", &["007"]);
    for _ in 0..2 {
        world.skc(["sync"]).error(unwritable(&log).trim_end());
        assert_eq!(runs(&log), [""; 0]);
    }
    assert_eq!(runs(&local(&world, "demo")), ["007"]);
}

/// C-SYNC.6, C-SYNC.7, D-SYNC-DEST: one of two destinations fails.
#[test]
fn moved_rows_are_not_moved_again_with_the_rest() {
    let world = World::demo(&[]);
    let global = world.global_skill("demo", &[]);
    for at in 0..3 {
        put(
            &local(&world, "demo"),
            &access_of(&global, &format!("global {at}")),
        );
        put(
            &local(&world, "demo"),
            &access_of(&world.demo_source(), "mine"),
        );
    }
    let blocked = world.cwd.join(".skillc/runtime");
    fs::write(&blocked, "in the way").expect("a file");
    for entries in [3, 0] {
        let output = world.skc(["sync"]);
        assert!(!output.ok);
        assert_eq!(output.stderr, unwritable(&of_project(&world.cwd, "demo")));
        let kept = "Synced 3 entries for 'demo' (local logs kept)\n";
        assert_eq!(output.text(), if entries > 0 { kept } else { "" });
        assert_eq!(runs(&local(&world, "demo")).len(), 6);
    }
    fs::remove_file(&blocked).expect("removed");
    assert_eq!(world.skc(["sync"]).success().text(), synced(3, "demo"));
    assert_eq!(
        runs(&of_home(&world, "demo")),
        ["global 0", "global 1", "global 2"]
    );
    assert_eq!(runs(&of_project(&world.cwd, "demo")), ["mine"; 3]);
}

/// C-SYNC.6: the runtime directory is a symlink back to the local logs.
#[cfg(unix)]
#[test]
fn a_log_is_not_moved_onto_itself() {
    let world = World::demo(&[]);
    logged(&world, "demo", &["x"]);
    let runtime = world.cwd.join(".skillc/runtime");
    std::os::unix::fs::symlink(world.cwd.join(".skillc/logs"), runtime).expect("a link");
    world
        .skc(["sync"])
        .error(unwritable(&of_project(&world.cwd, "demo")).trim_end());
    assert_eq!(runs(&local(&world, "demo")), ["x"]);
}

#[cfg(target_os = "linux")]
mod without_privilege {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use skillc_tests::unreadable::run_without_privilege;

    use super::*;
    use crate::sync::support::SKC;

    /// Removes write permission from a directory or file and restores it on drop.
    struct ReadOnly(PathBuf);

    impl ReadOnly {
        fn new(path: PathBuf) -> Self {
            let mode = if path.is_dir() { 0o555 } else { 0o444 };
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("owned by this test");
            Self(path)
        }
    }

    impl Drop for ReadOnly {
        fn drop(&mut self) {
            fs::set_permissions(&self.0, Permissions::from_mode(0o755))
                .expect("owned by this test");
        }
    }

    /// C-SYNC.6, C-SYNC.7.
    #[test]
    fn a_read_only_destination_keeps_the_local_log() {
        for what in ["", "demo", "demo/.skillc-meta", "demo/.skillc-meta/logs.db"] {
            let world = World::demo(&[]);
            logged(&world, "demo", &["x", "y"]);
            logged(&world, "other", &["z"]);
            let runtime = world.cwd.join(".skillc/runtime");
            if what.is_empty() {
                fs::create_dir(&runtime).expect("a directory");
            } else {
                put(&of_project(&world.cwd, "demo"), &access("demo", "x"));
            }
            let log = of_project(&world.cwd, "demo");
            let before = runs(&log);
            let path = if what.is_empty() {
                runtime
            } else {
                runtime.join(what)
            };
            let closed = ReadOnly::new(path);
            // A parent directory may be read-only while its content is not.
            let is_refused = what != "demo";
            let Some(output) = run_without_privilege(&world, SKC, &["sync"]) else {
                return;
            };
            drop(closed);
            if is_refused {
                assert!(!output.ok, "{what}: {output:?}");
                assert_eq!(output.stderr, unwritable(&log), "{what}");
                assert_eq!(output.text(), synced(1, "other"));
                assert_eq!(
                    (runs(&log), runs(&local(&world, "demo"))),
                    (before, vec!["x".into(), "y".into()])
                );
                assert_eq!(world.skc(["sync"]).success().text().lines().count(), 1);
            } else {
                assert_eq!(
                    output.success().text(),
                    [synced(1, "demo"), synced(1, "other")].concat()
                );
            }
            assert_eq!(runs(&log), ["x", "y"], "{what}");
        }
    }

    /// C-SYNC.3: the rows of the log are copied only once, however often the sync is repeated.
    #[test]
    fn a_local_log_that_cannot_be_removed_is_copied_once_and_reported() {
        for what in ["demo/.skillc-meta", "demo/.skillc-meta/logs.db"] {
            let world = World::demo(&[]);
            logged(&world, "demo", &["x", "x"]);
            let closed = ReadOnly::new(world.cwd.join(".skillc/logs").join(what));
            let error = format!(
                "error[E999]: removing '{}': permission denied\n",
                local(&world, "demo").display()
            );
            for said in ["Synced 2 entries for 'demo' (local logs kept)\n", ""] {
                let Some(output) = run_without_privilege(&world, SKC, &["sync"]) else {
                    return;
                };
                assert!(!output.ok);
                assert_eq!((output.text(), &output.stderr), (said, &error), "{what}");
            }
            drop(closed);
            assert_eq!(runs(&local(&world, "demo")), ["x", "x"]);
            assert_eq!(runs(&of_project(&world.cwd, "demo")), ["x", "x"]);
            assert_eq!(world.skc(["sync"]).success().text(), synced(0, "demo"));
        }
    }
}
