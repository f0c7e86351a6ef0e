//! Converts between positions of the protocol and byte offsets. No other module counts characters.
//!
//! A position is a line and a column, both from 0. Columns count UTF-16 units, or bytes if the client prefers UTF-8. As
//! in the protocol, a line ends with LF, CRLF or a lone CR, and a column past the end of its line means the end of the
//! line.
//!
//! [`Encoding`] reads the line of a position up to its column. For many positions of one document, that would take
//! quadratic time if a line is long. Therefore [`Table`] reads at most [`STEP`] bytes for each position.

use std::collections::BTreeMap;

use lsp_types::{Position, Range};
use skillc_core::source::lines::char_floor;
use skillc_core::{Document, LineIndex, RelPath, Span};

/// A [`Table`] stores the number of units and characters before every `STEP`th byte of a document.
const STEP: usize = 256;

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

    /// Converts a span of a document to a range.
    pub(crate) fn range(self, document: &Document, span: Span) -> Range {
        let of = |offset| self.position(&document.text, &document.lines, offset);
        Range::new(of(span.start), of(span.end.max(span.start)))
    }

    fn units(self, c: char) -> u32 {
        number(match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
        })
    }
}

/// The numbers of UTF-16 units and of characters before a byte of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Count {
    units: usize,
    characters: usize,
}

/// Converts many positions of one document.
#[derive(Debug)]
pub(crate) struct Table<'d> {
    encoding: Encoding,
    text: &'d str,
    lines: &'d LineIndex,
    /// The counts before every [`STEP`]th byte, rounded down to a character boundary.
    counts: Vec<Count>,
}

impl<'d> Table<'d> {
    /// Creates the table of a document.
    pub(crate) fn new(encoding: Encoding, document: &'d Document) -> Self {
        Self::of_text(encoding, &document.text, &document.lines)
    }

    fn of_text(encoding: Encoding, text: &'d str, lines: &'d LineIndex) -> Self {
        let mut table = Self {
            encoding,
            text,
            lines,
            counts: Vec::with_capacity(text.len() / STEP + 1),
        };
        let mut count = Count::default();
        table.counts.push(count);
        for step in 1..=text.len() / STEP {
            let part = &text[table.place(step - 1)..table.place(step)];
            count = table.after(count, part);
            table.counts.push(count);
        }
        table
    }

    /// Returns the byte offset of a position, always on a character boundary.
    pub(crate) fn offset(&self, at: Position) -> usize {
        let line = usize::try_from(at.line).unwrap_or(usize::MAX);
        if line >= self.lines.count() {
            return self.text.len();
        }
        let range = self.lines.range(line + 1, line + 2);
        let content = self.text[range.clone()].trim_end_matches(['\n', '\r']);
        let column = usize::try_from(at.character).unwrap_or(usize::MAX);
        let sought = self.before(range.start).units.saturating_add(column);
        let end = range.start + content.len();
        self.last(range.start, end, |count| count.units <= sought)
    }

    /// Returns the position of a byte offset. An offset past the end, or inside a character, is rounded down.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = char_floor(self.text, offset);
        let is_after =
            offset == self.text.len() && (offset == 0 || self.text.ends_with(['\n', '\r']));
        if is_after {
            return Position::new(number(self.lines.count()), 0);
        }
        let line = self.lines.line(offset);
        let start = self.lines.range(line, line).start;
        Position::new(number(line - 1), self.column(start, offset))
    }

    /// Returns the range of a span.
    pub(crate) fn range(&self, span: Span) -> Range {
        let end = span.end.max(span.start);
        Range::new(self.position(span.start), self.position(end))
    }

    /// Returns the position of a 1-based line and column, in characters.
    pub(crate) fn of_place(&self, (line, column): (usize, usize)) -> Position {
        if line > self.lines.count() {
            return Position::new(number(self.lines.count()), 0);
        }
        let range = self.lines.range(line, line + 1);
        let before = self.before(range.start).characters;
        let sought = before.saturating_add(column.saturating_sub(1));
        let offset = self.last(range.start, range.end, |count| count.characters <= sought);
        let column = self.column(range.start, offset);
        Position::new(number(line.saturating_sub(1)), column)
    }

    /// Returns the number of units between two character boundaries.
    fn column(&self, start: usize, end: usize) -> u32 {
        let units = |at| self.before(at).units;
        number(units(end).saturating_sub(units(start)))
    }

    /// Returns the counts before a character boundary.
    fn before(&self, at: usize) -> Count {
        let step = at / STEP;
        self.after(self.counts[step], &self.text[self.place(step)..at])
    }

    /// Returns the last character boundary from `start` to `end` whose count satisfies `is_enough`; `start` if there is
    /// no such boundary.
    fn last(&self, start: usize, end: usize, is_enough: impl Fn(Count) -> bool) -> usize {
        let steps = self.counts.partition_point(|count| is_enough(*count));
        let step = steps.saturating_sub(1);
        let known = self.place(step);
        let (mut at, mut count) = if known > start {
            (known, self.counts[step])
        } else {
            (start, self.before(start))
        };
        for c in self.text.get(at..end).unwrap_or_default().chars() {
            count = self.with(count, c);
            if !is_enough(count) {
                return at;
            }
            at += c.len_utf8();
        }
        at.min(end)
    }

    /// Returns the character boundary at or before a multiple of [`STEP`].
    fn place(&self, step: usize) -> usize {
        char_floor(self.text, step * STEP)
    }

    fn after(&self, count: Count, part: &str) -> Count {
        part.chars().fold(count, |count, c| self.with(count, c))
    }

    fn with(&self, count: Count, c: char) -> Count {
        let units = match self.encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
        };
        Count {
            units: count.units + units,
            characters: count.characters + 1,
        }
    }
}

/// The tables of several documents of a skill, each created when it is first needed.
#[derive(Debug)]
pub(crate) struct Tables<'d> {
    encoding: Encoding,
    of_document: BTreeMap<&'d RelPath, Table<'d>>,
}

impl<'d> Tables<'d> {
    /// Creates a collection without tables.
    pub(crate) const fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            of_document: BTreeMap::new(),
        }
    }

    /// Returns the table of a document.
    pub(crate) fn of(&mut self, document: &'d Document) -> &Table<'d> {
        let encoding = self.encoding;
        let make = || Table::new(encoding, document);
        self.of_document.entry(&document.path).or_insert_with(make)
    }
}

/// Converts a number to the protocol's type; documents are far smaller than the limit of this type.
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
    fn a_table_moves_positions_into_the_text() {
        for text in ["", "a", "é\n", &"😀".repeat(STEP)] {
            let lines = LineIndex::new(text.as_bytes());
            let table = Table::of_text(Encoding::Utf16, text, &lines);
            let end = Position::new(u32::MAX, u32::MAX);
            assert_eq!(table.offset(end), text.len());
            assert_eq!(
                table.position(usize::MAX),
                Encoding::Utf16.position(text, &lines, usize::MAX)
            );
            let start = Position::new(0, 0);
            assert_eq!(table.of_place((0, 0)), start);
            assert_eq!(table.offset(start), 0);
        }
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

    /// A slow reference implementation, which reads each line from its start.
    fn of_place(
        encoding: Encoding,
        text: &str,
        lines: &LineIndex,
        (line, column): (usize, usize),
    ) -> Position {
        if line > lines.count() {
            return Position::new(number(lines.count()), 0);
        }
        let content = &text[lines.range(line, line + 1)];
        let before = content.chars().take(column.saturating_sub(1));
        let column = before.map(|c| encoding.units(c)).sum();
        Position::new(number(line.saturating_sub(1)), column)
    }

    /// Generates text with lines that are longer than a step of a table, and with characters that cross the end of a
    /// step.
    fn long() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            "[aé快😀]{0,9}",
            Just("\n".to_owned()),
            Just("\r\n".to_owned()),
            (1..700usize).prop_map(|count| "a".repeat(count)),
            (1..300usize).prop_map(|count| "é快😀".repeat(count)),
        ];
        proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn a_table_converts_as_if_it_read_each_line(
            text in long(),
            offsets in proptest::collection::vec(0..9000usize, 1..20),
            columns in proptest::collection::vec((0..9usize, 0..4000usize), 1..20),
        ) {
            let lines = LineIndex::new(text.as_bytes());
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let table = Table::of_text(encoding, &text, &lines);
                for at in &offsets {
                    prop_assert_eq!(table.position(*at), encoding.position(&text, &lines, *at));
                }
                for &(line, column) in &columns {
                    let place = (line, column);
                    let expected = of_place(encoding, &text, &lines, place);
                    prop_assert_eq!(table.of_place(place), expected);
                    let at = Position::new(number(line), number(column));
                    prop_assert_eq!(table.offset(at), encoding.offset(&text, &lines, at));
                }
            }
        }

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
