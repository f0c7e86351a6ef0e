//! The lines of a block as an author sees them: indentation, key, and start of the value.
//!
//! The parser may have rejected the lines, so this module consists of heuristics, which serve only to word messages.
//! The exception is [`Line::key`], which determines where a field begins.

use crate::source::lines::Span;

/// A line in a part of a file, without its line end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// The offset of the line in the file.
    pub(super) start: usize,
}

/// The start of the value on a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start<'a> {
    /// The key of the value; `None` for a list item.
    pub(super) key: Option<&'a str>,
    /// The offset of the value in the file: the end of the line if nothing follows the key.
    pub(super) at: usize,
}

pub(super) fn lines(text: &str, part: Span) -> impl Iterator<Item = Line<'_>> {
    let mut start = part.start;
    text[part.start..part.end]
        .split_inclusive('\n')
        .map(move |line| {
            let at = start;
            start += line.len();
            Line {
                text: line.trim_end_matches(['\n', '\r']),
                start: at,
            }
        })
}

/// Returns the line that contains an offset, in a part of a file.
pub(super) fn line_at(text: &str, part: Span, offset: usize) -> Line<'_> {
    let offset = offset.min(part.end);
    let start = text[part.start..offset].rfind('\n');
    let start = start.map_or(part.start, |at| part.start + at + 1);
    let rest = &text[start..part.end];
    let line = rest.split_inclusive('\n').next().unwrap_or_default();
    Line {
        text: line.trim_end_matches(['\n', '\r']),
        start,
    }
}

impl<'a> Line<'a> {
    /// Returns the number of leading spaces and tabs.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches([' ', '\t']).len()
    }

    /// Returns the span of the line's text without surrounding white space.
    pub(super) fn content(&self) -> Span {
        let start = self.start + self.indent();
        Span::new(start, start + self.text.trim_matches([' ', '\t']).len())
    }

    /// Returns whether the line is empty or a comment.
    pub(super) fn is_silent(&self) -> bool {
        let text = self.text.trim_start_matches([' ', '\t']);
        text.is_empty() || text.starts_with('#')
    }

    pub(super) fn is_item(&self) -> bool {
        let text = self.text.trim_start_matches([' ', '\t']);
        text == "-" || text.starts_with("- ")
    }

    /// Returns whether the line begins with a bracket.
    pub(super) fn is_flow(&self) -> bool {
        let text = self.text.trim_start_matches([' ', '\t']);
        text.starts_with(['[', '{'])
    }

    /// Returns the key that the line begins with, if the key is a single word.
    pub(super) fn key(&self) -> Option<&'a str> {
        let (key, _) = entry(self.text.trim_start_matches(' '))?;
        let is_word = !key.contains(char::is_whitespace);
        is_word.then_some(key)
    }

    /// Returns the start of the value after the line's key or list marker.
    pub(super) fn value(&self) -> Option<Start<'a>> {
        let mut at = self.indent();
        let mut is_item = false;
        while self.text[at..].starts_with("- ") {
            at += 1 + blanks(&self.text[at + 1..]);
            is_item = true;
        }
        let found = entry(&self.text[at..]);
        if found.is_none() && !is_item {
            return None;
        }
        Some(Start {
            key: found.map(|(key, _)| key),
            at: self.start + at + found.map_or(0, |(_, value)| value),
        })
    }
}

impl Start<'_> {
    /// Describes the value: `the value of 'description'`.
    pub(super) fn subject(&self) -> String {
        self.key.map_or_else(|| "a list item".to_owned(), value_of)
    }
}

pub(super) fn value_of(key: &str) -> String {
    format!("the value of '{}'", shown(key))
}

/// Truncates a key so that it fits into a one-line message.
pub(super) fn shown(key: &str) -> String {
    const MAX_CHARS: usize = 60;
    let one_line = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = key.chars().take(MAX_CHARS).map(one_line).collect();
    if shown.len() < key.len() {
        shown.push('…');
    }
    shown
}

/// Returns the number of leading spaces and tabs.
pub(super) fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// Splits `key: value` into the key without its quotes and the offset of the value.
fn entry(text: &str) -> Option<(&str, usize)> {
    let first = text.chars().next()?;
    let (key, colon) = if matches!(first, '"' | '\'') {
        let close = 1 + text[1..].find(first)?;
        let colon = close + 1 + blanks(&text[close + 1..]);
        (&text[1..close], colon)
    } else {
        let colon = plain_colon(text)?;
        (text[..colon].trim_end(), colon)
    };
    let is_key = text[colon..].starts_with(':')
        && !key.is_empty()
        && !key.contains(" #")
        && !first.is_whitespace()
        && !"#[]{},&*!|>@`%".contains(first);
    let after = text.get(colon + 1..)?;
    let is_colon = after.is_empty() || after.starts_with([' ', '\t']);
    (is_key && is_colon).then(|| (key, colon + 1 + blanks(after)))
}

/// Finds the first `:` that ends a key because white space or the end of the line follows it.
fn plain_colon(text: &str) -> Option<usize> {
    let ends_key = |at: &usize| {
        let after = &text[at + 1..];
        after.is_empty() || after.starts_with([' ', '\t'])
    };
    text.match_indices(':').map(|(at, _)| at).find(ends_key)
}
