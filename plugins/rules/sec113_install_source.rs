//! SEC113 install-source.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports packages from an unusual place, with a misleading name, or that run a download when installed.
    ///
    /// ## Why
    /// A package can run code when it is installed. Attackers use a registry of their own, a name that looks like a
    /// well-known one, or an install hook that downloads code.
    ///
    /// The rule also reads decoded text: see [what is read](../../security-scan.md#what-is-read).
    ///
    /// An unknown registry without other suspicious details is a warning. A name that differs from a well-known one by
    /// a missing or an added letter is a warning if the well-known name is short.
    ///
    /// ## What is not reported
    /// - public registries and their mirrors, and placeholders
    /// - hooks that download from GitHub
    ///
    /// ## Example
    /// ```sh
    /// npm install 1odash
    /// ```
    /// Use the name under which the registry lists the package.
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
