//! SEC118 unreadable-file.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a file that cannot be reviewed: a compiled program, an unreadable file, or a file larger than the scan
    /// reads.
    ///
    /// ## Why
    /// A file that the scan does not read may be harmful, and attackers would use any file that it skips silently. The
    /// rule therefore also reports symlinks that lead out of the skill (as an error if they lead to secrets), folders
    /// of copied packages such as `.venv`, files with names that are not UTF-8 or with paths that are too long to open,
    /// and files with more encoded text, or more suspicious places of one kind, than the scan examines. It also reports
    /// files that are neither text nor of a known format, although everything in them that looks like text is scanned:
    /// a shell ignores NUL bytes in a script.
    ///
    /// ## What is not reported
    /// - other binary files of known formats, such as images, fonts, archives and documents
    ///
    /// ## Example
    /// An executable in `bin/`. Ship its source, or say which release it comes from.
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
