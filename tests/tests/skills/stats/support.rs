//! Log rows, and helpers shared by several of these tests.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use skillc_core::time::Timestamp;
use skillc_storage::Access;
use skillc_storage::access_log::append;
use skillc_tests::{Output, World};

/// The names of all groupings.
pub(crate) const GROUPS: [&str; 10] = [
    "summary",
    "sections",
    "files",
    "commands",
    "projects",
    "errors",
    "search",
    "zero-results",
    "sessions",
    "timeline",
];

/// A row to be logged, for a use of `demo` in the world's working directory, by default at 2026-01-01T00:00:00Z.
pub(crate) struct Row<'a> {
    world: &'a World,
    access: Access,
}

/// Creates a row, to be completed and logged.
pub(crate) fn row<'a>(world: &'a World, command: &str, args: &Value) -> Row<'a> {
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    Row {
        world,
        access: Access {
            timestamp: time("2026-01-01"),
            run_id: "run".into(),
            command: command.into(),
            skill: "demo".into(),
            skill_path: text(&world.demo_source()),
            cwd: text(&world.cwd),
            args: args.to_string(),
            error: None,
        },
    }
}

/// Creates a row of `show`, to be completed and logged.
pub(crate) fn show<'a>(world: &'a World, file: &str, section: &str) -> Row<'a> {
    row(
        world,
        "show",
        &json!({"section": section, "file": file, "max_lines": null}),
    )
}

/// Creates a row of `search`, to be completed and logged.
pub(crate) fn search<'a>(world: &'a World, query: &str, results: u64) -> Row<'a> {
    row(
        world,
        "search",
        &json!({"query": query, "result_count": results}),
    )
}

/// Creates a row of `open`, to be completed and logged.
pub(crate) fn open<'a>(world: &'a World, path: &str) -> Row<'a> {
    row(world, "open", &json!({"path": path, "max_lines": null}))
}

impl Row<'_> {
    pub(crate) fn at(mut self, text: &str) -> Self {
        self.access.timestamp = time(text);
        self
    }

    pub(crate) fn run(mut self, id: &str) -> Self {
        self.access.run_id = id.into();
        self
    }

    pub(crate) fn failed(mut self, error: &str) -> Self {
        self.access.error = Some(error.into());
        self
    }

    pub(crate) fn cwd(mut self, dir: &Path) -> Self {
        self.access.cwd = dir.to_str().expect("UTF-8").into();
        self
    }

    pub(crate) fn of(mut self, skill: &Path) -> Self {
        self.access.skill_path = skill.to_str().expect("UTF-8").into();
        self
    }

    /// Sets the arguments, which may be invalid JSON or have unexpected values.
    pub(crate) fn args(mut self, text: &str) -> Self {
        self.access.args = text.into();
        self
    }

    /// Writes the row into the log of `demo`.
    pub(crate) fn log(self) {
        let log = log_of(self.world);
        self.log_in(&log);
    }

    pub(crate) fn log_in(self, log: &Path) {
        append(log, &self.access).expect("a log that can be written");
    }

    pub(crate) fn log_times(self, count: usize) {
        let log = log_of(self.world);
        for _ in 0..count {
            append(&log, &self.access).expect("a log that can be written");
        }
    }
}

/// Returns the path of the log of `demo`.
pub(crate) fn log_of(world: &World) -> PathBuf {
    world.demo_runtime().join(".skillc-meta/logs.db")
}

pub(crate) fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a time")
}

/// Runs `skc stats demo` and deletes the row of this run from the log, so that only the rows of the test are counted.
pub(crate) fn run(world: &World, args: &[&str]) -> Output {
    let output = world.skc_at(&world.cwd, &[&["stats", "demo"], args].concat());
    forget(&log_of(world));
    output
}

/// Deletes the rows of `skc stats` from a file, if it is a log.
pub(crate) fn forget(log: &Path) {
    if let Ok(connection) = Connection::open_with_flags(log, OpenFlags::SQLITE_OPEN_READ_WRITE) {
        // Ignore errors: a file that is not a log has no such rows.
        let _ = connection.execute("DELETE FROM access_log WHERE command = 'stats'", []);
    }
}

/// Returns the statistics of `demo` as JSON, checking that there is no warning.
#[track_caller]
pub(crate) fn stats(world: &World, args: &[&str]) -> Value {
    let output = run(world, &[&["-o", "json"], args].concat()).success();
    assert_eq!(output.stderr, "", "{args:?}");
    output.json()
}

/// Returns the counts of `demo` for a grouping.
#[track_caller]
pub(crate) fn data(world: &World, group_by: &str) -> Value {
    stats(world, &["--group-by", group_by])["data"].take()
}

/// Returns the number of matching rows of `demo`.
#[track_caller]
pub(crate) fn total(world: &World, args: &[&str]) -> u64 {
    let total = &stats(world, args)["data"]["total_accesses"];
    total.as_u64().expect("a number")
}
