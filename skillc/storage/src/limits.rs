//! Limits for every connection, because the database file may come from an untrusted repository.
//!
//! A schema can contain expressions that take hours or gigabytes to evaluate: CHECK constraints, generated columns, and
//! expression indexes. `SQLite` evaluates some of them while it loads the schema, for example those of `sqlite_stat1`.
//! Therefore a connection has two stages. Until its schema has been checked, only short values and few steps are
//! allowed, so that no expression can do much work. After the check, only a large number of rows can make a statement
//! slow, so a statement is interrupted at a deadline, or when the call is cancelled.
//!
//! `SQLite` does not notice while it reads rows that several pages refer to the same page, so a file of a few kilobytes
//! can seem to contain any number of rows. Therefore the deadline for a file that is only read depends on its size, and
//! [`Guarded::is_damaged`] looks for such pages before the rows are read.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode};
use skillc_core::Stop;

use crate::sidecar::beside;

/// The maximum size of a value before the schema is checked, in bytes. The statements of this crate are shorter. The
/// slowest SQL functions take time quadratic in this size: a few milliseconds.
const UNCHECKED_LENGTH: i32 = 16 << 10;

/// The number of virtual machine steps between two calls to the progress handler ("looks").
const STEPS_PER_LOOK: i32 = 50;

/// The number of looks allowed before the schema is checked. Loading a schema of this crate takes several hundred
/// steps.
const UNCHECKED_LOOKS: u32 = 80;

/// The number of looks between two readings of the clock, once the schema has been checked.
const LOOKS_PER_CLOCK: u32 = 20;

/// The maximum time to load a schema, including the time to wait for another program's lock. In practice, such a wait
/// times out sooner.
const UNCHECKED_WITHIN: Duration = Duration::from_secs(10);

/// The maximum size of a value after the check, in bytes. It is enough for the largest indexed file if each byte is
/// replaced by U+FFFD, and for the file's names.
const CHECKED_LENGTH: i32 = 128 << 20;

/// The time limit for all statements of one command. Reading a log of one gigabyte takes a few seconds.
const WITHIN: Duration = Duration::from_secs(60);

/// The time limit for reading an empty file. It is longer than the time to wait for a writer.
const READ_WITHIN: Duration = Duration::from_secs(3);

/// The number of bytes of a file for which the time limit is one second longer. A slow machine reads several times as
/// many in a second.
const BYTES_PER_SECOND: u64 = 16 << 20;

/// The time to check the pages of a file before its rows are read. The check takes about 5 ms for each megabyte, and a
/// page that is used twice usually ends it at once.
const CHECK_WITHIN: Duration = Duration::from_secs(1);

/// The number of looks allowed for inserting a row. It takes a few hundred steps, but `SQLite` also searches the table
/// `sqlite_sequence`, which may come from an untrusted repository.
const ROW_LOOKS: u32 = 200;

/// The maximum size of a statement, in bytes. `SQLite` also applies it to the statements of the schema.
const SQL_LENGTH: i32 = 256 << 10;

/// The other limits. The statements of this crate stay far below all of them.
const LIMITS: [(Limit, i32); 6] = [
    (Limit::SQLITE_LIMIT_SQL_LENGTH, SQL_LENGTH),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COLUMN, 200),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

#[derive(Debug)]
pub(crate) struct Guarded {
    connection: Connection,
    watch: Arc<Watch>,
}

/// Decides when to interrupt a statement.
#[derive(Debug)]
struct Watch {
    is_checked: AtomicBool,
    looks: AtomicU32,
    /// The number of looks after which the running statement is interrupted.
    most_looks: AtomicU32,
    end: Mutex<End>,
}

#[derive(Debug)]
struct End {
    at: Instant,
    within: Duration,
    stop: Stop,
}

impl End {
    fn new(stop: &Stop, within: Duration) -> Self {
        Self {
            at: Instant::now() + within,
            within,
            stop: stop.clone(),
        }
    }
}

impl Watch {
    /// Returns whether to interrupt the running statement.
    fn look(&self) -> bool {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed);
        if looks >= self.most_looks.load(Ordering::Relaxed) {
            return true;
        }
        let is_checked = self.is_checked.load(Ordering::Relaxed);
        (!is_checked || looks.is_multiple_of(LOOKS_PER_CLOCK)) && self.is_over()
    }

    /// Allows a number of looks from now on.
    fn allow(&self, looks: u32) {
        self.looks.store(0, Ordering::Relaxed);
        self.most_looks.store(looks, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        let end = self.end();
        end.stop.is_raised() || Instant::now() >= end.at
    }

    fn end(&self) -> MutexGuard<'_, End> {
        self.end.lock()
    }
}

impl Guarded {
    /// Sets the strict limits of the first stage. The connection must not have read anything yet.
    pub(crate) fn new(mut connection: Connection, stop: &Stop) -> rusqlite::Result<Self> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        for (limit, value) in LIMITS {
            connection.set_limit(limit, value)?;
        }
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, UNCHECKED_LENGTH)?;
        let watch = Arc::new(Watch {
            is_checked: AtomicBool::new(false),
            looks: AtomicU32::new(0),
            most_looks: AtomicU32::new(UNCHECKED_LOOKS),
            end: Mutex::new(End::new(stop, UNCHECKED_WITHIN)),
        });
        let watched = Arc::clone(&watch);
        connection.progress_handler(STEPS_PER_LOOK, Some(move || watched.look()))?;
        Ok(Self { connection, watch })
    }

    /// Raises the limits to the values that the statements of a command need. The caller must have checked the schema.
    pub(crate) fn admit(&self) -> rusqlite::Result<()> {
        self.admit_within(WITHIN)
    }

    /// Like [`admit`](Self::admit), for a file that is only read: the time limit depends on the file's size.
    pub(crate) fn admit_to_read(&self, db: &Path) -> rusqlite::Result<()> {
        let more = Duration::from_secs(size(db) / BYTES_PER_SECOND);
        self.admit_within(WITHIN.min(READ_WITHIN.saturating_add(more)))
    }

    fn admit_within(&self, within: Duration) -> rusqlite::Result<()> {
        self.connection
            .set_limit(Limit::SQLITE_LIMIT_LENGTH, CHECKED_LENGTH)?;
        self.watch.is_checked.store(true, Ordering::Relaxed);
        self.watch.allow(u32::MAX);
        let mut end = self.watch.end();
        let stop = end.stop.clone();
        *end = End::new(&stop, within);
        Ok(())
    }

    /// Restarts the deadline for another command. `stop`: cancels that command.
    pub(crate) fn restart(&self, stop: &Stop) {
        if self.watch.is_checked.load(Ordering::Relaxed) {
            self.watch.allow(u32::MAX);
            let mut end = self.watch.end();
            *end = End::new(stop, end.within);
        }
    }

    /// Limits the steps of the statements that follow to those of inserting one row, until the next call of this
    /// function or of [`restart`](Self::restart).
    pub(crate) fn begin_row(&self) {
        self.watch.allow(ROW_LOOKS);
    }

    /// Returns whether a file is damaged: whether pages are used twice, for example. In a large file, only as many pages
    /// are checked as the time allows.
    pub(crate) fn is_damaged(&self) -> rusqlite::Result<bool> {
        let stop = self.watch.end().stop.clone();
        let end = End::new(&stop, CHECK_WITHIN);
        let before = std::mem::replace(&mut *self.watch.end(), end);
        let sound = is_sound(&self.connection);
        *self.watch.end() = before;
        match sound {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
                    && !stop.is_raised() =>
            {
                Ok(false)
            }
            sound => Ok(!sound?),
        }
    }

    /// Removes the deadline, for a caller that enforces its own deadline.
    pub(crate) fn into_unlimited(mut self) -> rusqlite::Result<Connection> {
        self.connection.progress_handler(1, None::<fn() -> bool>)?;
        Ok(self.connection)
    }
}

impl Deref for Guarded {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

/// Checks every page of a file for damage, up to the first damaged page.
pub(crate) fn is_sound(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "PRAGMA main.quick_check(1)";
    let found: String = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(found == "ok")
}

/// Returns the size of a file and its WAL, in bytes.
pub(crate) fn size(db: &Path) -> u64 {
    let length = |path: &Path| path.metadata().map_or(0, |found| found.len());
    length(db).saturating_add(length(&beside(db, "-wal")))
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::config::Tokenizer;
    use skillc_core::hash::Sha;
    use skillc_core::time::Timestamp;
    use skillc_core::{RelPath, Section};

    use crate::index_writer::Identity;
    use crate::{IndexWriter, SearchFault, SearchIndex, SectionQuery, Unusable};

    fn endless(connection: &Connection) -> Option<ErrorCode> {
        let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
        let result = connection.query_row(sql, [], |_| Ok(()));
        result.err().and_then(|error| error.sqlite_error_code())
    }

    fn in_memory(stop: &Stop) -> Guarded {
        Guarded::new(Connection::open_in_memory().unwrap(), stop).unwrap()
    }

    #[test]
    fn limits_are_strict_until_the_schema_is_checked() {
        let guarded = in_memory(&Stop::default());
        let long = guarded.query_row("SELECT zeroblob(100000)", [], |_| Ok(()));
        assert_eq!(
            long.err().and_then(|error| error.sqlite_error_code()),
            Some(ErrorCode::TooBig)
        );
        assert_eq!(endless(&guarded), Some(ErrorCode::OperationInterrupted));
    }

    #[test]
    fn a_statement_stops_on_cancellation_and_at_the_deadline() {
        let stop = Stop::default();
        let guarded = in_memory(&stop);
        guarded.admit().unwrap();
        let raiser = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            stop.raise();
        });
        assert_eq!(endless(&guarded), Some(ErrorCode::OperationInterrupted));
        raiser.join().unwrap();
        *guarded.watch.end() = End::new(&Stop::default(), Duration::from_millis(20));
        assert_eq!(endless(&guarded), Some(ErrorCode::OperationInterrupted));
        guarded.restart(&Stop::default());
        guarded.query_row("SELECT 1", [], |_| Ok(())).unwrap();
    }

    #[test]
    fn an_interrupted_search_is_not_reported_as_damage() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index.db");
        let mut writer = IndexWriter::create(&path, Tokenizer::Ascii).unwrap();
        let file = RelPath::parse("a.md").unwrap();
        let mut rows = writer.begin(&file);
        for line in 1..=2_000 {
            rows.section(&Section {
                heading: "Animals".into(),
                content: "a zebra".into(),
                lines: line..line + 1,
            });
        }
        rows.end().unwrap();
        let identity = Identity {
            skill_path: "/demo",
            source_hash: Sha::digest(b""),
            tokenizer: Tokenizer::Ascii,
            indexers: "",
            indexed_at: Timestamp(0),
        };
        writer.finish(&identity).unwrap();
        let stop = Stop::default();
        let index = SearchIndex::open(&path, &stop).unwrap();
        let query = SectionQuery::words("zebra", 10);
        stop.raise();
        let fault = index.search(&query).unwrap_err();
        assert_eq!(fault, SearchFault::Unusable(Unusable::Interrupted));
        index.restart(&Stop::default());
        assert_eq!(index.search(&query).unwrap().unwrap().len(), 10);
    }

    #[test]
    fn inserting_a_row_may_only_take_few_steps() {
        let guarded = in_memory(&Stop::default());
        guarded.admit().unwrap();
        for _ in 0..3 {
            guarded.begin_row();
            guarded.query_row("SELECT 1", [], |_| Ok(())).unwrap();
        }
        assert_eq!(endless(&guarded), Some(ErrorCode::OperationInterrupted));
        guarded.restart(&Stop::default());
        let long = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10000) SELECT count(*) FROM n";
        guarded.query_row(long, [], |_| Ok(())).unwrap();
    }

    #[test]
    fn the_time_to_read_a_file_depends_on_its_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("logs.db");
        let file = std::fs::File::create(&path).unwrap();
        for (bytes, seconds) in [(0, 3), (100, 3), (16 << 20, 4), (1 << 30, 60)] {
            file.set_len(bytes).unwrap();
            let guarded = in_memory(&Stop::default());
            guarded.admit_to_read(&path).unwrap();
            guarded.restart(&Stop::default());
            assert_eq!(
                guarded.watch.end().within,
                Duration::from_secs(seconds),
                "{bytes}"
            );
        }
    }

    #[test]
    fn databases_cannot_be_attached() {
        let guarded = in_memory(&Stop::default());
        guarded.execute_batch("ATTACH ':memory:' AS x").unwrap_err();
    }
}
