//! `skc registry get`: one row in full.
//!
//! Design: REG-READ.1, REG-READ.2, catalog-commands.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::did_you_mean::near;
use skillc_core::{Error, Result};
use skillc_storage::{SkillRegistry, SkillRow};

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
}

impl From<SkillRow> for RegistryGetResponse {
    fn from(mut row: SkillRow) -> Self {
        let frontmatter_json = std::mem::take(&mut row.frontmatter_json);
        let body = std::mem::take(&mut row.body);
        Self {
            row: row.into(),
            frontmatter_json,
            body,
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
            notes.root = registry
                .as_ref()
                .and_then(|found| dir(&request.name, found));
            return Ok(row.into());
        }
        if let Some(registry) = &registry {
            notes.hint = hint(&request.name, registry);
        }
        Err(Error::SkillNotFound {
            skill: request.name,
        })
    }
}

/// Returns the directory of the skill in the row with this name.
fn dir(name: &str, registry: &SkillRegistry) -> Option<PathBuf> {
    let sources = registry.sources().ok()?.rows.into_iter();
    let mut named = sources.filter(|source| source.name == name);
    let winner = named.find(|source| source.is_winner)?;
    Some(winner.dir.into())
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
