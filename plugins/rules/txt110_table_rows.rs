//! TXT110 table-rows.

use memchr::memchr;
use skillc_core::{Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::prose::span_at;
use crate::tables::{cells, columns, is_wide, row};

declare_rule! {
    /// Reports table rows that are cut off from their table, and rows with more cells than columns.
    ///
    /// ## Why
    /// A table ends at the first blank line, quote or other block. Rows after the table's end are shown as a paragraph
    /// of text with pipes. In a row with too many cells, GitHub drops the cells after the last column. The usual reason
    /// is a pipe within a cell: the pipe splits the cell, even in code, unless it is escaped as `\|`.
    ///
    /// Each of the two faults is reported once per file, in a finding that lists up to five more positions.
    ///
    /// ## What is not reported
    /// - Rows with fewer cells than columns: the missing cells are empty.
    /// - Excess cells without text.
    /// - Lines with pipes, if they have a different number of cells than the table before them, or if there is no table
    ///   before them in their section.
    /// - Lines that are not a table because the header row and the delimiter row have different numbers of cells.
    ///
    /// ## Example
    /// ```markdown
    /// | Key | Value |
    /// | --- | --- |
    /// | mode | `fast|slow` |
    ///
    /// | depth | 3 |
    /// ```
    /// Write instead:
    /// ```markdown
    /// | Key | Value |
    /// | --- | --- |
    /// | mode | `fast\|slow` |
    /// | depth | 3 |
    /// ```
    ///
    /// ## Source
    /// GitHub Flavored Markdown, tables: an empty line or the start of another block ends the table, and excess cells
    /// are ignored.
    pub(crate) struct TableRows {
        code: "TXT110",
        name: "table-rows",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The maximum number of positions that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

impl Rule for TableRows {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let wide = wide_rows(doc);
        if let Some((first, cells, columns)) = wide.first() {
            let message = format!(
                "the row has {cells} cells, but the table has {columns} columns: the extra cells are not shown"
            );
            let found = out.at(*first, message);
            found.help("escape a pipe within a cell, also in code: '\\|'");
            for (span, ..) in &wide[1..] {
                found.label(*span, "here too");
            }
        }
        let lost = lost_rows(doc);
        if let Some((first, table)) = lost.first() {
            let found = out.at(
                *first,
                "these rows are cut off from their table and shown as text",
            );
            found.label(*table, "the table ends here");
            found.help(
                "remove the text between the table and its rows, or give these rows a header row",
            );
            for (span, _) in lost[1..].iter().take(MAX_SHOWN - 1) {
                found.label(*span, "here too");
            }
        }
    }
}

/// Returns the first rows with text after the last column. For each row, also returns the number of its cells and of
/// its table's columns.
fn wide_rows(doc: &Document) -> Vec<(Span, usize, usize)> {
    let mut found = Vec::new();
    for table in &doc.tables {
        let columns = columns(doc, *table);
        let mut start = table.start;
        for (at, line) in doc.text[table.start..table.end]
            .split_inclusive('\n')
            .enumerate()
        {
            let row = row(line, start);
            start += line.len();
            let text = &doc.text[row.start..row.end];
            if at > 1 && is_wide(text, columns) {
                found.push((row, cells(text).count(), columns));
                if found.len() > MAX_SHOWN {
                    return found;
                }
            }
        }
    }
    found
}

/// Returns the first line of each run of rows that are cut off from the table before them, and the last line of that
/// table.
fn lost_rows(doc: &Document) -> Vec<(Span, Span)> {
    let mut found = Vec::new();
    let mut run: Option<Run> = None;
    // Caches the start of the most recent table, and its number of columns.
    let mut known = (0, 0);
    let mut at = doc.body_start;
    while let Some(bar) = memchr(b'|', &doc.text.as_bytes()[at..doc.markup_end]) {
        let bar = at + bar;
        let code = doc.code_block_at(bar).map(|block| block.span);
        if let Some(around) = code.or_else(|| span_at(&doc.tables, bar)) {
            at = around.end;
            continue;
        }
        let line = doc.lines.line(bar);
        let line = doc.lines.range(line, line + 1);
        at = line.end.min(doc.markup_end);
        let row = row(&doc.text[line.start..at], line.start);
        let text = &doc.text[row.start..row.end];
        let is_row = text.len() > 2
            && text.starts_with('|')
            && text.ends_with('|')
            && span_at(&doc.html_blocks, row.start).is_none()
            && !doc.is_in_code(row.start);
        if !is_row {
            continue;
        }
        if run.as_ref().is_some_and(|run| run.end != line.start) {
            found.extend(run.take().and_then(|run| run.lost(doc, &mut known)));
            if found.len() > MAX_SHOWN {
                return found;
            }
        }
        let run = run.get_or_insert(Run {
            first: row,
            end: 0,
            cells: None,
            has_rule: false,
        });
        run.add(text);
        run.end = at;
    }
    found.extend(run.and_then(|run| run.lost(doc, &mut known)));
    found
}

/// Consecutive lines that look like table rows.
struct Run {
    first: Span,
    /// The start of the line after the run.
    end: usize,
    /// The number of cells in each line: 0 if the lines differ, `None` before the first line.
    cells: Option<usize>,
    has_rule: bool,
}

impl Run {
    fn add(&mut self, text: &str) {
        let count = cells(text).count();
        let is_same = self.cells.is_none_or(|cells| cells == count);
        self.cells = Some(if is_same { count } else { 0 });
        self.has_rule |= cells(text).all(|cell| {
            let dashes = cell.trim().trim_matches(':');
            !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
        });
    }

    /// Returns the positions of the run's first line and of the last line of the table to which the run belongs; `None`
    /// if the run does not belong to a table.
    fn lost(&self, doc: &Document, known: &mut (usize, usize)) -> Option<(Span, Span)> {
        let before = doc
            .tables
            .partition_point(|table| table.end <= self.first.start);
        let table = doc.tables[before.checked_sub(1)?];
        let heading = doc
            .headings
            .partition_point(|heading| heading.span.start < self.first.start);
        let heading = heading
            .checked_sub(1)
            .map_or(0, |at| doc.headings[at].span.start);
        if self.has_rule || heading > table.start {
            return None;
        }
        if known.0 != table.start {
            *known = (table.start, columns(doc, table));
        }
        if self.cells? != known.1 {
            return None;
        }
        let table_text = doc.text[table.start..table.end].trim_end();
        let last = table_text.rfind('\n').map_or(0, |at| at + 1);
        let last = row(&table_text[last..], table.start + last);
        Some((self.first, last))
    }
}
