//! Records the skills that each run has loaded, as rows of the state file, which all processes of a run share.
//!
//! A row records the path, mtime, hash and load count of a file, but never its content.
//!
//! Design: catalog-policy, catalog-files.

use std::path::Path;

use rusqlite::TransactionBehavior;
use skillc_core::Stop;
use skillc_core::hash::Sha;
use skillc_core::time::rfc3339_ms;

use crate::access_log::LogFault;
use crate::state::{self, open_to_read, version};

/// The first schema version of the state file that has these rows.
const SINCE: i64 = 2;

/// The maximum number of rows that are read for one run.
const MAX_ROWS: i64 = 100_000;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

const READ: &str = "SELECT path, mtime_ms, sha256, loads FROM run_loads WHERE run_id = ?1 LIMIT ?2";

/// Stores a count that is at least one higher than the stored count, because another process of the run may have loaded
/// the file in the meantime.
const NOTE: &str = "INSERT INTO run_loads (run_id, path, mtime_ms, sha256, loads, last_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (run_id, path) DO UPDATE SET mtime_ms = excluded.mtime_ms, sha256 = excluded.sha256,
        loads = max(run_loads.loads + 1, excluded.loads), last_at = excluded.last_at";

/// Deletes old rows, but keeps rows whose time cannot be parsed.
const PRUNE: &str = "DELETE FROM run_loads
    WHERE last_at < ?1 AND last_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*'";

/// A file that a run has loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLoad {
    /// The canonical path of the file.
    pub path: String,
    /// The file's mtime, in milliseconds since 1970.
    pub mtime_ms: u64,
    /// The digest of the file's bytes.
    pub sha256: Sha,
    /// The number of times that the file was loaded.
    pub loads: u64,
}

/// Access to the rows of all runs.
#[derive(Debug, Clone, Copy)]
pub struct RunLoads;

impl RunLoads {
    /// Returns the files that a run has loaded. Returns no files if the state file does not exist, or if its version
    /// does not have these rows. Skips malformed rows.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn read(db: &Path, run: &str) -> Result<Vec<RunLoad>, LogFault> {
        let opened = open_to_read(db, &Stop::default());
        let opened = opened.map_err(|unusable| LogFault(unusable.reason().to_owned()))?;
        let Some(connection) = opened else {
            return Ok(Vec::new());
        };
        if version(&connection)? < SINCE {
            return Ok(Vec::new());
        }
        let mut statement = connection.prepare(READ)?;
        let mut rows = statement.query((run, MAX_ROWS))?;
        let mut loads = Vec::new();
        while let Some(row) = rows.next()? {
            let path = row.get_ref(0)?.as_str().ok().map(str::to_owned);
            let sha256 = row.get_ref(2)?.as_str().ok().and_then(Sha::parse);
            let number = |at: usize| {
                let number = row.get_ref(at).ok()?.as_i64().ok()?;
                u64::try_from(number).ok()
            };
            if let (Some(path), Some(mtime_ms), Some(sha256), Some(loads_of_it)) =
                (path, number(1), sha256, number(3))
            {
                loads.push(RunLoad {
                    path,
                    mtime_ms,
                    sha256,
                    loads: loads_of_it,
                });
            }
        }
        Ok(loads)
    }

    /// Records a load, and deletes loads older than `keep_days`. Creates the file if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the row was not written. In this case, the file is unchanged.
    pub fn note(
        db: &Path,
        run: &str,
        load: &RunLoad,
        at_ms: i64,
        keep_days: u32,
    ) -> Result<(), LogFault> {
        let mut state = state::open(db, None)?;
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let row = (
            run,
            &load.path,
            signed(load.mtime_ms),
            load.sha256.to_string(),
            signed(load.loads),
            rfc3339_ms(at_ms),
        );
        let before = at_ms.saturating_sub(i64::from(keep_days).saturating_mul(DAY_MS));
        let immediate = TransactionBehavior::Immediate;
        let transaction = state.connection.transaction_with_behavior(immediate)?;
        transaction.execute(NOTE, row)?;
        transaction.execute(PRUNE, [rfc3339_ms(before)])?;
        Ok(transaction.commit()?)
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use tempfile::TempDir;

    use super::*;
    use crate::audit_log::{AuditLog, CallBegun};

    const AT_MS: i64 = 1_800_000_000_000;

    fn load(path: &str, mtime_ms: u64) -> RunLoad {
        RunLoad {
            path: path.to_owned(),
            mtime_ms,
            sha256: Sha::digest(path.as_bytes()),
            loads: 1,
        }
    }

    /// CAT-LOAD.12.
    #[test]
    fn each_run_has_separate_rows_and_counts_its_loads() {
        let dir = TempDir::new().unwrap();
        let db = dir.path().join("state.db");
        assert_eq!(RunLoads::read(&db, "a").unwrap(), []);
        RunLoads::note(&db, "a", &load("/x/SKILL.md", 1), AT_MS, 90).unwrap();
        RunLoads::note(&db, "a", &load("/x/SKILL.md", 2), AT_MS, 90).unwrap();
        let mut expected = load("/x/SKILL.md", 2);
        expected.loads = 2;
        assert_eq!(RunLoads::read(&db, "a").unwrap(), [expected]);
        assert_eq!(RunLoads::read(&db, "b").unwrap(), []);
    }

    #[test]
    fn rows_past_their_retention_are_removed() {
        let dir = TempDir::new().unwrap();
        let db = dir.path().join("state.db");
        RunLoads::note(&db, "old", &load("/x/SKILL.md", 1), AT_MS, 90).unwrap();
        let later = AT_MS + 91 * DAY_MS;
        RunLoads::note(&db, "new", &load("/x/SKILL.md", 1), later, 90).unwrap();
        assert_eq!(RunLoads::read(&db, "old").unwrap(), []);
        assert_eq!(RunLoads::read(&db, "new").unwrap().len(), 1);
    }

    #[test]
    fn an_older_file_is_read_as_empty_and_migrated_by_the_first_row() {
        let dir = TempDir::new().unwrap();
        let db = dir.path().join("state.db");
        let older = Connection::open(&db).unwrap();
        older
            .execute_batch(include_str!("schema/state_v1.sql"))
            .unwrap();
        older
            .execute_batch(
                "INSERT INTO audit (call_id, phase, ts, run_id, tool, cwd)
                    VALUES ('c', 'enter', '2026-01-01T00:00:00.000Z', 'r', 't', '/');
                PRAGMA user_version = 1",
            )
            .unwrap();
        drop(older);
        assert_eq!(RunLoads::read(&db, "a").unwrap(), []);
        RunLoads::note(&db, "a", &load("/x/SKILL.md", 1), AT_MS, 90).unwrap();
        assert_eq!(RunLoads::read(&db, "a").unwrap().len(), 1);
        let mut log = AuditLog::open(&db).unwrap();
        log.enter(&CallBegun::default()).unwrap();
        let count = "SELECT count(*) FROM audit";
        let count: i64 = Connection::open(&db)
            .unwrap()
            .query_row(count, [], |row| row.get(0))
            .unwrap();
        assert_eq!(count, 2, "existing rows are kept");
    }

    #[test]
    fn invalid_rows_are_skipped() {
        let dir = TempDir::new().unwrap();
        let db = dir.path().join("state.db");
        RunLoads::note(&db, "a", &load("/x/SKILL.md", 1), AT_MS, 90).unwrap();
        let other = Connection::open(&db).unwrap();
        other
            .execute_batch(
                "INSERT INTO run_loads VALUES ('a', '/y', -1, 'no hash', 1, ''), ('a', '/z', 'x', x'00', 'y', '')",
            )
            .unwrap();
        assert_eq!(RunLoads::read(&db, "a").unwrap(), [load("/x/SKILL.md", 1)]);
    }

    #[test]
    fn a_foreign_file_is_left_unchanged() {
        let dir = TempDir::new().unwrap();
        let db = dir.path().join("state.db");
        std::fs::write(&db, "text").unwrap();
        assert!(RunLoads::read(&db, "a").is_err());
        assert!(RunLoads::note(&db, "a", &load("/x", 1), AT_MS, 90).is_err());
        assert_eq!(std::fs::read_to_string(&db).unwrap(), "text");
    }
}
