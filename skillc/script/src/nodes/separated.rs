//! Rows of separated fields: CSV as in RFC 4180, and the variants that programs write in practice.
//!
//! A field that starts with a double quote extends to the closing quote, across line ends and separators. Within such a
//! field, a doubled quote is a literal quote. Text between the closing quote and the separator is appended unchanged.
//! In other fields a quote is an ordinary character. Nothing is trimmed, empty lines are skipped, and rows may differ
//! in length.

use skillc_core::Span;

use super::fault::{self, Fault, shown};
use super::node::{Kind, Node};
use super::tree::{Builder, Content};

/// Parses text as a list of rows, each of which is a list of strings. A header row is not treated specially. The span
/// of a row extends from its first field to its last field, without the line end.
///
/// `separator`: one ASCII character, such as `,`, `;` or a tab.
///
/// # Errors
/// If a quote is not closed, the separator is invalid, or the text exceeds the bounds.
pub fn csv(text: &str, base: usize, separator: u8) -> Result<Node, Fault> {
    let mut at = fault::start(text, base)?;
    if !separator.is_ascii() || matches!(separator, b'"' | b'\r' | b'\n') {
        let reason = format!("{} is not a valid separator", shown(char::from(separator)));
        return Err(Fault::new(text, base, at, &reason));
    }
    let mut reader = SeparatedReader {
        text,
        separator,
        builder: Builder::new(text, base),
    };
    reader.builder.open(Kind::List, 0)?;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if is_line_end(bytes[at]) {
            at += 1;
        } else {
            at = reader.row(at)?;
        }
    }
    reader.builder.close(text.len());
    reader.builder.finish()
}

struct SeparatedReader<'t> {
    text: &'t str,
    separator: u8,
    builder: Builder<'t>,
}

impl SeparatedReader<'_> {
    /// Adds a row, and returns its end.
    fn row(&mut self, start: usize) -> Result<usize, Fault> {
        self.builder.open(Kind::List, start)?;
        let mut at = start;
        loop {
            at = self.field(at)?;
            if self.text.as_bytes().get(at) != Some(&self.separator) {
                self.builder.close(at);
                return Ok(at);
            }
            at += 1;
        }
    }

    /// Adds a field, and returns its end.
    fn field(&mut self, start: usize) -> Result<usize, Fault> {
        if !self.text[start..].starts_with('"') {
            let end = self.end(start);
            let span = Span::new(start, end);
            self.builder
                .scalar(Kind::Text, span, Content::Source(span))?;
            return Ok(end);
        }
        let Some(close) = self.closing_quote(start + 1) else {
            let reason = "a quote is never closed";
            return Err(self.builder.fault(start, reason));
        };
        let end = self.end(close + 1);
        let decoded = self.text[start + 1..close].replace("\"\"", "\"");
        let decoded = decoded + &self.text[close + 1..end];
        let span = Span::new(start, end);
        let text = Content::decoded(self.text, span, &decoded);
        self.builder.scalar(Kind::Text, span, text)?;
        Ok(end)
    }

    fn closing_quote(&self, mut at: usize) -> Option<usize> {
        loop {
            at += self.text[at..].find('"')?;
            if !self.text[at + 1..].starts_with('"') {
                return Some(at);
            }
            at += 2;
        }
    }

    /// Returns the offset of the next separator or line end, or the end of the text.
    fn end(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        let is_end = |byte: &u8| *byte == self.separator || is_line_end(*byte);
        at + rest.iter().position(is_end).unwrap_or(rest.len())
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
