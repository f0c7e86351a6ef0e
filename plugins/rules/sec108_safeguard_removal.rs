//! SEC108 safeguard-removal.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports that a safeguard of the system or of the agent is taken away.
    ///
    /// ## Why
    /// Antivirus, Gatekeeper, audit logs and the history of the shell are disabled by attacks and hardly ever by a
    /// skill.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - what the text forbids or explains; for a skill about security a warning
    ///
    /// ## Example
    /// ```powershell
    /// Set-MpPreference -DisableRealtimeMonitoring $true
    /// ```
    /// Remove it.
    pub(crate) struct SafeguardRemoval {
        code: "SEC108",
        name: "safeguard-removal",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for SafeguardRemoval {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
