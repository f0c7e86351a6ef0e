//! Flattens data files to searchable text: one line per value with its key path, and the comments of the file.
//!
//! An indexer reports the byte ranges of keys and values; [`Flat`] finds the comments between them.

use std::ops::Range;

use skillc_core::index::TextBudget;
use skillc_core::{IndexError, LineIndex, Section, SourceFile};

/// Collects the sections of a data file, in file order.
pub(crate) struct Flat<'a> {
    text: &'a str,
    lines: LineIndex,
    budget: TextBudget,
    sections: Vec<FlatSection>,
    /// The number of bytes read so far.
    at: usize,
}

struct FlatSection {
    heading: String,
    content: String,
    bytes: Range<usize>,
}

impl<'a> Flat<'a> {
    pub(crate) fn new(file: &SourceFile, text: &'a str) -> Self {
        Self {
            text,
            lines: LineIndex::new(text.as_bytes()),
            budget: TextBudget::for_file(file),
            sections: Vec::new(),
            at: 0,
        }
    }

    /// Begins a section at a byte offset. The comments directly above the section belong to it.
    pub(crate) fn section(&mut self, heading: &str, start: usize) -> Result<(), IndexError> {
        self.budget.take(heading.len())?;
        let start = start.clamp(self.at, self.text.len());
        let between = &self.text[self.at..start];
        // A comment at the end of the previous section's last line belongs to that section.
        let line_end = between.find('\n').map_or(between.len(), |at| at + 1);
        let split = match self.sections.last() {
            Some(_) => self.at + line_end,
            None => self.at,
        };
        self.skip_to(split)?;
        let comment = self.text[split..start].find('#').map(|at| split + at);
        self.sections.push(FlatSection {
            heading: heading.to_owned(),
            content: String::new(),
            bytes: comment.unwrap_or(start)..start,
        });
        self.skip_to(start)
    }

    /// Adds a value, and the comments before it. `bytes`: the value's range in the file.
    pub(crate) fn value(
        &mut self,
        path: &str,
        value: &str,
        bytes: Range<usize>,
    ) -> Result<(), IndexError> {
        self.skip_to(bytes.start)?;
        self.budget.take(path.len() + value.len() + 3)?;
        if let Some(section) = self.sections.last_mut() {
            let separator = if path.is_empty() { "" } else { ": " };
            section.content += &format!("{path}{separator}{value}\n");
        }
        self.pass(bytes.end);
        Ok(())
    }

    /// Advances past a part of the file that cannot contain comments, such as a key.
    pub(crate) fn pass(&mut self, end: usize) {
        self.at = self.at.max(end.min(self.text.len()));
        if let Some(section) = self.sections.last_mut() {
            section.bytes.end = section.bytes.end.max(self.at);
        }
    }

    /// Adds the comments up to a byte offset.
    pub(crate) fn skip_to(&mut self, end: usize) -> Result<(), IndexError> {
        let end = end.clamp(self.at, self.text.len());
        let between = self.text.get(self.at..end).unwrap_or_default();
        let mut added = String::new();
        for (start, line) in line_starts(between) {
            let is_comment = |at: &usize| {
                let before = self.text[..self.at + start + at].chars().next_back();
                before.is_none_or(|c| c.is_whitespace() || ",[]{}".contains(c))
            };
            let mut signs = line.match_indices('#').map(|(at, _)| at);
            if let Some(at) = signs.find(is_comment) {
                let comment = line[at..].trim_start_matches('#').trim();
                self.budget.take(comment.len() + 1)?;
                added += comment;
                added.push('\n');
            }
        }
        if let Some(section) = self.sections.last_mut() {
            section.content += &added;
            if !added.is_empty() {
                section.bytes.end = section.bytes.end.max(end);
            }
        }
        self.at = end;
        Ok(())
    }

    /// Emits all sections, in file order.
    pub(crate) fn finish(mut self, emit: &mut dyn FnMut(Section<'_>)) -> Result<(), IndexError> {
        if self.sections.is_empty() {
            // The file contains only comments.
            self.section("", 0)?;
        }
        self.skip_to(self.text.len())?;
        for section in self.sections {
            if section.content.is_empty() && section.heading.is_empty() {
                continue;
            }
            let last = self.text[section.bytes.clone()].trim_end();
            let end = section.bytes.start + last.len().max(1) - 1;
            emit(Section {
                heading: section.heading.into(),
                content: section.content.into(),
                lines: self.lines.line(section.bytes.start)..self.lines.line(end) + 1,
            });
        }
        Ok(())
    }
}

/// Returns the lines of `text` with their byte offsets.
fn line_starts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}
