//! SEC113 install-source.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports packages from an unusual place, with a misleading name, or that run a download when installed.
    ///
    /// ## Why
    /// A package runs code as it is installed. A registry of its own, a name that only looks like a known one, and a hook
    /// that downloads are three ways to slip code in.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - public registries and their mirrors, and placeholders
    /// - a registry that nothing else speaks against, and a name one letter from a known one: warnings
    ///
    /// ## Example
    /// ```sh
    /// npm install 1odash
    /// ```
    /// Write the name as the registry has it.
    pub(crate) struct InstallSource {
        code: "SEC113",
        name: "install-source",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for InstallSource {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
