//! The text output of `skc budget`: a table of clients, the exceeded limits, and the skills by cost.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use anstyle::AnsiColor;
use skillc_ops::budget::{
    Budget, BudgetResponse, BudgetUnit, ClientListing, EntryState, ListedSkill,
};

use crate::text::wrap::{WIDTH, columns, cut, padded, wrapped};
use crate::{Page, Render};
use skillc_core::clean::clean;

/// The maximum number of skills shown without `--verbose`.
const SHOWN: usize = 20;

/// The maximum width of a skill's name in the table, in columns.
const NAME: usize = 36;

impl Render for BudgetResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.clients.iter().all(|client| client.skills.is_empty()) {
            page.line("No skills found in the folders of these clients.")?;
            return page.line("Give skills, or a folder of skills: skc budget ./skills");
        }
        clients(&self.clients, page)?;
        for client in &self.clients {
            over(client, self, page)?;
        }
        skills(&self.clients, page)?;
        page.line("")?;
        page.line("Counts names and descriptions, without the text that clients add around them.")?;
        page.line("Tokens are estimated: one per four characters, or per Chinese, Japanese or")?;
        page.line("Korean character.")
    }
}

fn clients(clients: &[ClientListing], page: &mut Page<'_>) -> io::Result<()> {
    let ids = clients.iter().map(|client| client.client.len());
    let width = ids.max().unwrap_or_default().max("CLIENT".len());
    let head = format!(
        "{:width$}  SKILLS  CHARACTERS  ~TOKENS  {:22}  USED",
        "CLIENT", "BUDGET"
    );
    page.parts(&[page.strong(head)])?;
    for client in clients {
        let used = match client.percent {
            None => String::new(),
            Some(percent) if percent > 9999 => ">9999 %".to_owned(),
            Some(percent) => format!("{percent} %"),
        };
        let row = format!(
            "{:width$}  {:>6}  {:>10}  {:>7}  {:22}  ",
            client.client,
            client.listed,
            grouped(client.characters),
            grouped(client.tokens),
            budget(client.budget.as_ref()),
        );
        let row = if used.is_empty() {
            row.trim_end().to_owned()
        } else {
            row
        };
        let used = if client.over > 0 {
            page.coloured(AnsiColor::Red, used)
        } else {
            page.plain(used)
        };
        page.parts(&[page.plain(row), used])?;
    }
    Ok(())
}

fn budget(budget: Option<&Budget>) -> String {
    match budget {
        None => "not known".to_owned(),
        Some(budget) => counted(budget.amount, budget.unit),
    }
}

/// Formats a number with its unit, such as `8,000 characters`.
fn counted(number: usize, unit: BudgetUnit) -> String {
    let (one, several) = words(unit);
    let unit = if number == 1 { one } else { several };
    format!("{} {unit}", grouped(number))
}

const fn words(unit: BudgetUnit) -> (&'static str, &'static str) {
    match unit {
        BudgetUnit::Tokens => ("token", "tokens"),
        BudgetUnit::Characters => ("character", "characters"),
        BudgetUnit::Bytes => ("byte", "bytes"),
    }
}

/// Writes the limits that a client's listing exceeds, and the content that the client is known to drop in this case.
fn over(client: &ClientListing, all: &BudgetResponse, page: &mut Page<'_>) -> io::Result<()> {
    let id = &client.client;
    if client.over_max > 0 {
        let max = grouped(all.max.unwrap_or_default());
        let (tokens, more) = (
            counted(client.tokens, BudgetUnit::Tokens),
            grouped(client.over_max),
        );
        page.line("")?;
        let line = format!("{id}: about {tokens}, {more} more than --max {max}");
        page.parts(&[page.coloured(AnsiColor::Red, line)])?;
    }
    let mut said = Vec::new();
    if let (Some(budget), true) = (&client.budget, client.over > 0) {
        said.push(format!(
            "{} over its limit",
            counted(client.over, budget.unit)
        ));
    }
    if let (Some(max), true) = (client.max_skills, client.over_skills > 0) {
        let more = grouped(client.over_skills);
        let skills = if client.over_skills == 1 {
            "skill"
        } else {
            "skills"
        };
        said.push(format!("{more} {skills} more than {max}"));
    }
    if said.is_empty() {
        return Ok(());
    }
    page.line("")?;
    let line = format!("{id}: {}", said.join(", "));
    page.parts(&[page.coloured(AnsiColor::Yellow, line)])?;
    match &client.leaves_out {
        Some(first) => {
            page.line(format_args!("  Dropped first: {first};"))?;
            page.line("  it is not known which skills this affects.")?;
        }
        None => page.line("  It is not known what the client drops, and in which order.")?,
    }
    if let Some(fewest) = client.fewest {
        let largest = match fewest {
            1 => "the largest".to_owned(),
            fewest => format!("the {fewest} largest"),
        };
        page.line(format_args!("  Without {largest}, the rest would fit."))?;
    }
    for line in wrapped(&client.source, WIDTH - 2) {
        page.parts(&[page.faint(format!("  {line}"))])?;
    }
    Ok(())
}

/// One skill, with its state in each client.
struct Row<'a> {
    entry: &'a ListedSkill,
    /// The clients that find the skill, each with the skill's state in this client.
    states: Vec<(&'a str, EntryState)>,
}

/// Lists skills, largest first, each with the differences between clients.
fn skills(clients: &[ClientListing], page: &mut Page<'_>) -> io::Result<()> {
    let mut rows: BTreeMap<&str, Row<'_>> = BTreeMap::new();
    for client in clients {
        for entry in &client.skills {
            let row = rows.entry(&entry.path).or_insert(Row {
                entry,
                states: Vec::new(),
            });
            if entry.characters > row.entry.characters {
                row.entry = entry;
            }
            row.states.push((&client.client, entry.state));
        }
    }
    let mut rows: Vec<Row<'_>> = rows.into_values().collect();
    rows.sort_by_key(|row| Reverse(row.entry.characters));
    let most = if page.is_verbose { usize::MAX } else { SHOWN };
    let names = rows.iter().take(most).map(|row| columns(&name(row)));
    let width = names.max().unwrap_or_default().max("SKILL".len());
    page.line("")?;
    let head = format!("{:width$}  CHARACTERS  ~TOKENS  NOTES", "SKILL");
    page.parts(&[page.strong(head)])?;
    for row in rows.iter().take(most) {
        let line = format!(
            "{}  {:>10}  {:>7}  ",
            padded(&name(row), width),
            grouped(row.entry.characters),
            grouped(row.entry.tokens)
        );
        let notes = notes(row, clients.len());
        if columns(&line) + columns(&notes) <= WIDTH {
            page.line((line + notes.as_str()).trim_end())?;
            continue;
        }
        page.line(line.trim_end())?;
        for line in wrapped(&notes, WIDTH - 4) {
            page.line(format_args!("    {line}"))?;
        }
    }
    match rows.len().saturating_sub(most) {
        0 => Ok(()),
        more => page.line(format_args!(
            "… {more} more: use --verbose or --format json"
        )),
    }
}

fn name(row: &Row<'_>) -> String {
    cut(&clean(&row.entry.skill), NAME)
}

/// Describes how clients differ in handling the skill: which clients find, truncate, hide, shadow or do not load it.
fn notes(row: &Row<'_>, clients: usize) -> String {
    let mut notes = Vec::new();
    if row.states.len() < clients {
        let ids: Vec<&str> = row.states.iter().map(|(id, _)| *id).collect();
        notes.push(format!("found by {}", ids.join(", ")));
    }
    for (state, words) in [
        (EntryState::Cut, "truncated by"),
        (EntryState::NameOnly, "no description for"),
        (EntryState::Hidden, "hidden in"),
        (EntryState::Shadowed, "shadowed in"),
        (EntryState::NotLoaded, "not loaded by"),
    ] {
        let of_state = row.states.iter().filter(|(_, other)| *other == state);
        let ids: Vec<&str> = of_state.map(|(id, _)| *id).collect();
        if !ids.is_empty() {
            notes.push(format!("{words} {}", ids.join(", ")));
        }
    }
    notes.join("; ")
}

/// Formats a number with thousands separators, such as `8,000`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_thousands_separators() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(8000), "8,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
