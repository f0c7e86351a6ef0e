//! Damaged logs: `skc stats` neither crashes nor returns wrong numbers.

use std::fs;
use std::path::Path;

use serde_json::json;
use skillc_tests::{World, database};

use crate::stats::support::{GROUPS, data, log_of, run, show, stats};

/// Creates a world with a log of a few rows.
fn logged() -> World {
    let world = World::demo(&[]);
    show(&world, "SKILL.md", "Demo").log_times(3);
    world
}

/// Checks that every grouping rejects the log with this reason and leaves it unchanged.
#[track_caller]
fn is_refused(world: &World, reason: &str) {
    let log = log_of(world);
    let before = fs::read(&log).ok();
    for group in GROUPS {
        let output = world.skc_at(&world.cwd, &["stats", "demo", "--group-by", group]);
        output.error(&format!(
            "error[E999]: reading usage log '{}': {reason}",
            log.display()
        ));
    }
    assert!(fs::read(&log).ok() == before, "the log changed");
}

fn put(world: &World, bytes: &[u8]) {
    fs::create_dir_all(log_of(world).parent().expect("it is creatable")).expect("creatable");
    fs::write(log_of(world), bytes).expect("writable");
}

/// C-CODES.5: the error has a hint.
#[test]
fn non_databases_are_refused_with_a_hint() {
    let world = World::demo(&[]);
    for bytes in [
        &b"not a database, but long enough to be taken for one"[..],
        &[0xd9; 4096],
        b"SQLite format 3\0",
    ] {
        put(&world, bytes);
        is_refused(&world, "it is damaged");
    }
    let hint = "Move the file away; the next use of the skill creates a new log.";
    assert_eq!(run(&world, &[]).stderr.lines().nth(1), Some(hint));
}

/// C-LOGGING: if the path of the log's folder is a file, no log can exist, so nothing is counted, and a message reports
/// the file.
#[test]
fn a_file_in_place_of_the_folder_is_reported() {
    let world = World::demo(&[]);
    let log = log_of(&world);
    let folder = log.parent().expect("a folder");
    fs::create_dir_all(folder.parent().expect("it is creatable")).expect("creatable");
    fs::write(folder, "in the way").expect("writable");
    let output = run(&world, &["--group-by", "sections"]);
    assert!(output.ok, "{}", output.stderr);
    let expected = format!(
        "warning[W028]: skipped usage log '{}': its folder is a file\n",
        log.display()
    );
    assert!(output.stderr.starts_with(&expected), "{}", output.stderr);
}

/// C-CLI.3: an empty file is an uninitialised log, and so is a database without tables.
#[test]
fn an_empty_log_has_nothing_to_count() {
    let world = World::demo(&[]);
    put(&world, b"");
    assert_eq!(data(&world, "sections"), json!([]));
    put(&world, b"");
    database::change(&log_of(&world), "PRAGMA user_version = 1");
    assert_eq!(data(&world, "commands"), json!({}));
}

#[test]
fn a_log_truncated_anywhere_is_refused() {
    let world = logged();
    let whole = fs::read(log_of(&world)).expect("a log");
    // SQLite reads a file of a single byte as an empty database, so begin with two bytes.
    let odd = (2..whole.len()).step_by(3067);
    let pages = (1..=whole.len() / 4096).flat_map(|page| [page * 4096 - 1, page * 4096]);
    for length in odd.chain(pages).filter(|length| *length < whole.len()) {
        for group in ["summary", "sessions"] {
            put(&world, &whole[..length]);
            let output = world.skc_at(&world.cwd, &["stats", "demo", "--group-by", group]);
            output.error(&format!(
                "error[E999]: reading usage log '{}': it is damaged",
                log_of(&world).display()
            ));
        }
    }
}

#[test]
fn a_log_overwritten_anywhere_never_crashes_the_program() {
    let world = World::demo(&[]);
    show(&world, "SKILL.md", "Demo").log_times(60);
    let whole = fs::read(log_of(&world)).expect("a log");
    for at in (0..whole.len() - 64).step_by(whole.len() / 97) {
        let mut bytes = whole.clone();
        bytes[at..at + 64].fill(0xa7);
        for group in ["summary", "sessions", "errors"] {
            put(&world, &bytes);
            let output = world.skc_at(&world.cwd, &["stats", "demo", "--group-by", group]);
            assert!(
                output.ok || output.stderr.starts_with("error[E999]: reading usage log "),
                "{at} {group}: {output:?}"
            );
        }
    }
}

#[test]
fn an_unrelated_database_is_refused() {
    for sql in [
        "CREATE TABLE other(x)",
        "CREATE TABLE access_log(host TEXT, status INTEGER)",
        "CREATE VIEW access_log AS SELECT 'now' AS timestamp, 'show' AS command",
        "CREATE VIRTUAL TABLE access_log USING fts5(timestamp, command)",
    ] {
        let world = World::demo(&[]);
        put(&world, b"");
        database::change(&log_of(&world), sql);
        is_refused(&world, "it is not a usage log");
    }
}

#[test]
fn a_directory_in_place_of_the_log_is_refused() {
    let world = World::demo(&[]);
    fs::create_dir_all(log_of(&world)).expect("a directory");
    is_refused(&world, "it is not a usage log");
}

/// Opening the pipe must not wait for a writer.
#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_the_log_is_refused_and_a_dangling_symlink_ignored() {
    let world = World::demo(&[]);
    let log = log_of(&world);
    fs::create_dir_all(log.parent().expect("a directory")).expect("creatable");
    std::os::unix::fs::symlink("nowhere", &log).expect("a link");
    let answer = world.skc(["stats", "demo", "-o", "json"]).success();
    assert_eq!(answer.json()["data"]["total_accesses"], 0);
    fs::remove_file(&log).expect("owned by this test");
    let made = std::process::Command::new("mkfifo")
        .arg(&log)
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
    let output = world.skc(["stats", "demo"]);
    output.code("E999");
    assert!(
        output.stderr.contains("it is not a usage log"),
        "{output:?}"
    );
}

/// F-53: columns that an older version did not write count as empty.
#[test]
fn an_older_log_is_read_as_far_as_possible() {
    let world = World::demo(&[]);
    put(&world, b"");
    let sql =
        "CREATE TABLE access_log(id INTEGER PRIMARY KEY, timestamp TEXT, command TEXT, args TEXT);
        INSERT INTO access_log VALUES
            (1, '2026-01-01T00:00:00Z', 'show', '{\"section\":\"Demo\",\"file\":\"SKILL.md\"}'),
            (2, '2026-01-02T00:00:00Z', 'show', '{\"section\":\"Demo\"}');";
    database::change(&log_of(&world), sql);
    let log = fs::read(log_of(&world)).expect("a log");
    for (group, expected) in [
        (
            "summary",
            json!({"total_accesses": 2, "unique_sections": 2, "unique_files": 1, "error_count": 0}),
        ),
        (
            "sections",
            json!([
                {"section": "Demo", "file": "", "count": 1},
                {"section": "Demo", "file": "SKILL.md", "count": 1},
            ]),
        ),
        ("sessions", json!([])),
        ("errors", json!([])),
        ("projects", json!([{"project": "", "count": 2}])),
    ] {
        assert_eq!(data(&world, group), expected, "{group}");
        put(&world, &log);
    }
    // The working directory of the row is unknown.
    assert_eq!(
        stats(&world, &["--project", "."])["data"]["total_accesses"],
        0
    );
}

#[test]
fn a_newer_log_is_read_as_far_as_it_is_compatible() {
    let world = logged();
    let sql = "ALTER TABLE access_log ADD COLUMN agent TEXT; PRAGMA user_version = 9;";
    database::change(&log_of(&world), sql);
    assert_eq!(data(&world, "commands"), json!({"show": 3}));
}

/// C-CLI.3, F-52: invalid arguments are skipped, and their number is reported. The rest of the row counts.
#[test]
fn invalid_arguments_are_skipped_and_counted() {
    let world = logged();
    for args in [
        "",
        "{",
        "[]",
        "null",
        "7",
        "\"x\"",
        "[\"Demo\", \"SKILL.md\"]",
        "{\"section\":7}",
        "{\"section\":\"a\"}}",
        "{\"section\":\"Demo\",\"file\":[]}",
    ] {
        show(&world, "", "").args(args).log();
    }
    let deep = "[".repeat(100_000);
    show(&world, "", "").args(&format!("{{\"x\":{deep}")).log();
    let warning = "warning[W027]: 11 malformed row(s) in the usage log; only their valid fields are counted\n";
    for (group, expected) in [
        (
            "summary",
            json!({"total_accesses": 14, "unique_sections": 1, "unique_files": 1, "error_count": 0}),
        ),
        (
            "sections",
            json!([{"section": "Demo", "file": "SKILL.md", "count": 3}]),
        ),
        ("files", json!([{"file": "SKILL.md", "count": 3}])),
    ] {
        let output = run(&world, &["--group-by", group, "-o", "json"]).success();
        assert_eq!(output.json()["data"], expected, "{group}");
        assert_eq!(output.stderr, warning, "{group}");
    }
    assert_eq!(data(&world, "commands"), json!({"show": 14}));
}

/// C-CLI.3: the rows contain values of unexpected types, invalid text or invalid times.
#[test]
fn malformed_rows_are_counted_as_far_as_they_can_be_read() {
    let world = logged();
    let sql = "INSERT INTO access_log (timestamp, run_id, command, skill, skill_path, cwd, args, error) VALUES
        (x'00ff', 7, 3.5, x'', x'ff', x'fe', x'7b', 9),
        ('yesterday', '', 'show', '', '', '', '{}', NULL),
        ('2026-01-01', 'r', 'show', '', 'relative', '', '{}', NULL),
        ('', 'r', CAST(x'ff' AS TEXT), '', '', '', '{}', NULL);";
    database::change(&log_of(&world), sql);
    for group in GROUPS {
        let output = run(&world, &["--group-by", group, "-o", "json"]).success();
        assert!(
            output.stderr.starts_with("warning[W027]: "),
            "{group}: {output:?}"
        );
        assert_eq!(
            output.json()["period"]["start"],
            "2026-01-01T00:00:00Z",
            "{group}"
        );
    }
    let timed = run(&world, &["--since", "2000-01-01", "-o", "json"]).success();
    assert_eq!(timed.json()["data"]["total_accesses"], 3);
    assert!(timed.stderr.starts_with("warning[W027]: "), "{timed:?}");
}

/// The log is a read-only file in a read-only directory.
#[cfg(unix)]
#[test]
fn a_read_only_log_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let world = logged();
    let log = log_of(&world);
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("owned by this test");
    };
    mode(&log, 0o444);
    mode(log.parent().expect("a directory"), 0o555);
    let output = world.skc(["stats", "demo", "--until", "2026-01-02", "-o", "json"]);
    mode(log.parent().expect("a directory"), 0o755);
    mode(&log, 0o644);
    assert_eq!(output.success().json()["data"]["total_accesses"], 3);
}

/// The rows of a writer are not counted until the writer commits them.
#[test]
fn a_concurrent_writer_does_not_disturb_readers() {
    let world = logged();
    let writer = rusqlite::Connection::open(log_of(&world)).expect("a log");
    writer
        .execute_batch("BEGIN IMMEDIATE; UPDATE access_log SET command = 'open'")
        .expect("a transaction");
    let output = world.skc([
        "stats",
        "demo",
        "--until",
        "2026-01-02",
        "--group-by",
        "commands",
        "-o",
        "json",
    ]);
    writer.execute_batch("ROLLBACK").expect("the process exits");
    assert_eq!(output.success().json()["data"], json!({"show": 3}));
}

/// A log from a repository may contain any number of strings of any size.
#[test]
fn oversized_values_are_not_read() {
    let world = logged();
    let long = "UPDATE access_log SET error = replace(hex(zeroblob(50000)), '00', 'aa')";
    database::change(&log_of(&world), long);
    let errors = data(&world, "errors").to_string();
    assert!(errors.len() < 1_000, "{} bytes", errors.len());
    let long = "UPDATE access_log SET args = '{\"file\":\"' || replace(hex(zeroblob(50000)), '00', 'aa') || '\"}'";
    database::change(&log_of(&world), long);
    let sections = data(&world, "sections").to_string();
    assert!(sections.len() < 1_000, "{} bytes", sections.len());
}
