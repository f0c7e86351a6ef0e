//! A finding's fix in the form that programs receive: replaced ranges as lines and columns, and the new text.
//!
//! Only small fixes are kept, to bound memory in a run over many findings. A fix that changes half a file is left to
//! `skc lint --fix`; editors do not need it.

use skillc_core::{Document, RelPath, Skill, secrets};

use crate::{Edit, Fix, Safety};

/// The maximum number of edits in a reported fix.
const MAX_EDITS: usize = 64;

/// The maximum number of bytes that a reported fix inserts in total.
const MAX_TEXT: usize = 16 * 1024;

/// The maximum offset of an edit in its line, in bytes: a column is counted from the start of the line, which takes
/// time.
const MAX_INDENT: usize = 8 * 1024;

/// A fix with line and column positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedFix {
    /// What the fix does, as an imperative.
    pub title: String,
    /// Whether the fix needs review.
    pub safety: Safety,
    /// The edits, which must be applied together or not at all, sorted by file and position.
    pub edits: Vec<ProposedEdit>,
}

/// A replacement for a range of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedEdit {
    /// The file, relative to the skill's root.
    pub file: RelPath,
    /// The 1-based line and column, in characters, of the first replaced character.
    pub start: (usize, usize),
    /// The line and column after the last replaced character; equal to `start` for an insertion.
    pub end: (usize, usize),
    /// The replacement.
    pub text: String,
}

impl ProposedFix {
    /// Converts a fix; `None` if it is too large to report, or refers to text that does not exist.
    pub(super) fn from_fix(fix: &Fix, skill: &Skill) -> Option<Self> {
        let written: usize = fix.edits.iter().map(|edit| edit.text.len()).sum();
        if fix.edits.is_empty() || fix.edits.len() > MAX_EDITS || written > MAX_TEXT {
            return None;
        }
        let edits = fix.edits.iter().map(|edit| proposed(edit, skill));
        let mut edits = edits.collect::<Option<Vec<_>>>()?;
        edits.sort_by(|one, other| (&one.file, one.start).cmp(&(&other.file, other.start)));
        Some(Self {
            title: fix.title.clone(),
            safety: fix.safety,
            edits,
        })
    }
}

impl ProposedFix {
    /// Returns whether the fix inserts a secret. Such a fix is not shown: with the secret masked, it would insert the
    /// wrong text.
    pub(super) fn holds_secret(&self) -> bool {
        let has_any = |edit: &ProposedEdit| !secrets::find(&edit.text).is_empty();
        self.edits.iter().any(has_any)
    }
}

fn proposed(edit: &Edit, skill: &Skill) -> Option<ProposedEdit> {
    let document = skill.document(&edit.file)?;
    Some(ProposedEdit {
        file: edit.file.clone(),
        start: place(edit.span.start, document)?,
        end: place(edit.span.end, document)?,
        text: edit.text.clone(),
    })
}

/// Returns the 1-based line and column of a byte offset. The position after the last line end is on a line of its own.
fn place(offset: usize, document: &Document) -> Option<(usize, usize)> {
    let (text, lines) = (&document.text, &document.lines);
    if offset == text.len() && (text.is_empty() || text.ends_with(['\n', '\r'])) {
        return Some((lines.count() + 1, 1));
    }
    let line = lines.line(offset);
    let start = lines.range(line, line).start;
    let before = text.get(start..offset)?;
    (before.len() <= MAX_INDENT).then(|| (line, before.chars().count() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::RelPath;

    fn at(text: &str, offset: usize) -> Option<(usize, usize)> {
        let path = RelPath::parse("a.md").unwrap();
        place(offset, &Document::parse(path, text.as_bytes().to_vec()))
    }

    #[test]
    fn locations_are_lines_and_characters() {
        assert_eq!(at("é a\r\nbc", 0), Some((1, 1)));
        assert_eq!(at("é a\r\nbc", 3), Some((1, 3)));
        assert_eq!(at("é a\r\nbc", 6), Some((2, 1)));
        assert_eq!(at("é a\r\nbc", 8), Some((2, 3)));
    }

    #[test]
    fn appended_text_comes_after_the_last_line() {
        assert_eq!(at("a\n", 2), Some((2, 1)));
        assert_eq!(at("a\r", 2), Some((2, 1)));
        assert_eq!(at("a", 1), Some((1, 2)));
        assert_eq!(at("", 0), Some((1, 1)));
    }

    #[test]
    fn expensive_and_missing_locations_are_omitted() {
        assert_eq!(at("é", 1), None);
        assert_eq!(at("a", 9), None);
        assert_eq!(at(&"a".repeat(9000), 8999), None);
    }
}
