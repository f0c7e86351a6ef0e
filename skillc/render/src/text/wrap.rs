//! Texts in columns of a terminal: how many they take, padded, cut and broken.
//!
//! A Chinese, Japanese or Korean character and most emoji take two.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How wide what is printed for people may be, in columns.
pub(super) const WIDTH: usize = 80;

/// Returns how many columns a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// Returns a text with blanks after it up to so many columns.
pub(super) fn padded(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(columns(text));
    format!("{text}{:blanks$}", "")
}

/// Returns a text that takes at most so many columns: one that is longer ends with a mark.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |c: &char| match room.checked_sub(c.width().unwrap_or_default()) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    let kept: String = text.chars().take_while(fits).collect();
    kept + "…"
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
    }
}
