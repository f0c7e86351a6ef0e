//! SEC114 committed-secret.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a secret in the skill: a key of a known provider, or a private key.
    ///
    /// ## Why
    /// Everyone who installs the skill gets the secret. The rule knows the key formats of 18 providers. The secret
    /// itself never appears in the output.
    ///
    /// ## What is not reported
    /// - sample values: values with few different characters, or with words such as `EXAMPLE` or `xxxx`
    /// - secrets in tests and fixtures
    ///
    /// ## Example
    /// A line with an AWS access key. Revoke the key, and let the script read a new one from the environment.
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
