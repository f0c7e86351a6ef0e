//! SKL107 description-length.
//!
//! Design: C-REGISTRY.9, D-DESC-LENGTH.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::fields::text_of;

/// The maximum length of a description, in characters.
const MAX_CHARS: usize = 1024;

declare_rule! {
    /// Reports a description longer than 1024 characters.
    ///
    /// ## Why
    /// Clients show an agent the descriptions of all skills at once. Some clients truncate a longer description, often
    /// in the part that says when to use the skill, and others reject the skill. The length is counted in characters,
    /// not bytes, without surrounding whitespace.
    ///
    /// ## Example
    /// ```yaml
    /// description: Formats SQL. First it splits the query into … (two thousand characters)
    /// ```
    /// Write instead:
    /// ```yaml
    /// description: Formats SQL. Use when a query is hard to read.
    /// ```
    /// Move the rest below the frontmatter.
    pub(crate) struct DescriptionLength {
        code: "SKL107",
        name: "description-length",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for DescriptionLength {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some((text, at)) = text_of(doc, "description") else {
            return;
        };
        let count = text.chars().count();
        if count > MAX_CHARS {
            out.at(at, too_long(count)).help(
                "keep what the skill does and when to use it; move the rest below the frontmatter",
            );
        }
    }
}

fn too_long(count: usize) -> String {
    format!("description has {count} characters; at most {MAX_CHARS} are allowed")
}
