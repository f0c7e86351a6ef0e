//! TXT103 text-utf8.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::encoding::report;

declare_rule! {
    /// Reports a Markdown file other than `SKILL.md` that is not UTF-8.
    ///
    /// ## Why
    /// An agent reads a replacement character, or nothing, in place of an accented letter, and a search for the word
    /// does not find it.
    ///
    /// ## Example
    /// A file that an editor saved as Latin-1, Windows-1252 or UTF-16. The finding shows the first byte that is not
    /// UTF-8.
    ///
    /// Save it as UTF-8 instead. On the command line:
    /// ```text
    /// iconv -f LATIN1 -t UTF-8 notes.md > new.md
    /// ```
    ///
    /// ## Source
    /// CommonMark is defined for Unicode text. A `SKILL.md` is reported by AGS111.
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
