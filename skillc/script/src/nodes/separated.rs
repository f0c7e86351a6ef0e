//! Rows of fields with a separator between, as RFC 4180 has them and programs write them.
//!
//! A field that begins with a double quote goes on to the quote that closes it, over line ends and separators; two quotes
//! are one. What stands between that quote and the separator belongs to it as it is. In other fields a quote is a
//! character. Nothing is trimmed, empty lines are no rows, and rows may be of any length.

use skillc_core::Span;

use super::fault::{self, Fault, shown};
use super::node::{Kind, Node};
use super::tree::{Builder, Content};

/// Reads a text as a list of rows, each of them a list of texts: the first row may have names or not. A row's place is from
/// its first field to its last, without the line end.
///
/// `separator`: one ASCII character, such as `,`, `;` or a tab.
///
/// # Errors
/// A quote that is never closed, a separator that cannot be one, and what exceeds the bounds.
pub fn csv(text: &str, base: usize, separator: u8) -> Result<Node, Fault> {
    let mut at = fault::start(text, base)?;
    if !separator.is_ascii() || matches!(separator, b'"' | b'\r' | b'\n') {
        let reason = format!("{} separates no fields", shown(char::from(separator)));
        return Err(Fault::new(text, base, at, &reason));
    }
    let mut reader = Reader {
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

struct Reader<'t> {
    text: &'t str,
    separator: u8,
    builder: Builder<'t>,
}

impl Reader<'_> {
    /// Adds a row, and returns where it ends.
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

    /// Adds a field, and returns where it ends.
    fn field(&mut self, start: usize) -> Result<usize, Fault> {
        if !self.text[start..].starts_with('"') {
            let end = self.end(start);
            let span = Span::new(start, end);
            self.builder
                .scalar(Kind::Text, span, Content::Source(span))?;
            return Ok(end);
        }
        let Some(close) = self.closing_quote(start + 1) else {
            let reason = "a quote begins here and is never closed";
            return Err(self.builder.fault(start, reason));
        };
        let end = self.end(close + 1);
        let decoded = self.text[start + 1..close].replace("\"\"", "\"");
        let decoded = decoded + &self.text[close + 1..end];
        let span = Span::new(start, end);
        let text = Content::of(self.text, span, &decoded);
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

    /// Returns where the separator or the line end after an offset is, or the text ends.
    fn end(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        let is_end = |byte: &u8| *byte == self.separator || is_line_end(*byte);
        at + rest.iter().position(is_end).unwrap_or(rest.len())
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
