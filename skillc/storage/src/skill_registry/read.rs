//! A skill registry, read.

use std::collections::BTreeMap;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row};

use super::rows::{SKILL_COLUMNS, SOURCE_COLUMNS};
use super::{RegistryFault, SkillFilter, SkillRegistry, SkillRow, SourceRow, Sources};

/// Both conditions; each holds if its parameter is NULL.
const FILTER: &str =
    "WHERE (?1 IS NULL OR instr(skc_fold(name), ?1) > 0 OR instr(skc_fold(description), ?1) > 0)
    AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(skills.capabilities) WHERE value = ?2))
    ORDER BY name ASC";

impl SkillRegistry {
    /// Returns the skill of a name; `None` if there is none.
    ///
    /// # Errors
    /// Why the registry cannot be read (E066).
    ///
    /// # Source
    /// CATALOG REG-READ.1, REG-READ.2.
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

    /// Returns the skills that are asked for, sorted bytewise by name.
    ///
    /// # Errors
    /// As [`skill`](Self::skill).
    ///
    /// # Source
    /// CATALOG REG-READ.3 to REG-READ.8, D7.
    pub fn list(&self, filter: SkillFilter<'_>) -> Result<Vec<SkillRow>, RegistryFault> {
        let asked = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        let parameters = (
            asked(filter.search).map(|text| fold(&text)),
            asked(filter.capability),
        );
        let sql = format!("SELECT {SKILL_COLUMNS} FROM skills {FILTER}");
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(parameters, skill)?;
            rows.collect()
        })
    }

    /// Returns the files that the registry knows, to be compared with what is there.
    ///
    /// # Errors
    /// As [`skill`](Self::skill).
    pub fn sources(&self) -> Result<Sources, RegistryFault> {
        self.ask(read_sources)
    }
}

fn read_sources(connection: &Connection) -> rusqlite::Result<Sources> {
    // All questions are about one moment.
    let connection = connection.unchecked_transaction()?;
    let sql = format!("SELECT {SOURCE_COLUMNS} FROM skill_sources ORDER BY path");
    let rows = connection
        .prepare(&sql)?
        .query_map([], source)?
        .collect::<rusqlite::Result<_>>()?;
    let mut meta = pairs(&connection, "SELECT key, value FROM registry_meta")?;
    let roots = meta.remove("roots").unwrap_or_else(|| "[]".to_owned());
    Ok(Sources {
        rows,
        descriptions: pairs(&connection, "SELECT name, description FROM skills")?,
        roots: texts(&roots, 1)?,
        skc_version: meta.remove("skc_version").unwrap_or_default(),
        synced_at: meta.remove("synced_at"),
    })
}

fn pairs(connection: &Connection, sql: &str) -> rusqlite::Result<BTreeMap<String, String>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
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

/// Reads a JSON array of texts, the value of a column.
fn texts(json: &str, column: usize) -> rusqlite::Result<Vec<String>> {
    serde_json::from_str(json).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

/// Returns a text in which upper and lower case are the same, character by character: what is a part of a text is a part
/// of it when both are folded. The Greek sigma at the end of a word is like any other.
pub(super) fn fold(text: &str) -> String {
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.map(|c| if c == 'ς' { 'σ' } else { c }).collect()
}
