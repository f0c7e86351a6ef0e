//! Writes the usage log: one row for each use of a skill. Many short-lived processes write to it at the same time.
//!
//! Between uses, a log is one plain database file without sidecar files, so that any program can copy, move and read
//! it. A row is appended in a transaction with a rollback journal: a killed process leaves no partial row. Writes are
//! not synced to disk, because a sync takes fifty times as long as writing the row. Therefore a power failure may
//! corrupt the log, but never a skill.
//!
//! If a log has no schema version, for example because an older program created it, the missing columns and indexes are
//! added. Rows are appended to a log with a newer schema, but the schema is not changed. An existing file that is not a
//! log is never changed.
//!
//! Design: C-LOGGING@7.

use std::fmt::{self, Display};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use skillc_core::Stop;
use skillc_core::layout::TEMPORARY;
use skillc_core::lock::retry_within;
use skillc_core::source;
use skillc_core::time::Timestamp;

use crate::db::{IfMissing, open_shared};
use crate::limits::{Guarded, is_sound};
use crate::local_lock::{LocalLock, TooLong};
use crate::private::{make_private_dirs, make_private_file};
use crate::schema_check::{Allowed, Schema, statements};
use crate::sidecar::{BESIDE, JOURNAL, beside};

/// The table and its indexes. The placeholders `{file}` and `{section}` are replaced by [`FILE`] and [`SECTION`].
const SCHEMA: &str = include_str!("schema/log_v1.sql");

/// The version of [`SCHEMA`], stored in `PRAGMA user_version`.
pub(crate) const VERSION: i64 = 1;

/// The SQL expression for the file that a row is about. It is NULL if the row is not about a file, or if the row's
/// arguments are not JSON. `SQLite` uses the index on this expression only for queries that contain exactly the same
/// expression.
pub(crate) const FILE: &str = "CASE WHEN json_valid(args) \
    THEN coalesce(json_extract(args, '$.file'), json_extract(args, '$.path')) END";

/// The SQL expression for the section that a row is about; see [`FILE`].
pub(crate) const SECTION: &str =
    "CASE WHEN json_valid(args) THEN json_extract(args, '$.section') END";

/// The columns other than `id`, all of which are text.
pub(crate) const COLUMNS: [&str; 8] = [
    "timestamp",
    "run_id",
    "command",
    "skill",
    "skill_path",
    "cwd",
    "args",
    "error",
];

/// Inserts a row; the parameters are the [`COLUMNS`].
pub(crate) const INSERT: &str = "INSERT INTO access_log
    (timestamp, run_id, command, skill, skill_path, cwd, args, error)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

/// How long a writer waits for other writers.
pub const BUSY_WAIT: Duration = Duration::from_secs(5);

/// The size of the smallest non-empty database, in bytes.
const LEAST_BYTES: u64 = 512;

/// One use of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The time of the use.
    pub timestamp: Timestamp,
    /// The id of the run or server process to which the use belongs.
    pub run_id: String,
    /// The command's name.
    pub command: String,
    /// The name of the skill's directory.
    pub skill: String,
    /// The canonical path of the source directory.
    pub skill_path: String,
    /// The canonical path of the working directory.
    pub cwd: String,
    /// The logged arguments, serialized as a JSON object.
    pub args: String,
    /// The error message as printed, without colour; `None` if the command succeeded.
    pub error: Option<String>,
}

/// The reason why a log cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFault(pub(crate) String);

impl Display for LogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LogFault {}

impl From<rusqlite::Error> for LogFault {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<io::Error> for LogFault {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<TooLong> for LogFault {
    fn from(TooLong: TooLong) -> Self {
        Self("the local logs are in use".to_owned())
    }
}

/// Appends a row; creates directories, database and table if they do not exist.
///
/// # Errors
/// Returns an error if the row was not written. The log is then unchanged.
///
/// Design: C-LOGGING@7.
pub fn append(db: &Path, access: &Access) -> Result<(), LogFault> {
    WritableLog::open(db, BUSY_WAIT)?.append(access, BUSY_WAIT)
}

/// A log that is kept open for writing. Between writes, the log is not locked, and has no sidecar files.
#[derive(Debug)]
pub struct WritableLog {
    connection: Guarded,
    /// Whether [`prepare`] has run.
    is_prepared: bool,
}

impl WritableLog {
    /// Opens a log, creating it if it does not exist. `wait`: how long to wait for other writers.
    ///
    /// # Errors
    /// Returns an error if rows cannot be written.
    pub fn open(db: &Path, wait: Duration) -> Result<Self, LogFault> {
        Ok(Self {
            connection: open_as(db, &Stop::default(), IfMissing::Create, wait)?,
            is_prepared: false,
        })
    }

    /// Opens a log whose file exists. Unlike [`open`](Self::open), creates nothing if another process moves the file
    /// away at the same time. `wait`: how long to wait for other writers.
    ///
    /// # Errors
    /// Returns an error if the file does not exist, or rows cannot be written.
    pub fn open_existing(db: &Path, wait: Duration) -> Result<Self, LogFault> {
        Ok(Self {
            connection: open_as(db, &Stop::default(), IfMissing::Fail, wait)?,
            is_prepared: false,
        })
    }

    /// Appends a row. The first call also creates the table if it does not exist. After the first call, the file must
    /// stay in place, and no other program may change its tables. `wait`: how long to wait for other writers.
    ///
    /// # Errors
    /// Returns the errors of the function [`append`].
    pub fn append(&mut self, access: &Access, wait: Duration) -> Result<(), LogFault> {
        self.connection.restart(&Stop::default());
        // SQLite would pause for up to 100 ms between its attempts. With many processes, the lock is rarely free at
        // such a moment, and one of them could use up all of its time.
        self.connection.busy_timeout(Duration::ZERO)?;
        let connection: &Connection = &self.connection;
        if self.is_prepared {
            return Ok(retry(wait, || {
                self.connection.begin_row();
                insert(connection, access)
            })?);
        }
        let begin = || Transaction::new_unchecked(connection, TransactionBehavior::Immediate);
        let transaction = retry(wait, begin)?;
        // From here on, only readers are waited for.
        connection.busy_timeout(wait)?;
        prepare(&transaction)?;
        self.connection.begin_row();
        insert(&transaction, access)?;
        transaction.commit()?;
        self.is_prepared = true;
        Ok(())
    }
}

/// Calls `attempt` until no other process holds the lock that it needs, but at most for `wait`.
fn retry<T>(wait: Duration, attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let is_held =
        |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    retry_within(wait, &Stop::default(), is_held, attempt)
}

fn insert(connection: &Connection, access: &Access) -> rusqlite::Result<()> {
    connection.prepare_cached(INSERT)?.execute((
        access.timestamp.to_string(),
        &access.run_id,
        &access.command,
        &access.skill,
        &access.skill_path,
        &access.cwd,
        &access.args,
        &access.error,
    ))?;
    Ok(())
}

/// Numbers the temporary directories of this process.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Appends a row to a local log while holding the lock, because a sync may be about to remove the log. `folder`: the
/// directory of all local logs. `wait`: how long to wait for other processes. `is_it`: called after the log was opened;
/// checks that the right file was opened.
///
/// # Errors
/// Returns the errors of [`append`], and an error if the lock is not available in time or a different file was opened.
pub fn append_local(
    folder: &Path,
    db: &Path,
    access: &Access,
    wait: Duration,
    is_it: impl FnOnce() -> bool,
) -> Result<(), LogFault> {
    make(folder)?;
    let until = Instant::now() + wait;
    let _lock = LocalLock::take(folder, wait, &Stop::default())?;
    let wait = until.saturating_duration_since(Instant::now());
    let mut log = WritableLog::open(db, wait)?;
    if !is_it() {
        return Err(LogFault("another file has replaced it".to_owned()));
    }
    log.append(access, wait)
}

/// Creates the directory of all local logs. If the parent directory `.skillc` does not exist, the parent is created
/// under another name, with the directory in it, and then renamed, because an empty `.skillc` would mark a project.
fn make(folder: &Path) -> io::Result<()> {
    if let (Some(parent), Some(name)) = (folder.parent(), folder.file_name())
        && parent.symlink_metadata().is_err()
    {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let own = format!("{TEMPORARY}{}-{number}", std::process::id());
        let own = parent.with_file_name(own);
        let made = fs::create_dir(&own)
            .and_then(|()| fs::create_dir(own.join(name)))
            .and_then(|()| fs::rename(&own, parent));
        if made.is_err() {
            // Another process created `.skillc` first, or this process cannot create files here.
            fs::remove_dir_all(&own).unwrap_or_default();
        }
    }
    fs::create_dir_all(folder)
}

/// Opens a log for writing. Creates the file, without a table, if it does not exist. `wait`: how long to wait for other
/// writers.
pub(crate) fn open(db: &Path, wait: Duration, stop: &Stop) -> Result<Guarded, LogFault> {
    open_as(db, stop, IfMissing::Create, wait)
}

fn open_as(db: &Path, stop: &Stop, may: IfMissing, wait: Duration) -> Result<Guarded, LogFault> {
    let mut if_missing = IfMissing::Fail;
    let may_create = may == IfMissing::Create;
    match db.symlink_metadata() {
        Ok(there) => check_file(&there)?,
        Err(error) if may_create && error.kind() == io::ErrorKind::NotFound => {
            make_private_dirs(db.parent().unwrap_or(db))?;
            make_private_file(db)?;
            if_missing = IfMissing::Create;
        }
        Err(error) => return Err(error.into()),
    }
    if !has_files_beside(db) {
        return Err(LogFault(format!(
            "'{}-journal' or a similar path is not a file, or not a journal of this log",
            db.display()
        )));
    }
    let connection = Guarded::new(open_shared(db, if_missing)?, stop)?;
    connection.busy_timeout(wait)?;
    // The file may come from an untrusted repository.
    let schema = Schema::read(&connection)?;
    if !schema.is_empty() && !is_log(&schema) {
        return Err(LogFault("the database is not a log".to_owned()));
    }
    connection.admit()?;
    connection.execute_batch("PRAGMA synchronous = OFF")?;
    Ok(connection)
}

/// Returns whether all existing sidecar files are regular files, and the journal is harmless. `SQLite` would block if a
/// sidecar file were a pipe, and must not follow a symlink.
pub(crate) fn has_files_beside(db: &Path) -> bool {
    BESIDE.iter().all(|suffix| {
        let path = beside(db, suffix);
        let there = path.symlink_metadata();
        there.map_or(true, |there| {
            there.is_file() && !(*suffix == JOURNAL && is_harmful(&path, db))
        })
    })
}

/// The first bytes of a journal, and the last bytes of a journal that belongs to a transaction over several databases.
/// Source: sqlite.org/fileformat.html.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The size of the journal header, in bytes: the magic bytes and five numbers.
const JOURNAL_HEADER_BYTES: usize = 28;

/// The size of the largest page of a database, in bytes.
const MOST_PAGE_BYTES: u64 = 64 << 10;

/// Returns whether rolling back a journal could do more harm than changing the content of the database. The journal may
/// come with an untrusted repository.
fn is_harmful(journal: &Path, db: &Path) -> bool {
    let Ok(Some((mut file, there))) = source::open(journal) else {
        return false;
    };
    names_super_journal(&mut file) || enlarges(&mut file, there.len(), db)
}

/// Returns whether a journal names a super-journal. `SQLite` may remove the file with this name. This program has no
/// transactions over several databases, so it never writes such a journal.
fn names_super_journal(journal: &mut File) -> bool {
    let mut end = [0; JOURNAL_MAGIC.len()];
    let found = journal.seek(SeekFrom::End(-8));
    // A file that is too short for these bytes does not name a super-journal.
    found.and_then(|_| journal.read_exact(&mut end)).is_ok() && end == JOURNAL_MAGIC
}

/// Returns whether rolling back a journal would make a database larger than the current database, the journal and one
/// page together. `SQLite` resizes the database file to the size in the journal's header, without checking this size.
/// In a genuine journal, it is the size before the interrupted transaction. It never exceeds this bound, because a
/// transaction truncates the file only after it has ended. `length`: the size of the journal, in bytes.
fn enlarges(journal: &mut File, length: u64, db: &Path) -> bool {
    let mut header = [0; JOURNAL_HEADER_BYTES];
    let read = journal
        .rewind()
        .and_then(|()| journal.read_exact(&mut header));
    if read.is_err() || !header.starts_with(&JOURNAL_MAGIC) {
        return false;
    }
    let number = |at: usize| {
        header[at..at + 4]
            .iter()
            .fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte))
    };
    let (pages, page) = (number(16), number(24));
    // Very old versions of `SQLite` do not write the page size into the journal.
    let page = if page == 0 { MOST_PAGE_BYTES } else { page };
    let present = db.metadata().map_or(0, |there| there.len());
    // The journal of an empty database is not rolled back.
    present > 0
        && pages.saturating_mul(page)
            > present
                .saturating_add(length)
                .saturating_add(MOST_PAGE_BYTES)
}

/// Rejects a symlink, because it may lead anywhere. Also rejects a non-empty file that is so short that `SQLite` would
/// treat it as a new database and overwrite it.
pub(crate) fn check_file(there: &Metadata) -> Result<(), LogFault> {
    if there.is_file() && !(1..LEAST_BYTES).contains(&there.len()) {
        Ok(())
    } else {
        Err(LogFault("not a database".to_owned()))
    }
}

/// Returns whether a schema contains only objects that a log may contain: the table `access_log` with plain columns,
/// plain indexes, and the indexes of [`SCHEMA`].
pub(crate) fn is_log(schema: &Schema) -> bool {
    schema.holds_only(&Allowed {
        tables: &["access_log"],
        statements: &statements(&schema_sql().replace("IF NOT EXISTS ", "")),
    })
}

fn schema_sql() -> String {
    SCHEMA.replace("{file}", FILE).replace("{section}", SECTION)
}

/// Migrates a log to the current schema, within the caller's write transaction.
pub(crate) fn prepare(connection: &Connection) -> Result<(), LogFault> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version >= VERSION {
        return Ok(());
    }
    let present = columns(connection)?;
    if present.is_empty() {
        check_empty(connection)?;
    } else {
        if !["timestamp", "command"]
            .iter()
            .all(|name| present.iter().any(|other| other == name))
        {
            return Err(LogFault(
                "the table access_log has an unknown schema".to_owned(),
            ));
        }
        // Creating an index sorts every row that `SQLite` finds, and if pages are used more than once, it finds a
        // practically unlimited number of rows.
        if !is_sound(connection)? {
            return Err(LogFault("the log is damaged".to_owned()));
        }
        for name in COLUMNS
            .iter()
            .filter(|name| present.iter().all(|other| other != *name))
        {
            connection.execute_batch(&format!("ALTER TABLE access_log ADD COLUMN {name} TEXT"))?;
        }
    }
    let schema = schema_sql();
    connection.execute_batch(&format!("{schema} PRAGMA user_version = {VERSION};"))?;
    Ok(())
}

/// Returns the names of the log's columns in order. Returns no names if the table does not exist.
pub(crate) fn columns(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info('access_log')")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// Checks that a database without the log's table has no other tables either. A database with other tables belongs to
/// another program.
fn check_empty(connection: &Connection) -> Result<(), LogFault> {
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        Ok(())
    } else {
        Err(LogFault("the database is not a log".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::path::PathBuf;

    use crate::access_prune::{count_before, delete_before};
    use crate::pages_testkit::share_pages;

    struct TempDatabase {
        _dir: tempfile::TempDir,
        db: PathBuf,
    }

    impl TempDatabase {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let db = dir.path().join("rt/.skillc-meta/logs.db");
            Self { _dir: dir, db }
        }

        /// Creates a database by running SQL.
        fn with(sql: &str) -> Self {
            let place = Self::new();
            fs::create_dir_all(place.db.parent().unwrap()).unwrap();
            place.run(sql);
            place
        }

        fn run(&self, sql: &str) {
            Connection::open(&self.db)
                .unwrap()
                .execute_batch(sql)
                .unwrap();
        }

        fn text(&self, sql: &str) -> String {
            let connection = Connection::open(&self.db).unwrap();
            connection.query_row(sql, [], |row| row.get(0)).unwrap()
        }

        fn count(&self) -> String {
            self.text("SELECT cast(count(*) AS text) FROM access_log")
        }
    }

    fn access() -> Access {
        Access {
            timestamp: Timestamp(1_769_847_300),
            run_id: "20260131T081500Z-00ff".into(),
            command: "show".into(),
            skill: "demo".into(),
            skill_path: "/s/demo".into(),
            cwd: "/w".into(),
            args: r#"{"section":"Usage","file":"a.md","max_lines":null}"#.into(),
            error: None,
        }
    }

    /// The journal is hostile: when some versions of `SQLite` roll it back, they remove the file that it names.
    #[test]
    fn a_journal_that_names_a_super_journal_is_refused() {
        let place = TempDatabase::new();
        append(&place.db, &access()).unwrap();
        let journal = beside(&place.db, JOURNAL);
        fs::write(&journal, [b"/home/victim", &JOURNAL_MAGIC[..]].concat()).unwrap();
        assert!(append(&place.db, &access()).is_err());
        fs::write(&journal, "short").unwrap();
        append(&place.db, &access()).unwrap();
    }

    /// Returns the header of a journal without pages, for a database of this many pages.
    fn header(pages: u32, page: u32) -> Vec<u8> {
        let mut header = JOURNAL_MAGIC.to_vec();
        for number in [0, 0, pages, 512, page] {
            header.extend(number.to_be_bytes());
        }
        header.resize(512, 0);
        header
    }

    /// The journal is hostile: rolling it back would enlarge the database to the size in the journal's header.
    #[test]
    fn a_journal_that_enlarges_the_log_is_refused() {
        let place = TempDatabase::new();
        append(&place.db, &access()).unwrap();
        let before = fs::read(&place.db).unwrap();
        let pages = u32::try_from(before.len() / 4096).unwrap();
        let journal = beside(&place.db, JOURNAL);
        for (pages, page) in [
            (1 << 31, 4096),
            (u32::MAX, 512),
            (pages + 1000, 0),
            (pages + 18, 4096),
        ] {
            fs::write(&journal, header(pages, page)).unwrap();
            append(&place.db, &access()).unwrap_err();
            let opened = crate::AccessLog::open(&place.db, BUSY_WAIT, &Stop::default());
            assert_eq!(opened.err(), Some(crate::LogUnusable::Foreign), "{pages}");
            assert!(fs::read(&place.db).unwrap() == before);
        }
        fs::write(&journal, header(pages, 4096)).unwrap();
        append(&place.db, &access()).unwrap();
        assert_eq!(place.count(), "2");
        assert!(!journal.exists());
    }

    /// C-LOGGING@7.2, C-LOGGING@7.4.
    #[test]
    fn the_first_row_creates_directories_database_and_table() {
        let place = TempDatabase::new();
        append(&place.db, &access()).unwrap();
        append(
            &place.db,
            &Access {
                error: Some("error[E020]: x".into()),
                ..access()
            },
        )
        .unwrap();
        let columns = "SELECT group_concat(name || ' ' || type || ' ' || pk, ', ')
            FROM pragma_table_xinfo('access_log')";
        assert_eq!(
            place.text(columns),
            "id INTEGER 1, timestamp TEXT 0, run_id TEXT 0, command TEXT 0, skill TEXT 0, \
             skill_path TEXT 0, cwd TEXT 0, args TEXT 0, error TEXT 0"
        );
        let rows = "SELECT group_concat(concat_ws('|', id, timestamp, run_id, command, skill,
            skill_path, cwd, args, quote(error)), char(10)) FROM access_log";
        let row = r#"2026-01-31T08:15:00Z|20260131T081500Z-00ff|show|demo|/s/demo|/w|{"section":"Usage","file":"a.md","max_lines":null}"#;
        assert_eq!(
            place.text(rows),
            format!("1|{row}|NULL\n2|{row}|'error[E020]: x'")
        );
        assert_eq!(
            place.text("SELECT cast(user_version AS text) FROM pragma_user_version"),
            "1"
        );
        let table = place.text("SELECT sql FROM sqlite_schema WHERE name = 'access_log'");
        assert!(table.contains("PRIMARY KEY AUTOINCREMENT"), "{table}");
    }

    #[test]
    fn no_side_files_remain_next_to_the_log() {
        let place = TempDatabase::new();
        append(&place.db, &access()).unwrap();
        let beside = place.db.parent().unwrap().read_dir().unwrap();
        assert_eq!(beside.count(), 1);
    }

    #[test]
    fn the_index_is_used_for_queries_on_what_was_read() {
        let place = TempDatabase::new();
        append(&place.db, &access()).unwrap();
        let connection = Connection::open(&place.db).unwrap();
        let query = format!(
            "EXPLAIN QUERY PLAN SELECT {FILE}, {SECTION}, count(*) FROM access_log
             INDEXED BY idx_access_log_target WHERE command IN ('show', 'open') AND error IS NULL GROUP BY 1, 2"
        );
        let plan: String = connection
            .query_row(&query, [], |row| row.get("detail"))
            .unwrap();
        assert!(plan.contains("USING INDEX idx_access_log_target"), "{plan}");
    }

    #[test]
    fn arguments_that_are_not_json_can_be_logged() {
        let place = TempDatabase::new();
        for args in ["", "{", "[1]", "{\"file\":3}", "null"] {
            append(
                &place.db,
                &Access {
                    args: args.into(),
                    ..access()
                },
            )
            .unwrap();
        }
        assert_eq!(place.count(), "5");
    }

    #[test]
    fn a_log_without_a_version_is_migrated() {
        let place = TempDatabase::with(
            "CREATE TABLE access_log(id INTEGER PRIMARY KEY, timestamp TEXT NOT NULL, command TEXT NOT NULL, args TEXT);
             INSERT INTO access_log VALUES(7, '2025-01-01T00:00:00.123+00:00', 'open', '{');",
        );
        append(&place.db, &access()).unwrap();
        assert_eq!(
            place.text("SELECT group_concat(id || coalesce(skill_path, '-')) FROM access_log"),
            "7-,8/s/demo"
        );
        assert_eq!(
            place.text("SELECT cast(user_version AS text) FROM pragma_user_version"),
            "1"
        );
    }

    #[test]
    fn rows_are_appended_to_a_newer_log_without_changing_its_version() {
        let place = TempDatabase::new();
        append(&place.db, &access()).unwrap();
        place.run("ALTER TABLE access_log ADD COLUMN agent TEXT; PRAGMA user_version = 9;");
        append(&place.db, &access()).unwrap();
        assert_eq!(place.count(), "2");
        assert_eq!(
            place.text("SELECT cast(user_version AS text) FROM pragma_user_version"),
            "9"
        );
    }

    #[test]
    fn files_that_are_not_logs_are_left_unchanged() {
        let foreign = [
            "CREATE TABLE other(x);",
            "CREATE TABLE access_log(host TEXT, status INTEGER);",
            "CREATE VIEW access_log AS SELECT 1 AS timestamp, 2 AS command;",
            "PRAGMA user_version = 3; CREATE TABLE other(x);",
        ];
        for sql in foreign {
            let place = TempDatabase::with(sql);
            let before = fs::read(&place.db).unwrap();
            append(&place.db, &access()).unwrap_err();
            assert_eq!(fs::read(&place.db).unwrap(), before, "{sql}");
        }
    }

    #[test]
    fn a_damaged_log_is_left_unchanged() {
        let place = TempDatabase::new();
        append(&place.db, &access()).unwrap();
        let whole = fs::read(&place.db).unwrap();
        let mut holes = whole.clone();
        holes[100..8192].fill(0x5a);
        for bytes in [
            b"x".to_vec(),
            b"not a database".repeat(100),
            whole[..whole.len() / 2].to_vec(),
            holes,
        ] {
            fs::write(&place.db, &bytes).unwrap();
            append(&place.db, &access()).unwrap_err();
            assert_eq!(fs::read(&place.db).unwrap(), bytes);
        }
    }

    #[test]
    fn an_empty_file_becomes_a_log() {
        let place = TempDatabase::new();
        fs::create_dir_all(place.db.parent().unwrap()).unwrap();
        fs::write(&place.db, "").unwrap();
        append(&place.db, &access()).unwrap();
        assert_eq!(place.count(), "1");
    }

    #[test]
    fn a_log_with_other_schema_objects_is_left_unchanged() {
        for sql in [
            "CREATE TRIGGER t AFTER INSERT ON access_log BEGIN DELETE FROM access_log; END;",
            "CREATE VIEW v AS SELECT 1;",
            "CREATE TABLE more(x);",
            "CREATE INDEX i ON access_log(lower(args));",
            "CREATE UNIQUE INDEX i ON access_log(command);",
            "ALTER TABLE access_log ADD COLUMN agent TEXT AS (lower(args));",
        ] {
            let place = TempDatabase::new();
            append(&place.db, &access()).unwrap();
            place.run(sql);
            let before = fs::read(&place.db).unwrap();
            append(&place.db, &access()).unwrap_err();
            assert_eq!(fs::read(&place.db).unwrap(), before, "{sql}");
        }
    }

    /// Tests a CHECK constraint that runs for hours with little memory, and another that allocates a gigabyte.
    #[test]
    fn expressions_in_a_schema_are_not_evaluated() {
        let columns = "id INTEGER PRIMARY KEY, timestamp TEXT, command TEXT, args TEXT";
        let endless = "instr(hex(zeroblob(10000000)), hex(zeroblob(4000000)) || '1') = 0";
        let huge = "length(zeroblob(900000000)) > 0";
        for evil in [endless, huge] {
            for sql in [
                format!("CREATE TABLE access_log({columns}, CHECK ({evil}))"),
                format!("CREATE TABLE access_log({columns}, run_id TEXT AS ({evil}))"),
                format!("CREATE TABLE access_log({columns}, run_id TEXT DEFAULT ({evil}))"),
                format!("CREATE TABLE access_log({columns}); CREATE INDEX i ON access_log({evil})"),
                format!(
                    "CREATE TABLE access_log({columns}); CREATE INDEX i ON access_log(id) WHERE {evil}"
                ),
                // SQLite reads this table when loading the schema.
                format!(
                    "CREATE TABLE access_log({columns}); PRAGMA writable_schema = ON;
                     CREATE TABLE stat1(x, idx, stat); INSERT INTO stat1(x) VALUES (1), (2);
                     UPDATE sqlite_schema SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1',
                        sql = 'CREATE TABLE sqlite_stat1(x, tbl AS ({}), idx, stat)' WHERE name = 'stat1'",
                    evil.replace('\'', "''")
                ),
            ] {
                let place = TempDatabase::with(&sql);
                let before = fs::read(&place.db).unwrap();
                append(&place.db, &access()).unwrap_err();
                let opened = crate::AccessLog::open(&place.db, BUSY_WAIT, &Stop::default());
                assert_eq!(opened.err(), Some(crate::LogUnusable::Foreign), "{sql}");
                assert_eq!(fs::read(&place.db).unwrap(), before, "{sql}");
            }
        }
    }

    /// Tests logs of a few kilobytes that seem to contain more rows than any program can read.
    #[test]
    fn a_log_that_uses_pages_twice_is_not_read() {
        let wait = Duration::from_secs(1);
        for version in [0, 1] {
            let place = TempDatabase::with(&format!(
                "CREATE TABLE access_log(id INTEGER PRIMARY KEY, timestamp TEXT, command TEXT, args TEXT);
                 INSERT INTO access_log VALUES(1, '2026-01-31T08:15:00Z', 'show', '{{}}');
                 PRAGMA user_version = {version};"
            ));
            share_pages(&place.db, "access_log");
            let before = fs::read(&place.db).unwrap();
            let damaged = Some(crate::LogUnusable::Damaged);
            let opened = crate::AccessLog::open(&place.db, wait, &Stop::default());
            assert_eq!(opened.err(), damaged);
            let (now, stop) = (access().timestamp, Stop::default());
            let counted = count_before(&place.db, now, wait, &stop, |_| true);
            assert_eq!(counted.err(), damaged);
            let deleted = delete_before(&place.db, now, wait, &stop, |_| true, || true);
            assert_eq!(deleted.err(), damaged);
            append(&place.db, &access()).unwrap_err();
            assert!(fs::read(&place.db).unwrap() == before, "{version}");
        }
    }

    #[test]
    fn a_row_is_not_appended_if_the_next_id_cannot_be_found() {
        let place = TempDatabase::new();
        append(&place.db, &access()).unwrap();
        place.run("UPDATE sqlite_sequence SET name = 'other'");
        share_pages(&place.db, "sqlite_sequence");
        let before = fs::read(&place.db).unwrap();
        append(&place.db, &access()).unwrap_err();
        assert!(fs::read(&place.db).unwrap() == before);
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_in_place_of_the_log_is_not_followed() {
        let place = TempDatabase::new();
        let dir = place.db.parent().unwrap();
        fs::create_dir_all(dir).unwrap();
        let target = dir.join("elsewhere");
        std::os::unix::fs::symlink(&target, &place.db).unwrap();
        append(&place.db, &access()).unwrap_err();
        assert!(!target.exists());
        fs::write(&target, "").unwrap();
        append(&place.db, &access()).unwrap_err();
        assert_eq!(fs::read(&target).unwrap(), b"");
    }

    #[test]
    fn a_directory_in_place_of_the_log_is_an_error() {
        let place = TempDatabase::new();
        fs::create_dir_all(&place.db).unwrap();
        append(&place.db, &access()).unwrap_err();
        assert_eq!(place.db.read_dir().unwrap().count(), 0);
    }
}
