//! SEC115 privilege-escalation.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a command that permanently raises privileges on the machine.
    ///
    /// ## Why
    /// `NOPASSWD: ALL` entries, setuid shells and new administrator accounts remain after the skill is removed.
    /// The rule also finds a shell that a script copies, if the script then sets the setuid bit of the copy.
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// In a [skill about security](../../security-scan.md#how-findings-are-decided), findings are only warnings. So are
    /// findings in a Dockerfile, whose commands change an image.
    ///
    /// ## What is not reported
    /// - `sudo` for one command
    /// - commands that the text forbids or explains
    ///
    /// ## Example
    /// ```sh
    /// echo 'me ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers
    /// ```
    /// Use `sudo` for the one command that needs it.
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
