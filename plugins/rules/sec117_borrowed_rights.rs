//! SEC117 borrowed-rights.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a skill that asks for every tool, or reaches a shell by way of a nested skill.
    ///
    /// ## Why
    /// `allowed-tools` is what a user agrees to. A skill that does not ask for a shell, and hands any command to a nested
    /// skill that has one, goes around that.
    ///
    /// Asking for every tool (`*`) is a warning.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - nested skills that run a command of their own
    /// - skills whose own `allowed-tools` has the shell
    ///
    /// ## Example
    /// ```yaml
    /// allowed-tools: "*"
    /// ```
    /// Name the tools that are needed.
    pub(crate) struct BorrowedRights {
        code: "SEC117",
        name: "borrowed-rights",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for BorrowedRights {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
