//! Text of `skc lint`: findings on standard error, the summary on standard output.
//!
//! Source: LEDGER D-LINT-TEXT.

use std::io;

use skillc_core::Severity;
use skillc_ops::lint::{LintFinding, LintResponse};

use crate::page::clean;
use crate::{Page, Render};

impl Render for LintResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        for finding in &self.diagnostics {
            write_finding(finding, page)?;
        }
        let (errors, warnings) = (
            count(self.error_count, "error"),
            count(self.warning_count, "warning"),
        );
        page.line(format_args!("{}: {errors}, {warnings}", self.skill))
    }
}

fn write_finding(finding: &LintFinding, page: &mut Page<'_>) -> io::Result<()> {
    let color = if finding.severity == Severity::Error {
        anstyle::AnsiColor::Red
    } else {
        anstyle::AnsiColor::Yellow
    };
    let style = if page.err_is_styled {
        color.on_default().bold()
    } else {
        anstyle::Style::new()
    };
    let (head, rest) = finding
        .headline
        .split_once(':')
        .unwrap_or((&finding.headline, ""));
    writeln!(
        page.err,
        "{style}{}{}:{}",
        clean(head),
        style.render_reset(),
        clean(rest)
    )?;
    if let Some(file) = &finding.file {
        let (line, column) = (finding.line.unwrap_or(1), finding.column.unwrap_or(1));
        writeln!(page.err, "  --> {}:{line}:{column}", clean(file.as_str()))?;
    }
    Ok(())
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
