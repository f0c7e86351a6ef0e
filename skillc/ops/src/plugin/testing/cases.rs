//! The model of a test case: input text, and the findings or sections that are expected for it.

use std::collections::BTreeMap;

use serde_json::Value;
use skillc_core::clients::Client;
use skillc_core::{RelPath, Section};
use skillc_lint::Diagnostic;

pub(super) struct Cases {
    /// The text of the file, with line endings normalized to LF.
    pub(super) text: String,
    /// Whether the file begins with a byte order mark.
    pub(super) has_mark: bool,
    /// Whether all line endings of the file are CRLF.
    pub(super) has_crlf: bool,
    pub(super) all: Vec<Case>,
}

pub(super) struct Case {
    pub(super) name: String,
    /// The 1-based line of the `[[case]]` header.
    pub(super) line: usize,
    /// The path of the file that contains `text`, relative to the skill's root.
    pub(super) file: RelPath,
    pub(super) text: String,
    pub(super) subject: Subject,
}

/// The rule or indexer under test, with the expected results.
pub(super) enum Subject {
    Rule(RuleCase),
    Format(FormatCase),
}

/// The expectations of a case about a rule.
pub(super) struct RuleCase {
    pub(super) code: String,
    /// The name of the skill's directory.
    pub(super) skill: String,
    pub(super) files: BTreeMap<RelPath, String>,
    /// The `SKILL.md` of each other skill in the run, by directory name.
    pub(super) beside: BTreeMap<String, String>,
    pub(super) options: BTreeMap<String, Value>,
    pub(super) clients: Vec<Client>,
    /// Findings as formatted by [`told`], in order.
    pub(super) found: Option<Vec<String>>,
    /// The text after all fixes.
    pub(super) fixed: Option<String>,
}

/// The expectations of a case about an indexer.
pub(super) struct FormatCase {
    /// The id of the indexer.
    pub(super) id: String,
    pub(super) sections: Option<Vec<SectionText>>,
}

/// A section as written in cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionText {
    pub(super) heading: String,
    /// The first and last line, 1-based.
    pub(super) lines: (usize, usize),
    pub(super) content: String,
}

impl SectionText {
    pub(super) fn from_section(section: &Section<'_>) -> Self {
        Self {
            heading: section.heading.to_string(),
            lines: (section.lines.start, section.lines.end.saturating_sub(1)),
            content: section.content.to_string(),
        }
    }

    /// Returns the lines to compare: line range and heading, then the content.
    pub(super) fn shown(&self) -> Vec<String> {
        let (first, last) = self.lines;
        let head = format!("{first}-{last} {}", self.heading);
        let content = lines_of(&self.content).into_iter();
        let content = content.map(|line| format!("    {line}"));
        [head.trim_end().to_owned()]
            .into_iter()
            .chain(content)
            .collect()
    }
}

/// Formats a finding on one line: `3:1 message` in the file of the case, `references/a.md:3:1 message` in another file,
/// and `- message` for the skill as a whole.
pub(super) fn told(finding: &Diagnostic, file: &RelPath) -> String {
    let Diagnostic {
        line,
        column,
        message,
        ..
    } = finding;
    match &finding.file {
        None => format!("- {message}"),
        Some(found) if found == file => format!("{line}:{column} {message}"),
        Some(found) => format!("{found}:{line}:{column} {message}"),
    }
}

/// Returns the lines of a string, with a marker if the last one is not terminated.
pub(super) fn lines_of(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .split_inclusive('\n')
        .map(|line| line.strip_suffix('\n').unwrap_or(line).to_owned())
        .collect();
    if !text.is_empty() && !text.ends_with('\n') {
        lines.push("(no newline at end)".to_owned());
    }
    lines
}
