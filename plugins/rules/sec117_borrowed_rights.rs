//! SEC117 borrowed-rights.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a skill that asks for every tool, or reaches a shell by way of a nested skill.
    ///
    /// ## Why
    /// A user agrees to the tools in `allowed-tools`. A skill that lists tools without a shell, but hands any command
    /// to a nested skill that has one, bypasses this consent.
    ///
    /// A skill that asks for every tool (`*`) gets a warning.
    ///
    /// ## What is not reported
    /// - skills without `allowed-tools`, and skills that list a shell in it
    /// - nested skills that run only commands of their own
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
