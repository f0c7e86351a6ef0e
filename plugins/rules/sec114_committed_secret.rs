//! SEC114 committed-secret.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a secret that is in the skill: keys of known providers, and private keys.
    ///
    /// ## Why
    /// Everybody who installs the skill has it. Formats of 20 providers are known; the value is never shown, in no output.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - values of examples: few different letters, `EXAMPLE`, `xxxx`
    /// - tests and fixtures
    ///
    /// ## Example
    /// A line with an AWS access key. Revoke the key, and read it from the environment.
    pub(crate) struct CommittedSecret {
        code: "SEC114",
        name: "committed-secret",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for CommittedSecret {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
