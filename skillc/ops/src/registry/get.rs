//! `skc registry get`: one row, all of it.
//!
//! Source: CATALOG REG-READ.1, REG-READ.2, §3.4.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::near::near;
use skillc_core::{Error, Result};
use skillc_storage::{SkillRegistry, SkillRow};

use super::listed::opened;
use crate::operation::{Example, Notes, Operation, Toolkit};

/// The most names that are offered in place of one that is unknown.
const MAX_NEAR: usize = 5;

/// Arguments of `skc registry get`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RegistryGetRequest {
    /// Skill name
    pub name: String,
    /// Database to read in place of the one for this directory
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    #[serde(default)]
    pub db: Option<PathBuf>,
}

/// A row of the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryGetResponse {
    /// What the skill is called
    pub name: String,
    /// What it is for, and when to use it
    pub description: String,
    /// Its version, as written
    pub version: Option<String>,
    /// The file that it begins with
    pub entrypoint: Option<String>,
    /// What it can do
    pub capabilities: Vec<String>,
    /// A letter that groups skills
    pub greek_letter: Option<String>,
    /// Its SKILL.md, relative to the catalog root, or in the home directory: ~/…
    pub source_path: String,
    /// The frontmatter as JSON, all keys, in file order
    pub frontmatter_json: String,
    /// When the row got what it holds, UTC: 2026-01-31T08:15:00.123Z
    pub loaded_at: String,
    /// The text after the frontmatter, unchanged
    pub body: String,
}

impl From<SkillRow> for RegistryGetResponse {
    fn from(row: SkillRow) -> Self {
        Self {
            name: row.name,
            description: row.description,
            version: row.version,
            entrypoint: row.entrypoint,
            capabilities: row.capabilities,
            greek_letter: row.greek_letter,
            source_path: row.source_path,
            frontmatter_json: row.frontmatter_json,
            loaded_at: row.loaded_at,
            body: row.body,
        }
    }
}

/// The operation.
pub struct RegistryGet;

impl Operation for RegistryGet {
    const NAME: &'static str = "registry get";
    const ABOUT: &'static str = "Show one skill of the skill registry";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc registry get my-skill",
            does: "what is known of it, and its text",
        },
        Example {
            command: "skc registry get my-skill -o json",
            does: "the same with its frontmatter, for a program",
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

/// Names the skills that may have been meant.
fn hint(asked: &str, registry: &SkillRegistry) -> Option<String> {
    let heads = registry.heads().ok()?;
    let mut names: Vec<String> = heads.into_iter().map(|head| head.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut near = near(asked, names);
    near.truncate(MAX_NEAR);
    let near: Vec<String> = near.iter().map(|name| format!("'{name}'")).collect();
    (!near.is_empty()).then(|| format!("Did you mean {}?", near.join(" or ")))
}
