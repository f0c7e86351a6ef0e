//! `skill_list`: the rows of the skill registry for an agent. People use `skc registry list`, which shows other
//! columns.
//!
//! Design: REG-MCP, catalog-tools, catalog-freshness.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use skillc_core::Result;

use super::Started;
use super::listed::{SkillList, skill_list, skill_list_in_memory};
use crate::catalog::Look;
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// Arguments of `skill_list`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct SkillListRequest {
    /// Only skills with this text in their name or description (any case)
    #[serde(default)]
    pub search: Option<String>,
    /// Only skills with exactly this capability
    #[serde(default)]
    pub capability: Option<String>,
    /// Update the registry from disk first
    #[serde(default)]
    pub refresh: bool,
}

/// Implements the tool `skill_list`, for which there is no command.
pub struct ListSkills;

skillc_core::inventory::submit!(tool_of::<ListSkills>());

impl Operation for ListSkills {
    const NAME: &'static str = "skill_list";
    const ABOUT: &'static str = "List the skills of the skill registry for an agent";
    const EXAMPLES: &'static [Example] = &[];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skill_list",
        title: "List registered skills",
        about: "List registered skills with versions and capabilities, one per name.",
        effect: Effect::Caches,
        form: Form::Envelope,
        text: ResultText::Json,
        gives_skill: false,
    });
    type Request = SkillListRequest;
    type Response = SkillList;

    fn run(toolkit: &Toolkit, request: SkillListRequest, notes: &mut Notes) -> Result<SkillList> {
        let (search, capability) = (request.search.as_deref(), request.capability.as_deref());
        if request.refresh {
            // Also read the catalog, to notice name changes that clients subscribe to.
            toolkit.catalog(Look::Anew, notes);
        }
        let registry = toolkit.kept.get::<Started>();
        let list = if registry.is_usable(toolkit, request.refresh) {
            skill_list(toolkit, search, capability, request.refresh, notes)
        } else {
            skill_list_in_memory(toolkit, search, capability, notes)
        };
        // The catalog and the skill registry read the same files: report each warning once.
        let mut said = BTreeSet::new();
        notes
            .notices
            .retain(|notice| said.insert(notice.to_string()));
        list
    }
}
