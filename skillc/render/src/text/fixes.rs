//! The text output of `skc lint` about fixes: applied, proposed and available fixes, and why fixes were refused.

use std::io;

use anstyle::{AnsiColor, Style};
use skillc_core::clean::clean;
use skillc_lint::Safety;
use skillc_lint::annotate::FIXABLE;
use skillc_lint::style::{Styling, faint};
use skillc_ops::lint::{LintResponse, SkillFixes, SkillReport};

use crate::Page;
use crate::text::lint::{before_files, count, tell_failure};

/// Writes the changes as a diff to standard output, and notes to standard error.
pub(crate) fn write_diff(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let ink = Styling::new(page.out_is_styled);
    for fixes in all(response) {
        for line in fixes.diff.split_inclusive('\n') {
            page.out.write_all(painted(line, ink).as_bytes())?;
        }
    }
    for report in &response.skills {
        tell_failure(report, page)?;
    }
    if response.output.quiet {
        return Ok(());
    }
    tell_refused(response, page)?;
    page.err.write_all(result(response).as_bytes())
}

/// Writes to standard error which fixes were refused, and why.
pub(crate) fn tell_refused(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let ink = Styling::new(page.err_is_styled);
    for report in &response.skills {
        for line in refused(report) {
            writeln!(page.err, "{}", ink.paint(faint(), clean(&line)))?;
        }
    }
    Ok(())
}

/// Writes the last line of the text output. A line about applied fixes is a result, and goes to standard output. A line
/// about available fixes is a hint, and goes to standard error.
///
/// `text`: the last line, as returned by [`result`] or [`last_line`].
pub(crate) fn tell_result(
    response: &LintResponse,
    text: &str,
    page: &mut Page<'_>,
) -> io::Result<()> {
    if response.fixing.is_asked() {
        page.out.write_all(text.as_bytes())
    } else {
        page.err.write_all(text.as_bytes())
    }
}

/// Returns the last line below the findings. If `--fix` would fix some of the findings, the line begins with the mark
/// `[*]`.
pub(crate) fn last_line(response: &LintResponse) -> String {
    let text = result(response);
    let is_legend = !response.fixing.is_asked() && response.fixable_count(Safety::Safe) > 0;
    if is_legend {
        format!("{FIXABLE} {text}")
    } else {
        text
    }
}

/// Returns the final line about fixes; empty if there is nothing to report.
pub(crate) fn result(response: &LintResponse) -> String {
    let more = hint(response);
    if !response.fixing.is_asked() {
        return more;
    }
    let fixed: usize = all(response).map(|fixes| fixes.fixed).sum();
    let files: usize = all(response).map(|fixes| fixes.files.len()).sum();
    let (findings, files) = (count(fixed, "finding"), count(files, "file"));
    let done = match (response.fixing.diff, fixed) {
        (true, 0) => "Nothing would be fixed.\n".to_owned(),
        (false, 0) => "Nothing was fixed.\n".to_owned(),
        (true, _) => format!("Would fix {findings} in {files}.\n"),
        (false, _) => format!("Fixed {findings} in {files}.\n"),
    };
    done + more.as_str()
}

/// Returns a hint about available fixes and the options that apply them.
fn hint(response: &LintResponse) -> String {
    let safe = response.fixable_count(Safety::Safe);
    let more = response.fixable_count(Safety::Unsafe);
    match (response.fixing.is_asked(), safe, more) {
        (true, _, more) if more > 0 && !response.fixing.unsafe_fixes => {
            format!("{more} fixable with --unsafe-fixes\n")
        }
        (true, ..) | (false, 0, 0) => String::new(),
        (false, safe, 0) => format!("{safe} fixable with --fix\n"),
        (false, 0, more) => format!("{more} fixable with --fix --unsafe-fixes\n"),
        (false, safe, more) => {
            format!("{safe} fixable with --fix, {more} more with --unsafe-fixes\n")
        }
    }
}

fn all(response: &LintResponse) -> impl Iterator<Item = &SkillFixes> {
    let reports = response.skills.iter();
    reports.filter_map(|report| report.fixes.as_ref())
}

/// Returns a line for each refused fix: `not fixed: SKL302 at SKILL.md:12: it would cause …`.
fn refused(report: &SkillReport) -> impl Iterator<Item = String> {
    let folder = before_files(report);
    let refused = report.fixes.iter().flat_map(|fixes| &fixes.refused);
    refused.map(move |fix| {
        let (rule, file, line, reason) = (&fix.rule, &fix.file, fix.line, &fix.reason);
        format!("not fixed: {rule} at {folder}{file}:{line}: {reason}")
    })
}

/// Returns a line of a diff in colour, with control characters escaped.
fn painted(line: &str, ink: Styling) -> String {
    let text = line.trim_end_matches(['\n', '\r']);
    let end = &line[text.len()..];
    let style = match text.as_bytes() {
        [b'-', ..] => AnsiColor::Red.on_default(),
        [b'+', ..] => AnsiColor::Green.on_default(),
        [b'@', ..] => AnsiColor::Cyan.on_default(),
        _ => Style::new(),
    };
    let parts: Vec<_> = text.split('\t').map(clean).collect();
    ink.paint(style, parts.join("\t")) + end
}
