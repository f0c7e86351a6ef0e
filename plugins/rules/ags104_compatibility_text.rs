//! AGS104 compatibility-text.

use skillc_core::{Document, Field, Skill, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::field;

/// The maximum length of the value, in characters.
const MAX_CHARS: usize = 500;

declare_rule! {
    /// Reports a `compatibility` that is not a string of 1 to 500 characters.
    ///
    /// ## Why
    /// The field describes in a sentence what a skill requires: a product, packages, network access. The standard's
    /// validator rejects lists, maps and longer strings, and an empty string describes nothing. The length is counted
    /// in characters, not bytes, without surrounding whitespace.
    ///
    /// ## Example
    /// ```yaml
    /// compatibility:
    ///   - git
    ///   - docker
    /// ```
    /// Write instead:
    /// ```yaml
    /// compatibility: Requires git and docker
    /// ```
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), `compatibility`; its validator, skills-ref
    /// (2026-08-09).
    pub(crate) struct CompatibilityText {
        code: "AGS104",
        name: "compatibility-text",
        severity: Error,
        since: "0.3.0",
    }
}

impl Rule for CompatibilityText {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some(field) = field(doc, "compatibility") else {
            return;
        };
        if let Some((fault, help)) = fault(field) {
            out.at(field.place(), fault).help(help);
        }
    }
}

/// Returns the message and the help text for an invalid value; `None` if the value is valid.
fn fault(field: &Field) -> Option<(String, &'static str)> {
    if let Some(kind) = field.value.structure() {
        let fault = format!("compatibility is {kind}, not a string");
        return Some((fault, "write it as one sentence"));
    }
    let count = match &field.value {
        Value::Text(text) => text.trim().chars().count(),
        _ => 0,
    };
    match count {
        0 => Some((
            "compatibility is empty".to_owned(),
            "describe what the skill requires, or remove the field",
        )),
        1..=MAX_CHARS => None,
        _ => Some((
            format!("compatibility has {count} characters; at most {MAX_CHARS} are allowed"),
            "keep only the requirements; move the rest below the frontmatter",
        )),
    }
}
