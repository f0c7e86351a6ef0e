//! SKL303 link-no-escape.
//!
//! Source: RFC-0008 C-REGISTRY, SKL303; LEDGER D-LINK-SCOPE.

use skillc_core::{Document, Findings, Reference, Rule, RuleMeta, Skill, Target, declare_rule};

use crate::support::text::shown;

declare_rule! {
    /// Reports a link that leads out of the skill.
    ///
    /// ## Why
    /// A skill is installed, copied and shared as one folder. What lies beside that folder on your machine is not there on
    /// another one, and clients refuse to read it. It makes no difference whether the target exists where you are.
    ///
    /// A link leads out if it climbs above the skill's root with `..`, or if a symbolic link on its way does.
    ///
    /// ## Example
    /// ```markdown
    /// See [our style](../../docs/style.md).
    /// ```
    /// Copy the file into the skill and write:
    /// ```markdown
    /// See [our style](references/style.md).
    /// ```
    pub(crate) struct LinkNoEscape {
        code: "SKL303",
        name: "link-no-escape",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for LinkNoEscape {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let references = skill.references().of(&doc.path).iter();
        for link in references.filter(|link| matches!(link.target, Target::Outside)) {
            out.at(link.span, leads_out(link))
                .help("copy what is needed into the skill and link to the copy");
        }
    }
}

fn leads_out(link: &Reference) -> String {
    format!("link leads out of the skill: '{}'", shown(&link.written))
}
