//! The text output of `skc search`. It is meant for people, and is not a stable format.
//!
//! Design: C-SEARCH, D-SEARCH-TEXT.

use std::io;

use anstyle::AnsiColor;
use skillc_ops::search::{SearchResponse, SearchResult, UnmatchedWord};

use crate::page::Painted;
use crate::{Page, Render, clean};

const OPEN: &str = "[MATCH]";
const CLOSE: &str = "[/MATCH]";

/// The maximum number of skipped skills that are listed.
const MAX_NAMED: usize = 8;

impl Render for SearchResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let mut results = self.results.iter();
        results.try_for_each(|result| write_result(result, page))?;
        if self.results.is_empty() {
            page.line("No matches.")?;
            explain_no_matches(self, page)?;
        }
        list_skipped(&self.not_searched, page)
    }
}

/// Explains why a search has no results.
fn explain_no_matches(response: &SearchResponse, page: &mut Page<'_>) -> io::Result<()> {
    if !response.query.contains(char::is_alphanumeric) {
        return writeln!(
            page.err,
            "The query has no letters or digits, so it matches nothing."
        );
    }
    for UnmatchedWord { word, similar } in &response.unmatched {
        let word = clean(word);
        let similar = similar.iter().map(|word| format!("'{}'", clean(word)));
        let similar: Vec<String> = similar.collect();
        let hint = if similar.is_empty() {
            String::new()
        } else {
            format!(" Similar words: {}.", similar.join(", "))
        };
        writeln!(page.err, "No section contains '{word}'.{hint}")?;
    }
    Ok(())
}

fn list_skipped(skills: &[String], page: &mut Page<'_>) -> io::Result<()> {
    if skills.is_empty() {
        return Ok(());
    }
    let named = skills
        .iter()
        .take(MAX_NAMED)
        .map(|name| clean(name).into_owned());
    let named: Vec<String> = named.collect();
    let more = match skills.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    writeln!(
        page.err,
        "Skipped (not built, or changed since the build): {named}{more}"
    )
}

fn write_result(result: &SearchResult, page: &mut Page<'_>) -> io::Result<()> {
    let mut place = result.file.clone();
    if !result.section.is_empty() {
        place += &format!("#{}", result.section);
    }
    if let Some(skill) = &result.skill {
        place = format!("{skill}: {place}");
    }
    // If a term occurs in most sections, scores are as low as 0.0000017, and their exact values are meaningless.
    let score = if result.score >= 0.01 {
        format!(" (score: {:.2})", result.score)
    } else {
        " (score: below 0.01)".to_owned()
    };
    page.parts(&[page.strong(place), page.faint(score)])?;
    if !result.above.is_empty() {
        page.parts(&[page.faint(format_args!("  in {}", result.above.join(" > ")))])?;
    }
    let snippet = result
        .snippet
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let mut parts = vec![page.plain("  ")];
    if page.out_is_styled {
        highlight(&snippet, page, &mut parts);
    } else {
        parts.push(page.plain(snippet));
    }
    page.parts(&parts)?;
    write_context(result, page)?;
    page.parts(&[page.faint(format_args!("  {}", result.read.command()))])
}

/// Writes the lines around the match, numbered.
fn write_context(result: &SearchResult, page: &mut Page<'_>) -> io::Result<()> {
    let Some(context) = &result.context else {
        return Ok(());
    };
    let last = context.start_line + context.lines.len();
    let width = last.to_string().len();
    for (number, line) in (context.start_line..).zip(&context.lines) {
        let number = page.faint(format_args!("  {number:>width$} | "));
        page.parts(&[number, page.plain(line)])?;
    }
    Ok(())
}

/// Replaces match markers with colour. A closing marker without an opening marker is part of the skill's own text.
fn highlight(snippet: &str, page: &Page<'_>, parts: &mut Vec<Painted>) {
    let mut pieces = snippet.split(OPEN);
    parts.push(page.plain(pieces.next().unwrap_or_default()));
    for piece in pieces {
        match piece.split_once(CLOSE) {
            Some((found, rest)) => {
                parts.push(page.coloured(AnsiColor::Green, found));
                parts.push(page.plain(rest));
            }
            None => parts.push(page.plain(piece)),
        }
    }
}
