//! Queries the skill registry, for the commands and for the tool `skill_list`.
//!
//! Design: REG-READ, REG-MCP.2, REG-MCP.3, REG-LOAD.17, catalog-tools, catalog-freshness.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use skillc_catalog::entry::shown_description;
use skillc_catalog::name::skill_name;
use skillc_catalog::{DENIED, Decision, Invocation, Policy};
use skillc_core::{Error, Result};
use skillc_storage::{SkillFilter, SkillRegistry, SkillRow};

use super::registry_file::{RegistryFile, Subject};
use super::sync::{bring, in_memory};
use crate::catalog::settings;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The length limit of a search string and of a capability, in bytes. Design: R20.
const MAX_QUERY_BYTES: usize = 4 << 10;

/// Skills of the skill registry
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillList {
    /// Matching skills, by name
    pub skills: Vec<ListedRow>,
    /// Number of skills
    pub total_count: usize,
}

/// A skill of the skill registry
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedRow {
    /// Name
    pub name: String,
    /// Version, as written
    #[schemars(required, extend("type" = ["string", "null"]))]
    pub version: Option<String>,
    /// Description
    pub description: String,
    /// Capabilities
    pub capabilities: Vec<String>,
    /// Letter used to group skills
    #[schemars(required, extend("type" = ["string", "null"]))]
    pub greek_letter: Option<String>,
    /// SKILL.md, relative to the catalog root, or to the home directory: ~/…
    pub path: String,
}

impl From<SkillRow> for ListedRow {
    fn from(row: SkillRow) -> Self {
        Self {
            name: row.name,
            version: row.version,
            description: shown_description(row.description),
            capabilities: row.capabilities,
            greek_letter: row.greek_letter,
            path: row.source_path,
        }
    }
}

/// Answers a call to the tool `skill_list`.
///
/// `refresh`: whether to update the rows from disk first. If false, the rows are read from disk only if there is no
/// database yet.
///
/// # Errors
/// E066 if the database cannot be used, E100 if the search string or the capability is longer than 4 KiB, and the
/// errors of a sync.
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
    let rows = rows(registry.as_ref(), filter)?;
    Ok(projected(toolkit, filter, rows))
}

/// Like [`skill_list`], but without a database, for a server that cannot use a database.
///
/// # Errors
/// The same as for [`skill_list`].
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
    let rows = rows(Some(&registry), filter)?;
    Ok(projected(toolkit, filter, rows))
}

/// Builds the list for a model: without skills that only a person may load, and without the descriptions of denied
/// skills. The search finds denied skills only by their name, because a caller could otherwise guess their
/// descriptions.
fn projected(toolkit: &Toolkit, filter: SkillFilter<'_>, rows: Vec<SkillRow>) -> SkillList {
    let policy = toolkit.denying_policy();
    let rows = rows.into_iter();
    let rows = rows.filter(|row| is_for_models(&row.frontmatter_json));
    let mut skills: Vec<ListedRow> = rows.map(ListedRow::from).collect();
    let is_denied = |row: &ListedRow| policy.as_ref().is_some_and(|policy| is_denied(policy, row));
    skills.retain_mut(|row| {
        if !is_denied(&*row) {
            return true;
        }
        DENIED.clone_into(&mut row.description);
        filter.is_in_name(&row.name)
    });
    SkillList {
        total_count: skills.len(),
        skills,
    }
}

/// Returns whether a skill is denied: by a rule, by `permissions.default`, or by a rule for the name of its directory.
fn is_denied(policy: &Policy, row: &ListedRow) -> bool {
    let folder = Path::new(&row.path).parent();
    let folder = folder.and_then(|dir| skill_name(dir.file_name()?.to_str()?));
    matches!(policy.decide_load(Some(&row.name)), Decision::Deny(_))
        || folder.is_some_and(|name| policy.closed_skill(&name).is_some())
}

/// Returns whether a model may load a skill. The result for the frontmatter as JSON must be the same as the catalog's
/// result for the skill's file. An unreadable row may belong to a restricted skill, so models do not see it.
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

/// Checks the lengths of the search string and of the capability.
pub(super) fn check(filter: &SkillFilter<'_>) -> Result<()> {
    let texts = [("search", filter.search), ("capability", filter.capability)];
    for (name, text) in texts {
        if text.is_some_and(|text| text.len() > MAX_QUERY_BYTES) {
            return Err(Error::invalid_option(format!("{name}: longer than 4 KiB")));
        }
    }
    Ok(())
}

/// Returns the requested rows. Returns an empty list if there is no skill registry.
pub(super) fn rows(
    registry: Option<&SkillRegistry>,
    filter: SkillFilter<'_>,
) -> Result<Vec<SkillRow>> {
    let rows = registry.map(|registry| registry.list(filter)).transpose()?;
    Ok(rows.unwrap_or_default())
}

/// Opens the given skill registry, or that of the working directory. Creates a missing registry from disk; with
/// `refresh`, also updates an existing registry from disk. Returns `None` if there is no skill directory to create it
/// from, if skills are disabled, or if a shared file still contains the skills of other directories.
///
/// If the configuration sets one file for all directories, the file may contain the skills of other directories, and
/// these skills must not be mistaken for those of this directory. Such a file is therefore updated first. A file given
/// as an argument may contain the skills of any directories.
pub(super) fn opened(
    toolkit: &Toolkit,
    named: Option<&Path>,
    refresh: bool,
    notes: &mut Notes,
) -> Result<Option<SkillRegistry>> {
    let context = &toolkit.context;
    let subject = subject(toolkit, notes);
    let place = RegistryFile::new(context, &toolkit.config.registry, named, &subject.roots);
    let is_shared = place.is_named && named.is_none();
    let mut held = None;
    if !refresh {
        notes.detail(format!("registry {}", place.db.display()));
        if let Some(registry) = SkillRegistry::open_to_read(&place.db)? {
            if named.is_some() {
                registry.check()?;
            }
            if !is_shared {
                return Ok(Some(registry));
            }
            held = registry.roots()?;
            if held.as_ref() == Some(&subject.dirs()) {
                return Ok(Some(registry));
            }
        }
        if !subject.settings.enabled {
            return Ok(None);
        }
    }
    let done = bring(toolkit, &subject, &place, notes);
    let registry = done.map_err(|error| of_others(error, held))?.registry;
    let Some(registry) = registry else {
        return Ok(None);
    };
    // If none of the directories exists, a sync keeps the old rows.
    let is_ours = !is_shared || registry.roots()?.as_ref() == Some(&subject.dirs());
    Ok(is_ours.then_some(registry))
}

/// If a shared file could not be updated (E066), adds to the error that the file contains the skills of other folders.
fn of_others(error: Error, held: Option<Vec<String>>) -> Error {
    match (error, held.and_then(|held| held.into_iter().next())) {
        (
            Error::RegistryUnusable {
                path,
                message,
                hint,
            },
            Some(other),
        ) => Error::RegistryUnusable {
            path,
            message: format!("it contains the skills of other folders, such as '{other}': {message}"),
            hint: hint.or(Some(
                "Make it writable and run 'skc registry sync', or choose another file with 'path' in [registry] of \
                the configuration"
                    .into(),
            )),
        },
        (error, _) => error,
    }
}

fn subject(toolkit: &Toolkit, notes: &mut Notes) -> Subject {
    let (settings, notices) = settings(&toolkit.context);
    notes.notices.extend(notices);
    Subject::new(&toolkit.context, settings, &[])
}

#[cfg(test)]
mod tests {
    use skillc_core::Frontmatter;
    use skillc_core::source::frontmatter::to_json;

    use super::*;

    /// The registry stores values in less detail than the skill's file: both must lead to the same result.
    #[test]
    fn a_row_is_model_invocable_if_its_file_is() {
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
    fn an_error_says_whose_skills_a_file_holds() {
        let error = || Error::RegistryUnusable {
            path: "/r.db".into(),
            message: "permission denied".into(),
            hint: None,
        };
        let held = Some(vec!["/other/.skillc/skills".to_owned()]);
        let told = of_others(error(), held.clone());
        let message = "registry unusable: '/r.db': it contains the skills of other folders, such as \
            '/other/.skillc/skills': permission denied";
        assert_eq!(told.message(), message);
        let details = told.details().unwrap_or_default();
        assert!(details.contains("skc registry sync"), "{details}");
        assert_eq!(of_others(error(), None), error());
        let other = Error::SkillsDisabled {};
        assert_eq!(of_others(other.clone(), held), other);
    }

    #[test]
    fn an_unreadable_row_is_not_model_invocable() {
        for json in ["", "[]", "{", "null"] {
            assert!(!is_for_models(json), "{json}");
        }
    }
}
