//! `skc registry get`: shows one row in full.
//!
//! Design: REG-READ.1, REG-READ.2, catalog-commands.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::did_you_mean::near;
use skillc_core::{Error, Result};
use skillc_storage::{SkillRegistry, SkillRow, SourceRow};

use super::list::RegistryRow;
use super::listed::opened;
use crate::catalog::suggestions::did_you_mean;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// The limit on suggested names.
const MAX_NEAR: usize = 5;

/// Arguments of `skc registry get`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RegistryGetRequest {
    /// Skill name
    pub name: String,
    /// Read this database instead of the one for this directory
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    #[serde(default)]
    pub db: Option<PathBuf>,
}

/// A row of the skill registry, with the skill's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryGetResponse {
    /// The columns shown in lists.
    #[serde(flatten)]
    pub row: RegistryRow,
    /// Frontmatter as JSON, all keys, in file order
    pub frontmatter_json: String,
    /// Text after the frontmatter, unchanged
    pub body: String,
    /// The absolute path of `SKILL.md`, for people. In JSON, `root` is the absolute path of its directory.
    #[serde(skip)]
    pub file: Option<String>,
}

impl From<SkillRow> for RegistryGetResponse {
    fn from(mut row: SkillRow) -> Self {
        let frontmatter_json = std::mem::take(&mut row.frontmatter_json);
        let body = std::mem::take(&mut row.body);
        Self {
            row: row.into(),
            frontmatter_json,
            body,
            file: None,
        }
    }
}

/// Implements `skc registry get`.
pub struct RegistryGet;

impl Operation for RegistryGet {
    const NAME: &'static str = "registry get";
    const ABOUT: &'static str = "Show one skill of the skill registry";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc registry get my-skill",
            does: "its fields and text",
        },
        Example {
            command: "skc registry get my-skill -o json",
            does: "with its frontmatter, as JSON",
        },
    ];
    type Request = RegistryGetRequest;
    type Response = RegistryGetResponse;

    fn run(
        toolkit: &Toolkit,
        request: RegistryGetRequest,
        notes: &mut Notes,
    ) -> Result<RegistryGetResponse> {
        let registry = opened(toolkit, request.db.as_deref(), false, notes)?;
        let row = registry.as_ref().map(|found| found.skill(&request.name));
        if let Some(row) = row.transpose()?.flatten() {
            let found = registry.as_ref();
            let source = found.and_then(|found| source(&request.name, found));
            let mut response = RegistryGetResponse::from(row);
            if let Some(source) = source {
                notes.root = Some(source.dir.into());
                response.file = Some(source.path);
            }
            return Ok(response);
        }
        if let Some(registry) = &registry {
            notes.hint = hint(&request.name, registry);
        }
        Err(Error::SkillNotFound {
            skill: request.name,
        })
    }
}

/// Returns the source file of the row with this name.
fn source(name: &str, registry: &SkillRegistry) -> Option<SourceRow> {
    let mut sources = registry.sources().ok()?.rows.into_iter();
    sources.find(|source| source.name == name && source.is_winner)
}

/// Suggests similar names.
fn hint(asked: &str, registry: &SkillRegistry) -> Option<String> {
    let heads = registry.heads().ok()?;
    let mut names: Vec<String> = heads.into_iter().map(|head| head.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut near = near(asked, names);
    near.truncate(MAX_NEAR);
    did_you_mean(&near)
}
