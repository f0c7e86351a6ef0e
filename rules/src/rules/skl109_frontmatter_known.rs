//! SKL109 frontmatter-known.

use skillc_core::clients::Clients;
use skillc_core::near::nearest;
use skillc_core::{Document, Fields, Findings, Rule, RuleMeta, Skill, declare_rule};

use crate::support::text::shown;

/// The fields of the Agent Skills standard.
const STANDARD: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

declare_rule! {
    /// Reports a field of the frontmatter that neither the standard nor a known client has.
    ///
    /// ## Why
    /// A field that nobody reads does nothing, and a mistyped one takes its value with it: `allowed_tools` allows no tool.
    /// Some clients warn of such a field or refuse the skill.
    ///
    /// The standard has `name`, `description`, `license`, `compatibility`, `metadata` and `allowed-tools`. A field of any
    /// known client, such as `argument-hint` or `user-invocable`, is not reported. What is yours alone has its place in
    /// `metadata`.
    ///
    /// ## Example
    /// ```yaml
    /// name: sql-format
    /// allowed_tools: Read
    /// version: 1.2
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// allowed-tools: Read
    /// metadata:
    ///   version: "1.2"
    /// ```
    ///
    /// ## Source
    /// RFC-0008 C-REGISTRY, SKL109, with the fields of the Agent Skills standard.
    pub(crate) struct FrontmatterKnown {
        code: "SKL109",
        name: "frontmatter-known",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for FrontmatterKnown {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let fields = doc.frontmatter.fields().into_iter().flat_map(Fields::iter);
        let mut others = fields
            .filter(|field| !STANDARD.contains(&field.key.as_str()))
            .peekable();
        if others.peek().is_none() {
            return;
        }
        let clients = Clients::builtin();
        let of_clients = clients.fields();
        for field in others.filter(|field| !of_clients.contains(field.key.as_str())) {
            let key = shown(&field.key);
            let near = nearest(&field.key, STANDARD.iter().chain(&of_clients));
            out.at(field.key_span, format!("unknown field '{key}'"))
                .help(match near {
                    Some(meant) => format!("did you mean '{meant}'?"),
                    None => "move it below 'metadata', which is for fields of your own".to_owned(),
                });
        }
    }
}
