//! Notes of `skc lint` about the run itself: rule scripts that have changed, clients without data, and the baseline:
//! the findings that the baseline hides or now lists, and its stale or expired entries.

use std::io;

use skillc_core::clean::clean;
use skillc_core::shell::shell_word;
use skillc_lint::style::{Styling, faint};
use skillc_ops::lint::{BaselineReport, ExpiredEntry, LintResponse, StaleEntry};

use crate::text::lint::count;
use crate::{Format, Page};

/// The maximum number of lines per kind of entry.
const MAX_LINES: usize = 20;

/// The message for a run that was limited to changed skills, but has to lint all skills.
const SCRIPTS: &str = "Rule scripts have changed: linting all skills";

/// Writes notes to standard error before the result. Notes about the baseline are included only if the format's result
/// cannot contain them.
pub(crate) fn tell_before(
    response: &LintResponse,
    format: Format,
    page: &mut Page<'_>,
) -> io::Result<()> {
    if response.aside.has_changed_scripts {
        let ink = Styling::new(page.err_is_styled);
        writeln!(page.err, "{}", ink.paint(faint(), SCRIPTS))?;
    }
    if !response.aside.unknown_clients.is_empty() {
        let ids = response.aside.unknown_clients.join(", ");
        let line = format!("No data on how these clients react to faults: {ids}");
        let ink = Styling::new(page.err_is_styled);
        writeln!(page.err, "{}", ink.paint(faint(), line))?;
    }
    let is_whole = response.fixing.diff || response.summing.statistics;
    match format {
        Format::Text | Format::Concise if is_whole => tell(response, page),
        Format::Sarif | Format::Gitlab | Format::Junit => tell(response, page),
        Format::Github => tell_numbers(response, page),
        // The text and concise formats write the notes about the baseline elsewhere, and JSON contains them in full.
        Format::Text | Format::Concise | Format::Json | Format::Jsonl | Format::Html => Ok(()),
    }
}

/// Writes the notes about the baseline to standard error.
pub(crate) fn tell(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let Some(baseline) = &response.aside.baseline else {
        return Ok(());
    };
    let ink = Styling::new(page.err_is_styled);
    for line in lines(baseline) {
        writeln!(page.err, "{}", ink.paint(faint(), clean(&line)))?;
    }
    Ok(())
}

/// Writes the numbers of notes about the baseline, but not the notes themselves: they contain file names, and a
/// workflow runner would execute a file name that looks like a workflow command.
fn tell_numbers(response: &LintResponse, page: &mut Page<'_>) -> io::Result<()> {
    let Some(baseline) = &response.aside.baseline else {
        return Ok(());
    };
    let done = if baseline.written { "listed" } else { "hidden" };
    let numbers = [
        (baseline.expired.len(), "known finding", "expired"),
        (baseline.stale.len(), "known finding", "stale"),
        (baseline.known, "known finding", done),
    ];
    for (number, what, end) in numbers.into_iter().filter(|of| of.0 > 0) {
        writeln!(page.err, "{} {end}", count(number, what))?;
    }
    Ok(())
}

fn lines(baseline: &BaselineReport) -> Vec<String> {
    let BaselineReport {
        file,
        known,
        kept,
        written,
        stale,
        expired,
    } = baseline;
    let mut lines: Vec<String> = expired.iter().take(MAX_LINES).map(expired_line).collect();
    lines.extend(more(expired.len()));
    lines.extend(stale.iter().take(MAX_LINES).map(stale_line));
    lines.extend(more(stale.len()));
    if !stale.is_empty() {
        let command = format!("--baseline {} --write-baseline", shell_word(file));
        lines.push(format!("Remove stale entries with: skc lint {command}"));
    }
    let findings = count(*known, "known finding");
    if *written {
        let kept = match kept {
            0 => String::new(),
            kept => format!(", {kept} from other runs kept"),
        };
        lines.push(format!("Wrote {findings} to {file}{kept}"));
    } else if *known > 0 {
        lines.push(format!("Hid {findings} listed in {file}"));
    }
    lines
}

fn more(number: usize) -> Option<String> {
    let more = number.saturating_sub(MAX_LINES);
    (more > 0).then(|| format!("… and {more} more"))
}

fn expired_line(entry: &ExpiredEntry) -> String {
    let (rule, line, day) = (&entry.rule, entry.line, &entry.expires);
    let place = place(&entry.skill, &entry.file);
    let owner = entry.owner.as_ref();
    let owner = owner.map_or_else(String::new, |owner| format!(" (owner: {owner})"));
    format!("expired: {rule} at {place}:{line}: due for a fix by {day}{owner}")
}

fn stale_line(entry: &StaleEntry) -> String {
    let (rule, place) = (&entry.rule, place(&entry.skill, &entry.file));
    let what = match entry.count.saturating_sub(entry.unused) {
        0 if entry.is_repeated => "is listed more often than it is found".to_owned(),
        0 => "is no longer found".to_owned(),
        left => format!("is found {}, not {}", times(left), times(entry.count)),
    };
    format!("stale: {rule} at {place} {what}: {}", entry.message)
}

fn times(number: usize) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        number => format!("{number} times"),
    }
}

fn place(skill: &str, file: &str) -> String {
    match skill {
        "." => file.to_owned(),
        folder => format!("{folder}/{file}"),
    }
}
