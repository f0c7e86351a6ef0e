//! Moves the rows of local logs to the logs to which they belong.
//!
//! All local logs are locked before the rows of a local log are read, and stay locked until this log is removed, so
//! that no row is written in between. Whole rows are compared, and equal rows are counted: if a row occurs three times
//! in the local log and once in the destination, two copies are added. Before a log is removed, the destination is read
//! again to check that every row has arrived.
//!
//! The caller decides to which log a row belongs.
//!
//! Design: C-SYNC, D-SYNC-DEDUP.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Row, TransactionBehavior, params_from_iter};
use skillc_core::Stop;

use crate::access_log::{self, COLUMNS, INSERT, LogFault, VERSION, check_file, columns, prepare};
use crate::access_stats::{LogUnusable, open_within};
use crate::limits::Guarded;
use crate::local_lock::{LocalLock, TooLong};
use crate::state::BESIDE;

/// The index of the skill's directory in [`COLUMNS`].
const SKILL_PATH: usize = 4;

/// The reason why rows cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncFault {
    /// The local log cannot be read.
    Source(String),
    /// The destination log cannot be read or written.
    Destination(String),
}

impl From<LogUnusable> for SyncFault {
    fn from(reason: LogUnusable) -> Self {
        Self::Source(reason.reason().to_owned())
    }
}

/// Attributes an error to the local log.
fn here(error: impl Into<LogFault>) -> SyncFault {
    SyncFault::Source(error.into().to_string())
}

/// Attributes an error to the destination log.
fn there(error: impl Into<LogFault>) -> SyncFault {
    SyncFault::Destination(error.into().to_string())
}

/// How long to wait for other processes.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// The wait for processes of this program that use any of the local logs.
    pub folder: Duration,
    /// The wait for processes that use the log.
    pub log: Duration,
}

/// An open local log, which contains at least the table for rows.
pub struct LocalLog {
    path: PathBuf,
    stop: Stop,
    connection: Guarded,
    columns: Vec<String>,
    /// This must be the last field, so that the lock is released last.
    lock: Option<LocalLock>,
}

impl LocalLog {
    /// Opens a log for reading, without locking out other processes. Returns `None` if the file does not exist or is
    /// empty. `wait`: how long to wait for a writer. `stop`: cancels slow operations on the log.
    ///
    /// # Errors
    /// Returns [`SyncFault::Source`] if the log cannot be read, even if only a single page is damaged.
    pub fn open(path: &Path, wait: Duration, stop: &Stop) -> Result<Option<Self>, SyncFault> {
        let Some(connection) = connect(path, wait, stop)? else {
            return Ok(None);
        };
        Self::checked(path, stop, connection, None).map(Some)
    }

    /// Opens a log and locks out other processes. Other processes of this program are locked out of all local logs, and
    /// other programs only out of this log. Returns `None` if the file does not exist. `folder`: the directory of all
    /// local logs. `is_it`: called after the log was opened; checks that the right file was opened.
    ///
    /// # Errors
    /// Returns the errors of [`open`](Self::open), and [`SyncFault::Source`] if other processes hold the lock for too
    /// long, or a different file was opened.
    pub fn lock(
        folder: &Path,
        path: &Path,
        waits: Waits,
        stop: &Stop,
        is_it: impl FnOnce() -> bool,
    ) -> Result<Option<Self>, SyncFault> {
        let lock = take(folder, waits.folder, stop)?;
        if !is_there(path)? {
            return Ok(None);
        }
        let connection = match connect(path, waits.log, stop)? {
            Some(connection) => {
                check_place(is_it)?;
                connection
            }
            None => begin(path, waits.log, stop, is_it)?,
        };
        connection.busy_timeout(waits.log).map_err(here)?;
        let exclusive = "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE";
        connection.execute_batch(exclusive).map_err(here)?;
        Self::checked(path, stop, connection, Some(lock)).map(Some)
    }

    /// Checks that this program supports the version of an open log, and can read the whole log.
    fn checked(
        path: &Path,
        stop: &Stop,
        connection: Guarded,
        lock: Option<LocalLock>,
    ) -> Result<Self, SyncFault> {
        check_version(&connection)?;
        check_whole(&connection)?;
        Ok(Self {
            path: path.to_path_buf(),
            stop: stop.clone(),
            columns: columns(&connection).map_err(here)?,
            connection,
            lock,
        })
    }

    /// Returns the distinct skill directories in the rows. An empty string stands for rows without a directory.
    ///
    /// # Errors
    /// Returns [`SyncFault::Source`] if the log cannot be read.
    pub fn skill_paths(&self) -> Result<Vec<String>, SyncFault> {
        let column = known("skill_path", &self.columns);
        let sql = format!("SELECT DISTINCT {column} FROM access_log ORDER BY 1");
        let mut statement = self.connection.prepare(&sql).map_err(here)?;
        let rows = statement.query_map([], |row| {
            row.get_ref(0).map(|value| lossy(value).into_owned())
        });
        let paths = rows.map_err(here)?.collect::<Result<_, _>>();
        paths.map_err(here)
    }

    /// Counts the selected rows that are missing from another log. If that log does not exist, counts all selected
    /// rows. `wait`: how long to wait for a writer of that log. `wanted`: selects rows by their skill's directory.
    ///
    /// # Errors
    /// Returns either kind of [`SyncFault`].
    pub fn count_missing(
        &self,
        log: &Path,
        wait: Duration,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<u64, SyncFault> {
        let opened = open_within(log, wait, &self.stop)
            .map_err(|reason| SyncFault::Destination(reason.reason().to_owned()))?;
        let present = match opened {
            Some((connection, columns)) => self.present_in(&connection, &columns)?,
            None => Copies::default(),
        };
        self.each_missing(present, wanted, |_| Ok(()))
    }

    /// Copies the rows that are missing from another log, either all or none of them, and then checks that they have
    /// arrived. Creates the other log if necessary. `wait` and `wanted`: as in [`count_missing`](Self::count_missing).
    /// `is_it`: checks that the log that was just opened is the right file. Returns the number of copied rows.
    ///
    /// # Errors
    /// Returns either kind of [`SyncFault`]. In this case, the other log is unchanged, unless the disk lost rows after
    /// accepting them.
    pub fn copy_missing(
        &self,
        log: &Path,
        wait: Duration,
        wanted: impl Fn(&str) -> bool,
        is_it: impl FnOnce() -> bool,
    ) -> Result<u64, SyncFault> {
        if self.count_missing(log, wait, &wanted)? == 0 {
            return Ok(0);
        }
        let mut connection = access_log::open(log, wait, &self.stop).map_err(there)?;
        if !is_it() {
            let other = "another file has replaced it";
            return Err(SyncFault::Destination(other.to_owned()));
        }
        // Wait for the disk, because the originals are about to be removed.
        let synced = "PRAGMA synchronous = FULL";
        connection.execute_batch(synced).map_err(there)?;
        let copied = self.insert_missing(&mut connection, &wanted)?;
        drop(connection);
        match self.count_missing(log, wait, &wanted)? {
            0 => Ok(copied),
            missing => Err(SyncFault::Destination(format!("{missing} rows are lost"))),
        }
    }

    /// Removes a locked log. `unlink`: removes the file with this name from the log's directory. `clear`: called after
    /// the log was removed; removes the log's directory and its parent if they are empty.
    ///
    /// # Errors
    /// Returns I/O errors. In this case, the log is still in place.
    pub fn remove(
        self,
        unlink: impl Fn(&OsStr) -> io::Result<()>,
        clear: impl FnOnce(),
    ) -> io::Result<()> {
        if self.connection.is_readonly("main").unwrap_or(true) {
            // A read-only file cannot be locked, so another process may be writing to it.
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        // While the lock is held, no other process uses the sidecar files.
        for suffix in BESIDE {
            let mut name = name_of(&self.path).to_owned();
            name.push(suffix);
            match unlink(&name) {
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
            unlink(name_of(&path))?;
            drop(connection);
        } else {
            // Some systems refuse to remove an open file, even one that this process has open.
            drop(connection);
            unlink(name_of(&path))?;
        }
        clear();
        drop(lock);
        Ok(())
    }

    /// Determines which rows are missing, and inserts them, in one transaction.
    fn insert_missing(
        &self,
        connection: &mut Connection,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<u64, SyncFault> {
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(there)?;
        prepare(&transaction).map_err(there)?;
        let columns = columns(&transaction).map_err(there)?;
        let present = self.present_in(&transaction, &columns)?;
        let mut statement = transaction.prepare(INSERT).map_err(there)?;
        let copied = self.each_missing(present, &wanted, |row| {
            let values = row.map(ToSqlOutput::Borrowed);
            let inserted = statement.execute(params_from_iter(values));
            inserted.map(drop).map_err(there)
        })?;
        drop(statement);
        let present = self.present_in(&transaction, &columns)?;
        if self.each_missing(present, wanted, |_| Ok(()))? > 0 {
            let changed = "the database alters rows that are written to it";
            return Err(SyncFault::Destination(changed.to_owned()));
        }
        transaction.commit().map_err(there)?;
        Ok(copied)
    }

    /// Counts the rows of another log that are in the time range of this log.
    fn present_in(&self, other: &Connection, columns: &[String]) -> Result<Copies, SyncFault> {
        let timestamp = known("timestamp", &self.columns);
        let ends = format!("SELECT min({timestamp}), max({timestamp}) FROM access_log");
        let ends = self.connection.query_row(&ends, [], |row| {
            Ok([row.get::<_, Value>(0)?, row.get::<_, Value>(1)?])
        });
        let mut present = Copies::default();
        let sql = format!(
            "SELECT {} FROM access_log WHERE timestamp BETWEEN ?1 AND ?2",
            all_known(columns)
        );
        let mut statement = other.prepare(&sql).map_err(there)?;
        let rows = statement.query(ends.map_err(here)?);
        let mut rows = rows.map_err(there)?;
        while let Some(row) = rows.next().map_err(there)? {
            present.add(&values(row).map_err(there)?);
        }
        Ok(present)
    }

    /// Passes the selected rows that are not in `present` to `take`, in order. Returns the number of these rows.
    fn each_missing(
        &self,
        mut present: Copies,
        wanted: impl Fn(&str) -> bool,
        mut take: impl FnMut([ValueRef<'_>; COLUMNS.len()]) -> Result<(), SyncFault>,
    ) -> Result<u64, SyncFault> {
        let known = all_known(&self.columns);
        let sql = format!("SELECT {known} FROM access_log ORDER BY rowid");
        let mut statement = self.connection.prepare(&sql).map_err(here)?;
        let mut rows = statement.query([]).map_err(here)?;
        let mut missing = 0;
        while let Some(row) = rows.next().map_err(here)? {
            let row = values(row).map_err(here)?;
            if wanted(&lossy(row[SKILL_PATH])) && !present.take(&row) {
                take(row)?;
                missing += 1;
            }
        }
        Ok(missing)
    }
}

/// The number of occurrences of each row. A row is identified by a 128-bit hash with random keys, so an attacker cannot
/// craft rows that collide.
#[derive(Default)]
struct Copies {
    keys: [RandomState; 2],
    counts: HashMap<[u64; 2], u64>,
}

impl Copies {
    fn key(&self, row: &[ValueRef<'_>; COLUMNS.len()]) -> [u64; 2] {
        let texts = row.map(|value| match value {
            ValueRef::Text(bytes) => Some(bytes),
            _ => None,
        });
        [self.keys[0].hash_one(texts), self.keys[1].hash_one(texts)]
    }

    fn add(&mut self, row: &[ValueRef<'_>; COLUMNS.len()]) {
        *self.counts.entry(self.key(row)).or_default() += 1;
    }

    /// Removes one copy of a row, and returns whether there was one.
    fn take(&mut self, row: &[ValueRef<'_>; COLUMNS.len()]) -> bool {
        let key = self.key(row);
        let count = self.counts.get_mut(&key).filter(|count| **count > 0);
        count.is_some_and(|count| {
            *count -= 1;
            true
        })
    }
}

/// Runs `clear`, which removes the empty directories of a local log, if the log no longer exists. `folder`: the
/// directory of all local logs. `wait`: how long to wait for processes of this program that use any of the local logs.
///
/// # Errors
/// Returns [`SyncFault::Source`] if other processes hold the lock for too long, or it is unknown whether the log
/// exists.
pub fn clear(
    folder: &Path,
    path: &Path,
    wait: Duration,
    stop: &Stop,
    clear: impl FnOnce(),
) -> Result<(), SyncFault> {
    let _lock = take(folder, wait, stop)?;
    if !is_there(path)? {
        clear();
    }
    Ok(())
}

fn name_of(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

fn take(folder: &Path, wait: Duration, stop: &Stop) -> Result<LocalLock, SyncFault> {
    let lock = LocalLock::take(folder, wait, stop);
    lock.map_err(|TooLong| LogUnusable::Busy.into())
}

/// Returns whether anything exists at the path.
fn is_there(path: &Path) -> Result<bool, SyncFault> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(_) => Err(LogUnusable::Denied.into()),
    }
}

/// Opens a file if it is a log. Returns `None` if the file does not exist or is empty.
fn connect(path: &Path, wait: Duration, stop: &Stop) -> Result<Option<Guarded>, SyncFault> {
    if let Ok(there) = path.symlink_metadata() {
        check_file(&there).map_err(here)?;
    }
    let opened = open_within(path, wait, stop)?;
    Ok(opened.map(|(connection, _)| connection))
}

/// Returns an error if a file other than the local log was opened.
fn check_place(is_it: impl FnOnce() -> bool) -> Result<(), SyncFault> {
    if is_it() {
        Ok(())
    } else {
        Err(SyncFault::Source("another file has replaced it".to_owned()))
    }
}

/// Turns an empty file into a log without rows, and opens it.
fn begin(
    path: &Path,
    wait: Duration,
    stop: &Stop,
    is_it: impl FnOnce() -> bool,
) -> Result<Guarded, SyncFault> {
    let mut connection = access_log::open(path, wait, stop).map_err(here)?;
    check_place(is_it)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(here)?;
    prepare(&transaction).map_err(here)?;
    transaction.commit().map_err(here)?;
    Ok(connection)
}

/// Returns an SQL expression for a column. The result of the expression is always text, whatever type of value the
/// table contains; for `error`, it may also be NULL.
fn known(name: &str, columns: &[String]) -> String {
    let is_there = columns.iter().any(|other| other.eq_ignore_ascii_case(name));
    match (is_there, name) {
        (true, "error") => "error || ''".to_owned(),
        (false, "error") => "NULL".to_owned(),
        (true, _) => format!("coalesce({name} || '', '')"),
        (false, _) => "''".to_owned(),
    }
}

/// Returns the expressions of all columns; see [`known`].
fn all_known(columns: &[String]) -> String {
    COLUMNS.map(|name| known(name, columns)).join(", ")
}

fn values<'a>(row: &'a Row<'_>) -> rusqlite::Result<[ValueRef<'a>; COLUMNS.len()]> {
    let mut values = [ValueRef::Null; COLUMNS.len()];
    for (at, value) in values.iter_mut().enumerate() {
        *value = row.get_ref(at)?;
    }
    Ok(values)
}

/// Rejects a log of a newer version, because its rows may have columns that this program would lose.
fn check_version(connection: &Connection) -> Result<(), SyncFault> {
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0));
    let version: i64 = version.map_err(here)?;
    if version <= VERSION {
        Ok(())
    } else {
        let newer = "it was created by a newer version";
        Err(SyncFault::Source(newer.to_owned()))
    }
}

/// Checks every page for damage, because a damaged log can return fewer rows than were written.
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

fn lossy(value: ValueRef<'_>) -> Cow<'_, str> {
    match value {
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes),
        _ => Cow::Borrowed(""),
    }
}
