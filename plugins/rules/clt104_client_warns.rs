//! CLT104 client-warns.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports what a named client warns of when it loads the skill.
    ///
    /// ## Why
    /// The skill works, but everybody who has it reads the message, again and again.
    ///
    /// The rule speaks only of clients that you name, with `--for` or in the configuration.
    ///
    /// ## Example
    /// With `--for pi`:
    /// ```yaml
    /// name: SQL_Format
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// ```
    ///
    /// ## Source
    /// The source or the documents of each client; the finding names them, with their date.
    pub(crate) struct ClientWarns {
        code: "CLT104",
        name: "client-warns",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for ClientWarns {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, main: &Document, skill: &Skill, out: &mut Findings<'_>) {
        report(main, skill, Consequence::Warned, out);
    }
}
