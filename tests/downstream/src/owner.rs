//! ACME001 acme-owner.

use skillc_core::{Document, Field, Frontmatter, Skill, Span, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a skill whose metadata does not name an owner.
    ///
    /// ## Why
    /// Acme needs a contact for skills that are harmful or outdated.
    ///
    /// ## Example
    /// ```yaml
    /// metadata:
    ///   version: "1"
    /// ```
    /// Write instead:
    /// ```yaml
    /// metadata:
    ///   version: "1"
    ///   owner: platform-team
    /// ```
    ///
    /// ## Source
    /// Acme's rules for skills.
    pub(crate) struct Owner {
        code: "ACME001",
        name: "acme-owner",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for Owner {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, main: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Frontmatter::Valid(fields) = &main.frontmatter else {
            return;
        };
        let metadata = fields.get("metadata");
        let owner = metadata.and_then(owner_of);
        let name = owner.and_then(|owner| owner.value.text());
        if name.is_some_and(|name| !name.trim().is_empty()) {
            return;
        }
        let first_line = Span::new(0, main.lines.range(1, 2).end);
        let place = owner
            .or(metadata)
            .map_or(first_line, |field| field.key_span);
        out.at(place, "the metadata names no owner")
            .help("write 'owner: <team>' below 'metadata'");
    }
}

fn owner_of(metadata: &Field) -> Option<&Field> {
    match &metadata.value {
        Value::Map(fields) => fields.iter().find(|field| field.key == "owner"),
        _ => None,
    }
}
