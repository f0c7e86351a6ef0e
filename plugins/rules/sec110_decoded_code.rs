//! SEC110 decoded-code.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports code that is decoded and run.
    ///
    /// ## Why
    /// Code that is encoded is not meant to be read, and a review cannot. Base64, hex, ROT13, compressed and marshalled
    /// code that reaches a shell, `eval`, `exec` or PowerShell is found.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - data that is decoded and not run
    /// - for a skill about security a warning
    ///
    /// ## Example
    /// ```sh
    /// echo cHJpbnRlbnYK | base64 -d | sh
    /// ```
    /// Write the command.
    pub(crate) struct DecodedCode {
        code: "SEC110",
        name: "decoded-code",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for DecodedCode {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
