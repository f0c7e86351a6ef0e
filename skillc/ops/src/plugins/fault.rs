//! Faults of scripts and packs.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::{LineIndex, Span};
use skillc_lint::finding::{Excerpt, Mark};
use skillc_script::ScriptFault;

use super::pack::PackFault;

/// Excerpts are truncated to this many columns.
const MAX_COLUMNS: usize = 100;

/// What is wrong with a script or a pack, and where. It is displayed as `team.rhai:4:9: more than 2000000 operations`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PluginFault {
    /// Script, or file of the pack
    pub script: String,
    /// 1-based line; null if the fault concerns the whole file
    pub line: Option<usize>,
    /// 1-based column in characters
    pub column: Option<usize>,
    /// What is wrong
    pub message: String,
    /// The line, with the fault marked
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

impl PluginFault {
    /// Creates a fault without a position, for the file as a whole.
    pub(crate) fn whole(script: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            script: script.into(),
            line: None,
            column: None,
            message: message.into(),
            excerpt: None,
        }
    }

    /// Converts a fault of a script, and adds the excerpt. `bytes`: the script's content.
    pub(crate) fn from_script(fault: ScriptFault, bytes: &[u8]) -> Self {
        let (line, column) = fault.place.unzip();
        // Positions do not count the byte order mark.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self {
            line,
            column,
            excerpt: fault.place.and_then(|at| excerpt(bytes, at)),
            ..Self::whole(&*fault.script, fault.message)
        }
    }

    /// Converts a fault of a `pack.toml`, and adds the excerpt. `file`: its path as displayed; `bytes`: its content.
    pub(super) fn from_pack(fault: PackFault, file: &str, bytes: &[u8]) -> Self {
        Self::in_file(file, bytes, fault.at, fault.message)
    }

    /// Creates a fault at a position in a file. `file`: its path as displayed; `bytes`: its content;
    /// `at`: the byte offset.
    pub(crate) fn in_file(
        file: &str,
        bytes: &[u8],
        at: Option<usize>,
        message: impl Into<String>,
    ) -> Self {
        let whole = Self::whole(file, message);
        let Some(at) = at else { return whole };
        let line = LineIndex::new(bytes).line(at);
        let before = bytes.get(..at).unwrap_or(bytes);
        let start = before.iter().rposition(|byte| *byte == b'\n');
        let before = &before[start.map_or(0, |at| at + 1)..];
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        Self {
            line: Some(line),
            column: Some(column),
            excerpt: excerpt(bytes, (line, column)),
            ..whole
        }
    }
}

impl fmt::Display for PluginFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.script)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Returns the line of a fault with the word at its position marked; at whitespace, the rest of the line is marked.
fn excerpt(bytes: &[u8], (line, column): (usize, usize)) -> Option<Excerpt> {
    let raw = bytes.split(|byte| *byte == b'\n').nth(line - 1)?;
    let text = String::from_utf8_lossy(raw);
    let chars: Vec<char> = text.trim_end().chars().collect();
    let at = (column - 1).min(chars.len());
    let from = at.saturating_sub(MAX_COLUMNS / 2);
    let shown: Vec<char> = chars.iter().copied().skip(from).take(MAX_COLUMNS).collect();
    let at = at - from;
    let is_word = |c: &&char| c.is_alphanumeric() || **c == '_';
    let is_blank = |c: &&char| c.is_whitespace();
    let rest = shown.get(at..).unwrap_or_default();
    let (start, len) = match rest.iter().take_while(is_blank).count() {
        0 => (at, rest.iter().take_while(is_word).count().max(1)),
        blanks => (at + blanks, rest.len() - blanks),
    };
    let bytes_of = |chars: &[char]| chars.iter().map(|c| c.len_utf8()).sum::<usize>();
    let end = (start + len).min(shown.len());
    let start = start.min(end);
    Some(Excerpt {
        line,
        marks: vec![Mark {
            span: Span::new(bytes_of(&shown[..start]), bytes_of(&shown[..end])),
            text: String::new(),
        }],
        text: shown.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, at: (usize, usize)) -> String {
        let excerpt = excerpt(text.as_bytes(), at).unwrap();
        let span = excerpt.marks[0].span;
        format!("{}[{}]", excerpt.line, &excerpt.text[span.start..span.end])
    }

    #[test]
    fn a_byte_order_mark_does_not_shift_the_location() {
        let script = "\u{feff}let größe = 1;\n".as_bytes();
        let fault = skillc_script::Host::default()
            .load("a.rhai", script)
            .err()
            .unwrap();
        let fault = PluginFault::from_script(fault, script);
        let excerpt = fault.excerpt.unwrap();
        let marked = excerpt.marks[0].span;
        assert_eq!((fault.line, fault.column), (Some(1), Some(7)));
        assert_eq!(&excerpt.text[marked.start..marked.end], "öße");
    }

    #[test]
    fn the_word_at_the_location_is_marked() {
        assert_eq!(marked("a\nlet größe = 1;\n", (2, 5)), "2[größe]");
        assert_eq!(marked("a\n    let x = 1;\n", (2, 1)), "2[let x = 1;]");
        assert_eq!(marked("f(}", (1, 3)), "1[}]");
        assert_eq!(marked("f(", (1, 3)), "1[]");
        assert_eq!(marked("f(", (1, 90)), "1[]");
        let long = format!("{}word{}", "é".repeat(5000), "x ".repeat(5000));
        assert_eq!(marked(&long, (1, 5001)), "1[wordx]");
        assert_eq!(excerpt(b"a", (9, 1)), None);
    }
}
