//! CLT102 client-may-refuse-skill.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports a fault that may make a selected client reject the skill, according to the client's source code.
    ///
    /// ## Why
    /// This rule is like CLT101, but no report confirms how the client behaves, so the finding is a warning. Examples
    /// are a byte order mark before the first line, and a `metadata` that is not a map.
    ///
    /// The rule only checks clients selected with `--client` or in the configuration.
    ///
    /// ## Example
    /// With `--client codex`:
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
    /// The source code or documentation of each client; the finding cites it, with its date.
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
