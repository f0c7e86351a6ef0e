//! TXT104 lost-characters.

use skillc_core::{Document, Encoding, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports characters that were lost, and control characters, in the text of a Markdown file.
    ///
    /// ## Why
    /// U+FFFD (`�`) stands for a character that a program could not read when it copied or converted the text: what was
    /// there is gone. Control characters are not seen by people, and agents and terminals make of them what they like; they
    /// come from documents that were copied out of other programs.
    ///
    /// Code is not looked at, for there both may be meant. Reported is the first place on each line.
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
        // A file that is not UTF-8 has U+FFFD where its own bytes were, which is reported as that.
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
                    "a character was lost here: U+FFFD".to_owned(),
                    "write what was there",
                )
            } else if is_misread(&doc.text[..at], c) {
                (
                    "text was read in the wrong encoding here".to_owned(),
                    "it was UTF-8 that was read as Latin-1: restore it from its source",
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

/// Says whether a character is what the second byte of a character in UTF-8 becomes that is read as Latin-1.
fn is_misread(before: &str, c: char) -> bool {
    let is_first = |before: char| ('\u{c2}'..='\u{f4}').contains(&before);
    ('\u{80}'..='\u{9f}').contains(&c) && before.ends_with(is_first)
}

/// Says whether some byte can begin a character that [`is_lost`]: most files have none.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches many bytes are compared at once"
)]
fn may_be_lost(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |any, byte| {
        let is_space = (*byte == b'\n') | (*byte == b'\r') | (*byte == b'\t');
        let is_control = ((*byte < b' ') & !is_space) | (*byte == 0x7f);
        any | is_control | (*byte == 0xc2) | (*byte == 0xef)
    })
}

fn is_lost(c: char) -> bool {
    // A form feed at most parts pages.
    let is_usual = matches!(c, '\n' | '\r' | '\t' | '\u{c}');
    c == char::REPLACEMENT_CHARACTER || c.is_control() && !is_usual
}
