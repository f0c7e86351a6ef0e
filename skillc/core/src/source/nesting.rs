//! A limit on the nesting of block quotes and lists, applied before Markdown is parsed.
//!
//! A line may continue the paragraph of every open container, so the parsing time is proportional to the number of
//! lines times the depth: a megabyte of `> > > …` followed by short lines would take minutes. Markers beyond the limit
//! are parsed as text. No section is lost, because headings in quotes and lists do not begin sections, and offsets do
//! not change.
//!
//! Design: R20.

use std::borrow::Cow;

use memchr::memchr2_iter;

/// The maximum number of quote and list markers that are recognized on one line.
const MAX_MARKERS: usize = 128;

/// Markers at or beyond this column are not recognized. A list indents its content by at least two columns.
const MAX_COLUMNS: usize = 2 * MAX_MARKERS;

/// The minimum number of bytes that precede a marker beyond the limit: tabs need the fewest bytes to reach a column.
const MIN_LINE_BYTES: usize = MAX_COLUMNS / TAB_COLUMNS;

/// The width of a tab, in columns.
const TAB_COLUMNS: usize = 4;

/// Returns Markdown of the same length in which nothing is nested deeper than the limit.
pub(crate) fn bounded(text: &str) -> Cow<'_, str> {
    if !may_exceed(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut excess = Vec::new();
    let mut start = 0;
    for end in memchr2_iter(b'\n', b'\r', text.as_bytes()).chain([text.len()]) {
        if end - start >= MIN_LINE_BYTES
            && let Some(at) = excess_marker(&text[start..end])
        {
            excess.push(start + at);
        }
        start = text.len().min(end + 1);
    }
    if excess.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for at in excess {
        out += &text[done..at];
        out.push('x');
        done = at + 1;
    }
    out += &text[done..];
    Cow::Owned(out)
}

/// Returns whether any line may have a marker beyond the limit. The markers and blanks before such a marker fill at
/// least one block of `MIN_LINE_BYTES / 2` bytes.
fn may_exceed(bytes: &[u8]) -> bool {
    let is_in_front = |byte: &u8| {
        matches!(
            byte,
            b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'.' | b')' | b'0'..=b'9'
        )
    };
    let mut blocks = bytes.chunks_exact(MIN_LINE_BYTES / 2);
    blocks.any(|block| block.iter().all(is_in_front))
}

/// Returns the offset of a line's first marker beyond the limit.
fn excess_marker(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let (mut at, mut column, mut markers) = (0, 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' => column += 1,
            b'\t' => column += TAB_COLUMNS - column % TAB_COLUMNS,
            _ => {
                let len = marker_len(&bytes[at..])?;
                if markers == MAX_MARKERS || column >= MAX_COLUMNS {
                    return (!is_thematic_break(line)).then_some(at);
                }
                markers += 1;
                column += len;
                at += len - 1;
            }
        }
        at += 1;
    }
    None
}

/// Returns the length of the marker at the start of the bytes: `>`, `-`, `12.`.
fn marker_len(bytes: &[u8]) -> Option<usize> {
    let ends_at = |len: usize| {
        let next = bytes.get(len);
        next.is_none_or(|next| matches!(next, b' ' | b'\t' | b'\n' | b'\r'))
            .then_some(len)
    };
    match bytes.first()? {
        b'>' => Some(1),
        b'-' | b'+' | b'*' => ends_at(1),
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
            matches!(bytes.get(digits), Some(b'.' | b')')).then(|| ends_at(digits + 1))?
        }
        _ => None,
    }
}

/// Returns whether a line, possibly in a block quote, is a thematic break such as `* * *`, which looks like markers but
/// does not nest.
fn is_thematic_break(line: &str) -> bool {
    let rest = line.trim_start_matches(['>', ' ', '\t']);
    let mark = rest.chars().next();
    mark.is_some_and(|mark| {
        matches!(mark, '-' | '*') && rest.chars().all(|c| c == mark || c.is_ascii_whitespace())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    #[test]
    fn a_marker_past_the_bound_becomes_text_and_the_rest_stays() {
        let quotes = ">".repeat(128);
        let text = format!("a\n{quotes}> # x\nb\n");
        assert_eq!(bounded(&text), format!("a\n{quotes}x # x\nb\n"));
        let text = format!("{}- a\r\n", " ".repeat(256));
        assert_eq!(bounded(&text), format!("{}x a\r\n", " ".repeat(256)));
        let text = format!("{}12) a", "\t".repeat(64));
        assert_eq!(bounded(&text), format!("{}x2) a", "\t".repeat(64)));
    }

    #[test]
    fn a_marker_past_the_bound_is_found_at_any_offset() {
        for before in 0..2 * MIN_LINE_BYTES {
            let before = "a".repeat(before) + "\n";
            for front in ["\t".repeat(64), "1. ".repeat(86), ">".repeat(128)] {
                let text = format!("{before}{front}- b");
                assert_eq!(bounded(&text), format!("{before}{front}x b"));
            }
        }
    }

    #[test]
    fn shallower_nesting_and_non_markers_are_unchanged() {
        for text in [
            ">".repeat(128),
            "- ".repeat(128),
            "* ".repeat(500),
            format!("> {}", "-".repeat(500)),
            format!("{}-a", " ".repeat(300)),
            format!("{}123", " ".repeat(300)),
            "text > > >".repeat(300),
        ] {
            assert!(matches!(bounded(&text), Cow::Borrowed(_)), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn offsets_and_newlines_are_preserved(text in "([> \t]{60,140}|(- ){60,140}|1\\. |é|a|\n|\r){0,12}") {
            let bound = bounded(&text);
            prop_assert_eq!(bound.len(), text.len());
            for (at, c) in text.char_indices().filter(|(_, c)| matches!(c, '\n' | '\r' | 'é')) {
                prop_assert!(bound[at..].starts_with(c));
            }
        }
    }
}
