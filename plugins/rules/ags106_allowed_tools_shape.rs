//! AGS106 allowed-tools-shape.

use skillc_core::{Document, Field, Skill, Span, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::field;

declare_rule! {
    /// Reports an `allowed-tools` that is neither a string nor a list of strings.
    ///
    /// ## Why
    /// The standard's validator rejects a map, or a list with elements other than strings, and no client documents how
    /// it handles such a map or list. A client that cannot read the tools does not allow them: the agent asks for
    /// permission each time.
    ///
    /// Tools separated by spaces or commas, and lists with one tool per line, are accepted, because each of these
    /// notations is supported by at least one client. AGS108 reports a list in brackets (`[Read, Grep]`), which most
    /// clients accept but the standard's own parser does not. If an element of a list contains `: `, put the element in
    /// quotes: without quotes, YAML parses it as a map.
    ///
    /// ## Example
    /// ```yaml
    /// allowed-tools:
    ///   Read: true
    ///   Bash: git *
    /// ```
    /// Write instead:
    /// ```yaml
    /// allowed-tools: Read Bash(git *)
    /// ```
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), `allowed-tools`; its validator, skills-ref
    /// (2026-08-09).
    pub(crate) struct AllowedToolsShape {
        code: "AGS106",
        name: "allowed-tools-shape",
        severity: Error,
        since: "0.3.0",
    }
}

impl Rule for AllowedToolsShape {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some(field) = field(doc, "allowed-tools") else {
            return;
        };
        for (at, fault) in faults(field) {
            out.at(at, fault)
                .help("write the tools separated by spaces, or one per line after '- '");
        }
    }
}

fn faults(field: &Field) -> Vec<(Span, String)> {
    match &field.value {
        Value::Map(_) => vec![(
            field.place(),
            "allowed-tools is a map, not a string or a list".to_owned(),
        )],
        Value::List(items) => {
            let wrong = items
                .iter()
                .filter_map(|item| Some((item.span, item.value.structure()?)));
            wrong.map(|(at, kind)| (at, no_tool(kind))).collect()
        }
        Value::Null | Value::Text(_) => Vec::new(),
    }
}

fn no_tool(kind: &str) -> String {
    format!("an entry of allowed-tools is {kind}, not a tool")
}
