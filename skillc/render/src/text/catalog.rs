//! The text output of `skc catalog list`, `search`, `load` and `context`.

use std::io;

use anstyle::AnsiColor;
use skillc_ops::catalog::ALL_OFF;
use skillc_ops::catalog::context::CatalogContextResponse;
use skillc_ops::catalog::list::{CatalogEntry, CatalogListResponse};
use skillc_ops::catalog::load::CatalogLoadResponse;
use skillc_ops::catalog::search::{Reason, SearchResults};
use skillc_ops::registry::SkillList;

use super::wrap::{WIDTH, columns, cut};
use crate::{Format, Page, Render, clean};

/// The maximum number of errors that are printed.
const MAX_ERRORS: usize = 20;

/// The minimum width of a description next to a long name.
const MIN_DESCRIPTION: usize = 20;

impl Render for CatalogListResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if !self.is_enabled() {
            return page.line(ALL_OFF);
        }
        let skills = self.skills();
        match (skills, self.has_others()) {
            ([], true) => page.line("No skills in this scope.")?,
            ([], false) => {
                page.line(
                    "No skills. Add one to .agents/skills, or create one: skc init my-skill",
                )?;
            }
            _ => {
                let width = widest(skills.iter().map(|entry| entry.name.as_str()));
                let header = format!("{:width$}  SCOPE  STATE      DESCRIPTION", "NAME");
                page.parts(&[page.strong(header)])?;
                for entry in skills {
                    row(self, entry, width, page)?;
                }
            }
        }
        failures(self, page)
    }
}

fn row(
    list: &CatalogListResponse,
    entry: &CatalogEntry,
    width: usize,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let (state, color) = if !entry.enabled {
        ("disabled", AnsiColor::Yellow)
    } else if list.is_denied(entry) {
        ("denied", AnsiColor::Red)
    } else if !entry.invocation.by_model() {
        ("user only", AnsiColor::Yellow)
    } else {
        ("enabled", AnsiColor::Green)
    };
    let head = format!("{:width$}  {:5}  ", entry.name, entry.scope.as_str());
    let room = WIDTH.saturating_sub(width + 20).max(MIN_DESCRIPTION);
    page.parts(&[
        page.plain(head),
        page.coloured(color, format_args!("{state:9}")),
        page.plain(format_args!("  {}", shortened(&entry.description, room))),
    ])?;
    if page.is_verbose {
        page.parts(&[page.faint(format_args!("  {}", entry.path))])?;
    }
    Ok(())
}

pub(super) fn failures(list: &CatalogListResponse, page: &mut Page<'_>) -> io::Result<()> {
    let count = list.error_count();
    if count == 0 {
        return Ok(());
    }
    let noun = if count == 1 { "error" } else { "errors" };
    page.line("")?;
    page.parts(&[page.coloured(AnsiColor::Red, format_args!("{count} {noun}:"))])?;
    for failure in list.errors().iter().take(MAX_ERRORS) {
        page.line(format_args!("  {}", failure.path))?;
        page.line(format_args!("    {}", failure.message))?;
    }
    if count > MAX_ERRORS {
        let more = count - MAX_ERRORS;
        page.line(format_args!(
            "  ... ({more} more; --format json has the first 1000)"
        ))?;
    }
    Ok(())
}

impl Render for SearchResults {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.results.is_empty() {
            return page.line("No matching skills.");
        }
        if !self.confident {
            page.line("No skill fits this query well. The closest:")?;
        }
        let width = widest(self.results.iter().map(|hit| hit.name.as_str()));
        let header = format!("{:width$}  SCOPE  REASON         PATH", "NAME");
        page.parts(&[page.strong(header)])?;
        for hit in &self.results {
            let (scope, reason) = (hit.scope.as_str(), reason(hit.reason));
            let line = format!("{:width$}  {scope:5}  {reason:13}  {}", hit.name, hit.path);
            page.line(line)?;
            if page.is_verbose {
                let room = WIDTH - 2;
                let text = shortened(&hit.description, room);
                page.parts(&[page.faint(format_args!("  {text}"))])?;
            }
        }
        if self.truncated {
            page.line("... (more match; see --limit)")?;
        }
        Ok(())
    }
}

impl Render for CatalogLoadResponse {
    /// Content for agents is printed unchanged.
    fn is_verbatim(&self, _: Format) -> bool {
        true
    }

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if let Some(written) = &self.written {
            let file = clean(&written.file);
            writeln!(page.err, "Allowed from now on, by a rule in {file}")?;
        }
        block(&self.loaded.content, page)
    }
}

impl Render for SkillList {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let mut rows = self.skills.iter();
        rows.try_for_each(|row| page.line(&row.name))
    }
}

impl Render for CatalogContextResponse {
    /// Content for agents is printed unchanged.
    fn is_verbatim(&self, _: Format) -> bool {
        true
    }

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        match &self.content {
            Some(content) => block(content, page),
            None => writeln!(page.err, "No skills are listed for agents here."),
        }
    }
}

/// Writes content for agents unchanged, unless output is styled. Styled output goes to a terminal, so its control
/// characters are escaped.
fn block(text: &str, page: &mut Page<'_>) -> io::Result<()> {
    if page.out_is_styled {
        let mut lines = text.lines();
        return lines.try_for_each(|line| page.line(line.replace('\t', "    ")));
    }
    page.out.write_all(text.as_bytes())?;
    page.out.write_all(b"\n")
}

const fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::ExactPath => "exact_path",
        Reason::ExactName => "exact_name",
        Reason::Prefix => "prefix",
        Reason::TokenOverlap => "token_overlap",
        Reason::SimilarMeaning => "similar_meaning",
    }
}

fn widest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(columns).max().unwrap_or_default().max(4)
}

/// Truncates a string to one line of `room` columns.
fn shortened(text: &str, room: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" "), room)
}
