//! A limit on the amount of markup that is parsed in a Markdown file.
//!
//! The parser keeps a 48-byte node for each markup character, and the document keeps every link and heading, so a 32
//! MiB file that consists of `[](a)` would need gigabytes of memory. Prose has one markup character every ten or twenty
//! bytes. A file with far more markup is parsed up to the limit, and the rest becomes text of the last section.

use crate::source::lines::char_floor;

/// The number of markup characters that are parsed in a file of any size.
const FREE: usize = 1 << 19;

/// A file of at most this many bytes is parsed to its end.
pub(crate) const FREE_MARKUP: u64 = FREE as u64;

/// In addition to [`FREE`], one markup character is parsed for every `ONE_IN` bytes of the file.
const ONE_IN: usize = 16;

/// Returns the offset at which parsing of markup stops: the start of a line if possible, or the length of the text if
/// all of it is parsed.
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
            // Markers of quotes and lists, which can nest on one line.
            b'>' | b'-' | b'+' | b'.' | b')' => usize::from(is_in_front),
            _ => 0,
        };
        if cost > left {
            // Go back to the start of the line, unless that would discard more than half of the text so far.
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

/// Returns whether a byte can precede, or be part of, the marker of a quote or a list.
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
    fn text_tables_and_lists_are_parsed_completely() {
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
    fn a_file_of_nothing_but_markup_is_parsed_up_to_the_bound() {
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
