//! CLT101 client-refuses-skill.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports a fault that makes a selected client reject the skill, drop it, or ignore all of its fields.
    ///
    /// ## Why
    /// Most clients drop such a skill silently: the author gets no message, and the agent never learns that the skill
    /// exists. A skill that works in one client may be broken in another.
    ///
    /// The rule only checks clients selected with `--client` or in the configuration.
    ///
    /// ## Example
    /// With `--client codelia`, in a directory named `sql-format`:
    /// ```yaml
    /// name: sql
    /// description: Formats SQL. Use when a query is hard to read.
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ```
    ///
    /// ## Source
    /// The source code or documentation of each client; the finding cites it, with its date.
    pub(crate) struct ClientRefusesSkill {
        code: "CLT101",
        name: "client-refuses-skill",
        severity: Error,
        since: "0.3.0",
    }
}

impl Rule for ClientRefusesSkill {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, main: &Document, skill: &Skill, out: &mut Findings<'_>) {
        report(main, skill, Consequence::Refused, out);
    }
}
