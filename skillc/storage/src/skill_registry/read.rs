//! Reads a skill registry.

use std::path::Path;

use rusqlite::ffi::{self, SQLITE_CORRUPT};
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Rows};

use super::fault::At;
use super::file::{HEADS, is_plain_table};
use super::rows::{HEAD_COLUMNS, SKILL_COLUMNS, SOURCE_COLUMNS};
use super::{
    HeadRow, RegistryFault, RegistryTrouble, SkillFilter, SkillRegistry, SkillRow, SourceRow,
    Sources,
};
use crate::limits::size;

/// The two conditions of a [`SkillFilter`]. A condition is always true if its parameter is NULL.
const FILTER: &str =
    "WHERE (?1 IS NULL OR instr(skc_fold(name), ?1) > 0 OR instr(skc_fold(description), ?1) > 0)
    AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(skills.capabilities) WHERE value = ?2))
    ORDER BY name ASC";

impl SkillFilter<'_> {
    /// Returns whether a name contains the search text, ignoring case. `None` and an empty string match every name.
    pub fn is_in_name(&self, name: &str) -> bool {
        self.search
            .is_none_or(|search| fold(name).contains(&fold(search)))
    }
}

impl SkillRegistry {
    /// Checks the pages of the file, as far as the time allows. For a file that may have come from another machine: if
    /// its pages are used more than once, it can seem to contain an unlimited number of rows.
    ///
    /// # Errors
    /// Returns an error if the file is damaged or cannot be read (E066).
    pub fn check(&self) -> Result<(), RegistryFault> {
        let Some(db) = &self.db else {
            return Ok(());
        };
        let open = self.open.as_ref().ok_or(RegistryTrouble::Gone).at(db)?;
        if open.connection.is_damaged().at(db)? {
            return Err(RegistryTrouble::Damaged).at(db);
        }
        Ok(())
    }

    /// Returns the skill with this name; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be read (E066).
    ///
    /// Design: REG-READ.1, REG-READ.2.
    pub fn skill(&self, name: &str) -> Result<Option<SkillRow>, RegistryFault> {
        if name.trim().is_empty() {
            return Ok(None);
        }
        let sql = format!("SELECT {SKILL_COLUMNS} FROM skills WHERE name = ?1");
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            statement.query_row([name], skill).optional()
        })
    }

    /// Returns the skills that match the filter, sorted bytewise by name.
    ///
    /// # Errors
    /// Returns the errors of [`skill`](Self::skill).
    ///
    /// Design: REG-READ, D7.
    pub fn list(&self, filter: SkillFilter<'_>) -> Result<Vec<SkillRow>, RegistryFault> {
        let asked = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        let parameters = (
            asked(filter.search).map(|text| fold(&text)),
            asked(filter.capability),
        );
        let sql = format!("SELECT {SKILL_COLUMNS} FROM skills {FILTER}");
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            collect(statement.query(parameters)?, self.db.as_deref(), skill)
        })
    }

    /// Returns the known files, and the directories that were searched.
    ///
    /// # Errors
    /// Returns the errors of [`skill`](Self::skill).
    pub fn sources(&self) -> Result<Sources, RegistryFault> {
        self.ask(|connection| read_sources(connection, self.db.as_deref()))
    }

    /// Returns the directories whose skills are in the registry; `None` before the first sync.
    ///
    /// # Errors
    /// Returns the errors of [`skill`](Self::skill).
    pub fn roots(&self) -> Result<Option<Vec<String>>, RegistryFault> {
        self.ask(|connection| {
            let roots = meta(connection, "roots")?;
            roots.map(|roots| texts(&roots, 1)).transpose()
        })
    }

    /// Returns the version of the program that last changed the registry; `None` before the first sync.
    ///
    /// # Errors
    /// Returns the errors of [`skill`](Self::skill).
    pub fn skc_version(&self) -> Result<Option<String>, RegistryFault> {
        self.ask(|connection| meta(connection, "skc_version"))
    }

    /// Returns the search data of all files, sorted bytewise by path; empty if no sync has written the data yet.
    ///
    /// # Errors
    /// Returns the errors of [`skill`](Self::skill).
    pub fn heads(&self) -> Result<Vec<HeadRow>, RegistryFault> {
        self.ask(|connection| {
            if !is_plain_table(connection, HEADS)? {
                return Ok(Vec::new());
            }
            let sql = format!("SELECT {HEAD_COLUMNS} FROM {HEADS} ORDER BY path");
            let mut statement = connection.prepare_cached(&sql)?;
            collect(statement.query([])?, self.db.as_deref(), head)
        })
    }
}

/// Collects the rows of a query. Fails if they contain more text than the file can: the entries of a damaged index can
/// all lead to the same long row. `db`: the file; `None` for a registry in memory.
fn collect<T>(
    mut rows: Rows<'_>,
    db: Option<&Path>,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let (mut found, mut bytes, mut most) = (Vec::new(), 0_u64, 0);
    while let Some(row) = rows.next()? {
        bytes = bytes.saturating_add(text_bytes(row));
        if bytes > most {
            // Another process may have enlarged the file in the meantime. Text in UTF-16 takes less space in the file.
            // A file that was removed stays readable, but its size is unknown.
            let there = db.filter(|db| db.exists());
            most = there.map_or(u64::MAX, |db| size(db).saturating_mul(2));
        }
        if bytes > most {
            return Err(rusqlite::Error::SqliteFailure(
                ffi::Error::new(SQLITE_CORRUPT),
                None,
            ));
        }
        found.push(read(row)?);
    }
    Ok(found)
}

/// Returns the size of a row's text, and a few bytes for the row itself.
fn text_bytes(row: &Row<'_>) -> u64 {
    let values = (0_usize..).map_while(|at| row.get_ref(at).ok());
    let texts = values.map(|value| match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as u64,
        _ => 0,
    });
    texts.fold(8, u64::saturating_add)
}

fn read_sources(connection: &Connection, db: Option<&Path>) -> rusqlite::Result<Sources> {
    // Use one transaction, so that all queries see the same state.
    let connection = connection.unchecked_transaction()?;
    let sql = format!("SELECT {SOURCE_COLUMNS} FROM skill_sources ORDER BY path");
    let mut statement = connection.prepare(&sql)?;
    let rows = collect(statement.query([])?, db, source)?;
    let meta = |key| meta(&connection, key);
    let roots = meta("roots")?.unwrap_or_else(|| "[]".to_owned());
    Ok(Sources {
        rows,
        roots: texts(&roots, 1)?,
        skc_version: meta("skc_version")?.unwrap_or_default(),
        synced_at: meta("synced_at")?,
    })
}

fn meta(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT value FROM registry_meta WHERE key = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row([key], |row| row.get(0)).optional()
}

fn skill(row: &Row<'_>) -> rusqlite::Result<SkillRow> {
    let capabilities: String = row.get(4)?;
    Ok(SkillRow {
        name: row.get(0)?,
        description: row.get(1)?,
        version: row.get(2)?,
        entrypoint: row.get(3)?,
        capabilities: texts(&capabilities, 4)?,
        greek_letter: row.get(5)?,
        body: row.get(6)?,
        source_path: row.get(7)?,
        frontmatter_json: row.get(8)?,
        loaded_at: row.get(9)?,
    })
}

fn source(row: &Row<'_>) -> rusqlite::Result<SourceRow> {
    Ok(SourceRow {
        path: row.get(0)?,
        id: row.get(1)?,
        name: row.get(2)?,
        dir: row.get(3)?,
        scope: row.get(4)?,
        origin: row.get(5)?,
        mtime_ms: row.get(6)?,
        sha256: row.get(7)?,
        is_winner: row.get(8)?,
    })
}

fn head(row: &Row<'_>) -> rusqlite::Result<HeadRow> {
    Ok(HeadRow {
        path: row.get(0)?,
        mtime_ms: row.get(1)?,
        bytes: row.get(2)?,
        changed_ns: row.get(3)?,
        inode: row.get(4)?,
        name: row.get(5)?,
        description: row.get(6)?,
    })
}

/// Parses a column that contains a JSON array of strings.
fn texts(json: &str, column: usize) -> rusqlite::Result<Vec<String>> {
    serde_json::from_str(json).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

/// Folds case character by character, so that a substring of a string is still a substring after folding. A final Greek
/// sigma becomes an ordinary sigma.
pub(super) fn fold(text: &str) -> String {
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.map(|c| if c == 'ς' { 'σ' } else { c }).collect()
}
