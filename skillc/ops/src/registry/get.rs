//! `skc registry get`: one row, all of it.
//!
//! Design: REG-READ.1, REG-READ.2, catalog-commands.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::near::near;
use skillc_core::{Error, Result};
use skillc_storage::{SkillRegistry, SkillRow};

use super::list::RegistryRow;
use super::listed::opened;
use crate::catalog::told::did_you_mean;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

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

/// A row of the skill registry, with the skill's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistryGetResponse {
    /// What a list has of it.
    #[serde(flatten)]
    pub row: RegistryRow,
    /// The frontmatter as JSON, all keys, in file order
    pub frontmatter_json: String,
    /// The text after the frontmatter, unchanged
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

/// Returns the directory of the skill that has the row of a name.
fn dir(name: &str, registry: &SkillRegistry) -> Option<PathBuf> {
    let sources = registry.sources().ok()?.rows.into_iter();
    let mut named = sources.filter(|source| source.name == name);
    let winner = named.find(|source| source.is_winner)?;
    Some(winner.dir.into())
}

/// Names the skills that may have been meant.
fn hint(asked: &str, registry: &SkillRegistry) -> Option<String> {
    let heads = registry.heads().ok()?;
    let mut names: Vec<String> = heads.into_iter().map(|head| head.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut near = near(asked, names);
    near.truncate(MAX_NEAR);
    did_you_mean(&near)
}
