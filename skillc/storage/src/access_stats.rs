//! Reads the usage log.
//!
//! A log is validated before it is trusted, and its rows are read in the order in which they were written. A large log
//! is split among several threads. The caller interprets the rows and decides which rows to count. Columns that are
//! missing from an older log are read as empty. A log with a newer schema is read as far as it is compatible.
//!
//! Design: C-CLI, C-LOGGING@7.

use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params_from_iter};
use skillc_core::Stop;
use skillc_core::time::Timestamp;

use crate::access_log::{has_files_beside, is_log};
use crate::db::{IfMissing, open_shared};
use crate::limits::Guarded;
use crate::schema_check::Schema;

/// How long a reader waits for a writer.
pub(crate) const BUSY_WAIT: Duration = Duration::from_secs(2);

/// The minimum number of rows for each thread. With fewer rows, an additional thread costs more time than it saves.
const ROWS_PER_THREAD: i64 = 50_000;

/// The maximum number of threads that read one log.
const MAX_THREADS: i64 = 4;

/// The size limit of a value, in bytes. This program truncates the values that it logs to a much smaller size, but a
/// log that came with a repository may contain larger values.
const MAX_VALUE_BYTES: usize = 64 << 10;

/// The reason why a log cannot be read. A missing or empty file is not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogUnusable {
    /// The file is not a database, or it is corrupt.
    Damaged,
    /// The file is the database of another program, or not a regular file.
    Foreign,
    /// Another program keeps the log locked.
    Busy,
    /// The operating system denies access.
    Denied,
    /// The log cannot exist, because one of its parent folders is a file.
    NoFolder,
    /// The log is too large to be read before the deadline, or the call was cancelled.
    Interrupted,
}

impl LogUnusable {
    /// Returns the reason, worded to follow `reading '…':`.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Damaged => "it is damaged",
            Self::Foreign => "it is not a usage log",
            Self::Busy => "it is locked by another program",
            Self::Denied => "permission denied",
            Self::NoFolder => "its folder is a file",
            Self::Interrupted => "reading it took too long",
        }
    }
}

impl From<rusqlite::Error> for LogUnusable {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::ReadOnly
                | ErrorCode::AuthorizationForStatementDenied,
            ) => Self::Denied,
            Some(ErrorCode::OperationInterrupted) => Self::Interrupted,
            _ => Self::Damaged,
        }
    }
}

/// A column of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The time, in UTC: `YYYY-MM-DDTHH:MM:SSZ`.
    Timestamp,
    /// The id of the run.
    RunId,
    /// The command.
    Command,
    /// The name of the skill.
    Skill,
    /// The canonical path of the skill.
    SkillPath,
    /// The canonical path of the working directory.
    Cwd,
    /// The arguments, as JSON.
    Args,
    /// The error message of a failed command.
    Error,
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::RunId => "run_id",
            Self::Command => "command",
            Self::Skill => "skill",
            Self::SkillPath => "skill_path",
            Self::Cwd => "cwd",
            Self::Args => "args",
            Self::Error => "error",
        }
    }
}

/// A row of the log. A field is empty if the column is missing or was not requested, or if the value is not text or is
/// larger than 64 KiB.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoggedRow<'a> {
    /// The row's number in this log, increasing with time.
    pub id: i64,
    /// The time, as written.
    pub timestamp: &'a str,
    /// The id of the run, as written.
    pub run_id: &'a str,
    /// The command, as written.
    pub command: &'a str,
    /// The name of the skill, as written.
    pub skill: &'a str,
    /// The path of the skill, as written.
    pub skill_path: &'a str,
    /// The working directory, as written.
    pub cwd: &'a str,
    /// The arguments, as written.
    pub args: &'a str,
    /// The error message; `None` if the command succeeded.
    pub error: Option<&'a str>,
}

/// Selects the rows and columns to read.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The columns to read.
    pub columns: &'a [Column],
    /// The start of the time range, inclusive.
    pub since: Option<Timestamp>,
    /// The end of the time range, inclusive.
    pub until: Option<Timestamp>,
}

/// Whether to continue reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// Continue reading.
    Wanted,
    /// The reader needs no more rows.
    Enough,
}

/// Receives rows, in the order in which they were written unless stated otherwise.
pub trait RowReader: Send {
    /// Receives one row. Returns whether to continue reading.
    fn take(&mut self, row: &LoggedRow<'_>) -> More;
}

/// An open log.
pub struct AccessLog {
    path: PathBuf,
    stop: Stop,
    connection: Guarded,
    columns: Vec<String>,
}

impl AccessLog {
    /// Opens a log for reading. Returns `None` if the file does not exist or is empty. `wait`: how long to wait for a
    /// writer, but never longer than two seconds. `stop`: cancels reading.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn open(path: &Path, wait: Duration, stop: &Stop) -> Result<Option<Self>, LogUnusable> {
        let Some((connection, columns)) = open_within(path, wait, stop)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            path: path.to_path_buf(),
            stop: stop.clone(),
            connection,
            columns,
        }))
    }

    /// Reads rows with one or more threads, each with its own reader. Returns the readers (at least one) in the order
    /// of their rows.
    ///
    /// # Errors
    /// Returns an error if the log turns out to be unreadable.
    pub fn read<R: RowReader>(
        &self,
        wanted: Wanted<'_>,
        reader: impl Fn() -> R,
    ) -> Result<Vec<R>, LogUnusable> {
        let statement = self.statement(wanted);
        let mut parts = self.parts()?.into_iter();
        let Some(first) = parts.next() else {
            return Ok(vec![reader()]);
        };
        thread::scope(|scope| {
            let mut others = Vec::new();
            for part in parts {
                let (mut reader, statement) = (reader(), &statement);
                let (path, stop) = (&self.path, &self.stop);
                others.push(scope.spawn(move || {
                    let opened = open_unchecked(path, BUSY_WAIT, stop)?;
                    let (connection, _) = opened.ok_or(LogUnusable::Foreign)?;
                    statement.run(&connection, part, &mut reader)?;
                    Ok(reader)
                }));
            }
            let mut readers = vec![reader()];
            statement.run(&self.connection, first, &mut readers[0])?;
            for other in others {
                readers.push(other.join().unwrap_or(Err(LogUnusable::Damaged))?);
            }
            Ok(readers)
        })
    }

    /// Reads rows from the newest backwards, until the reader needs no more rows.
    ///
    /// # Errors
    /// Returns the errors of [`read`](Self::read).
    pub fn read_back(
        &self,
        wanted: Wanted<'_>,
        reader: &mut impl RowReader,
    ) -> Result<(), LogUnusable> {
        let mut statement = self.statement(wanted);
        statement.sql += " DESC";
        statement.is_descending = true;
        statement.run(&self.connection, i64::MIN..=i64::MAX, reader)
    }

    /// Splits the rows into ranges of row numbers, with one range for each thread.
    fn parts(&self) -> Result<Vec<RangeInclusive<i64>>, LogUnusable> {
        // Two subqueries: a single query for both would scan every row.
        let sql = "SELECT (SELECT min(rowid) FROM access_log), (SELECT max(rowid) FROM access_log)";
        let ends = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let (Some(first), Some(last)): (Option<i64>, Option<i64>) =
            self.connection.query_row(sql, [], ends)?
        else {
            return Ok(Vec::new());
        };
        let cores = thread::available_parallelism()
            .map_or(1, |count| i64::try_from(count.get()).unwrap_or(1));
        let rows = last.saturating_sub(first).max(0);
        let count = (rows / ROWS_PER_THREAD).clamp(1, cores.min(MAX_THREADS));
        let starts: Vec<i64> = (0..count).map(|part| first + rows / count * part).collect();
        let end = |part: usize| starts.get(part + 1).map_or(last, |next| next - 1);
        Ok(starts
            .iter()
            .enumerate()
            .map(|(part, start)| *start..=end(part))
            .collect())
    }

    fn statement(&self, wanted: Wanted<'_>) -> Statement {
        let mut sql = "SELECT rowid".to_owned();
        let mut columns = Vec::new();
        for column in wanted.columns {
            if self.columns.iter().any(|name| name == column.name()) {
                let name = column.name();
                sql += &format!(
                    ", CASE WHEN octet_length({name}) > {MAX_VALUE_BYTES} THEN '' ELSE {name} END"
                );
                columns.push(*column);
            }
        }
        sql += " FROM access_log WHERE rowid BETWEEN ?1 AND ?2";
        let mut bounds = Vec::new();
        if let Some(since) = wanted.since {
            bounds.push(second(since));
            sql += &format!(" AND +timestamp >= ?{}", bounds.len() + 2);
        }
        if let Some(until) = wanted.until {
            bounds.push(second(Timestamp(until.0.saturating_add(1))));
            sql += &format!(" AND +timestamp < ?{}", bounds.len() + 2);
        }
        sql += " ORDER BY rowid";
        Statement {
            sql,
            columns,
            bounds,
            is_descending: false,
        }
    }
}

/// Returns the common prefix of all timestamps within this second, with or without fractional seconds. Each of these
/// timestamps sorts after the prefix.
pub(crate) fn second(time: Timestamp) -> String {
    let mut text = time.to_string();
    text.pop();
    text
}

struct Statement {
    sql: String,
    columns: Vec<Column>,
    bounds: Vec<String>,
    is_descending: bool,
}

impl Statement {
    fn run(
        &self,
        connection: &Connection,
        part: RangeInclusive<i64>,
        reader: &mut impl RowReader,
    ) -> Result<(), LogUnusable> {
        let mut statement = connection.prepare(&self.sql)?;
        let ends = [*part.start(), *part.end()].map(rusqlite::types::Value::from);
        let bounds = self
            .bounds
            .iter()
            .cloned()
            .map(rusqlite::types::Value::from);
        let mut rows = statement.query(params_from_iter(ends.into_iter().chain(bounds)))?;
        let mut before: Option<i64> = None;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            // A page that is used more than once, in a file too large to be checked, contains the same rows each time.
            let is_in_order = before.is_none_or(|before| {
                if self.is_descending {
                    id < before
                } else {
                    id > before
                }
            });
            if !is_in_order {
                return Err(LogUnusable::Damaged);
            }
            before = Some(id);
            let mut logged = LoggedRow {
                id,
                ..LoggedRow::default()
            };
            for (at, column) in (1..).zip(&self.columns) {
                let value = row.get_ref(at)?;
                if *column == Column::Error {
                    logged.error = (value != ValueRef::Null).then(|| text(value));
                } else {
                    *place(&mut logged, *column) = text(value);
                }
            }
            if reader.take(&logged) == More::Enough {
                break;
            }
        }
        Ok(())
    }
}

fn place<'r, 'a>(row: &'r mut LoggedRow<'a>, column: Column) -> &'r mut &'a str {
    match column {
        Column::Timestamp => &mut row.timestamp,
        Column::RunId => &mut row.run_id,
        Column::Command => &mut row.command,
        Column::Skill => &mut row.skill,
        Column::SkillPath => &mut row.skill_path,
        Column::Cwd => &mut row.cwd,
        Column::Args | Column::Error => &mut row.args,
    }
}

/// Returns the text of a value; empty if the value is not text.
pub(crate) fn text(value: ValueRef<'_>) -> &str {
    match value {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).unwrap_or_default(),
        _ => "",
    }
}

/// Opens a log and reads its columns. Returns `None` if the file does not exist or is empty. `wait`: how long to wait
/// for a writer, but never longer than two seconds.
pub(crate) fn open_within(
    path: &Path,
    wait: Duration,
    stop: &Stop,
) -> Result<Option<(Guarded, Vec<String>)>, LogUnusable> {
    let opened = open_unchecked(path, wait, stop)?;
    if let Some((connection, _)) = &opened
        && connection.is_damaged()?
    {
        return Err(LogUnusable::Damaged);
    }
    Ok(opened)
}

/// Like [`open_within`], for a caller that checks for damage itself or has already done so.
pub(crate) fn open_unchecked(
    path: &Path,
    wait: Duration,
    stop: &Stop,
) -> Result<Option<(Guarded, Vec<String>)>, LogUnusable> {
    match path.metadata() {
        Ok(found) if !found.is_file() => return Err(LogUnusable::Foreign),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(LogUnusable::NoFolder);
        }
        Err(_) => return Err(LogUnusable::Denied),
    }
    if !has_files_beside(path) {
        return Err(LogUnusable::Foreign);
    }
    let (connection, schema) = connect(path, wait.min(BUSY_WAIT), stop)?;
    if is_cut_short(&connection, path)? {
        return Err(LogUnusable::Damaged);
    }
    if schema.is_empty() {
        return Ok(None);
    }
    if !is_log(&schema) {
        return Err(LogUnusable::Foreign);
    }
    connection.admit_to_read(path)?;
    let columns = columns(&connection)?;
    let has = |column: Column| columns.iter().any(|name| name == column.name());
    if !is_plain_table(&connection)? || !has(Column::Timestamp) || !has(Column::Command) {
        return Err(LogUnusable::Foreign);
    }
    Ok(Some((connection, columns)))
}

/// Opens the file and reads its schema, but does not check the schema. If a writer was interrupted, `SQLite` needs
/// write access to recover the file; without write access, the file is read without recovery. `wait`: how long to wait
/// for a writer.
pub(crate) fn connect(
    path: &Path,
    wait: Duration,
    stop: &Stop,
) -> rusqlite::Result<(Guarded, Schema)> {
    let connection = Guarded::new(open_shared(path, IfMissing::Fail)?, stop)?;
    connection.busy_timeout(wait)?;
    match Schema::read(&connection) {
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
            ) => {}
        schema => return Ok((connection, schema?)),
    }
    let connection = crate::db::open_read_only(path, stop)?;
    connection.busy_timeout(wait)?;
    let schema = Schema::read(&connection)?;
    Ok((connection, schema))
}

/// Returns whether the file is truncated. `SQLite` only checks whole pages. Returns false in WAL mode, in which even a
/// complete file can be shorter than its page count implies.
fn is_cut_short(connection: &Connection, path: &Path) -> rusqlite::Result<bool> {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size, pragma_journal_mode
        WHERE journal_mode <> 'wal'";
    let size: Option<u64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    // Read the length after the page count, so that a concurrent writer can only have made the file longer.
    let length = path.metadata().map_or(0, |metadata| metadata.len());
    Ok(size.is_some_and(|size| size > length))
}

/// Returns whether the log is a plain rowid table, not a view or a virtual table.
fn is_plain_table(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT type = 'table' AND NOT wr FROM pragma_table_list WHERE schema = 'main' AND name = 'access_log'";
    let found: Option<bool> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(false))
}

fn columns(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement =
        connection.prepare("SELECT lower(name) FROM pragma_table_xinfo('access_log')")?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}
