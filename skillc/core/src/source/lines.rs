//! Byte offsets and lines.
//!
//! A line ends with LF, CRLF or a lone CR, as in Markdown and YAML. A final line end does not start another line.
//! Design: line-ends.
//!
//! Before parsing, each lone CR is replaced by LF ([`without_lone_cr`]), so that parsers need not support a lone CR.

use std::borrow::Cow;

use memchr::{memchr_iter, memchr2};
use serde::Serialize;

/// A half-open range of byte offsets into a whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span; `end` must not be before `start`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// The start offsets of a file's lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
}

impl LineIndex {
    /// Indexes the lines of some bytes; an empty file has no lines.
    pub fn new(bytes: &[u8]) -> Self {
        let mut starts = Vec::with_capacity(bytes.len() / 32);
        let mut at = 0;
        while at < bytes.len() {
            starts.push(at);
            at = next_line(bytes, at);
        }
        Self {
            starts,
            len: bytes.len(),
        }
    }

    /// Returns the number of lines.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the 1-based line of a byte offset; the end of the file is on its last line.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).max(1)
    }

    /// Returns the byte range of the lines from `first` up to, but excluding, `end`, both 1-based and clamped to the
    /// file.
    pub fn range(&self, first: usize, end: usize) -> std::ops::Range<usize> {
        let offset = |line: usize| {
            self.starts
                .get(line.saturating_sub(1))
                .copied()
                .unwrap_or(self.len)
        };
        offset(first)..offset(end.max(first))
    }
}

/// Converts ascending offsets to lines and columns, scanning each line once.
pub struct Cursor<'a> {
    text: &'a str,
    lines: &'a LineIndex,
    line: usize,
    at: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of `text`. `lines`: the index of the text's lines.
    pub fn new(text: &'a str, lines: &'a LineIndex) -> Self {
        Self {
            text,
            lines,
            line: 1,
            at: 0,
            column: 1,
        }
    }

    /// Returns the 1-based line and column (in characters) of an offset; offsets must not decrease between calls.
    pub fn place(&mut self, offset: usize) -> (usize, usize) {
        let line = self.lines.line(offset);
        if line != self.line {
            self.line = line;
            self.at = self.lines.range(line, line).start;
            self.column = 1;
        }
        let between = self.text.get(self.at..offset).unwrap_or_default();
        self.column += between.chars().count();
        self.at = self.at.max(offset);
        (self.line, self.column)
    }
}

/// Returns the last character boundary at or before an offset; at most the length of the text.
pub fn char_floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Replaces each lone CR with LF. The length and the lines of the text do not change.
pub fn without_lone_cr(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_lone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
    let mut lone = memchr_iter(b'\r', bytes).filter(is_lone);
    let Some(first) = lone.next() else {
        return Cow::Borrowed(text);
    };
    let mut new = String::with_capacity(text.len());
    let mut from = 0;
    for at in [first].into_iter().chain(lone) {
        new.push_str(&text[from..at]);
        new.push('\n');
        from = at + 1;
    }
    new.push_str(&text[from..]);
    Cow::Owned(new)
}

/// Returns the start of the line after the one that contains `at`; the length of the text if there is no such line.
fn next_line(bytes: &[u8], at: usize) -> usize {
    let Some(found) = memchr2(b'\n', b'\r', &bytes[at..]) else {
        return bytes.len();
    };
    let end = at + found;
    if bytes[end..].starts_with(b"\r\n") {
        end + 2
    } else {
        end + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn without_lone_cr_the_lines_are_the_same(text in "[a\\r\\né]{0,12}") {
            let new = without_lone_cr(&text);
            prop_assert_eq!(LineIndex::new(new.as_bytes()), LineIndex::new(text.as_bytes()));
            prop_assert_eq!(new.replace("\r\n", "\n").contains('\r'), false);
            prop_assert_eq!(new.replace('\n', "\r"), text.replace('\n', "\r"));
        }
    }

    #[test]
    fn every_kind_of_line_ending_ends_a_line_once() {
        let lines = LineIndex::new(b"a\nb\r\nc\rd");
        assert_eq!(lines.count(), 4);
        assert_eq!(lines.range(2, 3), 2..5);
        assert_eq!(lines.range(4, 9), 7..8);
    }

    #[test]
    fn a_final_newline_starts_no_line_and_an_empty_file_has_none() {
        assert_eq!(LineIndex::new(b"a\n").count(), 1);
        assert_eq!(LineIndex::new(b"").count(), 0);
        assert_eq!(LineIndex::new(b"").line(0), 1);
    }

    #[test]
    fn a_cursor_counts_characters_from_the_start_of_each_line() {
        let text = "é1\nab\r\n\nx";
        let lines = LineIndex::new(text.as_bytes());
        let mut cursor = Cursor::new(text, &lines);
        let places: Vec<_> = [0, 2, 2, 3, 5, 8, 9, 10].map(|at| cursor.place(at)).into();
        assert_eq!(
            places,
            [
                (1, 1),
                (1, 2),
                (1, 2),
                (1, 3),
                (2, 2),
                (3, 1),
                (4, 1),
                (4, 2)
            ]
        );
    }

    proptest! {
        #[test]
        fn lines_cover_the_file_and_offsets_find_their_line(text in "[ab\n\r]{0,40}") {
            let lines = LineIndex::new(text.as_bytes());
            prop_assert_eq!(lines.range(1, lines.count() + 1), 0..text.len());
            for line in 1..=lines.count() {
                for offset in lines.range(line, line + 1) {
                    prop_assert_eq!(lines.line(offset), line);
                }
            }
        }
    }
}
