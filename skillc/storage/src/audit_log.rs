//! Writes the audit log: the request and the outcome of every call to a server.
//!
//! Each call that is handled produces two rows: one before the call is handled, and one afterwards. Each row is written
//! immediately, so the log shows what a killed server was doing. A refused call produces only the second row. The rows
//! contain the request, and the size and hash of the answer, but never the answer itself.
//!
//! The log stays open for the life of a server. If the file of the log is removed or replaced, the next row is written
//! to a new file, or to the replacement, at the same path.
//!
//! Design: catalog-files, catalog-chain.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Params};
use serde_json::Value;
use skillc_core::Stop;
use skillc_core::time::{Timestamp, rfc3339_ms};

use crate::access_log::LogFault;
use crate::access_stats::second;
use crate::limits::Guarded;
use crate::state::{self, StateFile};

/// The maximum size, in bytes, of a call's stored arguments, of its stored message, and of all its stored warnings
/// together. Design: limits-catalog.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// The maximum number of rows that one statement deletes. It limits how long other writers must wait.
const ROWS_AT_ONCE: i64 = 2_000;

const ENTER: &str = "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd, args)
    VALUES (?1, 'enter', ?2, ?3, ?4, ?5, ?6)";

const EXIT: &str = "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd, args,
        ok, error_code, error_message, duration_ms, result_bytes, result_sha256, warnings)
    VALUES (?1, 'exit', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

/// Deletes the old rows of a tool, but keeps rows whose time cannot be parsed.
const DELETE: &str = "DELETE FROM audit WHERE id IN (SELECT id FROM audit
    WHERE tool = ?1 AND ts < ?2 AND ts GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*' LIMIT ?3)";

/// A call that is about to be handled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallBegun {
    /// The unique id of the call.
    pub call_id: String,
    /// The time at which the call began, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// The id of the run to which the call belongs.
    pub run_id: String,
    /// The tool's name.
    pub tool: String,
    /// The canonical path of the working directory.
    pub cwd: String,
    /// The arguments, as returned by [`kept_arguments`].
    pub args: Option<String>,
}

/// A call that ended or was refused.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallEnded {
    /// The unique id of the call.
    pub call_id: String,
    /// The time at which the call ended, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// The id of the run to which the call belongs.
    pub run_id: String,
    /// The tool's name.
    pub tool: String,
    /// The canonical path of the working directory.
    pub cwd: String,
    /// The arguments of a refused call, as returned by [`kept_arguments`]. For other calls, the arguments are in
    /// [`CallBegun`].
    pub args: Option<String>,
    /// Whether the call succeeded; `None` if it ended with a question to the user.
    pub ok: Option<bool>,
    /// The error code: `E001`, `CANCELLED`.
    pub error_code: Option<String>,
    /// The error message; truncated if too long.
    pub error_message: Option<String>,
    /// The duration of the call, including the validation of its arguments.
    pub duration_ms: f64,
    /// The size of the answer, in bytes.
    pub result_bytes: Option<u64>,
    /// The SHA-256 of the answer, in hexadecimal digits.
    pub result_sha256: Option<String>,
    /// Warnings returned with the answer; long warnings are truncated, and warnings beyond the size limit are omitted.
    pub warnings: Vec<String>,
}

/// Returns the arguments as stored in a row: JSON of at most 4 KiB.
///
/// `arguments`: a JSON object. If its text is too long, the result is a JSON string with the beginning of the text.
pub fn kept_arguments(arguments: &Value) -> String {
    let text = arguments.to_string();
    if text.len() <= MAX_TEXT_BYTES {
        return text;
    }
    let mut length = MAX_TEXT_BYTES - 2;
    loop {
        let cut = Value::from(clipped(&text, length)).to_string();
        match cut.len().checked_sub(MAX_TEXT_BYTES) {
            None | Some(0) => return cut,
            // Dropping one byte of the text shortens its JSON by one or two bytes, so this never drops too much.
            Some(over) => length -= over.div_ceil(2),
        }
    }
}

/// The audit log, open for writing.
pub struct AuditLog {
    db: PathBuf,
    open: Option<StateFile>,
}

impl AuditLog {
    /// Opens the log in a state file, creating the file if it does not exist.
    ///
    /// # Errors
    /// Returns an error if rows cannot be written. In this case, the file is unchanged.
    pub fn open(db: &Path) -> Result<Self, LogFault> {
        let mut log = Self {
            db: db.to_path_buf(),
            open: None,
        };
        log.connection()?;
        Ok(log)
    }

    /// Records the beginning of a call.
    ///
    /// # Errors
    /// Returns an error if the row was not written. Later rows may still be written.
    pub fn enter(&mut self, call: &CallBegun) -> Result<(), LogFault> {
        let at = rfc3339_ms(call.at_ms);
        self.insert(
            ENTER,
            (
                &call.call_id,
                &at,
                &call.run_id,
                &call.tool,
                &call.cwd,
                &call.args,
            ),
        )
    }

    /// Records how a call ended.
    ///
    /// # Errors
    /// Returns the errors of [`enter`](Self::enter).
    pub fn exit(&mut self, call: &CallEnded) -> Result<(), LogFault> {
        let message = call.error_message.as_deref();
        self.insert(
            EXIT,
            rusqlite::params![
                call.call_id,
                rfc3339_ms(call.at_ms),
                call.run_id,
                call.tool,
                call.cwd,
                call.args,
                call.ok,
                call.error_code,
                message.map(|text| clipped(text, MAX_TEXT_BYTES)),
                call.duration_ms,
                call.result_bytes,
                call.result_sha256,
                kept_warnings(&call.warnings),
            ],
        )
    }

    /// Deletes the rows older than `before` and overwrites their content. Keeps rows whose time cannot be parsed.
    /// Returns the number of deleted rows.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read or written.
    pub fn prune(&mut self, before: Timestamp) -> Result<u64, LogFault> {
        let connection = self.connection()?;
        connection.execute_batch("PRAGMA secure_delete = ON")?;
        let (mut tool, mut deleted) = (String::new(), 0);
        // Delete tool by tool to use the index, so that the rows to keep are never read.
        while let Some(next) = next_tool(connection, &tool)? {
            tool = next;
            loop {
                let rows = connection.execute(DELETE, (&tool, second(before), ROWS_AT_ONCE))?;
                if rows == 0 {
                    break;
                }
                deleted += rows as u64;
            }
        }
        Ok(deleted)
    }

    fn insert(&mut self, sql: &str, row: impl Params) -> Result<(), LogFault> {
        let connection = self.connection()?;
        connection.begin_row();
        let done = connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(row));
        if let Err(error) = done {
            self.open = None;
            return Err(error.into());
        }
        Ok(())
    }

    /// Returns a connection to the file that is now at the path.
    fn connection(&mut self) -> Result<&Guarded, LogFault> {
        if !self.open.as_ref().is_some_and(|open| open.is_at(&self.db)) {
            self.open = Some(state::open(&self.db, self.open.take())?);
        }
        let open = self.open.as_ref().expect("it was opened just now");
        open.connection.restart(&Stop::default());
        Ok(&open.connection)
    }
}

/// Returns the next tool name in sort order, after `after`, for which there are rows.
fn next_tool(connection: &Connection, after: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT min(tool) FROM audit WHERE tool > ?1";
    connection.query_row(sql, [after], |row| row.get(0))
}

/// Returns the warnings as a JSON array, or `None` if there are none. Truncates long warnings. If the array would be
/// too long, omits the last warnings.
fn kept_warnings(warnings: &[String]) -> Option<String> {
    if warnings.is_empty() {
        return None;
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut length = 2;
    for warning in warnings {
        let warning = clipped(warning, MAX_TEXT_BYTES / 4);
        length += Value::from(warning).to_string().len() + 1;
        if length > MAX_TEXT_BYTES {
            break;
        }
        kept.push(warning);
    }
    Some(Value::from(kept).to_string())
}

/// Returns the beginning of a string: at most `bytes` bytes, without splitting a character.
fn clipped(text: &str, bytes: usize) -> &str {
    let mut ends = (0..=bytes.min(text.len())).rev();
    let end = ends.find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;
    use std::thread;

    use crate::audit_testkit::{AT_MS, TempDatabase, begun, ended};

    #[test]
    fn a_call_writes_a_row_before_and_a_row_after() {
        let place = TempDatabase::new();
        let mut log = place.log();
        log.enter(&begun("c1")).unwrap();
        log.exit(&ended("c1")).unwrap();
        log.exit(&CallEnded {
            args: Some("{}".into()),
            ok: Some(false),
            error_code: Some("E020".into()),
            error_message: Some("section not found: 'x'".into()),
            result_bytes: None,
            result_sha256: None,
            warnings: vec!["a \"b\"".into(), "c".into()],
            ..ended("c2")
        })
        .unwrap();
        let rows = "SELECT concat_ws('|', id, call_id, phase, ts, run_id, tool, cwd, quote(args), quote(ok),
            quote(error_code), quote(error_message), quote(duration_ms), quote(result_bytes),
            quote(substr(result_sha256, 1, 4)), quote(warnings)) FROM audit";
        assert_eq!(
            place.text(rows),
            r#"1|c1|enter|2026-01-31T08:15:00.123Z|20260131T081500Z-00ff|skc_show|/w|'{"skill":"demo","section":"Usage"}'|NULL|NULL|NULL|NULL|NULL|NULL|NULL
2|c1|exit|2026-01-31T08:15:00.127Z|20260131T081500Z-00ff|skc_show|/w|NULL|1|NULL|NULL|3.5|120|'abab'|NULL
3|c2|exit|2026-01-31T08:15:00.127Z|20260131T081500Z-00ff|skc_show|/w|'{}'|0|'E020'|'section not found: ''x'''|3.5|NULL|NULL|'["a \"b\"","c"]'"#
        );
    }

    #[test]
    fn arguments_are_stored_as_json_of_at_most_four_kibibytes() {
        let whole = serde_json::json!({"query": "x".repeat(4_000), "limit": null});
        assert_eq!(kept_arguments(&whole), whole.to_string());
        for long in ["x", "\"", "\\", "é", "\u{10348}", "\u{1}", "a\u{10348}\""] {
            let arguments = serde_json::json!({"query": long.repeat(9_000), "skill": "demo"});
            let kept = kept_arguments(&arguments);
            assert!(
                (4_000..=4_096).contains(&kept.len()),
                "{long}: {}",
                kept.len()
            );
            let Value::String(beginning) = serde_json::from_str(&kept).unwrap() else {
                panic!("{long}: no text");
            };
            assert!(arguments.to_string().starts_with(&beginning), "{long}");
        }
    }

    #[test]
    fn messages_and_warnings_are_truncated_to_the_row_limit() {
        let place = TempDatabase::new();
        let mut log = place.log();
        log.exit(&CallEnded {
            error_message: Some("é".repeat(4_000)),
            warnings: vec!["\"é".repeat(2_000); 1_000],
            ..ended("c1")
        })
        .unwrap();
        assert_eq!(
            place.text("SELECT error_message FROM audit"),
            "é".repeat(2_048)
        );
        let warnings = place.text("SELECT warnings FROM audit");
        assert!(
            (1_000..=4_096).contains(&warnings.len()),
            "{}",
            warnings.len()
        );
        let list: Vec<String> = serde_json::from_str(&warnings).unwrap();
        assert!(list.len() > 1 && list[0].starts_with("\"é\"é"), "{list:?}");
    }

    #[test]
    fn a_removed_file_is_recreated() {
        for leftovers in [true, false] {
            let place = TempDatabase::new();
            let mut log = place.log();
            log.enter(&begun("c1")).unwrap();
            for path in place.files().into_keys() {
                if !leftovers || path == place.db {
                    fs::remove_file(path).unwrap();
                }
            }
            log.exit(&ended("c1")).unwrap();
            log.enter(&begun("c2")).unwrap();
            assert_eq!(place.ids(), "c1,c2");
            fs::remove_dir_all(place.folder()).unwrap();
            log.enter(&begun("c3")).unwrap();
            assert_eq!(place.ids(), "c3");
        }
    }

    /// Two logs have the same file open, and then the file is removed.
    #[test]
    fn two_logs_whose_file_was_removed_share_the_new_one() {
        let place = TempDatabase::new();
        let mut logs = [place.log(), place.log()];
        for log in &mut logs {
            log.enter(&begun("gone")).unwrap();
        }
        fs::remove_file(&place.db).unwrap();
        for round in 0..4 {
            logs[round % 2].enter(&begun(&round.to_string())).unwrap();
        }
        assert_eq!(place.ids(), "0,1,2,3");
        drop(logs);
        assert_eq!(place.ids(), "0,1,2,3");
        assert_eq!(place.text("PRAGMA integrity_check"), "ok");
    }

    #[test]
    fn a_replacement_file_receives_the_rows() {
        let (place, other) = (TempDatabase::new(), TempDatabase::new());
        let mut log = place.log();
        log.enter(&begun("old")).unwrap();
        other.log().enter(&begun("before")).unwrap();
        fs::rename(&other.db, &place.db).unwrap();
        log.enter(&begun("after")).unwrap();
        assert_eq!(place.ids(), "before,after");
        assert_eq!(place.text("PRAGMA integrity_check"), "ok");
    }

    #[test]
    fn a_failed_row_does_not_stop_the_next() {
        let place = TempDatabase::new();
        let mut log = place.log();
        fs::remove_dir_all(place.folder()).unwrap();
        fs::write(place.folder(), "in the way").unwrap();
        log.enter(&begun("lost")).unwrap_err();
        fs::remove_file(place.folder()).unwrap();
        log.enter(&begun("c2")).unwrap();
        assert_eq!(place.ids(), "c2");
    }

    #[test]
    fn concurrent_writers_lose_nothing() {
        const CALLS: usize = 200;
        let place = TempDatabase::new();
        thread::scope(|scope| {
            for writer in 0..4 {
                let db = &place.db;
                // The threads also race to create the file.
                scope.spawn(move || {
                    let mut log = AuditLog::open(db).unwrap();
                    for call in 0..CALLS {
                        let id = format!("{writer}-{call}");
                        log.enter(&begun(&id)).unwrap();
                        log.exit(&ended(&id)).unwrap();
                    }
                });
            }
        });
        let counts = "SELECT concat_ws(' ', count(*), count(DISTINCT call_id), sum(phase = 'enter')) FROM audit";
        assert_eq!(place.text(counts), "1600 800 800");
        assert_eq!(place.text("PRAGMA integrity_check"), "ok");
    }

    #[test]
    fn old_rows_of_all_tools_are_deleted_and_overwritten() {
        let place = TempDatabase::new();
        let mut log = place.log();
        let day = 86_400_000;
        for (id, tool, at_ms) in [
            ("old-1", "a", AT_MS - 2 * day),
            ("old-2", "b", AT_MS - day),
            ("young-1", "a", AT_MS - 123),
            ("young-2", "b", AT_MS),
            ("old-3", "c", AT_MS - 124),
        ] {
            let tool = tool.to_owned();
            log.enter(&CallBegun {
                at_ms,
                tool,
                ..begun(id)
            })
            .unwrap();
        }
        place.run(
            "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd) VALUES
                ('odd-1', 'enter', '', '', 'a', ''), ('odd-2', 'enter', 'long ago', '', 'a', '')",
        );
        let before = Timestamp(AT_MS / 1_000);
        assert_eq!(log.prune(before).unwrap(), 3);
        assert_eq!(log.prune(before).unwrap(), 0);
        assert_eq!(place.ids(), "young-1,young-2,odd-1,odd-2");
        drop(log);
        let bytes = fs::read(&place.db).unwrap();
        assert!(bytes.windows(6).any(|text| text == b"young-"));
        assert!(bytes.windows(4).all(|text| text != b"old-"));
    }

    #[test]
    fn more_rows_than_one_batch_are_deleted() {
        let place = TempDatabase::new();
        let mut log = place.log();
        place.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd)
             SELECT i, 'enter', '2020-01-01T00:00:00.000Z', '', 'a', '' FROM n",
        );
        assert_eq!(log.prune(Timestamp(AT_MS / 1_000)).unwrap(), 5_000);
    }
}
