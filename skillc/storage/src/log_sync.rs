//! Moves the rows of local logs to the logs to which they belong.
//!
//! All local logs are locked before the rows of a local log are read, and stay locked until this log is removed, so
//! that no row is written in between. Whole rows are compared, and equal rows are counted: if a row occurs three times
//! in the local log and once in the destination, two copies are added. Before a log is removed, the rows that were
//! added to the destination are read again to check that every row has arrived.
//!
//! A sync moves many local logs, and all of them may belong to one destination. Therefore it reads each row of a
//! destination only once; see [`KnownRows`].
//!
//! The caller decides to which log a row belongs.
//!
//! Design: C-SYNC, D-SYNC-DEDUP.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, TransactionBehavior, params_from_iter};
use skillc_core::Stop;

use crate::access_log::{self, COLUMNS, INSERT, LogFault, VERSION, check_file, columns, prepare};
use crate::access_stats::{LogUnusable, open_unchecked, open_within};
use crate::limits::{Guarded, is_sound};
use crate::local_lock::{LocalLock, TooLong};
use crate::sidecar::{BESIDE, beside};
use crate::state::FileId;

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

/// Attributes an unreadable log to the destination.
fn unreadable(reason: LogUnusable) -> SyncFault {
    SyncFault::Destination(reason.reason().to_owned())
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
    /// The numbers of the rows of each skill directory, so that the rows for one destination are found without reading
    /// the others. An empty string stands for rows without a directory.
    rows: BTreeMap<String, Vec<i64>>,
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
        connection.admit().map_err(here)?;
        check_version(&connection)?;
        check_whole(&connection)?;
        let columns = columns(&connection).map_err(here)?;
        Ok(Self {
            path: path.to_path_buf(),
            stop: stop.clone(),
            rows: rows_by_path(&connection, &columns).map_err(here)?,
            columns,
            connection,
            lock,
        })
    }

    /// Returns the distinct skill directories in the rows. An empty string stands for rows without a directory.
    pub fn skill_paths(&self) -> Vec<String> {
        self.rows.keys().cloned().collect()
    }

    /// Counts the selected rows that are missing from another log. If that log does not exist, counts all selected
    /// rows. `wait`: how long to wait for a writer of that log. `wanted`: selects rows by their skill's directory.
    /// `known`: the rows that this sync has read before.
    ///
    /// # Errors
    /// Returns either kind of [`SyncFault`].
    pub fn count_missing(
        &self,
        log: &Path,
        wait: Duration,
        wanted: impl Fn(&str) -> bool,
        known: &mut KnownRows,
    ) -> Result<u64, SyncFault> {
        let times = self.times()?;
        if !known.has(log, times.as_ref()) {
            // The pages have been checked if rows of the same file are known.
            let opened = if known.is_current(log) {
                open_unchecked(log, wait, &self.stop)
            } else {
                open_within(log, wait, &self.stop)
            };
            match opened.map_err(unreadable)? {
                Some((connection, columns)) => known.read(log, &connection, &columns, times)?,
                None => known.forget(log),
            }
        }
        self.each_missing(log, known, wanted, |_, _| Ok(()))
    }

    /// Copies the rows that are missing from another log, either all or none of them, and then checks that they have
    /// arrived. Creates the other log if necessary. `wait`, `wanted` and `known`: as in
    /// [`count_missing`](Self::count_missing). `is_it`: checks that the log that was just opened is the right file.
    /// Returns the number of copied rows.
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
        known: &mut KnownRows,
    ) -> Result<u64, SyncFault> {
        if self.count_missing(log, wait, &wanted, known)? == 0 {
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
        let added = self.insert_missing(&mut connection, log, &wanted, known)?;
        drop(connection);
        let opened = open_unchecked(log, wait, &self.stop).map_err(unreadable)?;
        let arrived = match opened {
            Some((connection, columns)) => known.rows_after(added.last, &connection, &columns)?,
            None => Counts::default(),
        };
        match missing(&added.rows, arrived) {
            0 => Ok(known.add(log, &added)),
            missing => {
                known.forget(log);
                Err(SyncFault::Destination(format!("{missing} rows are lost")))
            }
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
        log: &Path,
        wanted: impl Fn(&str) -> bool,
        known: &mut KnownRows,
    ) -> Result<Added, SyncFault> {
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(there)?;
        prepare(&transaction).map_err(there)?;
        let columns = columns(&transaction).map_err(there)?;
        // Another process may have written to the log since its rows were counted.
        known.read(log, &transaction, &columns, self.times()?)?;
        let last = "SELECT max(rowid) FROM access_log";
        let last = transaction.query_row(last, [], |row| row.get::<_, Option<i64>>(0));
        let mut added = Added {
            last: last.map_err(there)?.unwrap_or(i64::MIN),
            rows: Vec::new(),
        };
        let mut statement = transaction.prepare(INSERT).map_err(there)?;
        self.each_missing(log, known, wanted, |row, key| {
            let values = row.map(ToSqlOutput::Borrowed);
            statement.execute(params_from_iter(values)).map_err(there)?;
            added.rows.push(key);
            Ok(())
        })?;
        drop(statement);
        let arrived = known.rows_after(added.last, &transaction, &columns)?;
        if missing(&added.rows, arrived) > 0 {
            let changed = "the database alters rows that are written to it";
            return Err(SyncFault::Destination(changed.to_owned()));
        }
        transaction.commit().map_err(there)?;
        Ok(added)
    }

    /// Returns the earliest and the latest timestamp as written; `None` if there are no rows.
    fn times(&self) -> Result<Option<[String; 2]>, SyncFault> {
        let timestamp = known("timestamp", &self.columns);
        let sql = format!("SELECT min({timestamp}), max({timestamp}) FROM access_log");
        let ends = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let ends: (Option<String>, Option<String>) =
            self.connection.query_row(&sql, [], ends).map_err(here)?;
        Ok(ends.0.zip(ends.1).map(|(first, last)| [first, last]))
    }

    /// Passes the selected rows that are not among the known rows of a log to `take`, in order. Returns the number of
    /// these rows.
    fn each_missing(
        &self,
        log: &Path,
        known: &KnownRows,
        wanted: impl Fn(&str) -> bool,
        mut take: impl FnMut([ValueRef<'_>; COLUMNS.len()], RowKey) -> Result<(), SyncFault>,
    ) -> Result<u64, SyncFault> {
        let mut ids: Vec<i64> = Vec::new();
        for (path, of_path) in &self.rows {
            if wanted(path) {
                ids.extend(of_path);
            }
        }
        ids.sort_unstable();
        let expressions = all_known(&self.columns);
        let sql = format!("SELECT {expressions} FROM access_log WHERE rowid = ?1");
        let mut statement = self.connection.prepare(&sql).map_err(here)?;
        let mut seen = Counts::default();
        let mut missing = 0;
        for id in ids {
            let mut rows = statement.query([id]).map_err(here)?;
            // In a dry run, the log is not locked.
            let Some(row) = rows.next().map_err(here)? else {
                continue;
            };
            let row = values(row).map_err(here)?;
            let key = known.key(&row);
            let copies = seen.entry(key).or_default();
            *copies += 1;
            if *copies > known.count(log, key) {
                take(row, key)?;
                missing += 1;
            }
        }
        Ok(missing)
    }
}

/// Identifies a row by a 128-bit hash with random keys, so an attacker cannot craft rows that collide.
type RowKey = [u64; 2];

/// The number of occurrences of each row.
type Counts = HashMap<RowKey, u64>;

/// The rows that were added to a log.
struct Added {
    /// The number of the last row before them.
    last: i64,
    rows: Vec<RowKey>,
}

/// Returns how many of the expected rows do not occur.
fn missing(expected: &[RowKey], mut present: Counts) -> u64 {
    let mut missing = 0;
    for key in expected {
        match present.get_mut(key) {
            Some(count) if *count > 0 => *count -= 1,
            _ => missing += 1,
        }
    }
    missing
}

/// The rows of the destinations that a sync has read. They are read again only if another process changes the file:
/// otherwise, the work would be proportional to the number of local logs times the number of rows, and a repository may
/// contain any number of local logs.
#[derive(Default)]
pub struct KnownRows {
    keys: [RandomState; 2],
    logs: HashMap<PathBuf, KnownLog>,
}

struct KnownLog {
    stamp: Stamp,
    times: Times,
    counts: Counts,
}

/// The times of the rows that were read.
enum Times {
    All,
    /// The earliest and the latest timestamp, both inclusive.
    Between([String; 2]),
}

/// The state of a file: changes if the file or its WAL is replaced or written to.
#[derive(PartialEq, Eq)]
struct Stamp {
    file: Option<FileId>,
    sizes: [Option<(u64, Option<SystemTime>)>; 2],
}

impl Stamp {
    fn at(log: &Path) -> Self {
        // An empty WAL exists whenever a file in WAL mode is open.
        let size = |path: &Path| {
            let found = path.metadata().ok().filter(|found| found.len() > 0)?;
            Some((found.len(), found.modified().ok()))
        };
        Self {
            file: FileId::at(log),
            sizes: [size(log), size(&beside(log, "-wal"))],
        }
    }
}

impl KnownRows {
    fn key(&self, row: &[ValueRef<'_>; COLUMNS.len()]) -> RowKey {
        let texts = row.map(|value| match value {
            ValueRef::Text(bytes) => Some(bytes),
            _ => None,
        });
        [self.keys[0].hash_one(texts), self.keys[1].hash_one(texts)]
    }

    fn count(&self, log: &Path, key: RowKey) -> u64 {
        let known = self.logs.get(log);
        known.map_or(0, |known| {
            known.counts.get(&key).copied().unwrap_or_default()
        })
    }

    /// Returns whether rows of a log are known, and the log has not changed since they were read.
    fn is_current(&self, log: &Path) -> bool {
        let known = self.logs.get(log);
        known.is_some_and(|known| known.stamp == Stamp::at(log))
    }

    /// Returns whether all rows of a log between two timestamps are known.
    fn has(&self, log: &Path, times: Option<&[String; 2]>) -> bool {
        let is_within = |known: &KnownLog| match (&known.times, times) {
            (Times::All, _) | (_, None) => true,
            (Times::Between([first, last]), Some([from, to])) => first <= from && to <= last,
        };
        self.logs.get(log).is_some_and(is_within) && self.is_current(log)
    }

    fn forget(&mut self, log: &Path) {
        self.logs.remove(log);
    }

    /// Reads the rows between two timestamps that are not known yet.
    fn read(
        &mut self,
        log: &Path,
        connection: &Connection,
        columns: &[String],
        times: Option<[String; 2]>,
    ) -> Result<(), SyncFault> {
        if self.has(log, times.as_ref()) {
            return Ok(());
        }
        let Some([from, to]) = times else {
            self.forget(log);
            return Ok(());
        };
        let stamp = Stamp::at(log);
        let old = self.logs.remove(log).filter(|old| old.stamp == stamp);
        let (old, mut counts) = match old {
            Some(old) => (Some(old.times), old.counts),
            None => (None, Counts::default()),
        };
        let mut add = |condition: &str, ends: [&str; 2]| {
            self.add_rows(&mut counts, connection, columns, condition, ends)
        };
        let times = match old {
            Some(Times::All) => Times::All,
            Some(Times::Between([first, last])) => {
                if from < first {
                    add("timestamp >= ?1 AND timestamp < ?2", [&from, &first])?;
                }
                if last < to {
                    add("timestamp > ?1 AND timestamp <= ?2", [&last, &to])?;
                }
                Times::Between([from.min(first), to.max(last)])
            }
            None if has_plain_times(connection).map_err(there)? => {
                add("timestamp BETWEEN ?1 AND ?2", [&from, &to])?;
                Times::Between([from, to])
            }
            // The order of the timestamps here may differ from their order in `SQLite`.
            None => {
                add("?1 = ?2", ["", ""])?;
                Times::All
            }
        };
        let log = log.to_path_buf();
        let known = KnownLog {
            stamp,
            times,
            counts,
        };
        self.logs.insert(log, known);
        Ok(())
    }

    /// Counts the rows for which a condition with two parameters is true.
    fn add_rows(
        &self,
        counts: &mut Counts,
        connection: &Connection,
        columns: &[String],
        condition: &str,
        ends: [&str; 2],
    ) -> Result<(), SyncFault> {
        let sql = format!(
            "SELECT {} FROM access_log WHERE {condition}",
            all_known(columns)
        );
        let mut statement = connection.prepare(&sql).map_err(there)?;
        let mut rows = statement.query(ends).map_err(there)?;
        while let Some(row) = rows.next().map_err(there)? {
            let key = self.key(&values(row).map_err(there)?);
            *counts.entry(key).or_default() += 1;
        }
        Ok(())
    }

    /// Counts the rows of a log after a row number.
    fn rows_after(
        &self,
        last: i64,
        connection: &Connection,
        columns: &[String],
    ) -> Result<Counts, SyncFault> {
        let sql = format!(
            "SELECT {} FROM access_log WHERE rowid > ?1",
            all_known(columns)
        );
        let mut statement = connection.prepare(&sql).map_err(there)?;
        let mut rows = statement.query([last]).map_err(there)?;
        let mut counts = Counts::default();
        while let Some(row) = rows.next().map_err(there)? {
            let key = self.key(&values(row).map_err(there)?);
            *counts.entry(key).or_default() += 1;
        }
        Ok(counts)
    }

    /// Adds the rows that this process has just written to a log. Returns their number.
    fn add(&mut self, log: &Path, added: &Added) -> u64 {
        if let Some(known) = self.logs.get_mut(log) {
            known.stamp = Stamp::at(log);
            for key in &added.rows {
                *known.counts.entry(*key).or_default() += 1;
            }
        }
        added.rows.len() as u64
    }
}

/// Returns whether timestamps are compared like bytes: whether they are UTF-8, in a text column.
fn has_plain_times(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('access_log')
        WHERE lower(name) = 'timestamp' AND upper(type) = 'TEXT')";
    let is_text: bool = connection.query_row(sql, [], |row| row.get(0))?;
    let encoding: String = connection.query_row("PRAGMA encoding", [], |row| row.get(0))?;
    Ok(is_text && encoding == "UTF-8")
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
    let opened = open_unchecked(path, wait, stop)?;
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
    if is_sound(connection).map_err(here)? {
        Ok(())
    } else {
        Err(LogUnusable::Damaged.into())
    }
}

/// Returns the numbers of the rows of each skill directory.
fn rows_by_path(
    connection: &Connection,
    columns: &[String],
) -> rusqlite::Result<BTreeMap<String, Vec<i64>>> {
    let path = known("skill_path", columns);
    let sql = format!("SELECT rowid, {path} FROM access_log");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut found: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (id, path) = (row.get(0)?, lossy(row.get_ref(1)?));
        match found.get_mut(&*path) {
            Some(ids) => ids.push(id),
            None => drop(found.insert(path.into_owned(), vec![id])),
        }
    }
    Ok(found)
}

fn lossy(value: ValueRef<'_>) -> Cow<'_, str> {
    match value {
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes),
        _ => Cow::Borrowed(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::time::Timestamp;

    use crate::access_log::{Access, append};

    const WAIT: Duration = Duration::from_secs(1);

    /// A destination whose timestamps need not be text.
    const UNTYPED: &str =
        "CREATE TABLE access_log(id INTEGER PRIMARY KEY, timestamp, run_id, command, skill,
        skill_path, cwd, args, error); PRAGMA user_version = 1";

    fn log(path: &Path, seconds: &[i64]) {
        for second in seconds {
            let access = Access {
                timestamp: Timestamp(*second),
                run_id: "r".into(),
                command: "show".into(),
                skill: "demo".into(),
                skill_path: "/s/demo".into(),
                cwd: "/w".into(),
                args: "{}".into(),
                error: None,
            };
            append(path, &access).unwrap();
        }
    }

    fn copy(from: &Path, to: &Path, known: &mut KnownRows) -> u64 {
        let opened = LocalLog::open(from, WAIT, &Stop::default());
        let log = opened.unwrap().expect("a log");
        let wanted = |_: &str| true;
        let counted = log.count_missing(to, WAIT, wanted, known).unwrap();
        let copied = log.copy_missing(to, WAIT, wanted, || true, known).unwrap();
        assert_eq!(copied, counted);
        assert_eq!(log.count_missing(to, WAIT, wanted, known).unwrap(), 0);
        copied
    }

    /// D-SYNC-DEDUP: rows that are known from an earlier local log count like rows that are read again.
    #[test]
    fn known_rows_are_not_copied_again() {
        for is_typed in [true, false] {
            for is_kept in [true, false] {
                let dir = tempfile::tempdir().unwrap();
                let to = dir.path().join("to.db");
                if !is_typed {
                    Connection::open(&to)
                        .unwrap()
                        .execute_batch(UNTYPED)
                        .unwrap();
                }
                log(&to, &[30]);
                let mut known = KnownRows::default();
                let locals: [(&[i64], u64); 4] = [
                    (&[10, 20], 2),
                    (&[15, 30, 30], 2),
                    (&[5, 20], 1),
                    // Another process adds one of these rows.
                    (&[40, 40], 1),
                ];
                for (at, (seconds, expected)) in locals.into_iter().enumerate() {
                    let from = dir.path().join(format!("{at}.db"));
                    log(&from, seconds);
                    if at == 3 {
                        // The time of the file's last change may be measured in steps of a few milliseconds.
                        std::thread::sleep(Duration::from_millis(50));
                        log(&to, &[40]);
                    }
                    if !is_kept {
                        known = KnownRows::default();
                    }
                    assert_eq!(copy(&from, &to, &mut known), expected, "{at} {is_typed}");
                }
                let connection = Connection::open(&to).unwrap();
                let count = "SELECT count(*) FROM access_log";
                let count: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
                assert_eq!(count, 8);
            }
        }
    }
}
