//! Deletes old rows of a usage log on request.
//!
//! Deleted rows are overwritten in the file, because a log reveals where the user worked. Rows with times that cannot
//! be parsed are kept.
//!
//! Design: stats-prune.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use skillc_core::Stop;
use skillc_core::time::Timestamp;

use crate::access_stats::{LogUnusable, open_unchecked, second, text};
use crate::limits::{Guarded, is_sound};

/// The SQL condition for old rows; `?1` is the earliest timestamp, in whole seconds, that is not old.
const IS_OLD: &str = "timestamp < ?1 AND timestamp GLOB
    '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*'";

/// Counts a skill's rows older than `before`. `wait`: how long to wait for a writer, but never longer than two seconds.
/// `owns`: decides whether a row belongs to the skill, given the row's `skill_path` (empty if the row has none).
///
/// # Errors
/// Returns an error if the log cannot be read.
pub fn count_before(
    log: &Path,
    before: Timestamp,
    wait: Duration,
    stop: &Stop,
    owns: impl Fn(&str) -> bool,
) -> Result<u64, LogUnusable> {
    let Some((connection, columns)) = open_sound(log, wait, stop)? else {
        return Ok(0);
    };
    let sql = format!(
        "SELECT {}, count(*) FROM access_log WHERE {IS_OLD} GROUP BY 1",
        path_column(&columns)
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([second(before)])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        if owns(text(row.get_ref(0)?)) {
            count += row.get::<_, u64>(1)?;
        }
    }
    Ok(count)
}

/// Deletes all rows that [`count_before`] counts, or none if that fails. Returns the number of deleted rows. `is_it`:
/// called after the log was opened; checks that the right file was opened.
///
/// # Errors
/// Returns an error if the log cannot be read or written, or a different file was opened. The log is then unchanged.
pub fn delete_before(
    log: &Path,
    before: Timestamp,
    wait: Duration,
    stop: &Stop,
    owns: impl Fn(&str) -> bool,
    is_it: impl FnOnce() -> bool,
) -> Result<u64, LogUnusable> {
    let Some((mut connection, columns)) = open_sound(log, wait, stop)? else {
        return Ok(0);
    };
    if !is_it() {
        return Err(LogUnusable::Foreign);
    }
    let path = path_column(&columns);
    connection.execute_batch("PRAGMA secure_delete = ON; CREATE TEMP TABLE kept (path TEXT)")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    keep_others(&transaction, path, before, owns)?;
    let sql = format!(
        "DELETE FROM main.access_log WHERE {IS_OLD} AND coalesce({path}, '') NOT IN (SELECT path FROM temp.kept)"
    );
    let deleted = transaction.execute(&sql, [second(before)])?;
    transaction.commit()?;
    Ok(deleted as u64)
}

/// Opens a log of any size, and checks all of its pages, because the statements of this module sort rows in temporary
/// files.
fn open_sound(
    log: &Path,
    wait: Duration,
    stop: &Stop,
) -> Result<Option<(Guarded, Vec<String>)>, LogUnusable> {
    let opened = open_unchecked(log, wait, stop)?;
    if let Some((connection, _)) = &opened {
        connection.admit()?;
        if !is_sound(connection)? {
            return Err(LogUnusable::Damaged);
        }
    }
    Ok(opened)
}

/// Fills the temporary table `kept` with the paths of the skills whose old rows must be kept.
fn keep_others(
    transaction: &Transaction<'_>,
    path: &str,
    before: Timestamp,
    owns: impl Fn(&str) -> bool,
) -> rusqlite::Result<()> {
    let sql = format!("SELECT DISTINCT {path} FROM main.access_log WHERE {IS_OLD}");
    let connection: &Connection = transaction;
    let mut found = connection.prepare(&sql)?;
    let mut keep = connection.prepare("INSERT INTO temp.kept VALUES (?1)")?;
    let mut rows = found.query([second(before)])?;
    while let Some(row) = rows.next()? {
        let path = text(row.get_ref(0)?);
        if !owns(path) {
            keep.execute(params![path])?;
        }
    }
    Ok(())
}

/// Returns the SQL expression for the path of a row's skill. Older logs have no column for it.
fn path_column(columns: &[String]) -> &'static str {
    if columns.iter().any(|name| name == "skill_path") {
        "skill_path"
    } else {
        "NULL"
    }
}
