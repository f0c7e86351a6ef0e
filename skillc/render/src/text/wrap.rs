//! Text in terminal columns: width, padding, truncation and wrapping.
//!
//! Chinese, Japanese and Korean characters and most emoji are two columns wide.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The maximum width of output for people, in columns.
pub(super) const WIDTH: usize = 80;

/// The variation selector that turns the preceding character into an emoji, which makes it one column wider.
const EMOJI: char = '\u{fe0f}';

/// Returns the width of a string in columns.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// Pads a string with spaces to this width.
pub(super) fn padded(text: &str, width: usize) -> String {
    let blanks = " ".repeat(width.saturating_sub(columns(text)));
    format!("{text}{blanks}")
}

/// Truncates a string to this width, with an ellipsis at its end.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let kept = fitting(text.chars(), width.saturating_sub(1));
    format!("{}…", &text[..kept])
}

/// Like [`cut`], but truncates the start, for strings whose end is more informative.
pub(super) fn cut_start(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let kept = fitting(text.chars().rev(), width.saturating_sub(1));
    format!("…{}", &text[text.len() - kept..])
}

/// Returns the length, in bytes, of the longest sequence of characters that is sure to fit into `room` columns.
fn fitting(chars: impl Iterator<Item = char>, mut room: usize) -> usize {
    let mut bytes = 0;
    for c in chars {
        let width = match c {
            EMOJI => 1,
            _ => c.width().unwrap_or_default(),
        };
        let Some(rest) = room.checked_sub(width) else {
            break;
        };
        room = rest;
        bytes += c.len_utf8();
    }
    bytes
}

/// Wraps a string at spaces into lines of at most `width` columns. A word that is longer than `width` gets its own
/// line.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = columns(word);
        match lines.last_mut() {
            Some(line) if used + 1 + length <= width => {
                line.push(' ');
                line.push_str(word);
                used += 1 + length;
            }
            _ => {
                lines.push(word.to_owned());
                used = length;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_at_blanks_and_never_within_a_word() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrapped("表格 ab longword c", 7),
            ["表格 ab", "longword", "c"]
        );
        assert_eq!(wrapped("  ", 5), [""; 0]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(
            (columns("ab"), columns("表格"), columns("e\u{301}")),
            (2, 4, 1)
        );
        assert_eq!(padded("表", 4), "表  ");
        assert_eq!(padded("表格", 3), "表格");
    }

    #[test]
    fn text_is_truncated_between_characters() {
        assert_eq!(cut("表格", 4), "表格");
        assert_eq!(cut("表格表", 5), "表格…");
        assert_eq!(cut("表格表", 4), "表…");
        assert_eq!(cut("abc", 1), "…");
        assert_eq!(cut_start("表格表", 4), "…表");
        let hearts = "\u{2764}\u{fe0f}".repeat(4);
        for width in 1..8 {
            assert!(columns(&cut(&hearts, width)) <= width);
            assert!(columns(&cut_start(&hearts, width)) <= width);
        }
    }
}
