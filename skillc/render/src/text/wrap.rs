//! Texts in columns of a terminal: how many they take, padded, cut and broken.
//!
//! A Chinese, Japanese or Korean character and most emoji take two.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How wide what is printed for people may be, in columns.
pub(super) const WIDTH: usize = 80;

/// Makes the character before it an emoji, which is wider by a column.
const EMOJI: char = '\u{fe0f}';

/// Returns how many columns a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// Returns a text with blanks after it up to so many columns.
pub(super) fn padded(text: &str, width: usize) -> String {
    let blanks = " ".repeat(width.saturating_sub(columns(text)));
    format!("{text}{blanks}")
}

/// Returns a text that takes at most so many columns: one that is longer ends with a mark.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let kept = fitting(text.chars(), width.saturating_sub(1));
    format!("{}…", &text[..kept])
}

/// As [`cut`], where the end of the text tells more than its beginning.
pub(super) fn cut_start(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let kept = fitting(text.chars().rev(), width.saturating_sub(1));
    format!("…{}", &text[text.len() - kept..])
}

/// Returns how many bytes the first of these characters have that surely fit.
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

/// Breaks a text at blanks into lines of at most `width` columns; a word that is longer has a line of its own.
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
    fn lines_are_broken_at_blanks_and_never_within_a_word() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrapped("表格 ab longword c", 7),
            ["表格 ab", "longword", "c"]
        );
        assert_eq!(wrapped("  ", 5), [""; 0]);
    }

    #[test]
    fn what_is_wide_takes_two_columns() {
        assert_eq!(
            (columns("ab"), columns("表格"), columns("e\u{301}")),
            (2, 4, 1)
        );
        assert_eq!(padded("表", 4), "表  ");
        assert_eq!(padded("表格", 3), "表格");
    }

    #[test]
    fn a_text_is_cut_between_characters() {
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
