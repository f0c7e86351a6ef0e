//! The text output of `skc lint --matrix`: a table of skills and clients, a legend, and the reasons for each cell that
//! is not `ok`.
//!
//! In a small table, each cell is a word. In a larger table, each cell is a letter, so that all known clients fit into
//! 80 columns.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use anstyle::AnsiColor;
use skillc_core::clean::clean;
use skillc_lint::Severity;
use skillc_lint::annotate::coded;
use skillc_lint::style::{Styling, faint};
use skillc_ops::lint::{Cell, CellResult, Matrix, MatrixSkill, Reason};

use crate::Page;
use crate::page::Painted;
use crate::text::wrap::{WIDTH, columns, cut, cut_start, padded, wrapped};

/// The maximum number of cells explained without `--verbose`.
const EXPLAINED: usize = 40;

/// The column headings of a table with a letter in each cell.
const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Writes a matrix with at least one skill.
pub(crate) fn write(matrix: &Matrix, page: &mut Page<'_>) -> io::Result<()> {
    tell_unread(matrix, page)?;
    let skills: Vec<&MatrixSkill> = matrix
        .skills
        .iter()
        .filter(|s| !s.cells.is_empty())
        .collect();
    if skills.is_empty() {
        return Ok(());
    }
    let grid = Grid::new(matrix, &skills);
    grid.write(page)?;
    if skills.len() > 1 {
        totals(matrix, &skills, grid.mark, page)?;
    }
    legend(&skills, grid.mark, page)?;
    reasons(matrix, &skills, page)
}

/// How a cell is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Word,
    Letter,
}

impl Mark {
    const fn text(self, result: CellResult) -> &'static str {
        let (letter, word) = match result {
            CellResult::Ok => (".", "ok"),
            CellResult::Warned => ("w", "warns"),
            CellResult::FieldIgnored => ("i", "ignores"),
            CellResult::Altered => ("a", "alters"),
            CellResult::Unknown => ("?", "?"),
            CellResult::MayBeDropped => ("m", "may drop"),
            CellResult::Dropped => ("x", "drops"),
            CellResult::NotFound => ("n", "not found"),
        };
        match self {
            Self::Word => word,
            Self::Letter => letter,
        }
    }

    /// Returns the prefix of a client's name in the totals: the letter of the client's column.
    fn before(self, at: usize) -> String {
        match self {
            Self::Word => String::new(),
            Self::Letter => format!("{}  ", letter(at)),
        }
    }
}

fn letter(at: usize) -> char {
    LETTERS.get(at).map_or('*', |letter| char::from(*letter))
}

/// A table: row labels, and cells below column headings.
struct Grid {
    corner: &'static str,
    heads: Vec<String>,
    rows: Vec<(String, Vec<CellResult>)>,
    mark: Mark,
}

impl Grid {
    /// Lays out a matrix in the first layout that fits.
    fn new(matrix: &Matrix, skills: &[&MatrixSkill]) -> Self {
        let names = names(skills);
        let cells = |skill: &&MatrixSkill| skill.cells.iter().map(|cell| cell.result).collect();
        let rows: Vec<(String, Vec<CellResult>)> = names
            .iter()
            .cloned()
            .zip(skills.iter().map(cells))
            .collect();
        let by_client = matrix.clients.iter().enumerate().map(|(at, client)| {
            let column = rows.iter().map(|(_, row)| row[at]).collect();
            (client.clone(), column)
        });
        let by_client = Self {
            corner: "CLIENT",
            heads: names,
            rows: by_client.collect(),
            mark: Mark::Word,
        };
        let by_skill = Self {
            corner: "SKILL",
            heads: matrix.clients.clone(),
            rows,
            mark: Mark::Word,
        };
        if skills.len() == 1 && by_client.width() <= WIDTH {
            by_client
        } else if by_skill.width() <= WIDTH {
            by_skill
        } else if by_client.width() <= WIDTH {
            by_client
        } else {
            by_skill.with_letters()
        }
    }

    fn with_letters(mut self) -> Self {
        let count = self.heads.len();
        self.heads = (0..count).map(|at| letter(at).to_string()).collect();
        self.mark = Mark::Letter;
        let most = WIDTH.saturating_sub(2 * count).max(12);
        for (name, _) in &mut self.rows {
            if columns(name) <= most {
                continue;
            }
            if name.contains('/') {
                // The paths of skill folders usually differ at the end.
                *name = cut_start(name, most);
            } else {
                *name = cut(name, most);
            }
        }
        self
    }

    fn name_width(&self) -> usize {
        let widths = self.rows.iter().map(|(name, _)| columns(name));
        widths.max().unwrap_or_default().max(self.corner.len())
    }

    /// Returns the width of each column of cells.
    fn column_widths(&self) -> Vec<usize> {
        let all = self.rows.iter().flat_map(|(_, row)| row);
        let marks = shown_results(all).map(|result| self.mark.text(result).len());
        let widest = marks.max().unwrap_or_default();
        let heads = self.heads.iter();
        heads.map(|head| columns(head).max(widest)).collect()
    }

    const fn gap(&self) -> usize {
        match self.mark {
            Mark::Word => 2,
            Mark::Letter => 1,
        }
    }

    fn width(&self) -> usize {
        let cells = self.column_widths().into_iter();
        let cells = cells.map(|width| self.gap() + width);
        self.name_width() + cells.sum::<usize>()
    }

    fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        let name_width = self.name_width();
        let gap = " ".repeat(self.gap());
        let widths = self.column_widths();
        let mut head = format!("{:name_width$}", self.corner);
        for (text, width) in self.heads.iter().zip(&widths) {
            head += &format!("{gap}{}", padded(text, *width));
        }
        page.parts(&[page.strong(head.trim_end())])?;
        for (name, cells) in &self.rows {
            let mut parts = vec![page.plain(padded(name, name_width))];
            for (at, result) in cells.iter().enumerate() {
                let text = self.mark.text(*result);
                let is_last = at + 1 == cells.len();
                let width = if is_last { 0 } else { widths[at] };
                parts.push(page.plain(&gap));
                parts.push(painted(*result, text, page));
                parts.push(page.plain(" ".repeat(width.saturating_sub(text.len()))));
            }
            page.parts(&parts)?;
        }
        Ok(())
    }
}

/// Returns the results that have a column in the totals: all results, but `NotFound` only if a cell has this result.
fn shown_results<'r>(
    cells: impl Iterator<Item = &'r CellResult>,
) -> impl Iterator<Item = CellResult> {
    let rarest = CellResult::NotFound;
    let has_rarest = cells.copied().any(|result| result == rarest);
    let all = CellResult::ALL.into_iter();
    all.filter(move |result| has_rarest || *result != rarest)
}

fn painted(result: CellResult, text: &str, page: &Page<'_>) -> Painted {
    match result {
        CellResult::Ok => page.coloured(AnsiColor::Green, text),
        CellResult::Warned | CellResult::FieldIgnored => page.coloured(AnsiColor::Cyan, text),
        CellResult::Altered | CellResult::MayBeDropped => page.coloured(AnsiColor::Yellow, text),
        CellResult::Unknown => page.faint(text),
        CellResult::Dropped | CellResult::NotFound => page.coloured(AnsiColor::Red, text),
    }
}

/// Returns the names of the skills; a duplicate name is replaced by the skill's folder.
fn names(skills: &[&MatrixSkill]) -> Vec<String> {
    let mut uses = BTreeMap::new();
    for skill in skills {
        *uses.entry(&skill.skill).or_insert(0) += 1;
    }
    let name = |skill: &&MatrixSkill| match uses.get(&skill.skill) {
        Some(1) => clean(&skill.skill).into_owned(),
        _ => clean(&skill.folder).into_owned(),
    };
    skills.iter().map(name).collect()
}

/// Writes the names of the skills without a row in the table to standard error.
fn tell_unread(matrix: &Matrix, page: &mut Page<'_>) -> io::Result<()> {
    let ink = Styling::new(page.err_is_styled);
    for skill in &matrix.skills {
        if skill.skipped {
            let line = format!("info: skipping compiled skill '{}'", skill.skill);
            writeln!(page.err, "{}", ink.paint(faint(), line))?;
        }
        if let Some(failure) = &skill.failure {
            let line = coded(failure, Severity::Error, ink);
            page.err.write_all(line.as_bytes())?;
        }
    }
    Ok(())
}

/// Writes the totals per client.
fn totals(
    matrix: &Matrix,
    skills: &[&MatrixSkill],
    mark: Mark,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let ids = matrix.clients.iter().map(String::len);
    let width = ids.max().unwrap_or_default().max("TOTALS".len());
    let before = |at| mark.before(at);
    let indent = before(0).len();
    let cells = skills.iter().flat_map(|skill| &skill.cells);
    let results = shown_results(cells.map(|cell| &cell.result));
    let columns: Vec<(CellResult, String)> = results
        .map(|result| (result, Mark::Word.text(result).to_uppercase()))
        .collect();
    let mut head = format!("{:indent$}{:width$}", "", "TOTALS");
    for (_, column) in &columns {
        head += &format!("  {column:>3}");
    }
    page.line("")?;
    page.parts(&[page.strong(head)])?;
    for (at, id) in matrix.clients.iter().enumerate() {
        let mut parts = vec![page.plain(format!("{}{id:width$}", before(at)))];
        for (result, column) in &columns {
            let is_it = |skill: &&&MatrixSkill| skill.cells[at].result == *result;
            let number = skills.iter().filter(is_it).count();
            let width = column.len().max(3) + 2;
            parts.push(if number == 0 {
                page.faint(format!("{:>width$}", "-"))
            } else {
                painted(*result, &format!("{number:>width$}"), page)
            });
        }
        page.parts(&parts)?;
    }
    Ok(())
}

/// Explains the marks that occur.
fn legend(skills: &[&MatrixSkill], mark: Mark, page: &mut Page<'_>) -> io::Result<()> {
    page.line("")?;
    let all = || skills.iter().flat_map(|skill| &skill.cells);
    for result in CellResult::ALL {
        if !all().any(|cell| cell.result == result) {
            continue;
        }
        let short = match mark {
            Mark::Letter if result != CellResult::Unknown => {
                format!("{}  {:8}", mark.text(result), Mark::Word.text(result))
            }
            Mark::Letter => format!("?  {:8}", "unknown"),
            Mark::Word => format!("{:8}", mark.text(result)),
        };
        let text = format!("  {}", meaning(result));
        page.parts(&[painted(result, &short, page), page.plain(text)])?;
    }
    Ok(())
}

const fn meaning(result: CellResult) -> &'static str {
    match result {
        CellResult::Ok => "no known problem in this client",
        CellResult::Warned => "the skill loads, with a message",
        CellResult::FieldIgnored => "a field, value or placeholder has no effect",
        CellResult::Altered => "a value is truncated or replaced",
        CellResult::Unknown => "no data about this client, or about its reaction to this fault",
        CellResult::MayBeDropped => {
            "according to its source code, the client drops the skill; not confirmed"
        }
        CellResult::Dropped => "the client does not load or list the skill, or ignores its fields",
        CellResult::NotFound => "the skill is nested deeper than the client searches",
    }
}

/// The reasons for one or more cells of a skill.
struct Why<'a> {
    skill: &'a str,
    /// The client, or several clients for which the same reaction is unknown.
    clients: Vec<&'a str>,
    result: CellResult,
    reasons: Vec<(String, Option<&'a str>)>,
}

impl<'a> Why<'a> {
    fn new(skill: &'a str, cell: &'a Cell) -> Self {
        let reason = |reason: &'a Reason| {
            let code = reason.rule.as_ref().map(|code| format!("{code} "));
            let own = format!("{}: ", cell.client);
            let help = reason.help.as_deref();
            let source = help.map(|help| help.strip_prefix(&own).unwrap_or(help));
            (code.unwrap_or_default() + reason.message.as_str(), source)
        };
        Self {
            skill,
            clients: vec![&cell.client],
            result: cell.result,
            reasons: cell.reasons.iter().map(reason).collect(),
        }
    }

    /// Removes the client's name from reasons that say that a reaction is unknown, because the heading lists the
    /// clients.
    fn without_client(mut self) -> Self {
        let clause = format!("; the reaction of {} is not known", self.clients[0]);
        for (message, _) in &mut self.reasons {
            if let Some(subject) = message.strip_suffix(&clause) {
                *message = format!("{subject}; the reaction is not known");
            }
        }
        self
    }

    /// Writes the reasons. `told`: sources that have already been shown.
    fn write(&self, told: &mut BTreeSet<&'a str>, page: &mut Page<'_>) -> io::Result<()> {
        page.line("")?;
        let head = format!("{} · {}: ", self.skill, self.clients.join(", "));
        page.parts(&[
            page.strong(head),
            painted(self.result, Mark::Word.text(self.result), page),
        ])?;
        // Several reasons and skills often have the same source: show it once.
        for of_source in self.reasons.chunk_by(|one, other| one.1 == other.1) {
            for (message, _) in of_source {
                page.line(format_args!("  {message}"))?;
            }
            let source = of_source.first().and_then(|(_, source)| *source);
            let Some(source) = source.filter(|source| told.insert(source)) else {
                continue;
            };
            for line in wrapped(source, WIDTH - 4) {
                page.parts(&[page.faint(format!("    {line}"))])?;
            }
        }
        Ok(())
    }
}

/// Explains the cells, worst first; clients whose behaviour is unknown are grouped.
fn reasons(matrix: &Matrix, skills: &[&MatrixSkill], page: &mut Page<'_>) -> io::Result<()> {
    let names = names(skills);
    let mut all: Vec<Why<'_>> = Vec::new();
    for (name, skill) in names.iter().zip(skills) {
        let first = all.len();
        for cell in skill.cells.iter().filter(|cell| !cell.reasons.is_empty()) {
            let is_open = cell.reasons.iter().all(|r| r.result == CellResult::Unknown);
            let why = Why::new(name, cell);
            if !is_open {
                all.push(why);
            } else if !matrix.unknown.contains(&cell.client) {
                let why = why.without_client();
                let same = all[first..].iter_mut().find(|w| w.reasons == why.reasons);
                match same {
                    Some(same) => same.clients.extend(why.clients),
                    None => all.push(why),
                }
            }
        }
    }
    all.sort_by_key(|why| Reverse(why.result));
    let most = if page.is_verbose {
        usize::MAX
    } else {
        EXPLAINED
    };
    let mut told = BTreeSet::new();
    for why in all.iter().take(most) {
        why.write(&mut told, page)?;
    }
    let more: usize = all.iter().skip(most).map(|why| why.clients.len()).sum();
    if more > 0 {
        let cells = if more == 1 { "cell is" } else { "cells are" };
        page.line("")?;
        page.line(format_args!(
            "{more} more {cells} not explained: use --verbose or --format json."
        ))?;
    }
    if matrix.unknown.is_empty() {
        return Ok(());
    }
    page.line("")?;
    let ids = matrix.unknown.join(", ");
    for line in wrapped(
        &format!("No data on reactions of these clients: {ids}."),
        WIDTH,
    ) {
        page.line(line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// The time to lay out a table does not grow with the square of the number of skills.
    #[test]
    fn a_table_of_many_skills_is_laid_out_quickly() {
        let grid = Grid {
            corner: "CLIENT",
            heads: vec!["skill".to_owned(); 20_000],
            rows: vec![("client".to_owned(), vec![CellResult::Ok; 20_000]); 30],
            mark: Mark::Word,
        };
        let begun = Instant::now();
        // The widest mark is "may drop".
        assert_eq!(grid.width(), 6 + 20_000 * (2 + 8));
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}
