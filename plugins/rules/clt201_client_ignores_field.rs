//! CLT201 client-ignores-field.

use skillc_core::clients::Consequence;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::reactions::report;

declare_rule! {
    /// Reports a field that a named client does not read.
    ///
    /// ## Why
    /// The named client passes over the field, so what it promises does not come true there: a skill with
    /// `disable-model-invocation` starts by itself, `allowed-tools` allows none. Some clients have another place for the same.
    ///
    /// `license`, `compatibility` and `metadata` are not reported where they are merely passed over, for they are there to be read by
    /// people. A field that no client has is a matter of SKL109, and one that makes a client refuse the skill one of CLT101.
    ///
    /// The rule speaks only of clients that you name, with `--for` or in the configuration.
    ///
    /// ## Example
    /// With `--for codex`:
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
    /// The source or the documents of each client; the finding names them, with their date.
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
