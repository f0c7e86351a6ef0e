//! The access log, read.
//!
//! A log is checked before it is believed, and read as rows in the order in which they were written. A large one is read
//! by several threads, each its own stretch. What rows mean, and which of them count, is the caller's question. Columns
//! that an older log lacks read as empty; one that is younger than this program is read as far as it is the same.
//!
//! Source: RFC-0003 C-CLI, RFC-0007 C-LOGGING.

use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, params_from_iter};
use skillc_core::Stop;
use skillc_core::time::Timestamp;

use crate::access_log::{has_files_beside, is_log};
use crate::limits::Guarded;
use crate::schema_check::Schema;

/// How long a reader waits for a writer.
const BUSY_WAIT: Duration = Duration::from_secs(2);

/// A thread for fewer rows would cost more than it saves.
const ROWS_PER_THREAD: i64 = 50_000;

/// The most threads that read one log.
const MAX_THREADS: i64 = 4;

/// Why a log that is there cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogUnusable {
    /// It is no database, or a broken one.
    Damaged,
    /// It is a database of something else, or no file.
    Foreign,
    /// Another program keeps it to itself.
    Busy,
    /// The operating system forbids it.
    Denied,
    /// There is none, and there can be none: a file has the place of its folder.
    NoFolder,
    /// It is so large that reading it did not come to an end, or the call was cancelled.
    Interrupted,
}

impl LogUnusable {
    /// Returns the reason in words, to follow `reading '…':`.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Damaged => "it is damaged",
            Self::Foreign => "it is not an access log",
            Self::Busy => "another program keeps it locked",
            Self::Denied => "permission denied",
            Self::NoFolder => "its folder is a file",
            Self::Interrupted => "reading it takes too long",
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
    /// When, UTC: `YYYY-MM-DDTHH:MM:SSZ`.
    Timestamp,
    /// Which run of the program.
    RunId,
    /// Which command.
    Command,
    /// The name of the skill.
    Skill,
    /// The canonical path of the skill.
    SkillPath,
    /// The canonical working directory.
    Cwd,
    /// The arguments, JSON.
    Args,
    /// Why it failed.
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

/// A row of the log. What is missing or no text is empty; so are the columns that were not asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoggedRow<'a> {
    /// The row's number in this log, rising with time.
    pub id: i64,
    /// As written.
    pub timestamp: &'a str,
    /// As written.
    pub run_id: &'a str,
    /// As written.
    pub command: &'a str,
    /// As written.
    pub skill: &'a str,
    /// As written.
    pub skill_path: &'a str,
    /// As written.
    pub cwd: &'a str,
    /// As written.
    pub args: &'a str,
    /// `None` if the command succeeded.
    pub error: Option<&'a str>,
}

/// Which rows to read, and what of them.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The columns that are needed.
    pub columns: &'a [Column],
    /// The first second.
    pub since: Option<Timestamp>,
    /// The last second.
    pub until: Option<Timestamp>,
}

/// Whether more rows are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// They are.
    Wanted,
    /// What was looked for is found.
    Enough,
}

/// What rows are given to, in the order in which they were written or, where it says so, the other way round.
pub trait Reader: Send {
    /// Takes one row. Returns whether it wants more.
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
    /// Opens a log for reading. Returns `None` if there is none, or nothing in it. `stop`: ends the reading.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn open(path: &Path, stop: &Stop) -> Result<Option<Self>, LogUnusable> {
        let Some((connection, columns)) = open_checked(path, stop)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            path: path.to_path_buf(),
            stop: stop.clone(),
            connection,
            columns,
        }))
    }

    /// Reads rows, each thread with a reader of its own. Returns the readers in the order of their rows; at least one.
    ///
    /// # Errors
    /// Why the log cannot be read, found out on the way.
    pub fn read<R: Reader>(
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
                    let opened = open_checked(path, stop)?;
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

    /// Reads rows from the newest back, until the reader has enough.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_back(
        &self,
        wanted: Wanted<'_>,
        reader: &mut impl Reader,
    ) -> Result<(), LogUnusable> {
        let mut statement = self.statement(wanted);
        statement.sql += " DESC";
        statement.run(&self.connection, i64::MIN..=i64::MAX, reader)
    }

    /// Divides the rows among threads, by number.
    fn parts(&self) -> Result<Vec<RangeInclusive<i64>>, LogUnusable> {
        // Asked for together, the two would be looked for in every row.
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
                sql += &format!(", {}", column.name());
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
        }
    }
}

/// Returns the part of a timestamp that all ways of writing a second begin with; the others sort after it.
pub(crate) fn second(time: Timestamp) -> String {
    let mut text = time.to_string();
    text.pop();
    text
}

/// A query over the rows of the log.
struct Statement {
    sql: String,
    columns: Vec<Column>,
    bounds: Vec<String>,
}

impl Statement {
    fn run(
        &self,
        connection: &Connection,
        part: RangeInclusive<i64>,
        reader: &mut impl Reader,
    ) -> Result<(), LogUnusable> {
        let mut statement = connection.prepare(&self.sql)?;
        let ends = [*part.start(), *part.end()].map(rusqlite::types::Value::from);
        let bounds = self
            .bounds
            .iter()
            .cloned()
            .map(rusqlite::types::Value::from);
        let mut rows = statement.query(params_from_iter(ends.into_iter().chain(bounds)))?;
        while let Some(row) = rows.next()? {
            let mut logged = LoggedRow {
                id: row.get(0)?,
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

/// Returns a text, or nothing where there is something else.
pub(crate) fn text(value: ValueRef<'_>) -> &str {
    match value {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).unwrap_or_default(),
        _ => "",
    }
}

/// Opens a log with its columns, if it is one. Returns `None` if there is none, or nothing in it.
pub(crate) fn open_checked(
    path: &Path,
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
    let (connection, schema) = connect(path, stop)?;
    if is_cut_short(&connection, path)? {
        return Err(LogUnusable::Damaged);
    }
    if schema.is_empty() {
        return Ok(None);
    }
    if !is_log(&schema) {
        return Err(LogUnusable::Foreign);
    }
    connection.admit()?;
    let columns = columns(&connection)?;
    let has = |column: Column| columns.iter().any(|name| name == column.name());
    if !is_plain_table(&connection)? || !has(Column::Timestamp) || !has(Column::Command) {
        return Err(LogUnusable::Foreign);
    }
    Ok(Some((connection, columns)))
}

/// Opens the file, with its schema to be checked. One that a writer has left in the middle of its work needs writing to be put
/// in order; where that is forbidden, it is read as it is.
pub(crate) fn connect(path: &Path, stop: &Stop) -> rusqlite::Result<(Guarded, Schema)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Guarded::new(Connection::open_with_flags(path, flags)?, stop)?;
    connection.busy_timeout(BUSY_WAIT)?;
    match Schema::read(&connection) {
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
            ) => {}
        schema => return Ok((connection, schema?)),
    }
    let connection = crate::db::open_read_only(path, stop)?;
    connection.busy_timeout(BUSY_WAIT)?;
    let schema = Schema::read(&connection)?;
    Ok((connection, schema))
}

/// Says whether the file is shorter than it should be. The database library minds whole pages only. With a log of changes
/// beside it (`wal`) a file may be short.
fn is_cut_short(connection: &Connection, path: &Path) -> rusqlite::Result<bool> {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size, pragma_journal_mode
        WHERE journal_mode <> 'wal'";
    let size: Option<u64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    // Asked for after the size, so that a writer can only have made it longer.
    let length = path.metadata().map_or(0, |metadata| metadata.len());
    Ok(size.is_some_and(|size| size > length))
}

/// Says whether the log is a table of rows with numbers: no view, no table made up by a module.
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
