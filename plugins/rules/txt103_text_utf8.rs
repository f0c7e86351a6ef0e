//! TXT103 text-utf8.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::encoding::report;

declare_rule! {
    /// Reports a Markdown file other than `SKILL.md` that is not UTF-8.
    ///
    /// ## Why
    /// Instead of an accented letter, an agent reads a replacement character or nothing, and a search for a word with
    /// that letter does not find the word.
    ///
    /// ## Example
    /// An editor saved the file as Latin-1 or Windows-1252. The finding shows the first byte that is not UTF-8. A file
    /// in UTF-16 is reported as a whole.
    ///
    /// Save the file as UTF-8 instead. This command converts it from Latin-1:
    /// ```text
    /// iconv -f LATIN1 -t UTF-8 notes.md > new.md
    /// ```
    ///
    /// ## Source
    /// CommonMark is defined for Unicode text. AGS111 reports a `SKILL.md` that is not UTF-8.
    pub(crate) struct TextUtf8 {
        code: "TXT103",
        name: "text-utf8",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for TextUtf8 {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        if !skill.is_main(doc) {
            report(doc, out);
        }
    }
}
