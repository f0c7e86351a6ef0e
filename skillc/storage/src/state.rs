//! The state file, opened: what skillc remembers of its own doings, one database for everything on a machine.
//!
//! Several servers write to it at once and for long, and it is read meanwhile, so it keeps a log of changes beside it
//! (`-wal`). Nothing waits for the disk: a killed process loses no row, a power cut may lose the last ones. What is
//! there and is not ours, or younger than this program, is not changed in any way.
//!
//! Source: CATALOG §3.8.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use crate::access_log::{BUSY_WAIT, LogFault, check_file};
use crate::local_lock::LocalLock;

/// What brings a file from each version to the next.
const MIGRATIONS: [&str; 1] = [include_str!("schema/state_v1.sql")];

/// The version of a file that has all of them, in `PRAGMA user_version`.
pub(crate) const VERSION: i64 = 1;

/// How many pages the log of changes grows to before they go into the file. Four for each row: few enough that no row waits
/// long for it.
const PAGES_BESIDE: u32 = 250;

/// What the database library keeps beside a file.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Which file it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl FileId {
    /// Returns the id of the file at a path; `None` if there is none. Where files have no number, all are the same: an open
    /// one cannot be removed there.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().map(|found| Self::of(&found))
    }

    #[cfg(unix)]
    fn of(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            device: found.dev(),
            inode: found.ino(),
        }
    }

    #[cfg(not(unix))]
    fn of(_found: &Metadata) -> Self {
        Self {}
    }
}

/// Opens the state file for writing, brought to the current schema; makes it if it is not there. Returns with it which file
/// that is.
///
/// # Errors
/// Whatever keeps it from being written. It is then as it was.
pub(crate) fn open(db: &Path) -> Result<(Connection, Option<FileId>), LogFault> {
    let folder = db.parent().unwrap_or(db);
    fs::create_dir_all(folder)?;
    // One at a time: what lies beside a missing file is removed, and must not be that of one just made.
    let _lock = LocalLock::take(folder, BUSY_WAIT)?;
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    match db.symlink_metadata() {
        Ok(there) => check_file(&there)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            clear_beside(db)?;
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        Err(error) => return Err(error.into()),
    }
    let mut connection = Connection::open_with_flags(db, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    guard(&connection)?;
    connection.execute_batch("PRAGMA synchronous = OFF")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    migrate(&mut connection)?;
    check_table(&connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    // A file system that has no shared memory says no, and the file stays as it is.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    let often = format!("PRAGMA wal_autocheckpoint = {PAGES_BESIDE}");
    connection.query_row(&often, [], |_| Ok(()))?;
    Ok((connection, FileId::at(db)))
}

/// Takes away from a file of unknown origin what it could do with the program that opens it.
pub(crate) fn guard(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(())
}

/// Returns the version of the schema; 0 where there is none.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Says whether a database has nothing in it.
pub(crate) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Says whether there is a plain table `audit`: no view, no table made up by a module.
pub(crate) fn has_audit(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT type = 'table' AND NOT wr FROM pragma_table_list
        WHERE schema = 'main' AND name = 'audit'";
    let found: Option<bool> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(false))
}

/// Brings a file to the current version, in one step.
fn migrate(connection: &mut Connection) -> Result<(), LogFault> {
    if check_version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = check_version(&transaction)?;
    if version == 0 && !is_empty(&transaction)? {
        return Err(LogFault("the database is not ours".to_owned()));
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
        version => Err(LogFault(format!(
            "its version {version} is newer than {VERSION}"
        ))),
    }
}

fn check_table(connection: &Connection) -> Result<(), LogFault> {
    if has_audit(connection)? {
        Ok(())
    } else {
        Err(LogFault("the database is not ours".to_owned()))
    }
}

/// Removes what a database that is gone has left: the next one of its name would take it for its own.
fn clear_beside(db: &Path) -> io::Result<()> {
    for suffix in BESIDE {
        let mut name = db.as_os_str().to_owned();
        name.push(suffix);
        match fs::remove_file(PathBuf::from(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
