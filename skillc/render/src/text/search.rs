//! Text of `skc search`: for people, not a stable format. Design: C-SEARCH, D-SEARCH-TEXT.

use std::io;

use anstyle::AnsiColor;
use skillc_ops::search::{SearchResponse, SearchResult};

use crate::page::Painted;
use crate::{Page, Render};

const OPEN: &str = "[MATCH]";
const CLOSE: &str = "[/MATCH]";

impl Render for SearchResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.results.is_empty() {
            page.line("No matches.")?;
            if !self.query.contains(char::is_alphanumeric) {
                writeln!(
                    page.err,
                    "The query has no letters or digits, so it matches nothing."
                )?;
            }
            return Ok(());
        }
        self.results
            .iter()
            .try_for_each(|result| write_result(result, page))
    }
}

fn write_result(result: &SearchResult, page: &mut Page<'_>) -> io::Result<()> {
    let place = if result.section.is_empty() {
        result.file.clone()
    } else {
        format!("{}#{}", result.file, result.section)
    };
    // A term found in most sections gives scores such as 0.0000017, whose exact value is meaningless.
    let score = if result.score >= 0.01 {
        format!(" (score: {:.2})", result.score)
    } else {
        " (score: below 0.01)".to_owned()
    };
    page.parts(&[page.strong(place), page.faint(score)])?;
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
    page.parts(&parts)
}

/// Replaces match markers by colour. A closing marker without an opening one is the skill's own text.
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
