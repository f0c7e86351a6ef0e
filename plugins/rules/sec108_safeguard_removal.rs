//! SEC108 safeguard-removal.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports commands and instructions that disable a safeguard of the system or of the agent.
    ///
    /// ## Why
    /// Attackers disable antivirus programs, Gatekeeper, audit logs and the shell history. Skills rarely need to do so.
    /// The rule also reports an entry in the hosts file that maps a name to an IP address, and sentences that tell the
    /// agent to disable its own safeguards, to approve something that it has not read, to treat one consent as consent
    /// for everything, or to cover its tracks.
    ///
    /// Settings that let an agent act without asking are reported if the skill writes them where they outlive the task:
    /// to settings that apply to all projects, as an alias in a start-up file of the shell, or, if there are at least
    /// two such settings, to the settings of a project. If the text warns of the settings, or if the skill is about
    /// permissions, the finding is only a warning.
    ///
    /// The rule also reports certificate authorities from an unknown host, name servers that are neither well known nor
    /// in the user's network, and back doors in the code that the agent is to write: a fixed value that lets a request
    /// past the login beside the real check, and instructions to add a hidden way in and not to document it. A program
    /// that runs the messages of an account is reported if the account is fixed in the program; if the skill's text
    /// mentions the account, the finding is only a warning. A route that runs the text of a request is reported if the
    /// route poses as a health check, compares the request with a fixed value, or is not to be mentioned. A template
    /// for infrastructure is reported if it gives all rights to an account, person or address that is fixed in the
    /// template; if the skill's text mentions the receiver, the finding is only a warning.
    ///
    /// A policy for the agent's tools is reported if it allows everything and the text gives up the rules that deny
    /// actions. Code is reported if a comment calls it a hidden back door, and a fixed input makes it run something.
    ///
    /// Text is reported if it tells the agent to approve changes without reading them, to call code free of findings
    /// that were found, or to hide from reviewers that the code checks no tokens, signatures or certificates. So is a
    /// function that compares the hash of a password with a constant, if it replaces the real check.
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// In a [skill about security](../../security-scan.md#how-findings-are-decided), a command that disables a
    /// safeguard of the system is only a warning. In any skill, a command that excludes a build folder from the checks
    /// of Windows Defender is only a warning, and so is clearing the shell history or old logs in a document if the
    /// line, the lead or the title says that the user asks for this.
    ///
    /// ## What is not reported
    /// - commands and sentences that the text forbids or explains
    /// - settings of an agent in a container, or for which the text says to ask the user first
    /// - JSON that a command passes to a program as input, as in the test of a hook
    /// - comparisons with a setting, and examples of a login that check a user name and a password
    ///
    /// ## Example
    /// ```powershell
    /// Set-MpPreference -DisableRealtimeMonitoring $true
    /// ```
    /// Remove the command.
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
