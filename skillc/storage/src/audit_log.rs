//! The audit log, written: what every call of a server asked for and how it ended.
//!
//! A call leaves two rows, one before it is handled and one after, each written at once: what a server was doing when it was
//! killed can be seen. A call that was refused leaves the second only. Rows hold what was asked for and how big the answer
//! was, never the answer.
//!
//! The log is kept open for the life of a server. When its file is removed or another takes its place, the next row goes to
//! the file of that name.
//!
//! Source: CATALOG §3.8, §3.10.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Params};
use serde_json::Value;
use skillc_core::time::{Timestamp, rfc3339_ms};

use crate::access_log::LogFault;
use crate::access_stats::second;
use crate::state::{self, FileId};

/// The longest text that is kept of arguments, of a message, and of all warnings of a call, in bytes. Source: CATALOG §3.13.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// How many rows are deleted in one go: others wait no longer than that takes.
const ROWS_AT_ONCE: i64 = 2_000;

const ENTER: &str = "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd, args)
    VALUES (?1, 'enter', ?2, ?3, ?4, ?5, ?6)";

const EXIT: &str = "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd, args,
        ok, error_code, error_message, duration_ms, result_bytes, result_sha256, warnings)
    VALUES (?1, 'exit', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

/// Rows whose time cannot be read are kept.
const DELETE: &str = "DELETE FROM audit WHERE id IN (SELECT id FROM audit
    WHERE tool = ?1 AND ts < ?2 AND ts GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*' LIMIT ?3)";

/// A call that is about to be handled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallBegun {
    /// Names the call; no two calls have the same.
    pub call_id: String,
    /// When, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// The run that it belongs to.
    pub run_id: String,
    /// The tool's name.
    pub tool: String,
    /// The working directory, canonical.
    pub cwd: String,
    /// The arguments, as [`kept_arguments`] makes them.
    pub args: Option<String>,
}

/// A call that has ended, or was refused.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallEnded {
    /// As in [`CallBegun`].
    pub call_id: String,
    /// When it ended, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// As in [`CallBegun`].
    pub run_id: String,
    /// As in [`CallBegun`].
    pub tool: String,
    /// As in [`CallBegun`].
    pub cwd: String,
    /// The arguments of a call that was refused, as [`kept_arguments`] makes them; others have theirs in [`CallBegun`].
    pub args: Option<String>,
    /// Whether it succeeded; `None` if it ended with a question.
    pub ok: Option<bool>,
    /// `E001`, `CANCELLED`.
    pub error_code: Option<String>,
    /// The message of a failure; what is too long is cut off.
    pub error_message: Option<String>,
    /// How long it took, from when its arguments were checked.
    pub duration_ms: f64,
    /// The size of the answer.
    pub result_bytes: Option<u64>,
    /// The SHA-256 of the answer, in hexadecimal digits.
    pub result_sha256: Option<String>,
    /// What was said beside the answer; what is too much is left out.
    pub warnings: Vec<String>,
}

/// Returns the text of arguments that a row keeps: JSON of at most 4 KiB.
///
/// Arguments are an object. In the place of one that is too long there is a JSON string: the beginning of its text.
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
            // Each byte of JSON that is left out makes it shorter by one or two.
            Some(over) => length -= over.div_ceil(2),
        }
    }
}

/// The audit log, open for writing.
pub struct AuditLog {
    db: PathBuf,
    open: Option<(Connection, Option<FileId>)>,
}

impl AuditLog {
    /// Opens the log in a state file, which is made if it is not there.
    ///
    /// # Errors
    /// Whatever keeps rows from being written. The file is then as it was.
    pub fn open(db: &Path) -> Result<Self, LogFault> {
        let mut log = Self {
            db: db.to_path_buf(),
            open: None,
        };
        log.connection()?;
        Ok(log)
    }

    /// Writes that a call begins.
    ///
    /// # Errors
    /// Why the row is not written. The next one is tried anew.
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

    /// Writes how a call ended.
    ///
    /// # Errors
    /// As [`enter`](Self::enter).
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

    /// Deletes the rows from before a moment; what they said is overwritten. Returns how many there were.
    ///
    /// # Errors
    /// Why the log cannot be read or written.
    pub fn prune(&mut self, before: Timestamp) -> Result<u64, LogFault> {
        let connection = self.connection()?;
        connection.execute_batch("PRAGMA secure_delete = ON")?;
        let (mut tool, mut deleted) = (String::new(), 0);
        // Tool by tool, as the index has them: what is young is not looked at.
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
        let done = connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(row));
        if let Err(error) = done {
            self.open = None;
            return Err(error.into());
        }
        Ok(())
    }

    /// Returns the connection to the file that now has the name.
    fn connection(&mut self) -> Result<&Connection, LogFault> {
        let now = FileId::at(&self.db);
        if now.is_none() || !matches!(&self.open, Some((_, file)) if *file == now) {
            // The old one first: two of the same name would take each other's part for their own.
            self.open = None;
            let (connection, file) = state::open(&self.db)?;
            connection.prepare_cached(ENTER)?;
            connection.prepare_cached(EXIT)?;
            self.open = Some((connection, file));
        }
        let (connection, _) = self.open.as_ref().expect("it was opened just now");
        Ok(connection)
    }
}

/// Returns the first of the tools after this one that has rows.
fn next_tool(connection: &Connection, after: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT min(tool) FROM audit WHERE tool > ?1";
    connection.query_row(sql, [after], |row| row.get(0))
}

/// Returns a list of texts as JSON, `None` if there are none; those that would make it too long are left out.
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

/// Returns the beginning of a text: at most so many bytes, whole characters.
fn clipped(text: &str, bytes: usize) -> &str {
    let mut ends = (0..=bytes.min(text.len())).rev();
    let end = ends.find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}
