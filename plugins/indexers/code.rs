//! Source code: one section per symbol, such as a function or a type, and one for the rest of the file.
//!
//! A section contains only the text of its own symbol: the section of a class does not repeat the text of its methods.
//! Documentation is indexed twice, so that its words have more weight than words in code. Minified files are indexed as
//! a whole.
//!
//! Design: C-FORMATS, R20, R23.

use std::ops::Range;

use skillc_core::index::TextBudget;
use skillc_core::{
    IndexError, Indexer, IndexerMeta, LineIndex, Section, SourceFile, declare_indexer,
};

use crate::source_code::{Fault, MAX_DEPTH, Outline, Symbol, Syntax};

/// A file counts as minified if its lines are longer than this on average, in bytes.
const MINIFIED_LINE: usize = 500;

/// The maximum share of a file's text in lines with syntax errors, in percent.
const MAX_BROKEN: usize = 50;

declare_indexer! {
    /// Source code, one section per function, type and module, and one for the rest of the file
    pub(crate) struct Code {
        id: "code",
        extensions: ["c", "cpp", "go", "h", "java", "js", "py", "rs", "sh", "ts", "tsx"],
        version: 1
    }
}

impl Indexer for Code {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let text = file.text();
        let lines = LineIndex::new(text.as_bytes());
        let mut parts = Parts::new(&text, TextBudget::for_file(file));
        // All symbols of a minified file are on the same lines.
        let outline = if text.len() / lines.count().max(1) > MINIFIED_LINE {
            Outline::default()
        } else {
            outline(file, &text, &lines)?
        };
        for symbol in outline.symbols {
            parts.begin(symbol)?;
        }
        parts.finish(&outline.docs, &lines, emit)
    }

    fn indexes_other_text(&self) -> bool {
        false
    }
}

/// Returns the symbols of a file.
fn outline(file: &SourceFile, text: &str, lines: &LineIndex) -> Result<Outline, IndexError> {
    let extension = file.path.extension().unwrap_or_default();
    let Some(syntax) = Syntax::for_extension(&extension) else {
        return Ok(Outline::default());
    };
    let outline = Outline::read(syntax, text).map_err(|fault| {
        IndexError::new(match fault {
            Fault::Open(at) => {
                let line = lines.line(at);
                format!("the string or comment in line {line} does not end")
            }
            Fault::Deep(at) => {
                let line = lines.line(at);
                format!("nested more than {MAX_DEPTH} levels deep in line {line}")
            }
        })
    })?;
    match outline.first_broken {
        Some(at) if outline.broken > text.trim().len() * MAX_BROKEN / 100 => {
            let line = lines.line(at);
            Err(IndexError::new(format!("syntax error in line {line}")))
        }
        _ => Ok(outline),
    }
}

/// Divides the text of a file among its symbols. Each part of the text belongs to the innermost symbol around it.
struct Parts<'a> {
    text: &'a str,
    budget: TextBudget,
    /// All sections: the first is for the rest of the file, the others are for the symbols, in file order.
    sections: Vec<Part>,
    /// The sections that are still open: the index of each in `sections`, and the offset at which it ends.
    open: Vec<(usize, usize)>,
    /// The offset in `text` up to which the text has been divided.
    at: usize,
}

/// A section that is being collected.
struct Part {
    heading: String,
    content: String,
    /// The byte offset at which the section begins.
    start: usize,
    /// The bytes from the first to the last word of the section; `None` if it has no words.
    words: Option<Range<usize>>,
}

impl Part {
    fn new(heading: String, start: usize) -> Self {
        Self {
            heading,
            content: String::new(),
            start,
            words: None,
        }
    }

    /// Returns the range of bytes from which the section's line numbers are computed.
    fn bytes(&self) -> Range<usize> {
        self.words.clone().unwrap_or(self.start..self.start)
    }
}

impl<'a> Parts<'a> {
    fn new(text: &'a str, budget: TextBudget) -> Self {
        Self {
            text,
            budget,
            sections: vec![Part::new(String::new(), 0)],
            open: vec![(0, text.len())],
            at: 0,
        }
    }

    /// Begins the section of a symbol.
    fn begin(&mut self, symbol: Symbol) -> Result<(), IndexError> {
        let start = self.word_end(symbol.bytes.start);
        while self.open.len() > 1 && self.end() <= start {
            self.close()?;
        }
        self.take(self.line_start(start))?;
        let end = self.word_end(symbol.bytes.end).min(self.end());
        self.budget.take(symbol.name.len())?;
        let mut part = Part::new(symbol.name, self.at);
        let mut docs = symbol.docs;
        docs.retain(|docs| self.at <= docs.start && docs.end <= end);
        part.content = self.plain(&docs)?;
        self.open.push((self.sections.len(), end));
        self.sections.push(part);
        Ok(())
    }

    /// Ends the innermost section.
    fn close(&mut self) -> Result<(), IndexError> {
        let end = self.with_line_end(self.end().max(self.at));
        self.take(end)?;
        if let Some((at, _)) = self.open.pop() {
            // The end of a section can consist of the text of a nested section.
            let last = self.text[..end].trim_end().len();
            if let Some(words) = &mut self.sections[at].words {
                words.end = words.end.max(last);
            }
        }
        Ok(())
    }

    /// Returns the end of the innermost section.
    fn end(&self) -> usize {
        self.open.last().map_or(self.text.len(), |(_, end)| *end)
    }

    /// Adds the text up to a position to the innermost section.
    fn take(&mut self, end: usize) -> Result<(), IndexError> {
        let start = self.at;
        let own = self.text.get(start..end).unwrap_or_default();
        let words = own.trim();
        if let Some((at, _)) = self.open.last()
            && !words.is_empty()
        {
            self.budget.take(own.len())?;
            let part = &mut self.sections[*at];
            let is_word = char::is_alphanumeric;
            if part.content.ends_with(is_word) && own.starts_with(is_word) {
                // A nested section separates these two words in the file.
                part.content.push('\n');
            }
            part.content += own;
            // A closing bracket alone does not extend the lines of the section.
            if words.contains(is_word) {
                let first = start + own.len() - own.trim_start().len();
                let begin = part.words.as_ref().map_or(first, |words| words.start);
                part.words = Some(begin..first + words.len());
            }
        }
        self.at = start.max(end);
        Ok(())
    }

    /// Returns the text of documentation, without comment markers.
    fn plain(&mut self, docs: &[Range<usize>]) -> Result<String, IndexError> {
        let mut out = String::new();
        for bytes in docs {
            plain(self.text.get(bytes.clone()).unwrap_or_default(), &mut out);
        }
        self.budget.take(out.len())?;
        Ok(out)
    }

    /// Returns `at`, or the end of the word around `at`: the lexer may split a word, such as `1st`.
    fn word_end(&self, at: usize) -> usize {
        let is_boundary = |at: &usize| self.text.is_char_boundary(*at);
        let at = (at..self.text.len()).find(is_boundary);
        let (before, after) = self.text.split_at(at.unwrap_or(self.text.len()));
        if !before.ends_with(char::is_alphanumeric) {
            return before.len();
        }
        self.text.len() - after.trim_start_matches(char::is_alphanumeric).len()
    }

    /// Returns the start of the line that contains `at` if only blanks precede `at` on that line, otherwise `at`
    /// itself.
    fn line_start(&self, at: usize) -> usize {
        let before = self.text.get(self.at..at).unwrap_or_default();
        let before = before.trim_end_matches([' ', '\t']);
        if before.is_empty() || before.ends_with(['\n', '\r']) {
            self.at + before.len()
        } else {
            at
        }
    }

    /// Returns the end of the line that contains `at` if only blanks and the end of a statement follow `at` on that
    /// line, otherwise `at` itself.
    fn with_line_end(&self, at: usize) -> usize {
        let after = &self.text[at..];
        let rest = after.trim_start_matches([' ', '\t', ';', ',']);
        let next = rest.strip_prefix('\r').unwrap_or(rest);
        let next = next.strip_prefix('\n').unwrap_or(next);
        if rest.is_empty() || next.len() < rest.len() {
            self.text.len() - next.len()
        } else {
            at
        }
    }

    /// Passes all sections to `emit`, in file order. `docs`: the documentation of the file.
    fn finish(
        mut self,
        docs: &[Range<usize>],
        lines: &LineIndex,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        while self.open.len() > 1 {
            self.close()?;
        }
        self.take(self.text.len())?;
        let docs = self.plain(docs)?;
        self.sections[0].content.insert_str(0, &docs);
        if !self.sections[0].content.contains(char::is_alphanumeric) {
            self.sections.remove(0);
        }
        self.sections.sort_by_key(|part| part.bytes().start);
        for part in self.sections {
            let bytes = part.bytes();
            let last = bytes.end.max(bytes.start + 1) - 1;
            emit(Section {
                heading: part.heading.into(),
                content: part.content.into(),
                lines: lines.line(bytes.start)..lines.line(last) + 1,
            });
        }
        Ok(())
    }
}

/// Appends the text of a comment or string to `out`, line by line, without comment markers and quotes: `/** Opens it.
/// */` becomes `Opens it.`
fn plain(comment: &str, out: &mut String) {
    if comment.starts_with("#!") {
        // Skip a shebang line.
        return;
    }
    for line in comment.lines() {
        let line = line.trim();
        let line = line.trim_start_matches(['/', '*', '#', '!', '"', '\'', '<']);
        let line = line.trim_end_matches(['/', '*', '"', '\'']).trim();
        if line.contains(char::is_alphanumeric) {
            out.push_str(line);
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn signs_of_comments_are_removed() {
        for (comment, text) in [
            ("/// Opens it.", "Opens it.\n"),
            ("//! Pools", "Pools\n"),
            ("/** Opens it. */", "Opens it.\n"),
            ("/*\n * One\n *\n * @param two\n */", "One\n@param two\n"),
            ("# Usage: run", "Usage: run\n"),
            ("#!/bin/sh", ""),
            (
                "\"\"\"Opens it.\n\n    Returns: a pool\n    \"\"\"",
                "Opens it.\nReturns: a pool\n",
            ),
            ("// -----", ""),
        ] {
            let mut out = String::new();
            plain(comment, &mut out);
            assert_eq!(out, text, "{comment}");
        }
    }
}
