//! Text out of a skill, byte for byte.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

/// Bytes of a file; in JSON a text, or base64 where they are not UTF-8.
///
/// # Source
/// RULINGS R7.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent(pub Vec<u8>);

/// The JSON form.
#[derive(Serialize, JsonSchema)]
struct Encoded<'a> {
    /// How `content` is written
    encoding: Encoding,
    /// The bytes
    content: Cow<'a, str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Encoding {
    #[serde(rename = "utf-8")]
    Utf8,
    Base64,
}

impl Serialize for FileContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let encoded = match std::str::from_utf8(&self.0) {
            Ok(text) => Encoded {
                encoding: Encoding::Utf8,
                content: text.into(),
            },
            Err(_) => Encoded {
                encoding: Encoding::Base64,
                content: STANDARD.encode(&self.0).into(),
            },
        };
        encoded.serialize(serializer)
    }
}

impl JsonSchema for FileContent {
    fn schema_name() -> Cow<'static, str> {
        "FileContent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Encoded::json_schema(generator)
    }
}

/// Reads the first lines and counts the others, which are not kept.
///
/// `max_bytes`: the most that may be kept. Returns the lines unchanged, and how many were left out. A line ends as in
/// [`LineIndex`](skillc_core::LineIndex).
///
/// # Errors
/// Those of the reader; `FileTooLarge` if the lines have more bytes.
///
/// # Source
/// RFC-0002 C-SHOW, C-OPEN (`--max-lines`).
pub(crate) fn first_lines(
    from: impl Read,
    max_lines: Option<usize>,
    max_bytes: u64,
) -> io::Result<(FileContent, usize)> {
    let is_too_much = |kept: &[u8]| kept.len() as u64 > max_bytes;
    let too_large = || io::Error::from(io::ErrorKind::FileTooLarge);
    let mut kept = Vec::new();
    let Some(max_lines) = max_lines else {
        from.take(max_bytes.saturating_add(1))
            .read_to_end(&mut kept)?;
        return if is_too_much(&kept) {
            Err(too_large())
        } else {
            Ok((FileContent(kept), 0))
        };
    };
    let mut from = BufReader::with_capacity(64 << 10, from);
    let (mut lines, mut before) = (0_usize, b'\n');
    loop {
        let piece = from.fill_buf()?;
        if piece.is_empty() {
            return Ok((FileContent(kept), lines.saturating_sub(max_lines)));
        }
        for &byte in piece {
            // The LF of a CRLF belongs to the line that the CR has ended.
            let begins = before == b'\n' || before == b'\r' && byte != b'\n';
            lines += usize::from(begins);
            if lines <= max_lines {
                kept.push(byte);
            }
            before = byte;
        }
        let len = piece.len();
        from.consume(len);
        if is_too_much(&kept) {
            return Err(too_large());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::LineIndex;

    #[test]
    fn what_is_kept_is_bounded_and_what_is_only_counted_is_not() {
        let text = b"ab\ncd\nef\n";
        let kept = |max_lines, max_bytes| {
            first_lines(text.as_slice(), max_lines, max_bytes)
                .map(|(kept, cut)| (kept.0.len(), cut))
        };
        assert_eq!(kept(None, 9).unwrap(), (9, 0));
        assert_eq!(kept(Some(1), 3).unwrap(), (3, 2));
        for refused in [kept(None, 8), kept(Some(2), 5)] {
            assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        }
    }

    #[test]
    fn lines_are_those_of_the_line_index_and_the_rest_is_counted() {
        for text in ["", "a", "a\n", "a\n\nb", "a\r\nb\rc\n\r\n", "\r\r\n\n"] {
            let index = LineIndex::new(text.as_bytes());
            for max_lines in 0..6 {
                let (kept, cut) = first_lines(text.as_bytes(), Some(max_lines), u64::MAX).unwrap();
                let end = index.range(1, max_lines + 1).end;
                assert_eq!(kept.0, &text.as_bytes()[..end], "{text:?} {max_lines}");
                assert_eq!(
                    cut,
                    index.count().saturating_sub(max_lines),
                    "{text:?} {max_lines}"
                );
            }
        }
    }
}
