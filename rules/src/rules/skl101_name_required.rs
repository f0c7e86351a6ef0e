//! SKL101 name-required.

use skillc_core::{
    Document, Findings, Frontmatter, Rule, RuleMeta, Skill, Span, Value, declare_rule,
};

declare_rule! {
    /// Reports a `SKILL.md` whose frontmatter has no `name`.
    ///
    /// ## Why
    /// Clients list and load a skill by its name; several drop a skill that has none without a word.
    ///
    /// ## Example
    /// ```markdown
    /// ---
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// ```
    /// Write instead:
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// ```
    ///
    /// ## Source
    /// RFC-0008 C-REGISTRY, SKL101.
    pub(crate) struct NameRequired {
        code: "SKL101",
        name: "name-required",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for NameRequired {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let is_missing = match &doc.frontmatter {
            Frontmatter::Valid(fields) => fields
                .get("name")
                .is_none_or(|field| field.value == Value::Null),
            // A block that cannot be read may still show that the key is there.
            Frontmatter::Invalid { fields, .. } => !fields.mentions("name"),
            _ => false,
        };
        if is_missing {
            out.at(
                Span::new(0, doc.lines.range(1, 2).end),
                "missing required field 'name'",
            );
        }
    }
}
