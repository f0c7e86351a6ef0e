//! Reads the audit rows of a server, and creates a skill that takes a while to build.

use std::fs;
use std::path::PathBuf;

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use skillc_tests::{MINIMAL, World};

/// A row of the audit log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) phase: String,
    pub(crate) call_id: String,
    pub(crate) tool: String,
    pub(crate) run_id: String,
    pub(crate) cwd: String,
    pub(crate) args: Option<Value>,
    pub(crate) ok: Option<bool>,
    pub(crate) error_code: Option<String>,
    pub(crate) error_message: Option<String>,
    pub(crate) duration_ms: Option<f64>,
    pub(crate) result_bytes: Option<u64>,
    pub(crate) result_sha256: Option<String>,
}

/// Returns the path of a world's state file.
pub(crate) fn state(world: &World) -> PathBuf {
    world.home.join(".skillc/state.db")
}

/// Returns the rows of the audit log in order; none if there is no file.
pub(crate) fn rows(world: &World) -> Vec<Row> {
    let state = state(world);
    if !state.exists() {
        return Vec::new();
    }
    // The database is in WAL mode and the server may be writing, so a reader needs write access to the shared memory
    // file.
    let connection = Connection::open_with_flags(state, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let connection = connection.expect("a database");
    // The file may exist before its table is created.
    let Ok(mut statement) = connection.prepare("SELECT * FROM audit ORDER BY id") else {
        return Vec::new();
    };
    let rows = statement.query_map([], |row| {
        let args: Option<String> = row.get("args")?;
        Ok(Row {
            phase: row.get("phase")?,
            call_id: row.get("call_id")?,
            tool: row.get("tool")?,
            run_id: row.get("run_id")?,
            cwd: row.get("cwd")?,
            args: args.map(|args| serde_json::from_str(&args).expect("JSON")),
            ok: row.get("ok")?,
            error_code: row.get("error_code")?,
            error_message: row.get("error_message")?,
            duration_ms: row.get("duration_ms")?,
            result_bytes: row.get("result_bytes")?,
            result_sha256: row.get("result_sha256")?,
        })
    });
    rows.expect("a table")
        .map(|row| row.expect("a row"))
        .collect()
}

/// Returns the exit rows of a tool.
pub(crate) fn exits(world: &World, tool: &str) -> Vec<Row> {
    let mut rows = rows(world);
    rows.retain(|row| row.phase == "exit" && row.tool == tool);
    rows
}

/// Writes the skill `big` with this many files into the project.
pub(crate) fn big(world: &World, files: usize) {
    let dir = world.project_skill("big", &[("SKILL.md", &MINIMAL.replace("demo", "big"))]);
    let text = "some words that stand here and there and mean little\n".repeat(150);
    for number in 0..files {
        let file = dir.join(format!("file-{number:05}.md"));
        fs::write(file, format!("# File {number}\n\n{text}\n## Part\n")).expect("a file");
    }
}
