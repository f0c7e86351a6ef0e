//! Maps a character of a value back to the character's bytes in the file.
//!
//! A parsed value differs from its source: lines are folded, and quotes and escapes are resolved. The non-blank
//! characters appear in the same order in the value and in the source, so this module matches them one by one. If two
//! characters differ, the result is `None`.

use std::str::Chars;

use crate::source::lines::Span;

/// Returns the span of the character at an offset. The span is empty at the end of the text.
pub(super) fn char_after(text: &str, at: usize) -> Span {
    let length = text[at..].chars().next().map_or(0, char::len_utf8);
    Span::new(at, at + length)
}

/// Maps a character of a value to its span in the file.
///
/// `at`: the span of the value in the file, including its quotes. `value`: the parsed value without surrounding white
/// space. `offset`: the byte offset of the character in `value`.
pub(super) fn in_source(text: &str, at: Span, value: &str, offset: usize) -> Option<Span> {
    let mut units = Units::new(text, at);
    for c in value[..offset].chars().filter(|c| !c.is_whitespace()) {
        if units.next_shown()?.1 != c {
            return None;
        }
    }
    let wanted = value[offset..].chars().next()?;
    let (span, found) = if wanted.is_whitespace() {
        units.next()?
    } else {
        units.next_shown()?
    };
    let is_same = found == wanted || found.is_whitespace() && wanted.is_whitespace();
    is_same.then_some(span)
}

/// Iterates over the characters of a scalar with escapes resolved, each with its span in the file.
struct Units<'a> {
    chars: Chars<'a>,
    /// The offset in the file of the next character of `chars`.
    at: usize,
    quote: Option<char>,
}

impl<'a> Units<'a> {
    fn new(text: &'a str, at: Span) -> Self {
        let source = &text[at.start..at.end];
        let mut chars = source.chars();
        let quote = chars.next().filter(|c| matches!(c, '"' | '\''));
        let chars = if quote.is_some() {
            chars
        } else {
            source.chars()
        };
        Self {
            chars,
            at: at.start + quote.map_or(0, char::len_utf8),
            quote,
        }
    }

    /// Returns the next character that is not white space.
    fn next_shown(&mut self) -> Option<(Span, char)> {
        self.find(|(_, c)| !c.is_whitespace())
    }

    fn take(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Resolves the escape sequence after a backslash.
    fn escape(&mut self) -> Option<char> {
        let digits = match self.take()? {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'n' | 't' | 'r' | 'v' | 'f' | 'N' | 'L' | 'P' | '_' | ' ' | '\t' | '\n' | '\r' => {
                return Some(' ');
            }
            '0' => return Some('\0'),
            'a' => return Some('\x07'),
            'b' => return Some('\x08'),
            'e' => return Some('\x1b'),
            other => return Some(other),
        };
        let mut number = 0_u32;
        for _ in 0..digits {
            number = (number << 4) | self.take()?.to_digit(16)?;
        }
        char::from_u32(number)
    }
}

impl Iterator for Units<'_> {
    type Item = (Span, char);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let c = match (self.take()?, self.quote) {
            ('\\', Some('"')) => self.escape()?,
            ('\'', Some('\'')) => self.take().filter(|c| *c == '\'')?,
            ('"', Some('"')) => return None,
            (c, _) => c,
        };
        Some((Span::new(start, self.at), c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::source::frontmatter::Frontmatter;

    /// Returns the offset and the source text of the character `wanted` in the field `d`.
    #[track_caller]
    fn found(block: &str, wanted: char) -> Option<String> {
        let text = format!("---\n{block}\n---\n");
        let (frontmatter, _) = Frontmatter::split(&text);
        let field = frontmatter.fields()?.get("d")?;
        let value = field.value.text()?.trim();
        let offset = value.find(wanted).expect("the character exists");
        let span = in_source(&text, field.value_span, value, offset)?;
        Some(format!("{} {}", span.start, &text[span.start..span.end]))
    }

    #[test]
    fn a_character_is_found_in_any_notation() {
        for (block, expected) in [
            ("d: one X", "11 X"),
            ("d: 'it''s X'", "14 X"),
            (
                r#"d: "a\n\"b\u00e9\x41 \
   X""#,
                "30 X",
            ),
            ("d: >-\n  one\n  two\n\n  X\n", "25 X"),
            ("d: |\n    é\n  \n    X\n", "23 X"),
            ("d: one\n  two\r\n  X", "20 X"),
        ] {
            assert_eq!(found(block, 'X').as_deref(), Some(expected), "{block}");
        }
    }

    #[test]
    fn an_escape_is_attributed_as_a_whole() {
        assert_eq!(found(r#"d: "a\u003cb""#, '<').as_deref(), Some("9 \\u003c"));
        assert_eq!(found("d: 'a''b'", '\'').as_deref(), Some("9 ''"));
        assert_eq!(found("d: a b", ' ').as_deref(), Some("8  "));
    }

    #[test]
    fn nothing_is_found_in_unrelated_text() {
        assert_eq!(in_source("abc", Span::new(0, 3), "axc", 2), None);
        assert_eq!(in_source("abc", Span::new(0, 3), "abc", 3), None);
        assert_eq!(in_source("\"a\\uZZ\"", Span::new(0, 7), "ab", 1), None);
    }
}
