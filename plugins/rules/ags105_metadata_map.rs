//! AGS105 metadata-map.

use skillc_core::{Document, Skill, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::field;

declare_rule! {
    /// Reports a `metadata` that is a string or a list, not a map.
    ///
    /// ## Why
    /// The field is for custom keys. If it is not a map, some clients drop the whole skill, and others drop the field.
    ///
    /// AGS110 checks the values in the map. `metadata` without a value is accepted as an empty map.
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
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), `metadata`. According to the source code of
    /// Codex and goose (read in 2026), both use typed parsers and drop the skill.
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
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Null | Value::Map(_) => return,
        };
        out.at(field.place(), no_map(kind))
            .help("write one 'key: value' per line below 'metadata:', indented by two spaces");
    }
}

fn no_map(kind: &str) -> String {
    format!("metadata is {kind}, not a map")
}
