//! Converts between positions of the protocol and byte offsets. Nothing else counts characters.
//!
//! A position is a line and a column, both from 0. Columns count UTF-16 units, or bytes if the client prefers UTF-8. As
//! in the protocol, a line ends with LF, CRLF or a lone CR, and a column past the end of its line means the end.

use lsp_types::{Position, Range};
use skillc_core::source::lines::char_floor;
use skillc_core::{Document, LineIndex, Span};

/// How columns are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// In bytes of UTF-8.
    Utf8,
    /// In units of UTF-16.
    Utf16,
}

impl Encoding {
    /// Returns the name in the protocol.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
        }
    }

    /// Returns the byte offset of a position, always on a character boundary.
    pub(crate) fn offset(self, text: &str, lines: &LineIndex, at: Position) -> usize {
        let line = usize::try_from(at.line).unwrap_or(usize::MAX);
        if line >= lines.count() {
            return text.len();
        }
        let range = lines.range(line + 1, line + 2);
        let content = text[range.clone()].trim_end_matches(['\n', '\r']);
        let mut left = at.character;
        for (offset, c) in content.char_indices() {
            let Some(less) = left.checked_sub(self.units(c)) else {
                return range.start + offset;
            };
            left = less;
        }
        range.start + content.len()
    }

    /// Returns the position of a byte offset. An offset past the end, or inside a character, is rounded down.
    pub(crate) fn position(self, text: &str, lines: &LineIndex, offset: usize) -> Position {
        let offset = char_floor(text, offset);
        // The position after a final line end is on a line of its own.
        let is_after = offset == text.len() && (text.is_empty() || text.ends_with(['\n', '\r']));
        if is_after {
            return Position::new(number(lines.count()), 0);
        }
        let line = lines.line(offset);
        let start = lines.range(line, line).start;
        let before = text.get(start..offset).unwrap_or_default();
        let column = before.chars().map(|c| self.units(c)).sum();
        Position::new(number(line - 1), column)
    }

    /// Returns the range of a span of a document.
    pub(crate) fn range(self, document: &Document, span: Span) -> Range {
        let of = |offset| self.position(&document.text, &document.lines, offset);
        Range::new(of(span.start), of(span.end.max(span.start)))
    }

    /// Returns the position of a 1-based line and column, in characters.
    pub(crate) fn of_place(self, document: &Document, (line, column): (usize, usize)) -> Position {
        if line > document.lines.count() {
            return Position::new(number(document.lines.count()), 0);
        }
        let range = document.lines.range(line, line + 1);
        let content = document.text.get(range).unwrap_or_default();
        let before = content.chars().take(column.saturating_sub(1));
        let column = before.map(|c| self.units(c)).sum();
        Position::new(number(line.saturating_sub(1)), column)
    }

    fn units(self, c: char) -> u32 {
        number(match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
        })
    }
}

/// Converts a number to the protocol's type; texts are far smaller than its limit.
fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn offset(encoding: Encoding, text: &str, line: u32, column: u32) -> usize {
        let lines = LineIndex::new(text.as_bytes());
        encoding.offset(text, &lines, Position::new(line, column))
    }

    #[test]
    fn columns_count_units_of_the_encoding() {
        let text = "é😀x\r\nb";
        assert_eq!(offset(Encoding::Utf16, text, 0, 3), 6);
        assert_eq!(offset(Encoding::Utf8, text, 0, 6), 6);
        assert_eq!(offset(Encoding::Utf16, text, 1, 1), 10);
    }

    #[test]
    fn a_position_outside_the_text_is_moved_into_it() {
        let text = "é😀\nb\n";
        assert_eq!(offset(Encoding::Utf16, text, 0, 99), 6);
        assert_eq!(offset(Encoding::Utf16, text, 0, 2), 2, "inside a pair");
        assert_eq!(offset(Encoding::Utf8, text, 0, 1), 0, "inside a character");
        assert_eq!(offset(Encoding::Utf16, text, 2, 0), text.len());
        assert_eq!(
            offset(Encoding::Utf16, text, u32::MAX, u32::MAX),
            text.len()
        );
        assert_eq!(offset(Encoding::Utf16, "", 0, 5), 0);
    }

    proptest! {
        #[test]
        fn an_offset_survives_the_way_there_and_back(text in "[aé😀\n]{0,20}", at in 0..60usize) {
            let lines = LineIndex::new(text.as_bytes());
            let at = char_floor(&text, at);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let position = encoding.position(&text, &lines, at);
                prop_assert_eq!(encoding.offset(&text, &lines, position), at);
            }
        }

        #[test]
        fn every_position_is_in_the_text(text in "[aé😀\r\n]{0,20}", line in 0..9u32, column in 0..9u32) {
            let lines = LineIndex::new(text.as_bytes());
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let at = encoding.offset(&text, &lines, Position::new(line, column));
                prop_assert!(text.is_char_boundary(at));
            }
        }
    }
}
