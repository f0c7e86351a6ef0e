//! SEC118 unreadable-file.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a file that cannot be reviewed: a compiled program, an unreadable file, or a file that is too large for
    /// the scan to read in full.
    ///
    /// ## Why
    /// A file that the scan does not read may be harmful, and attackers would exploit any file that the scan skips
    /// silently. The rule therefore also reports:
    ///
    /// - symlinks that lead out of the skill; a symlink to secrets is an error
    /// - symlinks whose targets have unusual characters; the target is scanned as text, because some programs write it
    ///   to a file
    /// - folders with installed packages, such as `.venv`
    /// - commands that run a file beside the skill, such as `bash ../../tools/run.sh`, if the file exists
    /// - submodules that are not checked out, and `$Format:…$`, which Git may replace in archives of a commit
    /// - files whose names are not UTF-8, or whose paths are too long to open
    /// - files with more encoded text, or more matches of one pattern, than the scan examines
    /// - pointers of Git LFS, because the content that replaces them is not there
    /// - files that are neither text nor of a known format, and scripts that begin like an image or an archive
    /// - entries of a scanned archive that cannot be read, or that programs unpack differently, for example because two
    ///   entries have the same name; an entry that is unpacked outside the target folder is an error
    ///
    /// In files of unknown formats, the scan still reads everything that looks like text, because a shell ignores NUL
    /// bytes in a script.
    ///
    /// ## What is not reported
    /// - binary files of other known formats, such as images, fonts, archives and documents; commands in these files
    ///   are scanned
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
