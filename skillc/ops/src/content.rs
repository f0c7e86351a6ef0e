//! File content, byte for byte.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

/// The bytes of a file. In JSON, they are represented as text, or as base64 if they are not UTF-8.
///
/// Design: R7.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent(pub Vec<u8>);

/// The JSON form of a [`FileContent`].
#[derive(Serialize, JsonSchema)]
struct Encoded<'a> {
    /// Encoding of `content`
    encoding: Encoding,
    /// Content of the file
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

/// Reads the first lines, and counts the remaining ones without keeping them in memory.
///
/// `max_bytes`: the maximum number of bytes to keep. Returns the lines unchanged, and the number of omitted lines. Line
/// endings are recognized as in [`LineIndex`](skillc_core::LineIndex).
///
/// # Errors
/// Returns I/O errors of the reader; `FileTooLarge` if the lines exceed the limit.
///
/// Design: C-SHOW, C-OPEN.
pub(crate) fn first_lines(
    from: impl Read,
    max_lines: Option<usize>,
    max_bytes: u64,
) -> io::Result<(FileContent, usize)> {
    if max_lines.is_some() {
        let excerpt = lines_between(from, 1..usize::MAX, max_lines, max_bytes)?;
        return Ok((excerpt.content, excerpt.more_lines));
    }
    let mut kept = Vec::new();
    from.take(max_bytes.saturating_add(1))
        .read_to_end(&mut kept)?;
    check_size(&kept, max_bytes)?;
    Ok((FileContent(kept), 0))
}

pub(crate) struct Excerpt {
    pub(crate) content: FileContent,
    /// The number of requested lines that were omitted.
    pub(crate) more_lines: usize,
    /// The number of lines that were read: all lines, or those up to the end of the range.
    pub(crate) lines_read: usize,
}

/// Reads a half-open range of lines, 1-based, truncated to the first `max_lines`.
///
/// `max_bytes`: the maximum number of bytes to keep.
///
/// # Errors
/// Returns the errors of [`first_lines`].
pub(crate) fn lines_between(
    from: impl Read,
    range: Range<usize>,
    max_lines: Option<usize>,
    max_bytes: u64,
) -> io::Result<Excerpt> {
    let kept_end = range
        .start
        .saturating_add(max_lines.unwrap_or(usize::MAX))
        .min(range.end);
    let mut from = BufReader::with_capacity(64 << 10, from);
    let (mut kept, mut lines, mut before) = (Vec::new(), 0_usize, b'\n');
    'all: loop {
        let piece = from.fill_buf()?;
        if piece.is_empty() {
            break;
        }
        for &byte in piece {
            // The LF of a CRLF belongs to the line that the CR ended.
            let begins = before == b'\n' || before == b'\r' && byte != b'\n';
            lines += usize::from(begins);
            if lines >= range.end {
                lines -= 1;
                break 'all;
            }
            if (range.start..kept_end).contains(&lines) {
                kept.push(byte);
            }
            before = byte;
        }
        let len = piece.len();
        from.consume(len);
        check_size(&kept, max_bytes)?;
    }
    check_size(&kept, max_bytes)?;
    Ok(Excerpt {
        content: FileContent(kept),
        more_lines: (lines + 1).saturating_sub(kept_end),
        lines_read: lines,
    })
}

fn check_size(kept: &[u8], max_bytes: u64) -> io::Result<()> {
    if kept.len() as u64 > max_bytes {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::LineIndex;

    #[test]
    fn kept_text_is_bounded_and_counted_text_is_not() {
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
    fn lines_match_the_line_index_and_the_rest_is_counted() {
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

    #[test]
    fn line_ranges_match_the_line_index() {
        for text in ["", "a", "a\n", "a\n\nb", "a\r\nb\rc\n\r\n", "\r\r\n\n"] {
            let index = LineIndex::new(text.as_bytes());
            for (start, end) in [(1, 2), (1, 3), (2, 3), (2, 9), (3, usize::MAX), (9, 10)] {
                for max_lines in [None, Some(0), Some(1), Some(5)] {
                    let said = format!("{text:?} {start}..{end} {max_lines:?}");
                    let found = lines_between(text.as_bytes(), start..end, max_lines, u64::MAX);
                    let found = found.unwrap();
                    let kept_end = end.min(start.saturating_add(max_lines.unwrap_or(usize::MAX)));
                    let kept = &text.as_bytes()[index.range(start, kept_end)];
                    assert_eq!(found.content.0, kept, "{said}");
                    let asked = (start..end.min(index.count() + 1)).len();
                    let more = asked.saturating_sub(max_lines.unwrap_or(asked));
                    assert_eq!(found.more_lines, more, "{said}");
                    assert_eq!(found.lines_read, index.count().min(end - 1), "{said}");
                }
            }
        }
        let cut = lines_between(b"ab\ncd\n".as_slice(), 2..3, None, 2).err();
        assert_eq!(cut.unwrap().kind(), io::ErrorKind::FileTooLarge);
    }
}
