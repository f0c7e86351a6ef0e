//! Removes the files of skill registries that have not been used for a long time.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;

use skillc_core::Stop;
use skillc_core::time::Timestamp;

use super::fault::At;
use super::file::WAIT;
use super::{RegistryFault, RegistryTrouble};
use crate::access_log::has_files_beside;
use crate::db::{IfMissing, open_shared};
use crate::limits::Guarded;
use crate::local_lock::LocalLock;
use crate::sidecar::{BESIDE, beside};
use crate::state::is_absent;

/// The number of hex digits in the name of a registry's file.
const DIGITS: usize = 16;

/// Removes from a folder the registries that no sync has written to since `before`. (Even a sync that changes nothing
/// writes its time once a day.) Keeps files that any program has open, and files that are not named like a registry.
/// Returns the number of removed registries.
///
/// # Errors
/// Returns an error if the folder cannot be listed, or a file cannot be removed.
///
/// Design: catalog-files.
pub fn remove_unused(folder: &Path, before: Timestamp) -> Result<usize, RegistryFault> {
    let before_secs = u64::try_from(before.0).unwrap_or_default();
    let before = SystemTime::UNIX_EPOCH + Duration::from_secs(before_secs);
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(0),
        Err(error) => return Err(error).at(folder),
    };
    let mut removed = 0;
    for entry in entries {
        let path = entry.at(folder)?.path();
        if is_registry_name(&path) && is_older(&path, before) {
            // The lock prevents other processes from opening a registry in the meantime.
            let _lock = LocalLock::take(folder, WAIT, &Stop::default()).at(folder)?;
            removed += usize::from(remove(&path, before).at(&path)?);
        }
    }
    Ok(removed)
}

fn is_registry_name(path: &Path) -> bool {
    let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    let name = path.file_name().and_then(|name| name.to_str());
    let digits = name.and_then(|name| name.strip_suffix(".db"));
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(is_digit))
}

/// Returns whether a file and its WAL were last written before a given time. An empty WAL is ignored, because opening
/// the file creates one.
fn is_older(path: &Path, before: SystemTime) -> bool {
    let look = |path: &Path| path.symlink_metadata().ok().filter(fs::Metadata::is_file);
    let is_before = |found: &fs::Metadata| found.modified().is_ok_and(|at| at < before);
    let changes = look(&beside(path, "-wal")).filter(|found| found.len() > 0);
    look(path).is_some_and(|found| is_before(&found))
        && changes.is_none_or(|found| is_before(&found))
}

/// Removes a file unless another process has it open, or its sidecar files are unusable. Returns whether it was removed.
/// The sidecar files are removed first, because `SQLite` would apply leftover ones to the next database of this name.
fn remove(path: &Path, before: SystemTime) -> io::Result<bool> {
    if !has_files_beside(path) {
        return Ok(false);
    }
    let mine = match seize(path).map_err(RegistryTrouble::from) {
        Ok(connection) => Some(connection),
        // A file that is damaged or not a database cannot be in use by another process.
        Err(RegistryTrouble::Damaged) => None,
        Err(_) => return Ok(false),
    };
    if !is_older(path, before) {
        return Ok(false);
    }
    // On Unix, the file stays locked while it is removed. Other systems refuse to remove an open file.
    let mine = if cfg!(unix) { mine } else { None };
    for suffix in BESIDE {
        remove_if_there(&beside(path, suffix))?;
    }
    remove_if_there(path)?;
    drop(mine);
    Ok(true)
}

/// Opens a file with an exclusive lock.
fn seize(path: &Path) -> rusqlite::Result<Guarded> {
    let connection = Guarded::new(open_shared(path, IfMissing::Fail)?, &Stop::default())?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.busy_timeout(Duration::ZERO)?;
    let alone = "PRAGMA locking_mode = EXCLUSIVE";
    connection.query_row(alone, [], |_| Ok(()))?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    Ok(connection)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
