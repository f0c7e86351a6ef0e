//! The lines of a file around a match.
//!
//! The index does not store where in a section the match is, so the match is looked up in the file: it is the line with
//! the most words that the snippet marks.
//!
//! Design: C-SEARCH, R20.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::Serialize;
use skillc_core::source::{Opened, open_below};
use skillc_core::{RelPath, SkillRef};

use super::SearchResult;
use crate::content::lines_between;

/// The maximum number of lines before the match, and after it.
pub(super) const MAX_LINES: usize = 20;

/// The maximum number of results with context. The file of each of these results is read again.
pub(super) const MAX_RESULTS: usize = 100;

/// Longer lines are truncated to this many bytes.
const MAX_LINE_BYTES: usize = 500;

/// The maximum size, in bytes, of a section in which the match is looked up, and of the lines around the match.
const MAX_BYTES: u64 = 1 << 20;

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextLines {
    /// Number of the first line, from 1
    pub start_line: usize,
    /// Lines, without line ends
    pub lines: Vec<String>,
}

impl ContextLines {
    /// Reads the lines around a result: `lines` before it and after it.
    ///
    /// Returns `None` for a section without lines, or if the lines cannot be read or are too long.
    pub(super) fn read(at: &SkillRef, result: &SearchResult, lines: usize) -> Option<Self> {
        let section = result.start_line?..result.end_line?;
        let read = |lines| read_lines(at, &result.file, lines);
        // If the section is too long to be read, the context is that of its first line.
        let in_section = read(section.clone()).unwrap_or_default();
        let found = section.start + best_line(&in_section, &marked(&result.snippet));
        let start_line = found.saturating_sub(lines).max(1);
        let around = read(start_line..found + lines + 1)?;
        Some(Self {
            start_line,
            lines: around.iter().map(|line| shortened(line)).collect(),
        })
    }
}

fn read_lines(at: &SkillRef, file: &str, lines: Range<usize>) -> Option<Vec<String>> {
    let path = RelPath::parse(file).ok()?;
    let Opened::File(file, ..) = open_below(&at.canonical, &path).ok()? else {
        return None;
    };
    let excerpt = lines_between(file, lines, None, MAX_BYTES).ok()?;
    let text = String::from_utf8_lossy(&excerpt.content.0);
    // A lone CR also ends a line: see `lines_between`.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    Some(text.lines().map(str::to_owned).collect())
}

/// Returns the words that a snippet marks.
fn marked(snippet: &str) -> BTreeSet<&str> {
    let pieces = snippet.split("[MATCH]").skip(1);
    let words = pieces.filter_map(|piece| piece.split_once("[/MATCH]"));
    words.map(|(word, _)| word).collect()
}

/// Returns the index of the first line with the largest number of these words; 0 if no line contains any of them.
fn best_line(lines: &[String], words: &BTreeSet<&str>) -> usize {
    let count = |line: &String| words.iter().filter(|word| line.contains(**word)).count();
    let counts = lines.iter().map(count).enumerate();
    let best = counts.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map_or(0, |(at, _)| at)
}

fn shortened(line: &str) -> String {
    if line.len() <= MAX_LINE_BYTES {
        return line.to_owned();
    }
    let mut end = MAX_LINE_BYTES;
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_line_with_most_of_the_marked_words_is_found() {
        let words = marked(
            "...[MATCH]Rotate[/MATCH] the old [MATCH]keys[/MATCH] and [MATCH]keys[/MATCH]...",
        );
        assert_eq!(words, BTreeSet::from(["Rotate", "keys"]));
        assert_eq!(
            best_line(&lines("keys\nno\nRotate keys\nkeys, Rotate"), &words),
            2
        );
        assert_eq!(best_line(&lines("none\nhere"), &words), 0);
        assert_eq!(best_line(&[], &words), 0);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let line = "馬".repeat(400);
        let cut = shortened(&line);
        assert_eq!(cut.len(), 498 + 3);
        assert_eq!(shortened("short"), "short");
    }
}
