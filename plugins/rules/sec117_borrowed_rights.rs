//! SEC117 borrowed-rights.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a skill that asks for every tool, or that reaches a shell through a nested skill.
    ///
    /// ## Why
    /// The user agrees to the tools in `allowed-tools`. A skill bypasses this consent if its `allowed-tools` contains
    /// no shell, but the skill passes arbitrary commands to a nested skill that has a shell.
    ///
    /// A finding about a skill that asks for every tool (`*`) is only a warning.
    ///
    /// ## What is not reported
    /// - skills without `allowed-tools`, and skills whose `allowed-tools` contains a shell
    /// - nested skills that run only their own commands
    ///
    /// ## Example
    /// ```yaml
    /// allowed-tools: "*"
    /// ```
    /// List the tools that the skill needs.
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
