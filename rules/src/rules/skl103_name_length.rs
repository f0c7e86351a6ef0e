//! SKL103 name-length.
//!
//! Design: C-REGISTRY.7.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::fields::text_of;
use crate::support::right_name::MAX_CHARS;

declare_rule! {
    /// Reports a name that is empty or longer than 64 characters.
    ///
    /// ## Why
    /// Clients truncate or reject longer names, and a skill without a name cannot be invoked. The length is counted in
    /// characters, not bytes, without surrounding whitespace.
    ///
    /// ## Example
    /// ```yaml
    /// name: ""
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// ```
    pub(crate) struct NameLength {
        code: "SKL103",
        name: "name-length",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for NameLength {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some((name, at)) = text_of(doc, "name") else {
            return;
        };
        match name.chars().count() {
            0 => drop(out.at(at, "name is empty")),
            1..=MAX_CHARS => {}
            count => drop(out.at(at, too_long(count))),
        }
    }
}

fn too_long(count: usize) -> String {
    format!("name has {count} characters; at most {MAX_CHARS} are allowed")
}
