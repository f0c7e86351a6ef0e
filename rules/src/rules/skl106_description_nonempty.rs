//! SKL106 description-nonempty.
//!
//! Design: C-REGISTRY.9.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::fields::{no_text, text_of};

declare_rule! {
    /// Reports a description without text.
    ///
    /// ## Why
    /// An empty description tells an agent nothing, so agents never choose the skill. A description that consists of
    /// whitespace counts as empty. A list or a map is not accepted either: clients expect a string, and drop the skill
    /// or show text that you did not write.
    ///
    /// ## Example
    /// ```yaml
    /// description:
    ///   - Formats SQL.
    ///   - Use when a query is hard to read.
    /// ```
    /// Write instead:
    /// ```yaml
    /// description: >-
    ///   Formats SQL.
    ///   Use when a query is hard to read.
    /// ```
    pub(crate) struct DescriptionNonempty {
        code: "SKL106",
        name: "description-nonempty",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for DescriptionNonempty {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        if let Some((kind, at)) = no_text(doc, "description") {
            out.at(at, format!("description is {kind}, not a string"))
                .help("write it as a single string; use '>-' after the colon for several lines");
        }
        if let Some((_, at)) = text_of(doc, "description").filter(|(text, _)| text.is_empty()) {
            out.at(at, "description is empty")
                .help("describe what the skill does and when to use it");
        }
    }
}
