//! Findings as GitHub Actions workflow commands, which GitHub shows as annotations in a diff.
//!
//! The form is `::warning file=…,line=…,endLine=…,col=…,endColumn=…,title=<rule> <name>::<path>:<line>:<column>:
//! <message>`. The message repeats the location, because the runner's log shows only the message of a workflow command.
//!
//! A runner executes commands anywhere in a step's output. This output includes names and text from untrusted skills,
//! which can contain commands (workflow command injection). Therefore [`Harmless`] neutralizes all commands that do not
//! come from this module.

use std::fmt::Write as _;
use std::io::{self, Write};

use skillc_core::clean::push_clean;
use skillc_lint::annotate::told;
use skillc_lint::finding::LintFinding;
use skillc_lint::style::Styling;
use skillc_ops::lint::LintResponse;

use crate::Page;

use crate::text::fixes;
use crate::text::lint::{before_files, run_totals};

/// Writes the commands to standard output, and the totals to standard error.
pub(crate) fn write(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    for report in &response.skills {
        let folder = before_files(report);
        for finding in &report.diagnostics {
            writeln!(page.out, "{}", command(finding, &folder))?;
        }
        if let Some(failure) = &report.failure {
            let title = if report.is_unreadable() {
                "unreadable skill"
            } else {
                "skill not fixed"
            };
            writeln!(page.out, "::error title={title}::{}", message(failure))?;
        }
    }
    if response.output.quiet {
        return Ok(());
    }
    let ink = Styling::new(page.err_is_styled);
    page.err.write_all(run_totals(response, ink).as_bytes())?;
    page.err.write_all(fixes::result(response).as_bytes())
}

fn command(finding: &LintFinding, folder: &str) -> String {
    let (line, column) = (finding.line, finding.column);
    let path = finding.file.shown(folder);
    let mut text = format!("::{} file={}", finding.severity.as_str(), property(&path));
    text += &format!(",line={line},endLine={}", finding.end_line);
    // Columns apply to single-line findings only.
    if finding.end_line == line {
        text += &format!(",col={column},endColumn={}", finding.end_column);
    }
    let title = format!("{} {}", finding.rule, finding.name);
    let told = format!("{path}:{line}:{column}: {}", told(finding));
    text + format!(",title={}::{}", property(&title), message(&told)).as_str()
}

/// Escapes a property value, because a comma would end the value, and a colon would end the property list.
fn property(text: &str) -> String {
    escaped(text, |c| matches!(c, ':' | ','))
}

/// Escapes a message.
fn message(text: &str) -> String {
    escaped(text, |_| false)
}

/// Percent-encodes line breaks, per cent signs and the characters for which `means_something` returns true, in the
/// encoding that the runner decodes. Also escapes other control characters.
fn escaped(text: &str, means_something: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in without_marks(text).chars() {
        if matches!(c, '%' | '\r' | '\n') || means_something(c) {
            let _ = write!(out, "%{:02X}", u32::from(c));
        } else {
            push_clean(&mut out, c);
        }
    }
    out
}

/// Neutralizes commands that a runner recognizes in the middle of a line.
fn without_marks(text: &str) -> String {
    text.replace("##[", "## [").replace("##vso[", "## vso[")
}

/// A writer that neutralizes workflow commands in every line, for the output of a workflow step.
///
/// GitHub's runner recognizes `::` at the start of a line, even after spaces, and `##[` anywhere; the Azure Pipelines
/// runner recognizes `##[` and `##vso[`.
pub struct Harmless<'a> {
    to: &'a mut dyn Write,
    line: Vec<u8>,
}

impl<'a> Harmless<'a> {
    /// Creates a writer that passes lines on to `to`.
    pub fn new(to: &'a mut dyn Write) -> Self {
        let line = Vec::new();
        Self { to, line }
    }

    /// Returns the underlying writer, for output that must stay unchanged.
    pub fn inner(&mut self) -> &mut dyn Write {
        self.to
    }

    fn end_line(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        if !line.trim_start().starts_with("::") && !line.contains("##") {
            return self.to.write_all(&bytes);
        }
        let line = without_marks(&line);
        let text = line.trim_start();
        match text.strip_prefix("::") {
            Some(rest) => write!(self.to, "{}: :{rest}", &line[..line.len() - text.len()]),
            None => self.to.write_all(line.as_bytes()),
        }
    }
}

impl Write for Harmless<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        for part in bytes.split_inclusive(is_end) {
            self.line.extend(part);
            if part.last().is_some_and(is_end) {
                self.end_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // Do not write a partial line: the complete line may turn out to be a command.
        self.to.flush()
    }
}

impl Drop for Harmless<'_> {
    fn drop(&mut self) {
        self.end_line().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// Parses a value as the runner does.
    fn read(text: &str, pairs: &[(&str, &str)]) -> String {
        let replace = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
        pairs.iter().fold(text.to_owned(), replace)
    }

    const MESSAGE: [(&str, &str); 3] = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")];
    const PROPERTY: [(&str, &str); 5] = [
        ("%0D", "\r"),
        ("%0A", "\n"),
        ("%3A", ":"),
        ("%2C", ","),
        ("%25", "%"),
    ];

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(property("a,b::c\r\n%0A"), "a%2Cb%3A%3Ac%0D%0A%250A");
        assert_eq!(message("a,b::c\r\n%0A"), "a,b::c%0D%0A%250A");
        assert_eq!(message("\u{1b}[31m\u{202e}"), "\\u{1b}[31m\\u{202e}");
    }

    #[test]
    fn output_cannot_inject_commands() {
        let mut out = Vec::new();
        let mut err = Harmless::new(&mut out);
        write!(err, "E1: a\n  :").unwrap();
        write!(err, ":error::b\rx ##").unwrap();
        write!(err, "[stop-commands]c\n\u{3000}::d ##vso[e]\n::f").unwrap();
        drop(err);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "E1: a\n  : :error::b\rx ## [stop-commands]c\n\u{3000}: :d ## vso[e]\n: :f"
        );
    }

    proptest! {
        #[test]
        fn values_round_trip_through_the_runner(text in "[%0AD23C:,\r\na日 ]{0,60}") {
            let (told, value) = (message(&text), property(&text));
            prop_assert!(!told.contains(['\n', '\r']));
            prop_assert!(!value.contains(['\n', '\r', ':', ',']));
            prop_assert_eq!(read(&told, &MESSAGE), text.clone());
            prop_assert_eq!(read(&value, &PROPERTY), text);
        }
    }
}
