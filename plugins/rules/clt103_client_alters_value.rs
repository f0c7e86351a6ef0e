//! CLT103 client-alters-value.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports a value that a selected client truncates or replaces.
    ///
    /// ## Why
    /// The skill works, but not as written. The client may cut off the end of a description, often the sentence that
    /// says when to use the skill, or use the directory's name as the name of the skill.
    ///
    /// The rule only checks clients selected with `--client` or in the configuration.
    ///
    /// ## Example
    /// With `--client codex`:
    /// ```yaml
    /// name: sql-format
    /// description: Formats SQL. First it splits the query into … (two thousand characters)
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ```
    ///
    /// ## Source
    /// The source code or documentation of each client; the finding cites it, with its date.
    pub(crate) struct ClientAltersValue {
        code: "CLT103",
        name: "client-alters-value",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for ClientAltersValue {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, main: &Document, skill: &Skill, out: &mut Findings<'_>) {
        report(main, skill, Consequence::Altered, out);
    }
}
