//! A bound on how much markup is read of a Markdown file.
//!
//! The parser keeps a node of 48 bytes for each sign of markup, and every link or heading is kept as well, so that a file of
//! 32 MiB that is nothing but `[](a)` would take gigabytes. Text has a sign in ten bytes or twenty. A file with far more is
//! read up to the bound; the rest is text of its last section.

use crate::source::lines::char_floor;

/// How many signs any file may have.
const FREE: usize = 1 << 19;

/// The share of a file's bytes that may be signs beyond these, as one in so many.
const ONE_IN: usize = 16;

/// Returns where the markup ends that is read, at the beginning of a line if there is one; the length of the text if all of
/// it is.
pub(crate) fn markup_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.len() <= FREE {
        return bytes.len();
    }
    let mut left = FREE + bytes.len() / ONE_IN;
    let (mut line, mut is_in_front) = (0, true);
    for (at, byte) in bytes.iter().enumerate() {
        let cost = match byte {
            b'\n' | b'\r' | b'[' | b']' | b'*' | b'_' | b'`' | b'<' | b'&' | b'\\' | b'|'
            | b'~' => 1,
            // Quotes and lists, which nest on one line.
            b'>' | b'-' | b'+' | b'.' | b')' => usize::from(is_in_front),
            _ => 0,
        };
        if cost > left {
            // The beginning of a line that makes up most of what was read is not worth going back to.
            return if line > at / 2 {
                line
            } else {
                char_floor(text, at)
            };
        }
        left -= cost;
        if matches!(byte, b'\n' | b'\r') {
            (line, is_in_front) = (at + 1, true);
        } else {
            is_in_front = is_in_front && is_in_front_of_text(*byte);
        }
    }
    bytes.len()
}

/// Says whether a byte may stand in front of the marker of a quote or a list, or be in one.
fn is_in_front_of_text(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'.' | b')' | b'0'..=b'9'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_tables_and_lists_are_read_to_their_end() {
        for line in [
            "Some text with [a link](references/a.md), and `code`.\n",
            "| a longer name | a type | what it is, in some words |\n",
            "- an item of a list\n",
            "## A heading\n\nSome words of text.\n\n",
        ] {
            let text = line.repeat((4 << 20) / line.len());
            assert_eq!(markup_end(&text), text.len(), "{line:?}");
        }
        let compared = "a > b - c. ".repeat(1 << 19);
        assert_eq!(markup_end(&compared), compared.len());
        let dense = "*".repeat(FREE + FREE / ONE_IN);
        assert_eq!(markup_end(&dense), dense.len());
    }

    #[test]
    fn a_file_that_is_all_markup_is_read_up_to_the_bound() {
        let line = "[](a)[](b)\n";
        let text = line.repeat((4 << 20) / line.len());
        let end = markup_end(&text);
        assert!(text[..end].ends_with('\n'));
        let signs = FREE + text.len() / ONE_IN;
        assert!(end.abs_diff(signs * line.len() / 5) <= line.len(), "{end}");
        let text = "é*".repeat(1 << 20);
        assert!(text.is_char_boundary(markup_end(&text)));
        let text = "é\n".to_owned() + &"*é*".repeat(1 << 20);
        assert!(markup_end(&text) > 1 << 20);
    }
}
