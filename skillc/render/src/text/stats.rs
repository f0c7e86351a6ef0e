//! The text output of `skc stats`. It is meant for people, and is not a stable format. It has the same content as the
//! JSON, but without `--verbose`, long lists are truncated. On a terminal, counts also have bars.
//!
//! Design: C-CLI, D-STATS-TEXT.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io;

use anstyle::AnsiColor;
use skillc_core::time::Timestamp;
use skillc_ops::stats::{
    GroupBy, Overview, SectionCount, Session, SessionCommand, Span, StatsData, StatsResponse,
    Summary,
};

use super::wrap::{columns, padded};
use crate::Page;

/// The length of the longest bar, in characters.
const BAR: u64 = 24;

/// The maximum numbers of most used sections and of unused sections that an overview without `--verbose` shows.
const TOP: usize = 10;
const MOST_UNUSED: usize = 20;

pub(crate) fn write(response: &StatsResponse, page: &mut Page<'_>) -> io::Result<()> {
    if let StatsData::Pruned(pruned) = &response.data {
        let (deleted, before) = (pruned.deleted, &pruned.before);
        if deleted < pruned.found {
            return page.line("Nothing was deleted.");
        }
        return page.line(format_args!(
            "Deleted {deleted} row(s) from before {before}."
        ));
    }
    let name = response.skill.as_deref().unwrap_or("All skills:");
    page.parts(&[page.strong(format_args!(
        "{name} usage statistics ({})",
        words(&response.span)
    ))])?;
    match &response.data {
        StatsData::Summary(summary) => totals(*summary, page)?,
        data => list(response.query, data, page)?,
    }
    if let Some(overview) = &response.overview {
        write_overview(overview, page)?;
    }
    footer(response, page)
}

/// Describes the requested time range.
pub(crate) fn words(span: &Span) -> String {
    match span {
        Span::AllTime | Span::Between(None, None) => "all time".to_owned(),
        Span::Last(age) => format!("last {age}"),
        Span::Between(Some(since), Some(until)) => format!("{} .. {}", day(*since), day(*until)),
        Span::Between(Some(since), None) => format!("since {}", day(*since)),
        Span::Between(None, Some(until)) => format!("until {}", day(*until)),
    }
}

/// Formats a time. Midnight is shown as the date alone.
fn day(time: Timestamp) -> String {
    let text = time.to_string();
    text.strip_suffix("T00:00:00Z")
        .map_or(text.clone(), str::to_owned)
}

fn totals(summary: Summary, page: &mut Page<'_>) -> io::Result<()> {
    page.line(format_args!("Total accesses: {}", summary.total_accesses))?;
    page.line(format_args!("Unique sections: {}", summary.unique_sections))?;
    page.line(format_args!("Unique files: {}", summary.unique_files))?;
    page.line(format_args!("Errors: {}", summary.error_count))
}

fn write_overview(overview: &Overview, page: &mut Page<'_>) -> io::Result<()> {
    let (top, unused) = if page.is_verbose {
        (usize::MAX, usize::MAX)
    } else {
        (TOP, MOST_UNUSED)
    };
    if !overview.sections.is_empty() {
        heading("Top sections:", page)?;
        sections(&overview.sections, top, page)?;
    }
    if let Some(headings) = overview.unused.as_deref().filter(|all| !all.is_empty()) {
        heading("Unused sections:", page)?;
        let repeated = Repeated::new(
            headings
                .iter()
                .map(|entry| (entry.skill.as_deref(), &*entry.section)),
        );
        for entry in headings.iter().take(unused) {
            let name = repeated.name(entry.skill.as_deref(), &entry.section, entry.file.as_str());
            page.line(format_args!("  - {name}"))?;
        }
        more(headings.len(), unused, page)?;
    }
    if !overview.commands.is_empty() {
        heading("Access by command:", page)?;
        commands(&overview.commands, page)?;
    }
    Ok(())
}

/// Headings that occur in several files of a skill, and therefore are shown with the file name.
struct Repeated<'a>(BTreeSet<(Option<&'a str>, &'a str)>);

impl<'a> Repeated<'a> {
    fn new(headings: impl Iterator<Item = (Option<&'a str>, &'a str)>) -> Self {
        let mut seen = BTreeSet::new();
        Self(headings.filter(|heading| !seen.insert(*heading)).collect())
    }

    /// Returns a heading, with its file if it is ambiguous.
    fn name(&self, skill: Option<&'a str>, section: &'a str, file: &str) -> String {
        if self.0.contains(&(skill, section)) {
            skill_note(skill, format_args!("{section} ({file})"))
        } else {
            skill_note(skill, section)
        }
    }
}

fn skill_note(skill: Option<&str>, what: impl Display) -> String {
    skill.map_or_else(|| what.to_string(), |skill| format!("{skill}: {what}"))
}

/// Writes a titled list of counts.
fn list(group: GroupBy, data: &StatsData, page: &mut Page<'_>) -> io::Result<()> {
    match data {
        StatsData::Summary(_) | StatsData::Pruned(_) => Ok(()),
        StatsData::Sections(entries) => {
            begin("Sections:", entries.is_empty(), page)?;
            let rows = entries.iter().map(|entry| {
                let name = format!("{} ({})", entry.section, entry.file);
                (skill_note(entry.skill.as_deref(), name), entry.count)
            });
            ranked(rows.collect(), page)
        }
        StatsData::Files(entries) => {
            begin("Files:", entries.is_empty(), page)?;
            let rows = entries
                .iter()
                .map(|entry| (skill_note(entry.skill.as_deref(), &entry.file), entry.count));
            ranked(rows.collect(), page)
        }
        StatsData::Commands(counts) => {
            begin("Access by command:", counts.is_empty(), page)?;
            commands(counts, page)
        }
        StatsData::Projects(entries) => {
            begin("Projects:", entries.is_empty(), page)?;
            let rows = entries
                .iter()
                .map(|entry| (entry.project.clone(), entry.count));
            ranked(rows.collect(), page)
        }
        StatsData::Search(entries) => {
            let title = if group == GroupBy::ZeroResults {
                "Searches without results:"
            } else {
                "Searches:"
            };
            begin(title, entries.is_empty(), page)?;
            let rows = entries.iter().map(|entry| {
                let mut what = entry.query.clone();
                if !entry.unmatched.is_empty() {
                    what += &format!(" (unmatched: {})", entry.unmatched.join(", "));
                }
                (skill_note(entry.skill.as_deref(), what), entry.count)
            });
            ranked(rows.collect(), page)
        }
        StatsData::Errors(entries) => {
            begin("Errors:", entries.is_empty(), page)?;
            for entry in entries {
                let what = skill_note(
                    entry.skill.as_deref(),
                    format_args!("{} {}", entry.command, entry.target),
                );
                page.parts(&[page.plain(format_args!("  {what} ({}x)", entry.count))])?;
                page.parts(&[page.faint(format_args!("    {}", entry.error))])?;
            }
            Ok(())
        }
        StatsData::Sessions(entries) => {
            begin("Sessions:", entries.is_empty(), page)?;
            entries.iter().try_for_each(|entry| session(entry, page))
        }
        StatsData::Timeline(entries) => {
            begin("Accesses by day:", entries.is_empty(), page)?;
            let rows = entries.iter().map(|entry| {
                let errors = match entry.error_count {
                    0 => String::new(),
                    1 => " (1 error)".to_owned(),
                    count => format!(" ({count} errors)"),
                };
                (
                    format!("  {}: {}{errors}", entry.date, entry.count),
                    entry.count,
                )
            });
            bars(rows.collect(), page)
        }
    }
}

fn session(session: &Session, page: &mut Page<'_>) -> io::Result<()> {
    let errors = match session.error_count {
        0 => String::new(),
        1 => ", 1 error".to_owned(),
        count => format!(", {count} errors"),
    };
    let about = format!(
        " {} .. {} ({}{errors})",
        session.start,
        session.end,
        accesses(session.count)
    );
    page.parts(&[
        page.plain("  "),
        page.strong(&session.run_id),
        page.faint(about),
    ])?;
    for command in &session.commands {
        let mut parts = vec![page.plain(format_args!("    {}", command_line(command)))];
        if let Some(error) = &command.error {
            parts.push(page.coloured(AnsiColor::Red, format_args!(" - {error}")));
        }
        page.parts(&parts)?;
    }
    let shown = u64::try_from(session.commands.len()).unwrap_or(u64::MAX);
    match session.count.saturating_sub(shown) {
        0 => Ok(()),
        left => page.line(format_args!("    ... ({left} more)")),
    }
}

fn command_line(command: &SessionCommand) -> String {
    let target = command.target.as_deref().map(|target| format!(" {target}"));
    let what = format!("{}{}", command.command, target.unwrap_or_default());
    format!(
        "{} {}",
        command.timestamp,
        skill_note(command.skill.as_deref(), what)
    )
}

/// Writes a numbered list of sections.
fn sections(entries: &[SectionCount], most: usize, page: &mut Page<'_>) -> io::Result<()> {
    let repeated = Repeated::new(
        entries
            .iter()
            .map(|entry| (entry.skill.as_deref(), &*entry.section)),
    );
    let row = |entry: &SectionCount| {
        let name = repeated.name(entry.skill.as_deref(), &entry.section, &entry.file);
        (name, entry.count)
    };
    ranked(entries.iter().take(most).map(row).collect(), page)?;
    more(entries.len(), most, page)
}

/// Writes a numbered list of counts.
fn ranked(entries: Vec<(String, u64)>, page: &mut Page<'_>) -> io::Result<()> {
    let rows = (1..)
        .zip(entries)
        .map(|(number, (name, count)): (usize, _)| {
            (format!("  {number}. {name} ({})", accesses(count)), count)
        });
    bars(rows.collect(), page)
}

fn commands(counts: &BTreeMap<String, u64>, page: &mut Page<'_>) -> io::Result<()> {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| Reverse(**count));
    let rows = sorted
        .into_iter()
        .map(|(command, count)| (format!("  {command}: {count}"), *count));
    bars(rows.collect(), page)
}

/// Writes lines with counts. On a terminal, each line has a bar proportional to its count.
fn bars(rows: Vec<(String, u64)>, page: &mut Page<'_>) -> io::Result<()> {
    if !page.out_is_styled {
        return rows.iter().try_for_each(|(text, _)| page.line(text));
    }
    let width = rows
        .iter()
        .map(|(text, _)| columns(text))
        .max()
        .unwrap_or_default();
    let most = rows
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(1)
        .max(1);
    for (text, count) in rows {
        page.parts(&[
            page.plain(padded(&text, width) + "  "),
            page.coloured(AnsiColor::Cyan, bar(count, most)),
        ])?;
    }
    Ok(())
}

/// Draws a bar whose length is a multiple of an eighth of a character. Any non-zero count is visible.
fn bar(count: u64, most: u64) -> String {
    let eighths = (u128::from(count) * u128::from(BAR) * 8).div_ceil(u128::from(most));
    let (full, rest) = (eighths / 8, eighths % 8);
    let full = "█".repeat(usize::try_from(full).unwrap_or_default());
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][usize::try_from(rest).unwrap_or_default()];
    full + rest
}

fn accesses(count: u64) -> String {
    if count == 1 {
        "1 access".to_owned()
    } else {
        format!("{count} accesses")
    }
}

/// Writes the number of entries that are not shown.
fn more(count: usize, shown: usize, page: &mut Page<'_>) -> io::Result<()> {
    match count.saturating_sub(shown) {
        0 => Ok(()),
        left => page.line(format_args!("  ... ({left} more)")),
    }
}

fn heading(title: &str, page: &mut Page<'_>) -> io::Result<()> {
    page.line("")?;
    page.parts(&[page.strong(title)])
}

fn begin(title: &str, is_empty: bool, page: &mut Page<'_>) -> io::Result<()> {
    heading(title, page)?;
    if is_empty {
        page.line("  none")
    } else {
        Ok(())
    }
}

/// Writes the facts about the request: the skill's location, the grouping, and the filters.
fn footer(response: &StatsResponse, page: &mut Page<'_>) -> io::Result<()> {
    page.line("")?;
    let mut fact = |name: &str, value: &dyn Display| {
        page.parts(&[page.faint(format_args!("{name}: {value}"))])
    };
    if let Some(path) = &response.skill_path {
        fact("Path", path)?;
    }
    for skill in response.skills.iter().flatten() {
        fact(
            "Skill",
            &format_args!(
                "{} ({}), {}",
                skill.skill,
                accesses(skill.count),
                skill.skill_path
            ),
        )?;
    }
    fact("Query", &response.query.name())?;
    let filters = &response.filters;
    let given = [("since", &filters.since), ("until", &filters.until)];
    let times = given
        .into_iter()
        .filter_map(|(name, time)| Some(format!("{name} {}", time.as_ref()?)));
    let all: Vec<String> = times
        .chain(
            filters
                .projects
                .iter()
                .map(|path| format!("project {path}")),
        )
        .collect();
    let given = if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    };
    fact("Filters", &given)?;
    match (&response.period.start, &response.period.end) {
        (Some(start), Some(end)) => fact("Period", &format_args!("{start} .. {end}")),
        _ => fact("Period", &"none"),
    }
}
