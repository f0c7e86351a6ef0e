//! SEC115 privilege-escalation.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports that the skill gives itself lasting rights over the machine.
    ///
    /// ## Why
    /// `NOPASSWD: ALL`, shells with the setuid bit, and users without a password stay behind when the skill is gone.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - `sudo` for one command
    /// - what the text forbids or explains; for a skill about security a warning
    ///
    /// ## Example
    /// ```sh
    /// echo 'me ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers
    /// ```
    /// Ask for one command where it is needed.
    pub(crate) struct PrivilegeEscalation {
        code: "SEC115",
        name: "privilege-escalation",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for PrivilegeEscalation {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
