//! Locates the bytes that cause a problem, and formats them for display.

use skillc_core::Span;
use skillc_core::clean::{clean, is_unseen};
use skillc_core::clients::shown;

use super::head::Head;
use super::report::Cause;

/// The maximum number of bytes that are listed individually.
const MAX_BYTES: usize = 8;

/// The text that is shown before the bytes is truncated to this many characters.
const MAX_BEFORE: usize = 36;

/// The bytes and the text after them are truncated to this many characters.
const MAX_AFTER: usize = 32;

/// Describes the location of a span in the head of a skill.
pub(super) fn cause(head: &Head, span: Span) -> Cause {
    let (text, lines) = (&head.main.text, &head.main.lines);
    let line = lines.line(span.start);
    let range = lines.range(line, line + 1);
    let before = &text[range.start..span.start];
    let rest = text[span.start..range.end.max(span.start)].trim_end_matches(['\r', '\n']);
    let (offset, end) = (offset(head, span.start), offset(head, span.end));
    let bytes = head.bytes.get(offset..end).unwrap_or_default();
    let hex = bytes
        .iter()
        .take(MAX_BYTES)
        .map(|byte| format!("{byte:02X}"));
    Cause {
        offset,
        length: end - offset,
        line,
        column: before.chars().count() + 1,
        bytes: hex.collect::<Vec<_>>().join(" "),
        shown: visible(&text[span.start..span.end]),
        before: last(before, MAX_BEFORE),
        after: first(rest, MAX_AFTER),
    }
}

/// Converts a byte offset in the text to a byte offset in the file. They can differ because invalid UTF-8 is replaced
/// in the text.
fn offset(head: &Head, at: usize) -> usize {
    let replacement = char::REPLACEMENT_CHARACTER.len_utf8();
    let (mut in_text, mut in_file) = (0, 0);
    for chunk in head.bytes.utf8_chunks() {
        let valid = chunk.valid().len();
        if at <= in_text + valid {
            break;
        }
        in_text += valid;
        in_file += valid;
        if !chunk.invalid().is_empty() {
            in_text += replacement;
            in_file += chunk.invalid().len();
        }
    }
    in_file + at.saturating_sub(in_text)
}

/// Describes a string: a line ending or a single invisible character by its name or code point, any other string in
/// quotes.
fn visible(text: &str) -> String {
    match text {
        "\u{feff}" => "byte order mark".to_owned(),
        "\t" => "tab".to_owned(),
        " " => "space".to_owned(),
        "\n" | "\r" | "\r\n" => "end of line".to_owned(),
        "\u{a0}" => "no-break space".to_owned(),
        text => {
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) if is_unseen(c) => format!("U+{:04X}", u32::from(c)),
                _ => format!("'{}'", clean(&quoted(text))),
            }
        }
    }
}

/// Escapes a string so that it fits on one line; keeps the trailing blank of `: `.
fn quoted(text: &str) -> String {
    if text == ": " {
        return text.to_owned();
    }
    shown(text)
}

/// Returns the end of a string, truncated at the start with `…`.
fn last(text: &str, most: usize) -> String {
    let text = clean(text);
    match text.chars().count().checked_sub(most) {
        Some(more) if more > 0 => std::iter::once('…')
            .chain(text.chars().skip(more + 1))
            .collect(),
        _ => text.into_owned(),
    }
}

/// Returns the beginning of a string, truncated at the end with `…`.
fn first(text: &str, most: usize) -> String {
    let text = clean(text);
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_named() {
        for (text, expected) in [
            ("\u{feff}", "byte order mark"),
            (": ", "': '"),
            ("\n", "end of line"),
            ("\u{200b}", "U+200B"),
            ("\u{1b}", "U+001B"),
            ("a\u{1b}[31m\u{202e}b", "'a\\u{1b}[31m\\u{202e}b'"),
            ("é", "'é'"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn a_long_line_is_truncated_away_from_the_location() {
        assert_eq!(last("abcdef", 4), "…def");
        assert_eq!(last("abcd", 4), "abcd");
        assert_eq!(first("abcdef", 4), "abc…");
        assert_eq!(first("a\u{7}", 8), "a\\u{7}");
    }
}
