//! SKL105 description-required.
//!
//! Design: C-REGISTRY.5.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::fields::missing;

declare_rule! {
    /// Reports a `SKILL.md` whose frontmatter has no `description`.
    ///
    /// ## Why
    /// The name and the description are all that an agent sees of a skill before it loads the skill. Without a
    /// description, agents never choose the skill, and many clients drop it. A `description` without a value, or with
    /// the value `~` or `null`, is treated as missing.
    ///
    /// ## Example
    /// ```markdown
    /// ---
    /// name: sql-format
    /// ---
    /// ```
    /// Write instead:
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// ```
    pub(crate) struct DescriptionRequired {
        code: "SKL105",
        name: "description-required",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for DescriptionRequired {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        if let Some(at) = missing(doc, "description") {
            out.at(at, "missing required field 'description'")
                .help("add 'description: …': what the skill does and when to use it");
        }
    }
}
