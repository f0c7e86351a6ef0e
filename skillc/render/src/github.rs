//! Findings as commands of a workflow of GitHub Actions, which shows each beside its line in the change.
//!
//! `::warning file=…,line=…,endLine=…,col=…,endColumn=…,title=<rule> <name>::<path>:<line>:<column>: <message>`. The place is
//! said again in the message, since a log shows nothing else of a command. A workflow obeys commands on standard error,
//! too: only numbers are written there, so that no name of a skill can be one.

use std::fmt::Write as _;
use std::io;

use skillc_ops::lint::{LintFinding, LintResponse};

use crate::Page;
use crate::annotate::told;
use crate::ink::Ink;
use crate::page::is_obeyed;
use crate::text::fixes;
use crate::text::lint::{before_files, run_totals};

/// Writes the commands to standard output, the totals to standard error.
pub(crate) fn write(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    for report in &response.skills {
        let folder = before_files(report);
        for finding in &report.diagnostics {
            writeln!(page.out, "{}", command(finding, &folder))?;
        }
        if let Some(failure) = &report.failure {
            let title = property("unreadable skill");
            writeln!(page.out, "::error title={title}::{}", message(failure))?;
        }
    }
    let ink = Ink::of(page.err_is_styled);
    page.err.write_all(run_totals(response, ink).as_bytes())?;
    page.err.write_all(fixes::result(response).as_bytes())
}

fn command(finding: &LintFinding, folder: &str) -> String {
    let (line, column) = (finding.line, finding.column);
    let path = format!("{folder}{}", finding.file);
    let mut text = format!("::{} file={}", finding.severity.as_str(), property(&path));
    text += &format!(",line={line},endLine={}", finding.end_line);
    // Columns are of one line only.
    if finding.end_line == line {
        text += &format!(",col={column},endColumn={}", finding.end_column);
    }
    let title = format!("{} {}", finding.rule, finding.name);
    let told = format!("{path}:{line}:{column}: {}", told(finding));
    text + &format!(",title={}::{}", property(&title), message(&told))
}

/// Writes the value of a property, as which a comma would end it and a colon the list.
fn property(text: &str) -> String {
    escaped(text, |c| matches!(c, ':' | ','))
}

/// Writes what is shown.
fn message(text: &str) -> String {
    escaped(text, |_| false)
}

/// Writes line ends, per cent signs and what else means something as the runner reads it; no control character is left.
fn escaped(text: &str, means_something: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '%' | '\r' | '\n') || means_something(c) {
            let _ = write!(out, "%{:02X}", u32::from(c));
        } else if is_obeyed(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// Reads a value as the runner does.
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
    fn what_means_something_is_escaped() {
        assert_eq!(property("a,b::c\r\n%0A"), "a%2Cb%3A%3Ac%0D%0A%250A");
        assert_eq!(message("a,b::c\r\n%0A"), "a,b::c%0D%0A%250A");
        assert_eq!(message("\u{1b}[31m\u{202e}"), "\\u{1b}[31m\\u{202e}");
    }

    proptest! {
        #[test]
        fn the_runner_reads_what_was_written(text in "[%0AD23C:,\r\na日 ]{0,60}") {
            let (told, value) = (message(&text), property(&text));
            prop_assert!(!told.contains(['\n', '\r']));
            prop_assert!(!value.contains(['\n', '\r', ':', ',']));
            prop_assert_eq!(read(&told, &MESSAGE), text.clone());
            prop_assert_eq!(read(&value, &PROPERTY), text);
        }
    }
}
