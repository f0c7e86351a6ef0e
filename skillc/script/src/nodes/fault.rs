//! Parse errors of structured data.

use std::fmt;

use skillc_core::source::MAX_PARSED_BYTES;

use crate::one_line::one_line;

/// The maximum length of a reason, in characters. It is limited because the reason may quote text from the file.
const MAX_CHARS: usize = 300;

/// The reason why text cannot be parsed as data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The reason on one line, preceded by the 1-based line in the text: `line 3: missing comma before this value`.
    pub message: String,
    /// The byte offset in the file: the offset in the text plus its base.
    pub at: usize,
}

impl Fault {
    /// Creates a fault. `base`: the offset of `text` in its file. `at`: the offset of the fault in `text`.
    pub(super) fn new(text: &str, base: usize, at: usize, reason: &str) -> Self {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let shown: String = one_line(reason).take(MAX_CHARS).collect();
        Self {
            message: format!("line {}: {shown}", line(&text[..at])),
            at: base.saturating_add(at),
        }
    }

    /// Returns the message without the line number.
    pub fn reason(&self) -> &str {
        let after = self.message.split_once(": ");
        after.map_or(self.message.as_str(), |(_, reason)| reason)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Returns the offset at which the data starts: after a byte order mark, if there is one. Fails if the text is too
/// large.
pub(super) fn start(text: &str, base: usize) -> Result<usize, Fault> {
    if text.len() as u64 > MAX_PARSED_BYTES {
        return Err(Fault::new(text, base, 0, "larger than 32 MiB"));
    }
    let is_marked = text.starts_with('\u{feff}');
    Ok(if is_marked { '\u{feff}'.len_utf8() } else { 0 })
}

/// Formats a character: in quotes if it is a letter, a digit or visible ASCII, otherwise as a code point.
pub(super) fn shown(sign: char) -> String {
    let is_seen = sign.is_ascii_graphic() || sign.is_alphanumeric();
    if is_seen {
        format!("'{sign}'")
    } else {
        format!("U+{:04X}", u32::from(sign))
    }
}

/// Returns the 1-based number of the line at the end of `before`; LF, CRLF and a lone CR end a line.
fn line(before: &str) -> usize {
    let bytes = before.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    1 + ends.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_any_line_ending() {
        let text = "a\nb\r\nc\rd";
        for (at, expected) in [(0, 1), (2, 2), (5, 3), (7, 4), (8, 4), (99, 4)] {
            let fault = Fault::new(text, 10, at, "x: y\n\u{1b}z");
            assert_eq!(fault.message, format!("line {expected}: x: y  z"));
            assert_eq!(fault.reason(), "x: y  z");
            assert_eq!(fault.at, 10 + at.min(text.len()));
        }
    }
}
