//! Updates a skill registry from disk, in one transaction.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use skillc_core::Stop;
use skillc_core::time::rfc3339_ms;

use super::fault::At;
use super::file::{self, OpenFile, WAIT};
use super::rows::{HEAD_COLUMNS, SKILL_COLUMNS, SOURCE_COLUMNS};
use super::{
    HeadRow, IN_MEMORY, RegistryFault, RegistryTrouble, SkillRegistry, SkillRow, Snapshot,
    SourceRow, Synced,
};

/// The interval after which even a sync without changes records its time, so that a registry in use is not removed as
/// unused.
const STALE_MS: i64 = 24 * 60 * 60 * 1000;

/// Temporary tables for the names of the loaded skills, for all files, and for the search data of the files. Their
/// columns are those of the target tables.
const TEMPORARY: &str = "CREATE TEMP TABLE keep (name TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TEMP TABLE found (path TEXT PRIMARY KEY, id, name, dir, scope, origin, mtime_ms, sha256, winner)
        WITHOUT ROWID;
    CREATE TEMP TABLE heads (path TEXT PRIMARY KEY, mtime_ms, bytes, changed_ns, inode, name, description)
        WITHOUT ROWID;";

const DONE: &str = "DROP TABLE temp.keep; DROP TABLE temp.found; DROP TABLE temp.heads;";

/// Updates an existing row, unless only its time differs.
const UPSERT: &str = "ON CONFLICT(name) DO UPDATE SET
        description = excluded.description, version = excluded.version, entrypoint = excluded.entrypoint,
        capabilities = excluded.capabilities, greek_letter = excluded.greek_letter, body = excluded.body,
        source_path = excluded.source_path, frontmatter_json = excluded.frontmatter_json,
        loaded_at = excluded.loaded_at
    WHERE (description, version, entrypoint, capabilities, greek_letter, body, source_path, frontmatter_json)
        IS NOT (excluded.description, excluded.version, excluded.entrypoint, excluded.capabilities,
            excluded.greek_letter, excluded.body, excluded.source_path, excluded.frontmatter_json)";

const PRUNE: &str = "DELETE FROM main.skills WHERE name NOT IN (SELECT name FROM temp.keep)";

/// Deletes all rows that differ before any row is inserted, so that an id can move from one file to another.
const DROP_SOURCES: &str = "DELETE FROM main.skill_sources WHERE NOT EXISTS (
    SELECT 1 FROM temp.found AS f WHERE f.path = skill_sources.path
        AND (f.id, f.name, f.dir, f.scope, f.origin, f.mtime_ms, f.sha256, f.winner) IS
            (skill_sources.id, skill_sources.name, skill_sources.dir, skill_sources.scope,
             skill_sources.origin, skill_sources.mtime_ms, skill_sources.sha256, skill_sources.winner))";

const DROP_HEADS: &str = "DELETE FROM main.skill_heads WHERE NOT EXISTS (
    SELECT 1 FROM temp.heads AS h WHERE h.path = skill_heads.path
        AND (h.mtime_ms, h.bytes, h.changed_ns, h.inode, h.name, h.description) IS
            (skill_heads.mtime_ms, skill_heads.bytes, skill_heads.changed_ns, skill_heads.inode,
             skill_heads.name, skill_heads.description))";

const SET_META: &str = "INSERT INTO main.registry_meta (key, value) VALUES (?1, ?2)
    ON CONFLICT(key) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value";

impl SkillRegistry {
    /// Makes the registry match the disk, atomically. Unchanged rows are not written. If nothing has changed, nothing
    /// is written, except the time of the sync once a day.
    ///
    /// Reopens the registry's file if another file has replaced it, or if it was opened for reading.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be written (E066).
    ///
    /// Design: REG-LOAD.1, REG-LOAD.2, REG-LOAD.3, REG-LOAD.10, REG-LOAD.11, REG-LOAD.12, REG-LOAD.13, REG-LOAD.14,
    /// catalog-files.
    pub fn sync(&mut self, snapshot: &Snapshot<'_>) -> Result<Synced, RegistryFault> {
        let open = self.writable()?;
        open.connection.restart(&Stop::default());
        let replaced = replace(&mut open.connection, snapshot);
        let pruned = replaced.at(self.place())?;
        let loaded = snapshot.sources.len();
        let shadowed = snapshot.sources.iter().filter(|row| !row.is_winner).count();
        Ok(Synced {
            loaded,
            skipped: snapshot.skipped,
            pruned,
            total_on_disk: loaded + snapshot.skipped,
            shadowed,
        })
    }

    /// Returns the file that is now at the path, open for writing.
    fn writable(&mut self) -> Result<&mut OpenFile, RegistryFault> {
        if let Some(db) = &self.db
            && !self
                .open
                .as_ref()
                .is_some_and(|open| open.can_be_written_at(db))
        {
            let open = file::open(db, self.open.take(), WAIT);
            if open.is_err() {
                self.open = file::open_to_read(db).ok().flatten();
            }
            self.open = Some(open.at(db)?);
        }
        let place = self.db.as_deref().unwrap_or(Path::new(IN_MEMORY));
        self.open.as_mut().ok_or(RegistryTrouble::Gone).at(place)
    }
}

/// Replaces the content in one transaction. Returns the number of removed skills.
fn replace(connection: &mut Connection, snapshot: &Snapshot<'_>) -> Result<usize, RegistryTrouble> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    check_triggers(&transaction)?;
    transaction.execute_batch(TEMPORARY)?;
    let mut changed = upsert(&transaction, snapshot)?;
    let pruned = transaction.prepare_cached(PRUNE)?.execute([])?;
    changed += pruned + replace_sources(&transaction, snapshot.sources)?;
    changed += replace_heads(&transaction, snapshot.heads)?;
    changed += set_meta(&transaction, "roots", &json(snapshot.roots))?;
    changed += set_meta(&transaction, "skc_version", snapshot.skc_version)?;
    if changed == 0 && !is_stale(&transaction, snapshot.at_ms)? {
        transaction.rollback()?;
        return Ok(pruned);
    }
    set_meta(&transaction, "synced_at", &rfc3339_ms(snapshot.at_ms))?;
    transaction.execute_batch(DONE)?;
    transaction.commit()?;
    Ok(pruned)
}

/// Rejects a file with triggers. Triggers do not run on this program's connections, so a write would silently skip
/// them.
fn check_triggers(connection: &Connection) -> Result<(), RegistryTrouble> {
    let sql = "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger')";
    if connection.query_row(sql, [], |row| row.get(0))? {
        return Err(RegistryTrouble::Triggers);
    }
    Ok(())
}

/// Writes new and changed skills, and collects the names to keep. Returns the number of rows written.
fn upsert(transaction: &Transaction<'_>, snapshot: &Snapshot<'_>) -> rusqlite::Result<usize> {
    let at = rfc3339_ms(snapshot.at_ms);
    let sql = format!(
        "INSERT INTO main.skills ({SKILL_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) {UPSERT}"
    );
    let mut write = transaction.prepare_cached(&sql)?;
    let keep = "INSERT OR IGNORE INTO temp.keep (name) VALUES (?1)";
    let mut keep = transaction.prepare_cached(keep)?;
    let mut written = 0;
    for row in snapshot.winners {
        let SkillRow {
            name,
            description,
            version,
            entrypoint,
            capabilities,
            greek_letter,
            body,
            source_path,
            frontmatter_json,
            loaded_at: _,
        } = row;
        written += write.execute(rusqlite::params![
            name,
            description,
            version,
            entrypoint,
            json(capabilities),
            greek_letter,
            body,
            source_path,
            frontmatter_json,
            at,
        ])?;
        keep.execute([name])?;
    }
    Ok(written)
}

/// Writes new and changed files, and deletes the rows of files that no longer exist. Returns the number of changed
/// rows.
fn replace_sources(
    transaction: &Transaction<'_>,
    sources: &[SourceRow],
) -> rusqlite::Result<usize> {
    let sql = format!(
        "INSERT OR REPLACE INTO temp.found ({SOURCE_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    );
    let mut found = transaction.prepare_cached(&sql)?;
    for row in sources {
        found.execute(rusqlite::params![
            row.path,
            row.id,
            row.name,
            row.dir,
            row.scope,
            row.origin,
            number(row.mtime_ms),
            row.sha256,
            row.is_winner,
        ])?;
    }
    let dropped = transaction.prepare_cached(DROP_SOURCES)?.execute([])?;
    // Two files have the same id only if an attacker crafted a collision. All other files must still be registered.
    let insert = format!(
        "INSERT OR IGNORE INTO main.skill_sources ({SOURCE_COLUMNS})
        SELECT {SOURCE_COLUMNS} FROM temp.found AS f
        WHERE NOT EXISTS (SELECT 1 FROM main.skill_sources AS s WHERE s.path = f.path) ORDER BY path"
    );
    let inserted = transaction.prepare_cached(&insert)?.execute([])?;
    Ok(dropped + inserted)
}

/// Like [`replace_sources`], for the search data.
fn replace_heads(transaction: &Transaction<'_>, heads: &[HeadRow]) -> rusqlite::Result<usize> {
    let sql = format!(
        "INSERT OR REPLACE INTO temp.heads ({HEAD_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    );
    let mut found = transaction.prepare_cached(&sql)?;
    for row in heads {
        found.execute(rusqlite::params![
            row.path,
            number(row.mtime_ms),
            number(row.bytes),
            row.changed_ns,
            number(row.inode),
            row.name,
            row.description,
        ])?;
    }
    let dropped = transaction.prepare_cached(DROP_HEADS)?.execute([])?;
    let insert = format!(
        "INSERT INTO main.skill_heads ({HEAD_COLUMNS}) SELECT {HEAD_COLUMNS} FROM temp.heads AS h
        WHERE NOT EXISTS (SELECT 1 FROM main.skill_heads AS s WHERE s.path = h.path) ORDER BY path"
    );
    let inserted = transaction.prepare_cached(&insert)?.execute([])?;
    Ok(dropped + inserted)
}

/// Converts a number for the database, clamped to the maximum. A clamped value only makes the file seem changed, so
/// that it is read again.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Sets a value of the metadata. Returns 1 if the value has changed, otherwise 0.
fn set_meta(connection: &Connection, key: &str, value: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached(SET_META)?.execute([key, value])
}

/// Returns whether the last recorded sync is more than a day in the past or in the future.
fn is_stale(connection: &Connection, at_ms: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM main.registry_meta
        WHERE key = 'synced_at' AND value BETWEEN ?1 AND ?2)";
    let ends = [
        at_ms.saturating_sub(STALE_MS),
        at_ms.saturating_add(STALE_MS),
    ];
    connection.query_row(sql, ends.map(rfc3339_ms), |row| row.get(0))
}

fn json(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}
