//! Text of `skc lint`: findings on standard error, the summary on standard output.
//!
//! Source: LEDGER D-LINT-TEXT.

use std::io;

use skillc_ops::lint::{LintResponse, SkillReport};

use crate::annotate::{Ink, annotated};
use crate::{Page, Render};

impl Render for LintResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        for report in &self.skills {
            write_report(report, page)?;
        }
        Ok(())
    }
}

fn write_report(report: &SkillReport, page: &mut Page<'_>) -> io::Result<()> {
    let ink = if page.err_is_styled {
        Ink::Styled
    } else {
        Ink::Plain
    };
    for finding in &report.diagnostics {
        page.err.write_all(annotated(finding, "", ink).as_bytes())?;
    }
    let (errors, warnings) = (
        count(report.error_count, "error"),
        count(report.warning_count, "warning"),
    );
    page.line(format_args!("{}: {errors}, {warnings}", report.skill))
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
