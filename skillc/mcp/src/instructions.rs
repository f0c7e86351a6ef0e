//! Server instructions for the client's model: how to use the tools and, at the end, which skills are available.
//!
//! Design: catalog-texts, CAT-INJECT.9, D11.

use skillc_core::config::Toolset;
use skillc_ops::catalog::model::Catalog;
use skillc_ops::catalog::model::injected;

/// The instructions for the toolset `skc` (the commands).
const COMMANDS: &str = "Agent Skills on this machine. Find one with skc_list, see what is in it with skc_outline or \
    skc_search, and read only the part you need with skc_show (a section) or skc_open (a file).";

/// The instructions for the toolset `catalog`.
const CATALOG: &str = "Agent Skills on this machine. Find one for your task with skill_search and read it with skill_load \
    before you start.";

/// The instructions for the toolset `all`.
const ALL: &str = "Agent Skills on this machine. Find one for your task with skill_search and read it with skill_load \
    before you start. To work on skills themselves, see what is in one with skc_outline or skc_search, and read only the \
    part you need with skc_show (a section) or skc_open (a file).";

/// Returns the static part of the instructions.
pub(crate) const fn base(toolset: Toolset) -> &'static str {
    match toolset {
        Toolset::Skc => COMMANDS,
        Toolset::Catalog => CATALOG,
        Toolset::All => ALL,
    }
}

/// Returns the instructions with the list of skills.
pub(crate) fn with_skills(toolset: Toolset, catalog: &Catalog) -> String {
    let base = base(toolset).to_owned();
    // The list refers to tools of the catalog, so it is useless without them.
    let has_tools = toolset != Toolset::Skc;
    match has_tools.then(|| injected(catalog)).flatten() {
        Some(block) => format!("{base}\n\n{}", block.text),
        None => base,
    }
}
