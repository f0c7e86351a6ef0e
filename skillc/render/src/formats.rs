//! Selects the writer for each format of the responses that have formats other than text and JSON.
//!
//! Design: C-DIAGNOSTICS, D-LINT-TEXT, D-INFO-STREAM.

use std::io;

use skillc_core::clean::clean;
use skillc_lint::style::Styling;
use skillc_ops::lint::{LintResponse, SkillLine, StreamLine, StreamSummary};
use skillc_ops::scan::ScanResponse;
use skillc_ops::stats::StatsResponse;

use crate::text::lint::{tell_exceeded, tell_failure, tell_skipped, totals};
use crate::text::{self, aside, fixes, statistics};
use crate::{
    Format, Page, Render, concise, document, github, gitlab, html, json, json_line, junit, sarif,
};

impl Render for LintResponse {
    const FORMATS: &'static [Format] = &[
        Format::Text,
        Format::Concise,
        Format::Json,
        Format::Jsonl,
        Format::Sarif,
        Format::Github,
        Format::Gitlab,
        Format::Junit,
    ];
    const TO_FILE: &'static [Format] = ScanResponse::FORMATS;

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        text::lint::write(self, page)
    }

    /// Diffs and machine-readable formats are written byte for byte, because programs read them.
    fn is_verbatim(&self, format: Format) -> bool {
        self.fixing.diff || !matches!(format, Format::Text | Format::Concise)
    }

    fn write(&self, format: Format, page: &mut Page<'_>) -> io::Result<()> {
        if !self.output.quiet {
            aside::tell_before(self, format, page)?;
        }
        write_result(self, format, page)?;
        tell_exceeded(self, page)
    }

    fn written_to(&self, path: &str, format: Format) -> String {
        if self.output.quiet {
            return String::new();
        }
        // These formats have already written the totals to standard error.
        let is_told = matches!(format, Format::Concise | Format::Github);
        let has_totals = !is_told && self.matrix.is_none() && !self.fixing.diff;
        let totals = has_totals.then(|| totals(self, Styling::Plain));
        format!("{}Wrote {}\n", totals.unwrap_or_default(), clean(path))
    }
}

/// Writes the findings in the given format or, if requested instead, the diff, the matrix or the statistics.
fn write_result(response: &LintResponse, format: Format, page: &mut Page<'_>) -> io::Result<()> {
    match format {
        Format::Text => response.text(page),
        Format::Concise if response.fixing.diff => fixes::write_diff(response, page),
        Format::Concise if response.summing.statistics => statistics::concise(response, page),
        Format::Concise => concise::write(response, page),
        Format::Github => github::write(response, page),
        Format::Jsonl => jsonl(response, page),
        Format::Json | Format::Html => {
            tell_skipped(response, page)?;
            json(response, page)
        }
        Format::Sarif => {
            tell_incidents(response, page)?;
            document(&sarif::log(response), page.out)
        }
        Format::Gitlab => {
            tell_incidents(response, page)?;
            document(&gitlab::issues(response), page.out)
        }
        Format::Junit => {
            tell_incidents(response, page)?;
            junit::write(response, page.out)
        }
    }
}

/// Writes one line per skill, then the totals. These are the lines that the command line writes one by one while it
/// lints.
fn jsonl(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let failed = response.skills.iter();
    let failed = failed.filter(|report| report.failure.is_some()).count();
    let summary = StreamSummary {
        skills: response.skills.len(),
        unchanged: 0,
        failed,
        error_count: response.error_count(),
        warning_count: response.warning_count(),
    };
    let skills = response.skills.iter().map(SkillLine::from_report);
    let last = StreamLine::Summary { summary };
    for line in skills.map(StreamLine::Skill).chain([last]) {
        let line = json_line(&line, None)?;
        writeln!(page.out, "{line}")?;
    }
    Ok(())
}

/// Writes to standard error the incidents that a report of findings does not contain: skills that could not be read,
/// the results of fixes, and skipped skills.
fn tell_incidents(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    for report in &response.skills {
        tell_failure(report, page)?;
    }
    if response.fixing.is_asked() && !response.output.quiet {
        fixes::tell_refused(response, page)?;
        page.err.write_all(fixes::result(response).as_bytes())?;
    }
    tell_skipped(response, page)
}

/// Only text and JSON contain the verdicts. In the other formats, the output is the same as that of `skc lint`.
impl Render for ScanResponse {
    const FORMATS: &'static [Format] = &[
        Format::Text,
        Format::Concise,
        Format::Json,
        Format::Sarif,
        Format::Github,
        Format::Gitlab,
        Format::Junit,
    ];
    const TO_FILE: &'static [Format] = Self::FORMATS;

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        text::scan::write(self, page)
    }

    fn write(&self, format: Format, page: &mut Page<'_>) -> io::Result<()> {
        if format == Format::Text {
            return self.text(page);
        }
        let unchanged = text::scan::unchanged(self);
        page.err.write_all(unchanged.as_bytes())?;
        match format {
            Format::Json => json(self, page),
            _ => self.lint.write(format, page),
        }
    }
}

impl Render for StatsResponse {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json, Format::Html];
    const TO_FILE: &'static [Format] = &[Format::Html];

    fn write(&self, format: Format, page: &mut Page<'_>) -> io::Result<()> {
        match format {
            Format::Json => json(self, page),
            Format::Html => html::write(self, page.out),
            _ => self.text(page),
        }
    }

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        text::stats::write(self, page)
    }
}
