//! AGS105 metadata-map.

use skillc_core::{Document, Skill, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::field;

declare_rule! {
    /// Reports a `metadata` that is a text or a list, not a map.
    ///
    /// ## Why
    /// The field is for keys of your own. Clients that expect a map there leave out the whole skill if it is something else,
    /// and others drop what is written.
    ///
    /// What the keys are set to is AGS110's. A `metadata` without a value is not reported: it is a map with nothing in it.
    ///
    /// ## Example
    /// ```yaml
    /// metadata: "author: example, version: 1.2"
    /// ```
    /// Write instead:
    /// ```yaml
    /// metadata:
    ///   author: example
    ///   version: "1.2"
    /// ```
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), `metadata`. Codex and goose, whose readers are typed,
    /// drop the skill (sources seen in 2026).
    pub(crate) struct MetadataMap {
        code: "AGS105",
        name: "metadata-map",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for MetadataMap {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some(field) = field(doc, "metadata") else {
            return;
        };
        let kind = match &field.value {
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Null | Value::Map(_) => return,
        };
        out.at(field.place(), no_map(kind))
            .help("write one 'key: value' a line below 'metadata:', each two spaces in");
    }
}

fn no_map(kind: &str) -> String {
    format!("metadata is {kind}, not a map")
}
