//! SEC109 destruction.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a command that destroys the user's files or disks, or encrypts them for ransom.
    ///
    /// ## Why
    /// The rule reports commands that:
    ///
    /// - run `rm -rf` on the home or root directory
    /// - overwrite disks or delete snapshots
    /// - damage files, or encrypt them for ransom
    /// - change values at random from a certain date on
    /// - delete data only from a certain date on, or damage data only on some machines or after some runs
    /// - delete databases or backups without asking
    ///
    /// It also reports sentences that tell the agent to change amounts, accounts or records without the user noticing,
    /// and programs and sentences that replace the receiver of a payment with a wallet or account number in the skill,
    /// or that keep the one in the skill if the user gives another.
    /// A program is reported, too, if it has the user approve all tokens of a collection, or an unlimited amount, for
    /// an address in the skill that the program never calls.
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// If a command has a placeholder for the disk, such as `/dev/sdX`, the finding is only a warning.
    ///
    /// ## What is not reported
    /// - commands that delete folders of the project, temporary files, or folders that tools create again, such as
    ///   `node_modules`
    /// - programs that delete what is older than some days
    /// - lists of forbidden commands, code that checks for such commands, and tests
    /// - in a [skill about security](../../security-scan.md#how-findings-are-decided), commands in the instructions;
    ///   the skill's scripts are still checked
    ///
    /// ## Example
    /// ```sh
    /// rm -rf ~/*
    /// ```
    /// Delete one specific folder instead.
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
