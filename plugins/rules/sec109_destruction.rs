//! SEC109 destruction.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a command that destroys the user's files or disks, or holds them to ransom.
    ///
    /// ## Why
    /// The rule finds `rm -rf` of the home or root directory, disks that are overwritten, snapshots that are deleted,
    /// files that are damaged or encrypted for a ransom, and databases or backups that are deleted without asking. It
    /// also finds sentences that tell the agent to change amounts, accounts or records without the user noticing.
    ///
    /// The rule also reads decoded text: see [what is read](../../security-scan.md#what-is-read).
    ///
    /// A command with a placeholder for the name of the disk, such as `/dev/sdX`, is only a warning.
    ///
    /// ## What is not reported
    /// - folders of the project, and temporary files
    /// - lists of forbidden commands, code that checks for such commands, and tests
    /// - in a [skill about security](../../security-scan.md#how-findings-are-decided), commands in the instructions;
    ///   its scripts are checked
    ///
    /// ## Example
    /// ```sh
    /// rm -rf ~/*
    /// ```
    /// Delete one named folder instead.
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
