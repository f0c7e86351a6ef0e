//! TXT104 lost-characters.

use skillc_core::{Document, Encoding, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports replacement characters, wrongly decoded text and control characters in a Markdown file.
    ///
    /// ## Why
    /// U+FFFD (`�`) replaces a character that a program could not decode when it copied or converted the text: the
    /// original is lost. In wrongly decoded text, each character that is not ASCII has become several characters.
    /// Control characters are invisible to people, and agents and terminals interpret them unpredictably; usually they
    /// were copied from another program.
    ///
    /// Code is not checked, because such characters may be intended there. Only the first occurrence on each line is
    /// reported.
    ///
    /// ## Example
    /// ```text
    /// It�s the user�s choice.
    /// ```
    /// Write instead:
    /// ```text
    /// It's the user's choice.
    /// ```
    pub(crate) struct LostCharacters {
        code: "TXT104",
        name: "lost-characters",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for LostCharacters {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        // Skip files that are not UTF-8, in which U+FFFD replaces invalid bytes. AGS111 and TXT103 report such files.
        if doc.encoding != Encoding::Utf8 || !may_be_lost(doc.text.as_bytes()) {
            return;
        }
        let mut last_line = 0;
        for (at, c) in doc.text.char_indices().filter(|(_, c)| is_lost(*c)) {
            let line = doc.lines.line(at);
            if line == last_line || doc.is_in_code(at) {
                continue;
            }
            last_line = line;
            let (what, help) = if c == char::REPLACEMENT_CHARACTER {
                (
                    "lost character: U+FFFD".to_owned(),
                    "restore the original character",
                )
            } else if is_misread(&doc.text[..at], c) {
                (
                    "text in the wrong encoding".to_owned(),
                    "UTF-8 was decoded as Latin-1: restore the original text",
                )
            } else {
                (
                    format!("control character U+{:04X} in the text", u32::from(c)),
                    "remove it",
                )
            };
            out.at(Span::new(at, at + c.len_utf8()), what).help(help);
        }
    }
}

/// Returns whether a character seems to be a UTF-8 continuation byte that was decoded as Latin-1.
fn is_misread(before: &str, c: char) -> bool {
    let is_first = |before: char| ('\u{c2}'..='\u{f4}').contains(&before);
    ('\u{80}'..='\u{9f}').contains(&c) && before.ends_with(is_first)
}

/// Returns whether any byte can start a character for which [`is_lost`] is true. Most files contain no such byte.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "branch-free code can be vectorized"
)]
fn may_be_lost(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |any, byte| {
        let is_space = (*byte == b'\n') | (*byte == b'\r') | (*byte == b'\t');
        let is_control = ((*byte < b' ') & !is_space) | (*byte == 0x7f);
        any | is_control | (*byte == 0xc2) | (*byte == 0xef)
    })
}

fn is_lost(c: char) -> bool {
    // Accept a form feed, which is used as a page break.
    let is_usual = matches!(c, '\n' | '\r' | '\t' | '\u{c}');
    c == char::REPLACEMENT_CHARACTER || c.is_control() && !is_usual
}
