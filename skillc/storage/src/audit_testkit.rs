//! Shared helpers of the audit log tests: a temporary state file, and sample calls.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;

use crate::audit_log::{AuditLog, CallBegun, CallEnded};

/// 2026-01-31T08:15:00.123Z.
pub(crate) const AT_MS: i64 = 1_769_847_300_123;

/// A home directory, initially without a state file.
pub(crate) struct TempDatabase {
    _dir: tempfile::TempDir,
    pub(crate) db: PathBuf,
}

impl TempDatabase {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let db = dir.path().join("home/.skillc/state.db");
        Self { _dir: dir, db }
    }

    /// Creates a state file by running SQL.
    pub(crate) fn with(sql: &str) -> Self {
        let place = Self::new();
        place.make_folder();
        place.run(sql);
        place
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.db.parent().expect("a folder").to_path_buf()
    }

    pub(crate) fn make_folder(&self) {
        fs::create_dir_all(self.folder()).expect("a folder");
    }

    pub(crate) fn log(&self) -> AuditLog {
        AuditLog::open(&self.db).expect("a log")
    }

    pub(crate) fn run(&self, sql: &str) {
        let connection = Connection::open(&self.db).expect("a database");
        connection.execute_batch(sql).expect("statements run");
    }

    /// Returns the first column of all rows of a query, one per line.
    pub(crate) fn text(&self, sql: &str) -> String {
        let connection = Connection::open(&self.db).expect("a database");
        let mut statement = connection.prepare(sql).expect("a query");
        let rows = statement.query_map([], |row| row.get::<_, String>(0));
        let rows: Result<Vec<String>, _> = rows.expect("rows").collect();
        rows.expect("texts").join("\n")
    }

    /// Returns the ids of the calls in the order of their rows.
    pub(crate) fn ids(&self) -> String {
        self.text("SELECT coalesce(group_concat(call_id), '') FROM (SELECT call_id FROM audit ORDER BY id)")
    }

    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = self.folder().read_dir().expect("a folder").flatten();
        let paths = entries.map(|entry| entry.path());
        paths
            .map(|path| (path.clone(), fs::read(path).unwrap_or_default()))
            .collect()
    }
}

pub(crate) fn begun(call_id: &str) -> CallBegun {
    CallBegun {
        call_id: call_id.into(),
        at_ms: AT_MS,
        run_id: "20260131T081500Z-00ff".into(),
        tool: "skc_show".into(),
        cwd: "/w".into(),
        args: Some(r#"{"skill":"demo","section":"Usage"}"#.into()),
    }
}

pub(crate) fn ended(call_id: &str) -> CallEnded {
    let CallBegun {
        call_id,
        at_ms,
        run_id,
        tool,
        cwd,
        ..
    } = begun(call_id);
    CallEnded {
        call_id,
        at_ms: at_ms + 4,
        run_id,
        tool,
        cwd,
        ok: Some(true),
        duration_ms: 3.5,
        result_bytes: Some(120),
        result_sha256: Some("ab".repeat(32)),
        ..CallEnded::default()
    }
}
