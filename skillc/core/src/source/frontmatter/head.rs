//! Finds the end of the block in the first bytes of a file.
//!
//! Applies the same rule as [`Frontmatter::split`](super::Frontmatter::split), but to bytes, and considers only
//! complete lines.
//!
//! Design: CAT-DISC.12.

use memchr::memchr;

/// The end of the block, as far as the first bytes of a file determine it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// There is no block.
    Absent,
    /// The block, including both delimiter lines, ends before this byte.
    Ends(usize),
    /// The end of the block is not in these bytes.
    Open,
}

impl Head {
    /// Looks for the end of the block. Ignores an incomplete last line.
    pub fn parse(bytes: &[u8]) -> Self {
        let bom = "\u{feff}".as_bytes();
        let mut at = if bytes.starts_with(bom) { bom.len() } else { 0 };
        let mut is_first = true;
        while let Some(length) = memchr(b'\n', &bytes[at..]) {
            let is_delimiter = is_delimiter(&bytes[at..at + length]);
            at += length + 1;
            match (is_first, is_delimiter) {
                (true, false) => return Self::Absent,
                (false, true) => return Self::Ends(at),
                _ => is_first = false,
            }
        }
        Self::Open
    }
}

/// Returns whether a line, given without its line feed, is `---`.
fn is_delimiter(line: &[u8]) -> bool {
    let end = line.iter().rposition(|byte| *byte != b'\r');
    end.is_some_and(|end| &line[..=end] == b"---")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Frontmatter;
    use super::*;

    #[test]
    fn a_block_ends_with_the_newline_of_its_second_delimiter() {
        for (text, head) in [
            ("---\nname: a\n---\nbody", Head::Ends(16)),
            ("\u{feff}---\r\n---\r\n", Head::Ends(13)),
            ("---\nname: a\n---", Head::Open),
            ("---\nname: a\n ---\n", Head::Open),
            ("--", Head::Open),
            ("", Head::Open),
            ("# A\n", Head::Absent),
            ("\n---\n---\n", Head::Absent),
        ] {
            assert_eq!(Head::parse(text.as_bytes()), head, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_result_agrees_with_splitting_the_whole_file(text in "\u{feff}?(---\r?\n|--\n|a: b\r?\n|\r){0,6}") {
            let (whole, body) = Frontmatter::split(&text);
            match Head::parse(text.as_bytes()) {
                Head::Ends(end) => {
                    prop_assert_eq!(end, body);
                    prop_assert!(whole.fields().is_some());
                }
                Head::Absent => prop_assert_eq!(whole, Frontmatter::Absent),
                Head::Open => prop_assert!(whole == Frontmatter::Absent || whole == Frontmatter::Unclosed),
            }
        }
    }
}
