//! CLT201 client-ignores-field.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports a field that a selected client ignores.
    ///
    /// ## Why
    /// The field has no effect in that client: the model can invoke a skill in spite of `disable-model-invocation`, or
    /// `allowed-tools` allows no tools. In some clients, the same setting is elsewhere.
    ///
    /// `license`, `compatibility` and `metadata` are not reported if a client merely ignores them, because they are for
    /// people. SKL109 reports a field that no client knows, and CLT101 a field that makes a client reject the skill.
    ///
    /// The rule only checks clients selected with `--client` or in the configuration.
    ///
    /// ## Example
    /// With `--client codex`:
    /// ```yaml
    /// name: sql-format
    /// disable-model-invocation: true
    /// ```
    /// Write instead, in `agents/openai.yaml`:
    /// ```yaml
    /// policy:
    ///   allow_implicit_invocation: false
    /// ```
    ///
    /// ## Source
    /// The source code or documentation of each client; the finding cites it, with its date.
    pub(crate) struct ClientIgnoresField {
        code: "CLT201",
        name: "client-ignores-field",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for ClientIgnoresField {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, main: &Document, skill: &Skill, out: &mut Findings<'_>) {
        report(main, skill, Consequence::FieldIgnored, out);
    }
}
