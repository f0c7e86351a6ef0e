//! SEC108 safeguard-removal.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports the removal of a safeguard of the system or of the agent.
    ///
    /// ## Why
    /// Attacks disable antivirus programs, Gatekeeper, audit logs and the shell history; skills hardly ever need to.
    /// The rule also reports an entry in the hosts file that maps a name to an IP address, and sentences that tell the
    /// agent to disable its own safeguards, to approve something without reading it, or to remove its traces.
    ///
    /// The rule also reads decoded text: see [what is read](../../security-scan.md#what-is-read).
    ///
    /// In a [skill about security](../../security-scan.md#how-findings-are-decided), a command that disables a
    /// safeguard of the system is a warning. So is a command that excludes a build folder from the checks of Windows
    /// Defender, in any skill.
    ///
    /// ## What is not reported
    /// - commands and sentences that the text forbids or explains
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
