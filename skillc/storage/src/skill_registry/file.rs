//! Opens, creates and migrates the file of a skill registry.

use std::fs::Metadata;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, TransactionBehavior};

use super::RegistryTrouble;
use super::read::fold;
use skillc_core::Stop;

use crate::access_log::has_files_beside;
use crate::access_stats::{BUSY_WAIT, connect};
use crate::limits::Guarded;
use crate::schema_check::{Allowed, Schema, statements};
use crate::sidecar::{BESIDE, beside};
use crate::state::{Claimed, FileId, claim, has_changes, is_absent, is_empty, version};

/// How long to wait for other processes.
pub(super) const WAIT: Duration = Duration::from_secs(5);

/// The migration from each version to the next.
const MIGRATIONS: [&str; 2] = [
    include_str!("../schema/registry_v1.sql"),
    include_str!("../schema/registry_v2.sql"),
];

/// The version after all migrations, stored in `PRAGMA user_version`.
const VERSION: i64 = 2;

/// The name of each table, the version that introduced the table, and its columns.
const TABLES: [(&str, i64, &str); 4] = [
    ("skills", 1, super::rows::SKILL_COLUMNS),
    ("skill_sources", 1, super::rows::SOURCE_COLUMNS),
    ("registry_meta", 1, "key, value"),
    (HEADS, 2, super::rows::HEAD_COLUMNS),
];

/// The table with the search data, which does not exist in version 1.
pub(super) const HEADS: &str = "skill_heads";

/// The size of the smallest non-empty database, in bytes.
const LEAST_BYTES: u64 = 512;

/// The open database of a registry.
pub(super) struct OpenFile {
    pub(super) connection: Guarded,
    /// Set if the file was opened for writing.
    writable: Option<Writable>,
}

/// The identity of a file that is open for writing.
#[derive(Clone, Copy)]
struct Writable {
    file: Option<FileId>,
    beside: [Option<FileId>; BESIDE.len()],
}

impl OpenFile {
    /// Returns whether the registry is open for writing, and its file is still at its path.
    pub(super) fn can_be_written_at(&self, db: &Path) -> bool {
        let file = self.writable.and_then(|writable| writable.file);
        file.is_some() && file == FileId::at(db)
    }
}

/// Opens a registry for writing. `old`: the registry that was open before. `wait`: the timeout for locks, during this
/// call and afterwards.
pub(super) fn open(
    db: &Path,
    old: Option<OpenFile>,
    wait: Duration,
) -> Result<OpenFile, RegistryTrouble> {
    let leftovers = old.and_then(|old| old.writable);
    let leftovers = leftovers.map_or_else(Default::default, |writable| writable.beside);
    let Claimed {
        mut connection,
        has_changes,
        lock: _lock,
    } = claim::<RegistryTrouble>(db, leftovers, wait, check_file)?;
    // `SQLite` opens the sidecar files only when it reads the database, so they can still be checked first.
    if !has_files_beside(db) {
        return Err(RegistryTrouble::Foreign);
    }
    // Without write access, `SQLite` falls back to read-only access without an error.
    if connection.is_readonly("main")? {
        return Err(RegistryTrouble::Denied);
    }
    connection.busy_timeout(wait)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_changes)?;
    check_version(&connection)?;
    let schema = Schema::read(&connection)?;
    if !holds_only_ours(&schema) {
        return Err(if holds_only_ours(&schema.without_triggers()) {
            RegistryTrouble::Triggers
        } else {
            RegistryTrouble::Foreign
        });
    }
    connection.admit()?;
    prepare(&connection, wait)?;
    migrate(&mut connection)?;
    check_tables(&connection, VERSION)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    // If WAL is unavailable, for example on a file system without shared memory, readers and writers wait for each
    // other.
    let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
    drop(mode);
    // The first query creates the sidecar files, whose identities are recorded below.
    check_version(&connection)?;
    Ok(OpenFile {
        connection,
        writable: Some(Writable {
            file: FileId::at(db),
            beside: BESIDE.map(|suffix| FileId::at(&beside(db, suffix))),
        }),
    })
}

/// Opens a registry for reading, even one of an older version. Returns `None` if the file does not exist or is empty.
pub(super) fn open_to_read(db: &Path) -> Result<Option<OpenFile>, RegistryTrouble> {
    match db.metadata() {
        Ok(found) => check_file(&found)?,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(_) => return Err(RegistryTrouble::Denied),
    }
    if !has_files_beside(db) {
        return Err(RegistryTrouble::Foreign);
    }
    let has_changes = has_changes(db);
    let (connection, schema) = connect(db, BUSY_WAIT, &Stop::default())?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_changes)?;
    if schema.is_empty() {
        return Ok(None);
    }
    let version = check_version(&connection)?;
    // Ignore triggers: they do not run while rows are read, and a sync rejects a file with triggers.
    if !holds_only_ours(&schema.without_triggers()) {
        return Err(RegistryTrouble::Foreign);
    }
    connection.admit_to_read(db)?;
    prepare(&connection, WAIT)?;
    check_tables(&connection, version)?;
    Ok(Some(OpenFile {
        connection,
        writable: None,
    }))
}

/// Creates a registry without a file.
pub(super) fn in_memory() -> Result<OpenFile, RegistryTrouble> {
    let mut connection = Guarded::new(Connection::open_in_memory()?, &Stop::default())?;
    connection.admit()?;
    prepare(&connection, WAIT)?;
    migrate(&mut connection)?;
    Ok(OpenFile {
        connection,
        writable: None,
    })
}

/// Configures a connection, and registers the function that folds case.
fn prepare(connection: &Connection, wait: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(wait)?;
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL;
         PRAGMA temp_store = MEMORY;",
    )?;
    let limit = "PRAGMA journal_size_limit = 4194304";
    connection.query_row(limit, [], |_| Ok(()))?;
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("skc_fold", 1, flags, |call| {
        Ok(match call.get_raw(0) {
            ValueRef::Text(text) => Some(fold(&String::from_utf8_lossy(text))),
            _ => None,
        })
    })
}

/// Rejects anything but a regular file. Also rejects a non-empty file that is so short that `SQLite` would treat it as
/// a new database and overwrite it. A caller that writes does not follow symlinks, because they may lead anywhere.
fn check_file(there: &Metadata) -> Result<(), RegistryTrouble> {
    if !there.is_file() {
        Err(RegistryTrouble::Foreign)
    } else if (1..LEAST_BYTES).contains(&there.len()) {
        Err(RegistryTrouble::Damaged)
    } else {
        Ok(())
    }
}

/// Migrates a file to the current version, in one transaction.
fn migrate(connection: &mut Connection) -> Result<(), RegistryTrouble> {
    if check_version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = check_version(&transaction)?;
    if !is_empty(&transaction)? {
        check_tables(&transaction, version)?;
    }
    let done = usize::try_from(version).unwrap_or_default();
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    transaction.execute_batch(&format!("PRAGMA user_version = {VERSION}"))?;
    transaction.commit()?;
    Ok(())
}

fn check_version(connection: &Connection) -> Result<i64, RegistryTrouble> {
    match version(connection)? {
        version @ 0..=VERSION => Ok(version),
        _ if is_ours(connection)? => Err(RegistryTrouble::Newer),
        _ => Err(RegistryTrouble::Foreign),
    }
}

/// Returns whether the database has the main table of a skill registry.
fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    is_plain_table(connection, "skills")
}

/// Returns whether the schema contains only tables of a skill registry, plain indexes, and the registry's own indexes.
fn holds_only_ours(schema: &Schema) -> bool {
    let statements: Vec<String> = MIGRATIONS.iter().copied().flat_map(statements).collect();
    schema.holds_only(&Allowed {
        tables: &TABLES.map(|(table, ..)| table),
        statements: &statements,
    })
}

/// Checks that all tables of a version exist, with all their columns. Version 0, which has no tables, is an error.
fn check_tables(connection: &Connection, version: i64) -> Result<(), RegistryTrouble> {
    if version == 0 {
        return Err(RegistryTrouble::Foreign);
    }
    for (table, _, columns) in TABLES.iter().filter(|(_, since, _)| *since <= version) {
        if !is_plain_table(connection, table)? {
            return Err(RegistryTrouble::Foreign);
        }
        connection.prepare(&format!("SELECT {columns} FROM main.{table}"))?;
    }
    Ok(())
}

/// Returns whether the database has a table of this name that is not a view or a virtual table.
pub(super) fn is_plain_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_list
        WHERE schema = 'main' AND name = ?1 AND type = 'table')";
    connection.query_row(sql, [name], |row| row.get(0))
}
