//! AGS107 license-text.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::field;

declare_rule! {
    /// Reports a `license` that is a list or a map.
    ///
    /// ## Why
    /// The field contains the name of a licence, or of the file in the skill that contains the licence text. Programs
    /// that look up the licence of a skill expect a string, and ignore a list or a map.
    ///
    /// ## Example
    /// ```yaml
    /// license:
    ///   name: Apache-2.0
    ///   file: LICENSE.txt
    /// ```
    /// Write instead:
    /// ```yaml
    /// license: Apache-2.0 (LICENSE.txt has the terms)
    /// ```
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), `license`.
    pub(crate) struct LicenseText {
        code: "AGS107",
        name: "license-text",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for LicenseText {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        if let Some(field) = field(doc, "license")
            && let Some(kind) = field.value.structure()
        {
            out.at(field.place(), no_text(kind))
                .help("write the license's name, or the name of the file with its terms");
        }
    }
}

fn no_text(kind: &str) -> String {
    format!("license is {kind}, not a string")
}
