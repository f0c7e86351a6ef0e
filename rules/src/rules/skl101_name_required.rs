//! SKL101 name-required.
//!
//! Design: C-REGISTRY.5.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::fields::{is_name, missing};

declare_rule! {
    /// Reports a `SKILL.md` whose frontmatter has no `name`.
    ///
    /// ## Why
    /// Clients list and load a skill by its name; several silently drop a skill without a name. A `name` without a
    /// value, or with the value `~` or `null`, is treated as missing.
    ///
    /// ## Example
    /// ```markdown
    /// ---
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// ```
    /// Write instead:
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// ```
    pub(crate) struct NameRequired {
        code: "SKL101",
        name: "name-required",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for NameRequired {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let Some(at) = missing(doc, "name") else {
            return;
        };
        let found = out.at(at, "missing required field 'name'");
        if is_name(&skill.at.name) {
            found.help(format!(
                "add 'name: {}', the directory's name",
                skill.at.name
            ));
        }
    }
}
