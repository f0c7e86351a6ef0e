//! The text output of `skc lint`: findings on standard error, then summaries on standard output. With `--quiet`,
//! findings go to standard output; with `--output`, they go to the file. This is allowed because the specification
//! prescribes the streams only for the default output.
//!
//! Design: C-DIAGNOSTICS, D-LINT-TEXT, D-INFO-STREAM.

use std::collections::BTreeMap;
use std::io;

use anstyle::{AnsiColor, Style};
use skillc_core::clean::clean;
use skillc_lint::Severity;
use skillc_lint::annotate::{annotated, coded};
use skillc_lint::finding::LintFinding;
use skillc_lint::style::{Styling, faint, style_of};
use skillc_ops::lint::{LintResponse, SkillReport};

use crate::Page;
use crate::text::{aside, fixes, matrix, statistics};

/// The message if there was nothing to lint; [`HINT`] follows it.
const NOTHING: &str = "No skills found";
const HINT: &str = "Create one with 'skc init my-skill', or lint another folder: skc lint PATH";

/// Writes the findings and the summaries of skills or, if requested instead, the diff, the matrix or the statistics.
pub(crate) fn write(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    if response.fixing.diff {
        return fixes::write_diff(response, page);
    }
    if let Some(of_clients) = response.matrix.as_ref().filter(|m| !m.skills.is_empty()) {
        return matrix::write(of_clients, page);
    }
    if response.summing.statistics {
        return statistics::text(response, page);
    }
    write_findings(response, page)?;
    if response.output.quiet {
        return Ok(());
    }
    fixes::tell_refused(response, page)?;
    aside::tell(response, page)?;
    let ink = Styling::new(page.out_is_styled);
    let names = names(response);
    let is_listed =
        |report: &SkillReport| response.is_single || page.is_verbose || has_news(report);
    let listed: String = response
        .skills
        .iter()
        .zip(names)
        .filter(|(report, _)| is_listed(report))
        .map(|(report, name)| summary(report, &name, ink))
        .collect();
    page.out.write_all(listed.as_bytes())?;
    if !response.is_single || response.skills.is_empty() {
        page.out.write_all(totals(response, ink).as_bytes())?;
    }
    fixes::tell_result(response, &fixes::last_line(response), page)
}

/// Writes the findings of each skill, and the reasons why skills could not be read or fixed.
pub(crate) fn write_findings(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    for report in &response.skills {
        let folder = before_files(report);
        for finding in &report.diagnostics {
            write_finding(response, finding, &folder, page)?;
        }
        tell_failure(report, page)?;
    }
    Ok(())
}

/// Returns the prefix that makes a skill's file paths relative to the working directory.
pub(crate) fn before_files(report: &SkillReport) -> String {
    match report.folder.as_str() {
        "" | "." => String::new(),
        folder => format!("{folder}/"),
    }
}

/// If a skill could not be read or fixed, writes the reason to standard error.
pub(crate) fn tell_failure(report: &SkillReport, page: &mut Page<'_>) -> io::Result<()> {
    let Some(failure) = &report.failure else {
        return Ok(());
    };
    let ink = Styling::new(page.err_is_styled);
    page.err
        .write_all(coded(failure, Severity::Error, ink).as_bytes())
}

/// Writes a finding to standard error, as the specification prescribes. If findings are the whole result (`--quiet`),
/// or the result goes to a file, writes the finding to `page.out` instead.
fn write_finding(
    response: &LintResponse,
    finding: &LintFinding,
    folder: &str,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let is_result = response.output.quiet || page.is_file;
    let (to, is_styled) = if is_result {
        (&mut *page.out, page.out_is_styled)
    } else {
        (&mut *page.err, page.err_is_styled)
    };
    let text = annotated(finding, folder, Styling::new(is_styled));
    to.write_all(text.as_bytes())
}

/// Writes the names of skipped skills to standard error, for formats whose standard output is read by programs.
pub(crate) fn tell_skipped(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    if response.output.quiet {
        return Ok(());
    }
    let ink = Styling::new(page.err_is_styled);
    for report in response.skills.iter().filter(|report| report.skipped) {
        let line = summary(report, &report.skill, ink);
        page.err.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// If the run found more warnings than `--max-warnings` allows, writes a message to standard error.
pub(crate) fn tell_exceeded(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let Some(max) = response.exceeded_warnings() else {
        return Ok(());
    };
    let found = count(response.warning_count(), "warning");
    writeln!(page.err, "{found}; --max-warnings allows {max}")
}

/// Returns whether a skill has its own line if several skills were linted. Skills without findings have no line,
/// because their lines would bury the others.
fn has_news(report: &SkillReport) -> bool {
    let has_findings = !report.diagnostics.is_empty();
    has_findings || report.skipped || report.failure.is_some()
}

/// Returns the final line: the summary if a single skill was specified, otherwise the totals and the duration.
pub(crate) fn totals(response: &LintResponse, ink: Styling) -> String {
    match response.skills.as_slice() {
        [report] if response.is_single => summary(report, &report.skill, ink),
        _ => run_totals(response, ink),
    }
}

/// Returns the totals and the duration of a run or, if no skill was linted, a message that says so.
pub(crate) fn run_totals(response: &LintResponse, ink: Styling) -> String {
    let skills = &response.skills;
    if skills.is_empty() {
        if let Some(revision) = &response.aside.since {
            return clean(&format!("No skills have changed since {revision}")).into_owned() + "\n";
        }
        return format!("{NOTHING}\n{}\n", ink.paint(faint(), HINT));
    }
    let number = |is: fn(&SkillReport) -> bool| skills.iter().filter(|report| is(report)).count();
    let skipped = number(|report| report.skipped);
    let failed = number(SkillReport::is_unreadable);
    let unfixed = number(|report| report.failure.is_some()) - failed;
    let mut text = ink.paint(Style::new().bold(), count(skills.len(), "skill")) + ": ";
    text += &counts(response.error_count(), response.warning_count(), ink);
    if skipped > 0 {
        text += &format!(", {skipped} skipped");
    }
    if failed > 0 {
        text += &format!(", {failed} unreadable");
    }
    if unfixed > 0 {
        text += &format!(", {unfixed} not fixed");
    }
    text + format!(" in {:.2} s\n", response.elapsed.as_secs_f64()).as_str()
}

fn summary(report: &SkillReport, name: &str, ink: Styling) -> String {
    let (errors, warnings) = (report.error_count, report.warning_count);
    if report.skipped && errors + warnings == 0 {
        let line = format!("info: skipping compiled skill '{}'", report.skill);
        ink.paint(faint(), line) + "\n"
    } else if report.is_unreadable() {
        let fault = ink.paint(style_of(Severity::Error), "unreadable");
        format!("{}: {fault}\n", ink.paint(Style::new(), name))
    } else if errors + warnings == 0 {
        let line = format!("{name}: {}", counts(0, 0, Styling::Plain));
        ink.paint(faint(), line) + "\n"
    } else {
        let name = ink.paint(Style::new(), name);
        format!("{name}: {}\n", counts(errors, warnings, ink))
    }
}

/// Returns the names of the skills; a duplicate name is followed by the skill's folder.
pub(crate) fn names(response: &LintResponse) -> impl Iterator<Item = String> {
    let mut uses = BTreeMap::new();
    for report in &response.skills {
        *uses.entry(&report.skill).or_insert(0) += 1;
    }
    response.skills.iter().map(move |report| {
        let name = &report.skill;
        if uses.get(name) == Some(&1) {
            name.clone()
        } else {
            format!("{name} ({})", report.folder)
        }
    })
}

/// Formats counts as `3 errors, 1 warning`; non-zero counts are coloured.
fn counts(errors: usize, warnings: usize, ink: Styling) -> String {
    let part = |number, what, color: AnsiColor| {
        let style = if number > 0 {
            color.on_default()
        } else {
            Style::new()
        };
        ink.paint(style, count(number, what))
    };
    let errors = part(errors, "error", AnsiColor::Red);
    format!("{errors}, {}", part(warnings, "warning", AnsiColor::Yellow))
}

pub(crate) fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
