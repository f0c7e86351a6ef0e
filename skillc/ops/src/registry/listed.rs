//! The rows that somebody asks for: what commands and the tool `skill_list` share.
//!
//! Design: REG-READ, REG-MCP.2, REG-MCP.3, REG-LOAD.17, catalog-tools, catalog-freshness.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use skillc_catalog::Invocation;
use skillc_core::{Error, Result};
use skillc_storage::{SkillFilter, SkillRegistry, SkillRow};

use super::place::{Place, Subject};
use super::sync::{bring, in_memory};
use crate::catalog::settings;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The longest text that is looked for. Design: R20.
const MAX_QUERY_BYTES: usize = 4 << 10;

/// Skills of the skill registry
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillList {
    /// The skills that match, by name
    pub skills: Vec<ListedRow>,
    /// How many there are
    pub total_count: usize,
}

/// A skill of the skill registry
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedRow {
    /// What it is called
    pub name: String,
    /// Its version, as written
    #[schemars(required, extend("type" = ["string", "null"]))]
    pub version: Option<String>,
    /// What it is for, and when to use it
    pub description: String,
    /// What it can do
    pub capabilities: Vec<String>,
    /// A letter that groups skills
    #[schemars(required, extend("type" = ["string", "null"]))]
    pub greek_letter: Option<String>,
    /// Its SKILL.md, relative to the catalog root, or in the home directory: ~/…
    pub path: String,
}

impl From<SkillRow> for ListedRow {
    fn from(row: SkillRow) -> Self {
        Self {
            name: row.name,
            version: row.version,
            description: row.description,
            capabilities: row.capabilities,
            greek_letter: row.greek_letter,
            path: row.source_path,
        }
    }
}

/// Answers the tool `skill_list`.
///
/// `refresh`: bring the rows to what is on the disk first; without it that is done only if there is no database yet.
///
/// # Errors
/// E066 if the database cannot be used, E100 if what is looked for is longer than 4 KiB, and those of a sync.
///
/// Design: catalog-tools, REG-MCP.2, REG-MCP.3.
pub(super) fn skill_list(
    toolkit: &Toolkit,
    search: Option<&str>,
    capability: Option<&str>,
    refresh: bool,
    notes: &mut Notes,
) -> Result<SkillList> {
    let filter = SkillFilter { search, capability };
    check(&filter)?;
    let registry = opened(toolkit, None, refresh, notes)?;
    Ok(projected(rows(registry.as_ref(), filter)?))
}

/// As [`skill_list`], from the disk alone: for a server whose database cannot be used.
///
/// # Errors
/// As [`skill_list`].
///
/// Design: catalog-freshness.
pub(super) fn skill_list_in_memory(
    toolkit: &Toolkit,
    search: Option<&str>,
    capability: Option<&str>,
    notes: &mut Notes,
) -> Result<SkillList> {
    let filter = SkillFilter { search, capability };
    check(&filter)?;
    let subject = subject(toolkit, notes);
    let registry = in_memory(&toolkit.context, &subject, notes)?;
    Ok(projected(rows(Some(&registry), filter)?))
}

/// Makes the list that a model gets: without skills that only a person may start.
fn projected(rows: Vec<SkillRow>) -> SkillList {
    let rows = rows.into_iter();
    let rows = rows.filter(|row| is_for_models(&row.frontmatter_json));
    let skills: Vec<ListedRow> = rows.map(ListedRow::from).collect();
    SkillList {
        total_count: skills.len(),
        skills,
    }
}

/// Says whether a model may start a skill: reads its frontmatter as JSON, as the catalog does from the file. A row that
/// cannot be read may be that of a skill for people only, so models do not see it.
fn is_for_models(frontmatter: &str) -> bool {
    let Ok(fields) = serde_json::from_str::<Map<String, Value>>(frontmatter) else {
        return false;
    };
    let invocation = Invocation::from_texts(|key| match fields.get(key)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    });
    invocation.by_model()
}

/// Makes sure that a question is not too long.
pub(super) fn check(filter: &SkillFilter<'_>) -> Result<()> {
    let texts = [("search", filter.search), ("capability", filter.capability)];
    for (name, text) in texts {
        if text.is_some_and(|text| text.len() > MAX_QUERY_BYTES) {
            return Err(Error::invalid_option(format!("{name}: longer than 4 KiB")));
        }
    }
    Ok(())
}

/// Returns the rows that are asked for; none of no skill registry.
pub(super) fn rows(
    registry: Option<&SkillRegistry>,
    filter: SkillFilter<'_>,
) -> Result<Vec<SkillRow>> {
    let rows = registry.map(|registry| registry.list(filter)).transpose()?;
    Ok(rows.unwrap_or_default())
}

/// Opens the skill registry of the working directory, or the one that is named. One that is not there yet is made, and so is
/// what is on the disk if that is asked for. Returns `None` if there is nothing to make it of.
pub(super) fn opened(
    toolkit: &Toolkit,
    named: Option<&Path>,
    refresh: bool,
    notes: &mut Notes,
) -> Result<Option<SkillRegistry>> {
    let context = &toolkit.context;
    let subject = subject(toolkit, notes);
    let place = Place::of(context, &toolkit.config.registry, named, &subject.roots);
    if !refresh {
        notes.detail(format!("registry {}", place.db.display()));
        if let Some(registry) = SkillRegistry::open_to_read(&place.db)? {
            return Ok(Some(registry));
        }
        if !subject.settings.enabled {
            return Ok(None);
        }
    }
    Ok(bring(toolkit, &subject, &place, notes)?.registry)
}

fn subject(toolkit: &Toolkit, notes: &mut Notes) -> Subject {
    let (settings, notices) = settings(&toolkit.context);
    notes.notices.extend(notices);
    Subject::of(&toolkit.context, settings, &[])
}

#[cfg(test)]
mod tests {
    use skillc_core::Frontmatter;
    use skillc_core::source::frontmatter::to_json;

    use super::*;

    /// What the registry has of a value is less than its file: both must come to the same.
    #[test]
    fn a_row_is_for_models_if_its_file_is() {
        for value in [
            "true", "yes", "1", "-1", "0.5", "[false]", "{}", "maybe", "'true'", "false", "no",
            "OFF", "0", "-0", "+0", "0x0", "0o0", "00", "'0'", "'-0'", "0.0", "-0.0", "~", "null",
            "",
        ] {
            let text = format!("---\nname: a\ndisable-model-invocation: {value}\n---\n");
            let json = Value::Object(to_json(&text).unwrap()).to_string();
            let Frontmatter::Valid(fields) = Frontmatter::split(&text).0 else {
                panic!("{text}");
            };
            let of_file = Invocation::from_fields(&fields).by_model();
            assert_eq!(is_for_models(&json), of_file, "{value}: {json}");
        }
        assert!(is_for_models("{}"));
    }

    #[test]
    fn a_row_that_cannot_be_read_is_not_for_models() {
        for json in ["", "[]", "{", "null"] {
            assert!(!is_for_models(json), "{json}");
        }
    }
}
