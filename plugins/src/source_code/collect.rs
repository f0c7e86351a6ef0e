//! Collects the symbols of a file, and the comments that belong to them.

use std::cmp::Reverse;
use std::ops::Range;

use super::lexer::Token;

/// The maximum length, in bytes, of the whitespace between a comment and the definition that it documents.
const MAX_GAP: usize = 1024;

/// The maximum length of a qualified name, in bytes. A longer name is not qualified.
const MAX_NAME: usize = 256;

/// The maximum number of symbols. Any further symbol is treated as part of the code around it.
const MAX_SYMBOLS: usize = 10_000;

/// The symbols of a file.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The symbols, ordered by their first bytes. A symbol precedes the symbols that it contains.
    pub(crate) symbols: Vec<Symbol>,
    /// The documentation of the file.
    pub(crate) docs: Vec<Range<usize>>,
    /// The number of bytes in lines with syntax errors.
    pub(crate) broken: usize,
    /// The position of the first syntax error.
    pub(crate) first_broken: Option<usize>,
}

/// A function, type or module.
#[derive(Debug)]
pub(crate) struct Symbol {
    /// The name, qualified by the names of the enclosing symbols: `Pool::close`.
    pub(crate) name: String,
    /// The byte range of the definition, including its documentation.
    pub(crate) bytes: Range<usize>,
    /// The byte ranges of the comments and strings that document the symbol.
    pub(crate) docs: Vec<Range<usize>>,
}

/// Comments that directly follow each other.
#[derive(Debug, Default)]
pub(super) struct Lead {
    pub(super) bytes: Range<usize>,
    pub(super) comments: Vec<Range<usize>>,
}

pub(super) struct Collector<'a> {
    pub(super) text: &'a str,
    pub(super) outline: Outline,
    /// The most recent comments.
    lead: Lead,
    /// Whether any comments have been dropped.
    has_comments: bool,
    /// The end of the last line with a syntax error.
    broken_end: usize,
}

impl<'a> Collector<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            outline: Outline::default(),
            lead: Lead::default(),
            has_comments: false,
            broken_end: 0,
        }
    }

    /// Returns the text of a byte range.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Adds a comment to the previous comments if it directly follows them. Otherwise, drops the previous comments.
    pub(super) fn comment(&mut self, token: Token) {
        if token.column.is_none() {
            // A comment after code describes this code.
            return;
        }
        let bytes = token.start..token.end;
        if self.lead.bytes.is_empty() || !self.is_adjacent(self.lead.bytes.end, bytes.start) {
            self.drop_comments();
            self.lead.bytes = bytes.clone();
        }
        self.lead.bytes.end = bytes.end;
        self.lead.comments.push(bytes);
    }

    /// Returns the comments directly above a definition. `start`: the first byte of the definition.
    pub(super) fn take_comments(&mut self, start: usize) -> Lead {
        if self.lead.bytes.is_empty() || !self.is_adjacent(self.lead.bytes.end, start) {
            return Lead::default();
        }
        std::mem::take(&mut self.lead)
    }

    /// Drops the most recent comments.
    pub(super) fn drop_comments(&mut self) {
        let lead = std::mem::take(&mut self.lead);
        self.drop_lead(lead);
    }

    /// Drops comments that do not belong to a symbol. If they are at the start of the file, they document the file.
    pub(super) fn drop_lead(&mut self, lead: Lead) {
        let is_first = !lead.bytes.is_empty() && !self.has_comments;
        self.has_comments |= !lead.bytes.is_empty();
        if is_first && is_start(self.slice(0, lead.bytes.start)) {
            self.outline.docs = lead.comments;
        }
    }

    /// Adds a symbol, and returns its index. `outer`: the name of the enclosing symbol.
    pub(super) fn symbol(
        &mut self,
        outer: Option<&str>,
        name: &str,
        lead: Lead,
        bytes: Range<usize>,
    ) -> Option<usize> {
        let at = self.outline.symbols.len();
        if at >= MAX_SYMBOLS {
            return None;
        }
        let start = if lead.bytes.is_empty() {
            bytes.start
        } else {
            lead.bytes.start.min(bytes.start)
        };
        self.outline.symbols.push(Symbol {
            name: qualified(outer, name),
            bytes: start..bytes.end,
            docs: lead.comments,
        });
        Some(at)
    }

    /// Marks the line of a syntax error.
    pub(super) fn mark_broken(&mut self, at: usize) {
        if at < self.broken_end {
            return;
        }
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let bytes = self.text.as_bytes();
        let start = bytes[self.broken_end..at].iter().rposition(is_end);
        let start = start.map_or(self.broken_end, |start| self.broken_end + start + 1);
        let end = bytes[at..].iter().position(is_end);
        self.broken_end = end.map_or(bytes.len(), |end| at + end);
        self.outline.broken += self.broken_end - start;
        self.outline.first_broken.get_or_insert(at);
    }

    pub(super) fn finish(mut self) -> Outline {
        self.drop_comments();
        let symbols = &mut self.outline.symbols;
        symbols.sort_by_key(|symbol| (symbol.bytes.start, Reverse(symbol.bytes.end)));
        self.outline
    }

    /// Returns whether there are only blanks, and at most one line end, between two positions.
    pub(super) fn is_adjacent(&self, end: usize, start: usize) -> bool {
        let gap = self.text.get(end..start);
        gap.is_some_and(|gap| {
            gap.len() <= MAX_GAP
                && gap.matches('\n').count() <= 1
                && gap.chars().all(char::is_whitespace)
        })
    }
}

/// Qualifies a name with the enclosing symbol's name, on one line.
pub(super) fn qualified(outer: Option<&str>, name: &str) -> String {
    let name = name.trim_matches(['"', '\'', '`']);
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join(" ").replace(":: ", "::");
    match outer {
        Some(outer) if outer.len() + name.len() < MAX_NAME => format!("{outer}::{name}"),
        _ => name,
    }
}

/// Returns whether `text` is empty, or contains only the line that names a script's interpreter.
fn is_start(text: &str) -> bool {
    let text = text.trim().trim_start_matches('\u{feff}');
    text.is_empty() || text.starts_with("#!") && !text.contains('\n')
}
