//! CLT101 client-refuses-skill.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports what makes a named client refuse the skill, leave it out, or read it as if it had no fields.
    ///
    /// ## Why
    /// Nothing tells an author of it: most clients pass over such a skill in silence, and the agent never learns that it exists.
    /// What one client takes is the end of the skill in another.
    ///
    /// The rule speaks only of clients that you name, with `--for` or in the configuration.
    ///
    /// ## Example
    /// With `--for codelia`, in a directory called `sql-format`:
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
    /// The source or the documents of each client; the finding names them, with their date.
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
