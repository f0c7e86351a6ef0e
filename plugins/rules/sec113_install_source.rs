//! SEC113 install-source.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports packages that come from an unusual source, have a misleading name, or run a download when they are
    /// installed.
    ///
    /// ## Why
    /// A package can run code when it is installed. Attackers use their own registry, a package name that looks like a
    /// well-known one, or an install hook that downloads code.
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// A setting that makes all later installations use an unknown registry is an error if it also disables checks,
    /// or if the host's name contains that of a well-known registry. So is a git setting that replaces the host of all
    /// repositories by an unknown host.
    ///
    /// The packages in a `package.json`, a `requirements.txt` or a `pyproject.toml` are checked, too. A package whose
    /// archive is on an unknown host is only a warning if its name is not misleading.
    ///
    /// An unknown registry is only a warning if nothing else about the command is suspicious, or if the skill is about
    /// the user's own registry. A name that differs from a well-known name by a missing or an added letter is only a
    /// warning if the well-known name is short.
    ///
    /// ## What is not reported
    /// - public registries, their mirrors, and placeholders
    /// - hooks that download from GitHub
    ///
    /// ## Example
    /// ```sh
    /// npm install 1odash
    /// ```
    /// Use the correct name of the package, `lodash`.
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
