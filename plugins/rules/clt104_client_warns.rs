//! CLT104 client-warns.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports a fault that a selected client warns about when it loads the skill.
    ///
    /// ## Why
    /// The skill works, but its users see the warning every time.
    ///
    /// The rule only checks clients selected with `--client` or in the configuration.
    ///
    /// ## Example
    /// With `--client pi`:
    /// ```yaml
    /// name: SQL_Format
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// ```
    ///
    /// ## Source
    /// The source code or documentation of each client; the finding cites it, with its date.
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
