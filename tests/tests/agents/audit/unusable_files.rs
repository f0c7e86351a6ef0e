//! State files that are damaged, or were written by a newer version or by another program.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use skillc_tests::World;
use skillc_tests::database::change;

use crate::audit::support::{audit, begun, ids, local, primary, write};

/// A function that makes a state file unusable.
type Spoil = fn(&Path);

/// Ways to make a state file unusable, each with the reason that skc reports.
const WAYS: [(Spoil, &str); 6] = [
    (damage, "it is damaged"),
    (cut, "it is damaged"),
    (
        |db| change(db, "DROP TABLE audit; CREATE TABLE other(x)"),
        "it is not an audit log",
    ),
    (
        |db| {
            change(
                db,
                "ALTER TABLE audit ADD COLUMN x AS (instr(hex(zeroblob(10000000)), hex(zeroblob(4000000)) || id))",
            );
        },
        "it is not an audit log",
    ),
    (
        |db| change(db, "CREATE VIEW v AS SELECT 1"),
        "it is not an audit log",
    ),
    (
        |db| change(db, "PRAGMA user_version = 99"),
        "it was created by a newer version of skc",
    ),
];

fn damage(db: &Path) {
    fs::write(db, "not a database".repeat(100)).expect("our own file");
}

fn cut(db: &Path) {
    let bytes = fs::read(db).expect("our own file");
    fs::write(db, &bytes[..bytes.len() / 2]).expect("our own file");
}

#[test]
fn an_unusable_state_file_is_an_error_and_is_not_changed() {
    for (spoil, reason) in WAYS {
        let world = World::new();
        let db = primary(&world);
        write(&db, &begun("c1", "t", 0, &json!({})));
        spoil(&db);
        let before = fs::read(&db).expect("should succeed");
        let output = world.skc(["audit"]);
        output.error(&format!(
            "error[E999]: reading '{}': {reason}",
            db.display()
        ));
        assert_eq!(output.stderr.lines().count(), 2, "{output:?}");
        assert!(fs::read(&db).expect("should succeed") == before, "{reason}");
    }
}

/// A repository may contain an unusable state file.
#[test]
fn an_unusable_state_file_in_the_working_directory_is_skipped() {
    for (spoil, reason) in WAYS {
        let world = World::project();
        write(&primary(&world), &begun("c1", "t", 0, &json!({})));
        let db = local(&world);
        write(&db, &begun("c2", "t", 0, &json!({})));
        spoil(&db);
        let before = fs::read(&db).expect("should succeed");
        let answer = audit(&world, &[]).success();
        assert_eq!(ids(&answer), ["c1"]);
        assert_eq!(
            answer.stderr,
            format!(
                "warning[W028]: skipped usage log '{}': {reason}\n",
                db.display()
            )
        );
        assert!(fs::read(&db).expect("should succeed") == before, "{reason}");
    }
}

#[test]
fn a_directory_instead_of_the_state_file_is_an_error() {
    let world = World::new();
    fs::create_dir_all(primary(&world)).expect("should succeed");
    world.skc(["audit"]).code("E999");
}

/// A repository may contain a FIFO where `SQLite` expects a journal.
#[test]
fn a_fifo_next_to_the_state_file_does_not_block() {
    let world = World::project();
    let db = local(&world);
    write(&primary(&world), &begun("c1", "t", 0, &json!({})));
    write(&db, &begun("c2", "t", 0, &json!({})));
    let pipe = db.with_file_name("state.db-journal");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|made| made.success()), "mkfifo");
    assert_eq!(ids(&audit(&world, &[]).success()), ["c1"]);
}
