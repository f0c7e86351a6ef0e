//! AGS110 metadata-values.

use skillc_core::{Document, Skill, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::{field, shown};

declare_rule! {
    /// Reports a key of `metadata` that is set to a list or a map.
    ///
    /// ## Why
    /// The standard has texts there. Its own library makes texts of everything else, brackets and quotes and all, so that a
    /// list of tags comes back as something that is no list.
    ///
    /// The rule is off unless you select it: some clients keep maps and lists of their own in `metadata`, such as
    /// OpenClaw below `openclaw` and goose below `arguments`. A skill for those has to have them.
    ///
    /// Numbers, dates and `true` are not reported, nor is a key without a value: the standard's parser knows no types, and
    /// reads `version: 1.10` as the text "1.10". Other parsers make 1.1 of it, so put a version in quotes.
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
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), `metadata`; its library, skills-ref (2026-08-09).
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
                    .help("write it as one text");
            }
        }
    }
}

fn no_text(key: &str, kind: &str) -> String {
    format!("'{}' in metadata is {kind}, not a text", shown(key))
}
