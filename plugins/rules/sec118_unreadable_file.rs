//! SEC118 unreadable-file.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a file that cannot be reviewed: a compiled program, one that cannot be read, one past the size that is
    /// scanned.
    ///
    /// ## Why
    /// What is not read is not known to be harmless, and a scan that skips it in silence would be told so by attackers. A
    /// symlink out of the skill is reported here, too, as an error if it leads to secrets. So are folders of copied packages,
    /// which are not read, names that are not UTF-8, and files that hide more than the scan decodes.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - images, fonts and documents
    ///
    /// ## Example
    /// An executable in `bin/`. Ship its source, or name the release it comes from.
    pub(crate) struct UnreadableFile {
        code: "SEC118",
        name: "unreadable-file",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for UnreadableFile {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
