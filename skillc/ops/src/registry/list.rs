//! `skc registry list`: lists the rows, without the text of the skills.
//!
//! Design: REG-READ, catalog-commands.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::Result;
use skillc_storage::{SkillFilter, SkillRow};

use super::listed::{check, opened, rows};
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc registry list`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RegistryListRequest {
    /// Only skills with this text in their name or description (any case)
    #[cfg_attr(feature = "clap", arg(long, value_name = "TEXT"))]
    #[serde(default)]
    pub search: Option<String>,
    /// Only skills with this capability, for example read
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[serde(default)]
    pub capability: Option<String>,
    /// Read this database instead of the one for this directory
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    #[serde(default)]
    pub db: Option<PathBuf>,
}

/// Rows of the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryListResponse {
    /// Matching skills, by name
    pub skills: Vec<RegistryRow>,
    /// Number of skills
    pub total_count: usize,
    /// Whether a filter was applied
    #[serde(skip)]
    pub is_filtered: bool,
}

/// A row of the skill registry, without the skill's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryRow {
    /// Name
    pub name: String,
    /// Description
    pub description: String,
    /// Version, as written
    pub version: Option<String>,
    /// Entry point
    pub entrypoint: Option<String>,
    /// Capabilities
    pub capabilities: Vec<String>,
    /// Letter used to group skills
    pub greek_letter: Option<String>,
    /// SKILL.md, relative to the catalog root, or to the home directory: ~/…
    pub source_path: String,
    /// When the row was last changed, UTC: 2026-01-31T08:15:00.123Z
    pub loaded_at: String,
}

impl From<SkillRow> for RegistryRow {
    fn from(row: SkillRow) -> Self {
        Self {
            name: row.name,
            description: row.description,
            version: row.version,
            entrypoint: row.entrypoint,
            capabilities: row.capabilities,
            greek_letter: row.greek_letter,
            source_path: row.source_path,
            loaded_at: row.loaded_at,
        }
    }
}

/// Implements `skc registry list`.
pub struct RegistryList;

impl Operation for RegistryList {
    const NAME: &'static str = "registry list";
    const ABOUT: &'static str = "List the skills of the skill registry";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc registry list",
            does: "all skills; the first call reads them from disk",
        },
        Example {
            command: "skc registry list --search release",
            does: "skills that mention 'release'",
        },
        Example {
            command: "skc registry list --capability read -o json",
            does: "skills with capability 'read', as JSON",
        },
    ];
    type Request = RegistryListRequest;
    type Response = RegistryListResponse;

    fn run(
        toolkit: &Toolkit,
        request: RegistryListRequest,
        notes: &mut Notes,
    ) -> Result<RegistryListResponse> {
        let filter = SkillFilter {
            search: request.search.as_deref(),
            capability: request.capability.as_deref(),
        };
        check(&filter)?;
        let registry = opened(toolkit, request.db.as_deref(), false, notes)?;
        let rows = rows(registry.as_ref(), filter)?;
        let is_set = |text: Option<&str>| text.is_some_and(|text| !text.is_empty());
        Ok(RegistryListResponse {
            total_count: rows.len(),
            skills: rows.into_iter().map(RegistryRow::from).collect(),
            is_filtered: is_set(filter.search) || is_set(filter.capability),
        })
    }
}
