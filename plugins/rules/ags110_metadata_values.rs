//! AGS110 metadata-values.

use skillc_core::{Document, Skill, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::{field, shown};

declare_rule! {
    /// Reports a `metadata` key whose value is a list or a map.
    ///
    /// ## Why
    /// The standard allows only strings as values in `metadata`. Its own library converts any other value to a string,
    /// including brackets and quotes: a list of tags is then no longer a list.
    ///
    /// The rule is disabled by default: some clients, such as OpenClaw (under `openclaw`) and goose (under
    /// `arguments`), define their own maps and lists in `metadata`, and skills for those clients need them.
    ///
    /// Numbers, dates, `true` and empty values are not reported: the standard's parser is untyped, and reads
    /// `version: 1.10` as the string "1.10". Other parsers turn this value into the number 1.1, so put versions in
    /// quotes.
    ///
    /// ## Example
    /// ```yaml
    /// metadata:
    ///   tags:
    ///     - sql
    ///     - style
    /// ```
    /// Write instead:
    /// ```yaml
    /// metadata:
    ///   tags: sql, style
    /// ```
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), `metadata`; its library, skills-ref
    /// (2026-08-09).
    pub(crate) struct MetadataValues {
        code: "AGS110",
        name: "metadata-values",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for MetadataValues {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some(Value::Map(fields)) = field(doc, "metadata").map(|field| &field.value) else {
            return;
        };
        for field in fields.iter() {
            if let Some(kind) = field.value.structure() {
                out.at(field.place(), no_text(&field.key, kind))
                    .help("write it as a single string");
            }
        }
    }
}

fn no_text(key: &str, kind: &str) -> String {
    format!("'{}' in metadata is {kind}, not a string", shown(key))
}
