//! CLT102 client-may-refuse-skill.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports what a named client refuses the skill for, going by its source alone.
    ///
    /// ## Why
    /// As CLT101, but nobody is known to have seen it happen, so it is a warning: a byte order mark before the first line, or
    /// `metadata` that is no map.
    ///
    /// The rule speaks only of clients that you name, with `--for` or in the configuration.
    ///
    /// ## Example
    /// With `--for codex`:
    /// ```yaml
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// metadata: internal
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// metadata:
    ///   audience: internal
    /// ```
    ///
    /// ## Source
    /// The source or the documents of each client; the finding names them, with their date.
    pub(crate) struct ClientMayRefuseSkill {
        code: "CLT102",
        name: "client-may-refuse-skill",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for ClientMayRefuseSkill {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, main: &Document, skill: &Skill, out: &mut Findings<'_>) {
        report(main, skill, Consequence::MayBeRefused, out);
    }
}
