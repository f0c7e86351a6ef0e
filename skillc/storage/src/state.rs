//! Opens the state file: one database per user for everything that skillc records about its own activity.
//!
//! Several long-lived servers write to it while other processes read it, so it uses a write-ahead log (`-wal`). Writes
//! are not synced to disk: a killed process loses no rows, but a power failure may lose the last rows. A file that
//! belongs to another program, or is newer than this program, is never changed.
//!
//! Design: catalog-files.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use skillc_core::Stop;

use crate::access_log::{BUSY_WAIT, LogFault, check_file, has_files_beside};
use crate::access_stats::{self, LogUnusable, connect};
use crate::db::{IfMissing, open_shared};
use crate::limits::Guarded;
use crate::local_lock::{LocalLock, TooLong};
use crate::private::{make_private_dirs, make_private_file};
use crate::schema_check::{Allowed, Schema, statements};
use crate::sidecar::{BESIDE, beside};

/// How long to wait for other writers before a row is written. The time is short because the client is waiting for the
/// answer to its call.
const ROW_WAIT: Duration = Duration::from_secs(1);

/// The migration from each version to the next.
const MIGRATIONS: [&str; 2] = [
    include_str!("schema/state_v1.sql"),
    include_str!("schema/state_v2.sql"),
];

/// The version after all migrations, stored in `PRAGMA user_version`.
const VERSION: i64 = 2;

/// The columns of the table `audit`.
pub(crate) const COLUMNS: &str = "id, phase, call_id, ts, run_id, tool, cwd, args,
    ok, error_code, error_message, duration_ms, result_bytes, result_sha256, warnings";

/// The number of WAL pages between checkpoints. A row takes about four pages. The number is small, so that no row waits
/// long for a checkpoint.
const PAGES_BESIDE: u32 = 250;

/// Why an existing state file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateUnusable {
    /// A newer version of the program created the file.
    Newer,
    /// The file is not a database, or it is corrupt.
    Damaged,
    /// The file is the database of another program, or not a regular file.
    Foreign,
    /// Another program keeps the file locked.
    Busy,
    /// The operating system denies access.
    Denied,
    /// The file is too large to be read before the deadline, or the call was cancelled.
    Interrupted,
}

impl StateUnusable {
    /// Returns the reason, worded to follow `reading '…':`.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Newer => "it was created by a newer version of skc",
            Self::Damaged => LogUnusable::Damaged.reason(),
            Self::Foreign => "it is not an audit log",
            Self::Busy => LogUnusable::Busy.reason(),
            Self::Denied => LogUnusable::Denied.reason(),
            Self::Interrupted => LogUnusable::Interrupted.reason(),
        }
    }
}

impl From<rusqlite::Error> for StateUnusable {
    fn from(error: rusqlite::Error) -> Self {
        // A column is missing.
        if matches!(error, rusqlite::Error::SqlInputError { .. }) {
            return Self::Foreign;
        }
        match LogUnusable::from(error) {
            LogUnusable::Damaged => Self::Damaged,
            LogUnusable::Interrupted => Self::Interrupted,
            LogUnusable::Foreign => Self::Foreign,
            LogUnusable::Busy => Self::Busy,
            LogUnusable::Denied | LogUnusable::NoFolder => Self::Denied,
        }
    }
}

/// The identity of a file, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl FileId {
    /// Returns the id of the file at a path; `None` if no file exists there. On systems without inode numbers, all ids
    /// are equal, which is safe because an open file cannot be removed there.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        path.symlink_metadata()
            .ok()
            .map(|found| Self::from_metadata(&found))
    }

    #[cfg(unix)]
    fn from_metadata(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            device: found.dev(),
            inode: found.ino(),
        }
    }

    #[cfg(not(unix))]
    fn from_metadata(_found: &Metadata) -> Self {
        Self {}
    }
}

pub(crate) struct StateFile {
    pub(crate) connection: Guarded,
    file: Option<FileId>,
    /// The identities of its sidecar files.
    beside: [Option<FileId>; BESIDE.len()],
}

impl StateFile {
    pub(crate) fn is_at(&self, db: &Path) -> bool {
        self.file.is_some() && self.file == FileId::at(db)
    }
}

/// A database that this process has opened for writing, and a lock that keeps all other skc processes from opening it
/// for writing.
pub(crate) struct Claimed {
    /// A connection whose schema has not been checked yet.
    pub(crate) connection: Guarded,
    /// Whether the WAL contains changes that are not yet in the file.
    pub(crate) has_changes: bool,
    pub(crate) lock: LocalLock,
}

/// Opens a database for writing without checking its schema. Creates an empty file if the file does not exist.
/// `leftovers`: the sidecar files of the previously opened database. `wait`: the timeout for the lock. `check`: rejects
/// a path that leads to anything other than a database file.
///
/// # Errors
/// Returns an error if the database cannot be opened.
pub(crate) fn claim<E>(
    db: &Path,
    leftovers: [Option<FileId>; BESIDE.len()],
    wait: Duration,
    check: impl FnOnce(&Metadata) -> Result<(), E>,
) -> Result<Claimed, E>
where
    E: From<io::Error> + From<TooLong> + From<rusqlite::Error>,
{
    let folder = db.parent().unwrap_or(db);
    make_private_dirs(folder)?;
    // Only one process at a time may continue. Otherwise, removing the sidecar files of a deleted database could also
    // remove those of the database that replaces it, or another process could open a file that is about to be removed.
    let lock = LocalLock::take(folder, wait, &Stop::default())?;
    let mut if_missing = IfMissing::Fail;
    match db.symlink_metadata() {
        Ok(there) => check(&there)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if_missing = IfMissing::Create;
        }
        Err(error) => return Err(error.into()),
    }
    clear_beside(db, leftovers)?;
    if if_missing == IfMissing::Create {
        make_private_file(db)?;
    }
    let has_changes = has_changes(db);
    Ok(Claimed {
        connection: Guarded::new(open_shared(db, if_missing)?, &Stop::default())?,
        has_changes,
        lock,
    })
}

/// Opens the state file for writing and migrates it to the current schema. Creates the file if it does not exist.
/// `old`: the state file that was open until another file replaced it at this path.
///
/// # Errors
/// Returns an error if the file cannot be written. The file is then unchanged.
pub(crate) fn open(db: &Path, old: Option<StateFile>) -> Result<StateFile, LogFault> {
    let leftovers = old.map(|old| old.beside).unwrap_or_default();
    let Claimed {
        mut connection,
        has_changes,
        lock: _lock,
    } = claim::<LogFault>(db, leftovers, BUSY_WAIT, check_file)?;
    // `SQLite` opens the sidecar files only when it reads the database, so they can still be checked first.
    if !has_files_beside(db) {
        return Err(not_ours());
    }
    connection.busy_timeout(ROW_WAIT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_changes)?;
    check_version(&connection)?;
    if !is_ours(&Schema::read(&connection)?) {
        return Err(not_ours());
    }
    connection.admit()?;
    connection.execute_batch("PRAGMA synchronous = OFF")?;
    migrate(&mut connection)?;
    check_table(&connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    // If WAL is unavailable, for example on a file system without shared memory, `SQLite` keeps the rollback journal.
    let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
    drop(mode);
    // The first query creates the sidecar files, whose identities are recorded below.
    check_version(&connection)?;
    let often = format!("PRAGMA wal_autocheckpoint = {PAGES_BESIDE}");
    connection.query_row(&often, [], |_| Ok(()))?;
    Ok(StateFile {
        connection,
        file: FileId::at(db),
        beside: BESIDE.map(|suffix| FileId::at(&beside(db, suffix))),
    })
}

/// Opens the state file for reading. Does not change the file, even if a killed server has left changes in the WAL.
/// Returns `None` if the file does not exist or is empty. `stop`: cancels reading.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub(crate) fn open_to_read(db: &Path, stop: &Stop) -> Result<Option<Guarded>, StateUnusable> {
    match db.metadata() {
        Ok(found) if !found.is_file() => return Err(StateUnusable::Foreign),
        Ok(_) => {}
        Err(error) if is_absent(&error) => return Ok(None),
        Err(_) => return Err(StateUnusable::Denied),
    }
    // `SQLite` would block if a sidecar file were a pipe.
    if !has_files_beside(db) {
        return Err(StateUnusable::Foreign);
    }
    let has_changes = has_changes(db);
    let (connection, schema) = connect(db, access_stats::BUSY_WAIT, stop)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_changes)?;
    if schema.is_empty() {
        return Ok(None);
    }
    if !has_audit(&connection)? {
        return Err(StateUnusable::Foreign);
    }
    if version(&connection)? > VERSION {
        return Err(StateUnusable::Newer);
    }
    if !is_ours(&schema) {
        return Err(StateUnusable::Foreign);
    }
    connection.admit_to_read(db)?;
    Ok(Some(connection))
}

/// Returns whether the schema contains only tables of the state file, plain indexes, and the state file's own indexes.
fn is_ours(schema: &Schema) -> bool {
    let statements: Vec<String> = MIGRATIONS.iter().copied().flat_map(statements).collect();
    schema.holds_only(&Allowed {
        tables: &["audit", "run_loads"],
        statements: &statements,
    })
}

/// Returns the version of the schema; 0 if it has no version.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

pub(crate) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Returns whether `audit` is a plain table, not a view or a virtual table.
fn has_audit(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT type = 'table' AND NOT wr FROM pragma_table_list
        WHERE schema = 'main' AND name = 'audit'";
    let found: Option<bool> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(false))
}

/// Migrates a file to the current version, in one transaction.
fn migrate(connection: &mut Connection) -> Result<(), LogFault> {
    if check_version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = check_version(&transaction)?;
    if version == 0 && !is_empty(&transaction)? {
        return Err(not_ours());
    }
    if version > 0 {
        // The version alone does not show that the database is ours, and a foreign database must not be migrated.
        check_table(&transaction)?;
    }
    let done = usize::try_from(version).unwrap_or_default();
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    transaction.execute_batch(&format!("PRAGMA user_version = {VERSION}"))?;
    transaction.commit()?;
    Ok(())
}

fn check_version(connection: &Connection) -> Result<i64, LogFault> {
    match version(connection)? {
        version @ 0..=VERSION => Ok(version),
        _ if has_audit(connection)? => Err(LogFault(StateUnusable::Newer.reason().to_owned())),
        _ => Err(not_ours()),
    }
}

fn not_ours() -> LogFault {
    LogFault(StateUnusable::Foreign.reason().to_owned())
}

/// Checks that the table `audit` exists with all of its columns.
fn check_table(connection: &Connection) -> Result<(), LogFault> {
    if !has_audit(connection)? {
        return Err(not_ours());
    }
    match connection.prepare(&format!("SELECT {COLUMNS} FROM audit")) {
        Err(rusqlite::Error::SqlInputError { .. }) => Err(not_ours()),
        other => other.map(drop).map_err(LogFault::from),
    }
}

/// Returns whether a database has a non-empty WAL. If it has, `NO_CKPT_ON_CLOSE` must be set; otherwise, the last
/// connection to close would checkpoint the WAL. If it has none, `NO_CKPT_ON_CLOSE` must not be set; otherwise, the
/// last connection to close would leave an empty WAL behind.
pub(crate) fn has_changes(db: &Path) -> bool {
    let changes = beside(db, "-wal").metadata();
    changes.is_ok_and(|changes| changes.len() > 0)
}

/// Removes the sidecar files of a deleted database if they still exist: otherwise, `SQLite` would use them for the next
/// database at this path.
pub(crate) fn clear_beside(db: &Path, leftovers: [Option<FileId>; BESIDE.len()]) -> io::Result<()> {
    for (suffix, left) in BESIDE.iter().zip(leftovers) {
        let path = beside(db, suffix);
        if left.is_some() && left == FileId::at(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Returns whether an error means that no file exists at the path (or that none can exist, because a parent is not a
/// directory).
pub(crate) fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sidecar::JOURNAL;

    use crate::audit_log::AuditLog;
    use crate::audit_testkit::{TempDatabase, begun};

    #[test]
    fn the_first_row_creates_folder_file_and_table() {
        let place = TempDatabase::new();
        place.log().enter(&begun("c1")).unwrap();
        let columns =
            "SELECT concat_ws(' ', name, type, \"notnull\", pk) FROM pragma_table_xinfo('audit')";
        assert_eq!(
            place.text(columns),
            "id INTEGER 0 1\ncall_id TEXT 1 0\nphase TEXT 1 0\nts TEXT 1 0\nrun_id TEXT 1 0\n\
             tool TEXT 1 0\ncwd TEXT 1 0\nargs TEXT 0 0\nok INTEGER 0 0\nerror_code TEXT 0 0\n\
             error_message TEXT 0 0\nduration_ms REAL 0 0\nresult_bytes INTEGER 0 0\n\
             result_sha256 TEXT 0 0\nwarnings TEXT 0 0"
        );
        let indexes =
            "SELECT name || ' ' || (SELECT group_concat(name) FROM pragma_index_info(i.name))
            FROM pragma_index_list('audit') i ORDER BY name";
        assert_eq!(
            place.text(indexes),
            "idx_audit_call call_id\nidx_audit_tool_ts tool,ts"
        );
        let sql = place.text("SELECT sql FROM sqlite_schema WHERE name = 'audit'");
        for words in [
            "PRIMARY KEY AUTOINCREMENT",
            "CHECK (phase IN ('enter','exit'))",
        ] {
            assert!(sql.contains(words), "{sql}");
        }
        let settings = "SELECT user_version || ' ' || journal_mode
            FROM pragma_user_version, pragma_journal_mode";
        assert_eq!(place.text(settings), "2 wal");
    }

    #[test]
    fn a_closed_log_is_one_file() {
        let place = TempDatabase::new();
        place.log().enter(&begun("c1")).unwrap();
        assert_eq!(place.files().len(), 1);
    }

    #[test]
    fn an_empty_file_becomes_a_log() {
        let place = TempDatabase::new();
        place.make_folder();
        fs::write(&place.db, "").unwrap();
        place.log().enter(&begun("c1")).unwrap();
        assert_eq!(place.ids(), "c1");
    }

    #[test]
    fn rows_of_a_killed_server_are_kept() {
        let place = TempDatabase::new();
        let mut log = place.log();
        log.enter(&begun("c1")).unwrap();
        // A killed process leaves the file and its WAL.
        let files = place.files();
        drop(log);
        for (path, bytes) in files {
            fs::write(path, bytes).unwrap();
        }
        place.log().enter(&begun("c2")).unwrap();
        assert_eq!(place.ids(), "c1,c2");
    }

    #[test]
    fn newer_and_foreign_files_are_left_unchanged() {
        let newer = include_str!("schema/state_v1.sql").to_owned()
            + "ALTER TABLE audit ADD COLUMN agent TEXT; PRAGMA user_version = 3;";
        let cases = [
            (&*newer, "it was created by a newer version of skc"),
            ("CREATE TABLE other(x);", "it is not an audit log"),
            ("CREATE TABLE audit(x);", "it is not an audit log"),
            (
                "CREATE TABLE other(x); PRAGMA user_version = 7;",
                "it is not an audit log",
            ),
            (
                "CREATE TABLE other(x); PRAGMA user_version = 1;",
                "it is not an audit log",
            ),
            (
                "CREATE VIEW audit AS SELECT 1 AS call_id; PRAGMA user_version = 1;",
                "it is not an audit log",
            ),
            (
                "CREATE TABLE audit(x); PRAGMA user_version = 1;",
                "it is not an audit log",
            ),
        ];
        for (sql, reason) in cases {
            for mode in ["DELETE", "WAL"] {
                let place = TempDatabase::with(&format!("PRAGMA journal_mode = {mode}; {sql}"));
                let before = place.files();
                let fault = AuditLog::open(&place.db).err().expect(sql).to_string();
                assert!(fault.starts_with(reason), "{sql}: {fault}");
                assert!(place.files() == before, "{mode} {sql}");
            }
        }
    }

    #[test]
    fn a_damaged_file_is_left_unchanged() {
        let place = TempDatabase::new();
        place.log().enter(&begun("c1")).unwrap();
        let whole = fs::read(&place.db).unwrap();
        let mut holes = whole.clone();
        holes[100..4096].fill(0x5a);
        for bytes in [
            b"x".to_vec(),
            b"not a database".repeat(100),
            whole[..whole.len() / 2].to_vec(),
            holes,
        ] {
            fs::write(&place.db, &bytes).unwrap();
            AuditLog::open(&place.db).err().expect("a fault");
            assert!(fs::read(&place.db).unwrap() == bytes);
        }
    }

    #[test]
    fn a_file_with_a_trigger_is_not_written() {
        let place = TempDatabase::new();
        place.log().enter(&begun("c1")).unwrap();
        place.run("CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM audit; END;");
        let fault = AuditLog::open(&place.db).err().unwrap();
        assert_eq!(fault.to_string(), "it is not an audit log");
        assert_eq!(place.ids(), "c1");
    }

    #[test]
    fn a_file_with_a_journal_that_enlarges_it_is_not_written() {
        let place = TempDatabase::new();
        drop(place.log());
        let mut journal: Vec<u8> = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
        for number in [0, 0, 1_u32 << 31, 512, 4096] {
            journal.extend(number.to_be_bytes());
        }
        journal.resize(512, 0);
        fs::write(beside(&place.db, JOURNAL), journal).unwrap();
        let before = place.files();
        AuditLog::open(&place.db).err().unwrap();
        assert_eq!(
            open_to_read(&place.db, &Stop::default()).err(),
            Some(StateUnusable::Foreign)
        );
        assert!(place.files() == before);
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_in_place_of_the_file_is_not_followed() {
        let place = TempDatabase::new();
        place.make_folder();
        let target = place.folder().join("elsewhere");
        std::os::unix::fs::symlink(&target, &place.db).unwrap();
        AuditLog::open(&place.db).err().expect("a fault");
        assert!(!target.exists());
        fs::write(&target, "").unwrap();
        AuditLog::open(&place.db).err().expect("a fault");
        assert_eq!(fs::read(&target).unwrap(), b"");
    }

    #[test]
    fn a_directory_in_place_of_the_file_is_an_error() {
        let place = TempDatabase::new();
        fs::create_dir_all(&place.db).unwrap();
        AuditLog::open(&place.db).err().expect("a fault");
        assert_eq!(place.db.read_dir().unwrap().count(), 0);
    }
}
