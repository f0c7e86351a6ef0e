//! Computes location data for other programs: the end of a finding, and hashes of its line.

use std::iter;

use skillc_core::secrets::{self, Secret};
use skillc_core::{Document, RelPath, Span};

/// The number of UTF-16 code units that [`hash`] covers.
const HASHED: usize = 100;

/// The maximum number of characters read to find [`HASHED`] code units. Spaces and tabs are skipped, so only long runs
/// of them exceed this limit.
const MAX_READ: usize = 1000;

/// The maximum number of characters read to hash a line alone, so that a very long line does not take much time.
const MAX_LINE: usize = 10_000;

/// A cache of the hashes of the last finding's line: findings are sorted by line, and ten thousand of them can be on
/// one long line.
#[derive(Debug, Default)]
pub struct LineHashes {
    last: Option<(RelPath, usize, (u64, u64))>,
    /// The secrets in the file of the last finding that has an excerpt.
    secrets: Option<(RelPath, Vec<Secret>)>,
}

impl LineHashes {
    /// Returns two hashes: one of a line together with the text after it, and one of the line alone.
    pub(crate) fn get(&mut self, line: usize, document: &Document) -> (u64, u64) {
        if let Some((file, known, hashes)) = &self.last
            && (file, *known) == (&document.path, line)
        {
            return *hashes;
        }
        let hashes = (line_hash(line, document), own_line_hash(line, document));
        self.last = Some((document.path.clone(), line, hashes));
        hashes
    }

    /// Returns the secrets of a document, which its excerpts must not show.
    pub(crate) fn secrets(&mut self, document: &Document) -> &[Secret] {
        let is_known = self
            .secrets
            .as_ref()
            .is_some_and(|(file, _)| *file == document.path);
        if !is_known {
            self.secrets = None;
        }
        let found = || (document.path.clone(), secrets::find(&document.text));
        &self.secrets.get_or_insert_with(found).1
    }
}

/// Returns the 1-based line and column after the last character of a span; trailing line ends are ignored.
///
/// `start`: line and column of the span's start.
pub(crate) fn end(span: Span, start: (usize, usize), document: &Document) -> (usize, usize) {
    let marked = document.text.get(span.start..span.end).unwrap_or_default();
    let marked = marked.trim_end_matches(['\n', '\r']);
    let end = span.start + marked.len();
    let line = document.lines.line(end);
    if marked.is_empty() || line <= start.0 {
        return (start.0, start.1 + marked.chars().count());
    }
    let before = document.lines.range(line, line).start..end;
    let before = document.text.get(before).unwrap_or_default();
    (line, before.chars().count() + 1)
}

/// Returns the hash by which GitHub code scanning recognizes a finding's line after lines have moved.
///
/// The hash covers 100 UTF-16 code units from the start of the line, without spaces and tabs; if the line is shorter,
/// these include text after the line. The value must match exactly, because the upload to GitHub computes the hash too
/// and warns about every difference.
fn line_hash(line: usize, document: &Document) -> u64 {
    let start = document.lines.range(line, line).start;
    hash(document.text.get(start..).unwrap_or_default())
}

/// Returns a hash of a line alone, up to its 10,000th character, ignoring spaces, tabs and the text after the line.
fn own_line_hash(line: usize, document: &Document) -> u64 {
    let range = document.lines.range(line, line + 1);
    let text = document.text.get(range.start..range.end);
    let line = text.unwrap_or_default().trim_end_matches(['\n', '\r']);
    let len = HASHED.max(units(line, MAX_LINE).count() + 1);
    folded(units(line, MAX_LINE), len)
}

/// Hashes the start of a string: a polynomial over its UTF-16 code units, with line ends as LF and the end of the
/// string as U+FFFF.
pub fn hash(text: &str) -> u64 {
    folded(units(text, MAX_READ), HASHED)
}

/// Returns the code units to hash from the start of a string.
fn units(text: &str, max_chars: usize) -> impl Iterator<Item = u16> {
    let mut before = ' ';
    let kept = text.chars().take(max_chars).filter_map(move |c| {
        let is_second_of_line_end = c == '\n' && before == '\r';
        before = c;
        match c {
            ' ' | '\t' => None,
            '\n' if is_second_of_line_end => None,
            '\r' => Some('\n'),
            _ => Some(c),
        }
    });
    kept.flat_map(|c| {
        let mut buffer = [0; 2];
        let len = c.encode_utf16(&mut buffer).len();
        buffer.into_iter().take(len)
    })
}

fn folded(units: impl Iterator<Item = u16>, len: usize) -> u64 {
    let padded = units.chain([u16::MAX]).chain(iter::repeat(0));
    padded.take(len).fold(0, |hash: u64, unit| {
        hash.wrapping_mul(37).wrapping_add(unit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn document(text: &str) -> Document {
        Document::parse(RelPath::parse("a.md").unwrap(), text.as_bytes().to_vec())
    }

    #[test]
    fn the_end_is_after_the_last_character_and_before_the_newline() {
        let text = document("é a\r\nbc\n\nd");
        let end = |start, end_of, place| end(Span::new(start, end_of), place, &text);
        assert_eq!(end(3, 4, (1, 3)), (1, 4));
        assert_eq!(end(0, 6, (1, 1)), (1, 4));
        assert_eq!(end(0, 7, (1, 1)), (2, 2));
        assert_eq!(end(6, 11, (2, 1)), (4, 2));
        assert_eq!(end(9, 10, (3, 1)), (3, 1));
        assert_eq!(end(4, 4, (1, 4)), (1, 4));
        assert_eq!(end(11, 11, (4, 2)), (4, 2));
    }

    #[test]
    fn an_empty_span_ends_where_it_starts() {
        let text = document("é");
        for (start, to) in [(1, 2), (2, 1), (5, 9)] {
            assert_eq!(end(Span::new(start, to), (1, 1), &text), (1, 1));
        }
    }

    #[test]
    fn a_moved_line_keeps_its_hash() {
        let (before, after) = (document("# A\n\nText\n"), document("New\n\n# A\n\nText\n"));
        assert_eq!(line_hash(1, &before), line_hash(3, &after));
        assert_ne!(line_hash(1, &before), line_hash(3, &before));
        let (alone, between) = (document("# A"), document("# A\r\nText\n"));
        assert_eq!(own_line_hash(1, &alone), own_line_hash(1, &between));
        assert_ne!(own_line_hash(1, &between), own_line_hash(2, &between));
    }

    #[test]
    fn a_line_is_hashed_completely() {
        let of = |line: &str| own_line_hash(1, &document(&format!("{line}\nText\n")));
        for len in [99, 100, 101, 9_000] {
            let line = "a".repeat(len);
            assert_ne!(of(&format!("{line}b")), of(&format!("{line}c")), "{len}");
            assert_ne!(of(&format!("{line}b")), of(&line), "{len}");
        }
        let line = "a".repeat(MAX_LINE);
        assert_eq!(of(&format!("{line}b")), of(&format!("{line}c")));
    }

    #[test]
    fn the_hashes_of_the_last_line_are_those_of_the_line_asked_for() {
        let text = document("a\nb\n");
        let other = Document::parse(RelPath::parse("b.md").unwrap(), b"c\nb\n".to_vec());
        let mut lines = LineHashes::default();
        for (line, of) in [(1, &text), (1, &text), (2, &text), (1, &text), (1, &other)] {
            let expected = (line_hash(line, of), own_line_hash(line, of));
            assert_eq!(lines.get(line, of), expected, "{line}");
        }
    }

    /// The expected values are those that GitHub computes for the same strings.
    #[test]
    fn hashes_match_those_of_code_scanning() {
        assert_eq!(hash(""), 0xc129_715d_7a2b_c9a3);
        assert_eq!(hash(" a\nb\n  \t\tc\n d"), 0x2717_89c1_7abd_a88f);
        assert_eq!(
            hash(&"Lorem ipsum dolor sit amet.\n".repeat(10)),
            0xa7f2_ff13_bc49_5cf2
        );
        let text = "# Tïtöl 😀\r\n\r\n\tText, and more.\rEnd";
        assert_eq!(hash(text), 0xc4bb_eafe_6dfe_0946);
        assert_eq!(hash(&text.replace("\r\n", "\n")), hash(text));
    }

    proptest! {
        #[test]
        fn a_hash_ignores_blanks_and_kinds_of_line_endings(text in "[aé😀 \t\n]{0,150}") {
            let bare = text.replace([' ', '\t'], "");
            prop_assert_eq!(hash(&bare), hash(&text));
            prop_assert_eq!(hash(&bare.replace('\n', "\r\n")), hash(&text));
            prop_assert_eq!(hash(&bare.replace('\n', "\r")), hash(&text));
        }
    }
}
