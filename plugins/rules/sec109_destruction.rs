//! SEC109 destruction.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a command that destroys the user's files or disks, or holds them to ransom.
    ///
    /// ## Why
    /// `rm -rf` of the home or root directory, disks that are overwritten, snapshots that are deleted, and scripts that
    /// encrypt files and ask for money.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - folders of the project or of temporary files
    /// - lists of commands that are denied, guards that look for them, and tests
    ///
    /// ## Example
    /// ```sh
    /// rm -rf ~/*
    /// ```
    /// Name the folder.
    pub(crate) struct Destruction {
        code: "SEC109",
        name: "destruction",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for Destruction {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
