//! Findings, one per line, in the format of compiler messages, which editors and CI services can parse.
//!
//! The form is `<path>:<line>:<column>: <severity>: <message> [<rule> <name>]`. The path is relative to the working
//! directory, and `[*]` before the rule marks findings that `--fix` can fix.

use std::io;

use anstyle::Style;
use skillc_lint::annotate::{FIXABLE, is_fixable};
use skillc_lint::finding::LintFinding;
use skillc_lint::style::{Styling, faint, frame, style_of};
use skillc_ops::lint::LintResponse;

use crate::Page;
use crate::text::lint::{before_files, tell_failure, tell_skipped, totals};
use crate::text::{aside, fixes};

/// Writes the findings to standard output, and notes to standard error.
pub(crate) fn write(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let ink = Styling::new(page.out_is_styled);
    for report in &response.skills {
        let folder = before_files(report);
        for finding in &report.diagnostics {
            writeln!(page.out, "{}", line(finding, &folder, ink))?;
        }
    }
    let ink = Styling::new(page.err_is_styled);
    for report in &response.skills {
        tell_failure(report, page)?;
    }
    if response.output.quiet {
        return Ok(());
    }
    tell_skipped(response, page)?;
    fixes::tell_refused(response, page)?;
    aside::tell(response, page)?;
    page.err.write_all(totals(response, ink).as_bytes())?;
    page.err.write_all(fixes::last_line(response).as_bytes())
}

fn line(finding: &LintFinding, folder: &str, ink: Styling) -> String {
    let path = finding.file.shown(folder);
    let place = format!("{path}:{}:{}:", finding.line, finding.column);
    let severity = format!("{}:", finding.severity.as_str());
    let rule = format!("[{} {}]", finding.rule, finding.name);
    let mut parts = vec![
        ink.paint(Style::new().bold(), place),
        ink.paint(style_of(finding.severity), severity),
        ink.paint(Style::new(), &finding.message),
    ];
    parts.extend(is_fixable(finding).then(|| ink.paint(frame(), FIXABLE)));
    parts.push(ink.paint(faint(), rule));
    parts.join(" ")
}
