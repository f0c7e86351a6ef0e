//! Lists of names with counts: tables, some with a chart. Long lists are truncated, with a note.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use skillc_ops::stats::{ErrorCount, ProjectCount, QueryCount, SectionCount, SkillUse, Unused};

use super::chart::{self, Bar};
use super::markup::{Row, Table, counted, figure, folded, name, nothing, text};

/// The maximum number of rows in a table.
const MAX_ROWS: usize = 25;

/// The maximum number of bars in a chart.
const MAX_BARS: usize = 10;

/// The maximum number of unused sections that are listed.
const MAX_UNUSED: usize = 60;

/// The words that describe a list.
struct Ranking {
    /// The noun for a listed item in the singular and in the plural, and the heading of the column with the items.
    one: &'static str,
    many: &'static str,
    head: &'static str,
    /// The heading of the column with numbers.
    number: &'static str,
}

impl Ranking {
    /// Builds a table of the first rows.
    fn table(&self, rows: impl ExactSizeIterator<Item = Row>) -> String {
        let (count, more) = (rows.len(), rows.len().saturating_sub(MAX_ROWS));
        let caption = if more > 0 {
            format!("Top {MAX_ROWS} of {count} {}", self.many)
        } else if count > 1 {
            self.counted(count) + ", most frequent first"
        } else {
            self.counted(count)
        };
        let table = Table {
            caption: &caption,
            columns: &[self.head, self.number],
            rows: rows.take(MAX_ROWS).collect(),
            more,
        };
        table.html()
    }

    /// Builds a table of the first rows. If there are no rows, returns the sentence `none` instead.
    fn table_or(&self, none: &str, rows: impl ExactSizeIterator<Item = Row>) -> String {
        if rows.len() == 0 {
            nothing(none)
        } else {
            self.table(rows)
        }
    }

    /// Builds a chart of `bars`, with a collapsed table of the first rows below the chart.
    fn chart(&self, bars: &[Bar], rows: impl ExactSizeIterator<Item = Row>) -> String {
        let caption = format!("{} by {}", self.number, self.one);
        let caption = if rows.len() > bars.len() {
            format!("{caption}: top {} of {}", bars.len(), rows.len())
        } else {
            caption
        };
        let summary = format!("Numbers: {}", self.counted(rows.len()));
        figure(&caption, &chart::bars(&caption, bars), false)
            + folded(&summary, &self.table(rows)).as_str()
    }

    fn counted(&self, count: usize) -> String {
        counted(count as u64, self.one, self.many)
    }
}

pub(super) fn sections(entries: &[SectionCount]) -> String {
    let ranking = Ranking {
        one: "section",
        many: "sections",
        head: "Section",
        number: "Reads",
    };
    if entries.is_empty() {
        return nothing("No sections were read.");
    }
    let top = &entries[..entries.len().min(MAX_BARS)];
    let bar = |entry: &SectionCount| Bar {
        label: section(entry, top),
        count: entry.count,
        errors: 0,
    };
    let rows = entries.iter().map(|entry| {
        Row::new(&entry.section, entry.count).with(&[entry.skill.as_deref(), Some(&entry.file)])
    });
    ranking.chart(&top.iter().map(bar).collect::<Vec<_>>(), rows)
}

/// Returns a section's heading. The heading is preceded by the skill's name, if known, and followed by the file if
/// another section has the same heading.
fn section(entry: &SectionCount, all: &[SectionCount]) -> String {
    let others = all.iter().filter(|other| other.section == entry.section);
    let file = match others.count() {
        2.. if !entry.file.is_empty() => format!(" ({})", entry.file),
        _ => String::new(),
    };
    let skill = entry.skill.as_ref().map(|skill| format!("{skill}: "));
    format!("{}{}{file}", skill.unwrap_or_default(), entry.section)
}

/// Returns the part of the page about unused sections. `entries`: the unused sections; `None` if they are unknown.
pub(super) fn unused(entries: Option<&[Unused]>) -> String {
    let Some(entries) = entries else {
        return nothing("There are no accesses yet, or the skill\u{2019}s files cannot be read.");
    };
    if entries.is_empty() {
        return nothing("Every section was read.");
    }
    let item = |entry: &Unused| {
        let row =
            Row::new(&entry.section, 0).with(&[entry.skill.as_deref(), Some(entry.file.as_str())]);
        let (head, detail) = (row.head, row.detail);
        format!("<li>{head}<span class=\"detail\">{detail}</span></li>\n")
    };
    let more = match entries.len().saturating_sub(MAX_UNUSED) {
        0 => String::new(),
        more => nothing(&format!("and {more} more")),
    };
    format!(
        "<p class=\"about\">{}, in file order</p>\n<ul class=\"unused\">\n{}</ul>\n{more}",
        counted(entries.len() as u64, "section", "sections"),
        entries
            .iter()
            .take(MAX_UNUSED)
            .map(item)
            .collect::<String>()
    )
}

pub(super) fn searches(entries: &[QueryCount]) -> String {
    queries("No searches.", entries)
}

pub(super) fn zero_results(entries: &[QueryCount]) -> String {
    queries("No searches without results.", entries)
}

fn queries(none: &str, entries: &[QueryCount]) -> String {
    let ranking = Ranking {
        one: "query",
        many: "queries",
        head: "Query",
        number: "Times",
    };
    let row = |entry: &QueryCount| {
        let unmatched = entry.unmatched.join(", ");
        let unmatched = (!unmatched.is_empty()).then(|| format!("unmatched: {unmatched}"));
        Row::new(&entry.query, entry.count).with(&[entry.skill.as_deref(), unmatched.as_deref()])
    };
    ranking.table_or(none, entries.iter().map(row))
}

pub(super) fn errors(entries: &[ErrorCount]) -> String {
    let ranking = Ranking {
        one: "kind of error",
        many: "kinds of errors",
        head: "Target",
        number: "Times",
    };
    let row = |entry: &ErrorCount| Row {
        head: format!(
            "<code>{}</code> {}",
            text(&entry.command),
            name(&entry.target)
        ),
        ..Row::new("", entry.count).with(&[entry.skill.as_deref(), Some(&entry.error)])
    };
    ranking.table_or("No errors.", entries.iter().map(row))
}

pub(super) fn commands(counts: &BTreeMap<String, u64>) -> String {
    let ranking = Ranking {
        one: "command",
        many: "commands",
        head: "Command",
        number: "Accesses",
    };
    if counts.is_empty() {
        return nothing("No commands were used.");
    }
    let mut sorted: Vec<(&String, u64)> =
        counts.iter().map(|(name, count)| (name, *count)).collect();
    sorted.sort_by_key(|(_, count)| Reverse(*count));
    let bar = |(command, count): &(&String, u64)| Bar {
        label: (*command).clone(),
        count: *count,
        errors: 0,
    };
    let bars: Vec<Bar> = sorted.iter().take(MAX_BARS).map(bar).collect();
    ranking.chart(
        &bars,
        sorted
            .iter()
            .map(|(command, count)| Row::new(command, *count)),
    )
}

pub(super) fn projects(entries: &[ProjectCount]) -> String {
    let ranking = Ranking {
        one: "directory",
        many: "directories",
        head: "Working directory",
        number: "Accesses",
    };
    let rows = entries
        .iter()
        .map(|entry| Row::new(&entry.project, entry.count));
    ranking.table_or("No working directories were logged.", rows)
}

pub(super) fn skills(entries: &[SkillUse]) -> String {
    let ranking = Ranking {
        one: "skill",
        many: "skills",
        head: "Skill",
        number: "Accesses",
    };
    let mut sorted: Vec<&SkillUse> = entries.iter().collect();
    sorted.sort_by_key(|entry| Reverse(entry.count));
    let row =
        |entry: &&SkillUse| Row::new(&entry.skill, entry.count).with(&[Some(&entry.skill_path)]);
    ranking.table_or("No skills were counted.", sorted.iter().map(row))
}
