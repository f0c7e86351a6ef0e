//! Reads usage logs.

use std::path::{Path, PathBuf};

use serde_json::Value;
use skillc_core::layout::{RuntimeDir, local_runtime};
use skillc_tests::{Output, World, database};

/// The path of the program under test.
pub(crate) const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// The warning when no log is writable.
pub(crate) const DISABLED: &str =
    "warning[W002]: logging disabled; run 'skc sync' after session to merge logs";

/// A row of a log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) timestamp: String,
    pub(crate) run_id: String,
    pub(crate) command: String,
    pub(crate) skill: String,
    pub(crate) skill_path: String,
    pub(crate) cwd: String,
    pub(crate) args: Value,
    pub(crate) error: Option<String>,
}

/// Returns the rows of a log, in order; none if there is no log.
pub(crate) fn rows(db: &Path) -> Vec<Row> {
    if !db.exists() {
        return Vec::new();
    }
    let connection = database::read(db);
    let mut statement = connection
        .prepare("SELECT * FROM access_log ORDER BY id")
        .expect("a log");
    let rows = statement.query_map([], |row| {
        let args: String = row.get("args")?;
        Ok(Row {
            timestamp: row.get("timestamp")?,
            run_id: row.get("run_id")?,
            command: row.get("command")?,
            skill: row.get("skill")?,
            skill_path: row.get("skill_path")?,
            cwd: row.get("cwd")?,
            args: serde_json::from_str(&args).expect("JSON"),
            error: row.get("error")?,
        })
    });
    rows.expect("a log")
        .map(|row| row.expect("a row"))
        .collect()
}

/// Returns the path of the log of `demo` in the project.
pub(crate) fn primary(world: &World) -> PathBuf {
    RuntimeDir(world.demo_runtime()).logs()
}

/// Returns the path of the fallback log in the working directory.
pub(crate) fn local(world: &World) -> PathBuf {
    local_runtime(&world.cwd, "demo").logs()
}

/// Returns the number of rows in both logs.
pub(crate) fn counts(world: &World) -> (usize, usize) {
    (rows(&primary(world)).len(), rows(&local(world)).len())
}

/// Reads the outline of `demo`: the simplest command that is logged.
#[track_caller]
pub(crate) fn outline(world: &World) -> Output {
    world.skc(["outline", "demo"]).success()
}

/// Checks that a use of `demo` is recorded in the local log, without a message.
#[track_caller]
pub(crate) fn is_logged_locally(world: &World) {
    let before = rows(&local(world)).len();
    let output = outline(world);
    let said = (output.text(), &*output.stderr);
    assert_eq!(said, ("SKILL.md\n  # Demo\n", ""));
    assert_eq!(rows(&local(world)).len(), before + 1);
}
