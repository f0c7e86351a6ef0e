//! Logs of other versions and programs, and values that are not text.

use std::fs;

use skillc_tests::{World, database};

use crate::sync::support::{access, local, of_home, put, rows, runs, synced};

/// Creates the local log of `demo` with SQL.
fn made(world: &World, sql: &str) {
    let log = local(world, "demo");
    fs::create_dir_all(log.parent().expect("a parent")).expect("directories");
    database::change(&log, sql);
}

/// A log created by a program without schema versions, with fewer columns and an additional one.
const OLD: &str = "CREATE TABLE access_log(id INTEGER PRIMARY KEY, timestamp TEXT NOT NULL, command TEXT NOT NULL, x);
    INSERT INTO access_log(timestamp, command) VALUES('2025-01-01T00:00:00.123+00:00', 'open');
    INSERT INTO access_log(timestamp, command) VALUES('2025-01-01T00:00:00.123+00:00', 'open');";

/// F-53: missing columns are empty; a missing error is NULL.
#[test]
fn an_older_local_log_is_moved() {
    let world = World::new();
    made(&world, OLD);
    let dry = world.skc(["sync", "--dry-run"]).success();
    assert_eq!(dry.text(), "Would sync 2 entries for 'demo'\n");
    assert_eq!(world.skc(["sync"]).success().text(), synced(2, "demo"));
    let row = [
        "'2025-01-01T00:00:00.123+00:00'",
        "''",
        "'open'",
        "''",
        "''",
        "''",
        "''",
        "NULL",
    ];
    assert_eq!(rows(&of_home(&world, "demo")), [row, row]);
    made(&world, OLD);
    assert_eq!(world.skc(["sync"]).success().text(), synced(0, "demo"));
}

/// F-53.
#[test]
fn rows_are_appended_to_an_older_log() {
    let world = World::new();
    let log = of_home(&world, "demo");
    fs::create_dir_all(log.parent().expect("a parent")).expect("directories");
    database::change(&log, OLD);
    made(&world, OLD);
    put(&local(&world, "demo"), &access("demo", "x"));
    let dry = world.skc(["sync", "--dry-run"]).success();
    assert_eq!(dry.text(), "Would sync 1 entry for 'demo'\n");
    assert_eq!(world.skc(["sync"]).success().text(), synced(1, "demo"));
    assert_eq!(rows(&log).len(), 3);
    assert_eq!(runs(&log)[2], "x");
}

/// C-SYNC.3: a log of a newer version that still accepts the rows receives them, and keeps its version.
#[test]
fn rows_are_appended_to_a_newer_log() {
    let world = World::new();
    let log = of_home(&world, "demo");
    put(&log, &access("demo", "x"));
    let newer = "ALTER TABLE access_log ADD COLUMN agent TEXT; PRAGMA user_version = 9;";
    database::change(&log, newer);
    for run in ["x", "y"] {
        put(&local(&world, "demo"), &access("demo", run));
    }
    assert_eq!(world.skc(["sync"]).success().text(), synced(1, "demo"));
    assert_eq!(runs(&log), ["x", "y"]);
    let version =
        database::read(&log).query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    assert_eq!(version, Ok(9));
}

/// C-SYNC.3, D-SYNC-DEDUP: numbers, NULL, bytes and invalid UTF-8 are moved, and recognised as duplicates later.
#[test]
fn values_of_any_type_are_moved_once() {
    let world = World::new();
    let sql = "CREATE TABLE access_log(timestamp, run_id, command, skill, skill_path, cwd, args, error);
        INSERT INTO access_log VALUES(7, 1.5, NULL, x'4142', cast(x'ff' AS TEXT), cast(x'610062' AS TEXT), '', 0);
        INSERT INTO access_log VALUES(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);";
    for entries in [2, 0] {
        made(&world, sql);
        assert_eq!(
            world.skc(["sync"]).success().text(),
            synced(entries, "demo")
        );
    }
    let log = database::read(&of_home(&world, "demo"));
    let query = "SELECT group_concat(hex(timestamp || run_id || command || skill || skill_path) || hex(cwd) || quote(error))
        FROM access_log";
    let found = log.query_row(query, [], |row| row.get::<_, String>(0));
    assert_eq!(found.as_deref(), Ok("37312E354142FF610062'0',NULL"));
}

/// C-SYNC.3: column names are compared as `SQLite` compares them.
#[test]
fn columns_in_capitals_are_the_same_columns() {
    let world = World::new();
    put(&local(&world, "demo"), &access("demo", "x"));
    let before = rows(&local(&world, "demo"));
    let renamed = ["timestamp", "skill_path", "error"].map(|name| {
        format!(
            "ALTER TABLE access_log RENAME COLUMN {name} TO {};",
            name.to_uppercase()
        )
    });
    database::change(&local(&world, "demo"), &renamed.concat());
    world.skc(["sync"]).success();
    assert_eq!(rows(&of_home(&world, "demo")), before);
}

/// C-SYNC.3: a log with schema objects besides the table is neither read nor written.
#[test]
fn logs_with_a_trigger_or_an_expression_are_left_unchanged() {
    let trap = "CREATE TRIGGER trap AFTER INSERT ON access_log BEGIN DELETE FROM access_log; END;";
    let endless = "ALTER TABLE access_log ADD COLUMN x
        CHECK (instr(hex(zeroblob(10000000)), hex(zeroblob(4000000)) || x) IS NULL)";
    for sql in [trap, endless] {
        for (changed, code) in [(true, "E042"), (false, "E041")] {
            let world = World::new();
            put(&local(&world, "demo"), &access("demo", "x"));
            put(&of_home(&world, "demo"), &access("demo", "y"));
            let logs = [local(&world, "demo"), of_home(&world, "demo")];
            database::change(&logs[usize::from(!changed)], sql);
            let before = logs.clone().map(|log| fs::read(log).expect("a log"));
            for args in [["sync", "--dry-run"], ["sync", "demo"]] {
                world.skc(args).code(code);
            }
            assert!(before == logs.map(|log| fs::read(log).expect("a log")));
        }
    }
}

/// C-SYNC.3: the log has a sidecar file, as may happen if another program has opened the log.
#[test]
fn a_local_log_in_another_journal_mode_is_moved_and_removed() {
    let world = World::new();
    put(&local(&world, "demo"), &access("demo", "x"));
    for mode in ["WAL", "PERSIST"] {
        put(&local(&world, "demo"), &access("demo", mode));
        let change = format!("PRAGMA journal_mode = {mode}; UPDATE access_log SET cwd = '/';");
        database::change(&local(&world, "demo"), &change);
        world.skc(["sync"]).success();
        assert!(!world.cwd.join(".skillc/logs/demo").exists(), "{mode}");
    }
    assert_eq!(runs(&of_home(&world, "demo")), ["x", "WAL", "PERSIST"]);
}
