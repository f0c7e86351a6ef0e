//! Local logs, moved to where they belong.
//!
//! Local logs are locked from before the rows of one are read until it is removed, so that no row is written in between. A
//! row that is there as often as here is not copied again: rows are compared as a whole, and as often as they occur. What
//! is removed was counted in its new place before, by asking the file anew.
//!
//! Nothing is decided here about which log a row belongs in.
//!
//! Source: RFC-0007 C-SYNC, LEDGER D-SYNC-DEDUP.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, TransactionBehavior, params_from_iter};

use crate::access_log::{
    self, BUSY_WAIT, COLUMNS, LogFault, VERSION, check_file, columns, prepare,
};
use crate::access_stats::{LogUnusable, open_checked};
use crate::local_lock::{LocalLock, TooLong};

/// What the database library leaves beside a file.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Why rows cannot be moved, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncFault {
    /// The local log cannot be read.
    Source(String),
    /// The log that they belong in cannot be written.
    Destination(String),
}

impl From<LogUnusable> for SyncFault {
    fn from(reason: LogUnusable) -> Self {
        Self::Source(reason.reason().to_owned())
    }
}

/// Says that a failure was one of the local log.
fn here(error: rusqlite::Error) -> SyncFault {
    LogUnusable::from(error).into()
}

/// Says that a failure was one of the other log.
fn there(error: impl Into<LogFault>) -> SyncFault {
    SyncFault::Destination(error.into().to_string())
}

/// A local log with at least a table for rows.
pub struct LocalLog {
    path: PathBuf,
    connection: Connection,
    columns: Vec<String>,
    /// Last, so that it is freed last.
    lock: Option<LocalLock>,
}

impl LocalLog {
    /// Opens a log to look at; others go on using it. Returns `None` if there is none, or nothing in it.
    ///
    /// # Errors
    /// [`SyncFault::Source`].
    pub fn open(path: &Path) -> Result<Option<Self>, SyncFault> {
        if let Ok(there) = path.symlink_metadata() {
            check_file(&there).map_err(|fault| SyncFault::Source(fault.to_string()))?;
        }
        let Some((connection, columns)) = open_checked(path)? else {
            return Ok(None);
        };
        check_version(&connection)?;
        Ok(Some(Self {
            path: path.to_path_buf(),
            connection,
            columns,
            lock: None,
        }))
    }

    /// Opens a log and keeps everybody else from all local logs and from this one, also programs that know no such lock.
    /// Returns `None` if there is none. `folder`: the directory of all local logs.
    ///
    /// # Errors
    /// [`SyncFault::Source`], also for a log of which not every page can be read.
    pub fn lock(folder: &Path, path: &Path) -> Result<Option<Self>, SyncFault> {
        let lock = take(folder)?;
        if !is_there(path)? {
            return Ok(None);
        }
        let log = match Self::open(path)? {
            Some(log) => log,
            None => begin(path)?,
        };
        let connection = &log.connection;
        connection.busy_timeout(BUSY_WAIT).map_err(here)?;
        let exclusive = "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE";
        connection.execute_batch(exclusive).map_err(here)?;
        check_version(connection)?;
        check_whole(connection)?;
        let columns = columns(connection).map_err(here)?;
        let lock = Some(lock);
        Ok(Some(Self {
            columns,
            lock,
            ..log
        }))
    }

    /// Returns the directories that rows name as their skill's; an empty one for rows that name none.
    ///
    /// # Errors
    /// [`SyncFault::Source`].
    pub fn skill_paths(&self) -> Result<Vec<String>, SyncFault> {
        let column = known("skill_path", &self.columns);
        let sql = format!("SELECT DISTINCT {column} FROM access_log ORDER BY 1");
        let mut statement = self.connection.prepare(&sql).map_err(here)?;
        let rows = statement.query_map([], |row| row.get_ref(0).map(|value| lossy(value)));
        let paths = rows.map_err(here)?.collect::<Result<_, _>>();
        paths.map_err(here)
    }

    /// Counts the rows that another log lacks; all of them if it is not there. `wanted`: which rows, by the directory of
    /// their skill.
    ///
    /// # Errors
    /// Both kinds.
    pub fn count_missing(
        &self,
        log: &Path,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<u64, SyncFault> {
        let opened = open_checked(log)
            .map_err(|reason| SyncFault::Destination(reason.reason().to_owned()))?;
        let (connection, columns) = match opened {
            Some(opened) => opened,
            None => (Connection::open_in_memory().map_err(there)?, Vec::new()),
        };
        self.load(&connection, wanted)?;
        count(&connection, &columns)
    }

    /// Copies the rows that another log lacks, all or none, and counts again what it has. The log is made if need be.
    /// `wanted`: as above. Returns how many there were.
    ///
    /// # Errors
    /// Both kinds. The other log is as it was, unless rows were lost by the disk after it had taken them.
    pub fn copy_missing(
        &self,
        log: &Path,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<u64, SyncFault> {
        let mut connection = access_log::open(log).map_err(there)?;
        // The rows are about to be removed from where they are: here it is worth to wait for the disk.
        let wait = "PRAGMA synchronous = FULL";
        connection.execute_batch(wait).map_err(there)?;
        self.load(&connection, &wanted)?;
        let columns = columns(&connection).map_err(there)?;
        if !columns.is_empty() && count(&connection, &columns)? == 0 {
            return Ok(0);
        }
        let copied = insert(&mut connection)?;
        drop(connection);
        match self.count_missing(log, wanted)? {
            0 => Ok(copied),
            missing => Err(SyncFault::Destination(format!("{missing} rows are lost"))),
        }
    }

    /// Removes a log that was locked.
    ///
    /// # Errors
    /// Those of the operating system. The log is there as before.
    pub fn remove(self) -> io::Result<()> {
        if self.connection.is_readonly("main").unwrap_or(true) {
            // Without the right to write there is no lock, and somebody else may have it.
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        // As long as the lock is held, what lies beside the file is nobody's.
        for suffix in BESIDE {
            let mut name = OsString::from(&self.path);
            name.push(suffix);
            match fs::remove_file(name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let Self {
            path,
            connection,
            lock,
            ..
        } = self;
        if cfg!(unix) {
            fs::remove_file(&path)?;
            drop(connection);
        } else {
            // An open file cannot be removed, whoever has it open.
            drop(connection);
            fs::remove_file(&path)?;
        }
        remove_dirs(&path);
        drop(lock);
        Ok(())
    }

    /// Puts rows beside another log, as `temp.incoming`, in their order. What is missing or no text becomes text.
    fn load(
        &self,
        connection: &Connection,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<(), SyncFault> {
        let declared = COLUMNS.map(|name| format!("{name} TEXT")).join(", ");
        let begin = format!("CREATE TEMP TABLE incoming ({declared}); BEGIN");
        connection.execute_batch(&begin).map_err(there)?;
        let marks = COLUMNS.map(|_| "?").join(", ");
        let sql = format!("INSERT INTO temp.incoming VALUES ({marks})");
        let mut insert = connection.prepare(&sql).map_err(there)?;
        let known = COLUMNS.map(|name| known(name, &self.columns)).join(", ");
        let sql = format!("SELECT {known} FROM access_log ORDER BY rowid");
        let mut statement = self.connection.prepare(&sql).map_err(here)?;
        let mut rows = statement.query([]).map_err(here)?;
        let path = COLUMNS.iter().position(|name| *name == "skill_path");
        let path = path.expect("it is one of the columns");
        while let Some(row) = rows.next().map_err(here)? {
            if !wanted(&lossy(row.get_ref(path).map_err(here)?)) {
                continue;
            }
            let mut values = [ValueRef::Null; COLUMNS.len()];
            for (at, value) in values.iter_mut().enumerate() {
                *value = row.get_ref(at).map_err(here)?;
            }
            let values = values.map(ToSqlOutput::Borrowed);
            insert.execute(params_from_iter(values)).map_err(there)?;
        }
        connection.execute_batch("COMMIT").map_err(there)
    }
}

/// Removes the directories of a local log that is not there any more, if there is nothing in them. `folder`: the directory
/// of all local logs.
pub fn clear(folder: &Path, path: &Path) {
    if let (Ok(_lock), Ok(false)) = (take(folder), is_there(path)) {
        remove_dirs(path);
    }
}

/// Removes the two directories above a log. What else is there stays, and its directory with it.
fn remove_dirs(path: &Path) {
    for dir in path.ancestors().skip(1).take(2) {
        match fs::remove_dir(dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return,
            _ => {}
        }
    }
}

fn take(folder: &Path) -> Result<LocalLock, SyncFault> {
    let lock = LocalLock::take(folder, BUSY_WAIT);
    lock.map_err(|TooLong| LogUnusable::Busy.into())
}

/// Says whether there is a file, or something else, of that name.
fn is_there(path: &Path) -> Result<bool, SyncFault> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(_) => Err(LogUnusable::Denied.into()),
    }
}

/// Makes a log without rows of an empty file.
fn begin(path: &Path) -> Result<LocalLog, SyncFault> {
    let fault = |fault: LogFault| SyncFault::Source(fault.to_string());
    let mut connection = access_log::open(path).map_err(fault)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(here)?;
    prepare(&transaction).map_err(fault)?;
    transaction.commit().map_err(here)?;
    drop(connection);
    LocalLog::open(path)?.ok_or_else(|| LogUnusable::Busy.into())
}

/// Inserts what is missing in one transaction, in which it is counted a first time.
fn insert(connection: &mut Connection) -> Result<u64, SyncFault> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(there)?;
    prepare(&transaction).map_err(there)?;
    let columns = columns(&transaction).map_err(there)?;
    let names = COLUMNS.join(", ");
    let sql = format!(
        "INSERT INTO main.access_log ({names}) {}",
        missing(&columns)
    );
    let copied = transaction.execute(&sql, []).map_err(there)?;
    if count(&transaction, &columns)? > 0 {
        let changed = "it changes what is written to it";
        return Err(SyncFault::Destination(changed.to_owned()));
    }
    transaction.commit().map_err(there)?;
    Ok(copied as u64)
}

/// Counts the incoming rows that a log lacks; `columns`: the log's, none if it has no table.
fn count(connection: &Connection, columns: &[String]) -> Result<u64, SyncFault> {
    let sql = if columns.is_empty() {
        "SELECT count(*) FROM temp.incoming".to_owned()
    } else {
        format!("SELECT count(*) FROM ({})", missing(columns))
    };
    let count = connection.query_row(&sql, [], |row| row.get(0));
    count.map_err(there)
}

/// Returns the query for the incoming rows that a log with these columns lacks, in their order.
///
/// Rows that are equal are numbered, those of the log first: of `n` there and `m` coming, the last `m - n` are missing.
fn missing(columns: &[String]) -> String {
    let names = COLUMNS.join(", ");
    let known = COLUMNS.map(|name| known(name, columns)).join(", ");
    format!(
        "WITH every (at, {names}) AS (
            SELECT NULL, {known} FROM main.access_log
                WHERE timestamp IN (SELECT timestamp FROM temp.incoming)
            UNION ALL SELECT rowid, {names} FROM temp.incoming
        ), counted AS (
            SELECT *, row_number() OVER (alike ORDER BY at) AS number,
                count(*) FILTER (WHERE at IS NULL) OVER alike AS present
            FROM every WINDOW alike AS (PARTITION BY {names})
        )
        SELECT {names} FROM counted WHERE at IS NOT NULL AND number > 2 * present ORDER BY at"
    )
}

/// Returns the value of a column as an expression that is a text, or for `error` NULL, whatever the table has there.
fn known(name: &str, columns: &[String]) -> String {
    let is_there = columns.iter().any(|other| other.eq_ignore_ascii_case(name));
    match (is_there, name) {
        (true, "error") => "error || ''".to_owned(),
        (false, "error") => "NULL".to_owned(),
        (true, _) => format!("coalesce({name} || '', '')"),
        (false, _) => "''".to_owned(),
    }
}

/// Makes sure that all there is to a row is known here.
fn check_version(connection: &Connection) -> Result<(), SyncFault> {
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0));
    let version: i64 = version.map_err(here)?;
    if version <= VERSION {
        Ok(())
    } else {
        let newer = "a newer version made it";
        Err(SyncFault::Source(newer.to_owned()))
    }
}

/// Makes sure that no page is damaged: a damaged log can have fewer rows than were written.
fn check_whole(connection: &Connection) -> Result<(), SyncFault> {
    let sql = "PRAGMA main.quick_check(1)";
    let found: String = connection
        .query_row(sql, [], |row| row.get(0))
        .map_err(here)?;
    if found == "ok" {
        Ok(())
    } else {
        Err(LogUnusable::Damaged.into())
    }
}

fn lossy(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}
