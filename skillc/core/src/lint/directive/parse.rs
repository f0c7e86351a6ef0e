//! From comments to directives.
//!
//! `skilllint-disable SKL201, heading-hierarchy SKL3 -- why`: a word, selectors between commas or blanks, and a reason.

use memchr::memmem;

use crate::source::comments::{self, Comment, Comments};
use crate::source::document::Document;
use crate::source::lines::Span;

use super::names::Names;
use super::{Directive, Outcome, Part, Word};

/// What every directive begins with, and what is easily written for it.
const STARTS: [&str; 2] = ["skilllint-", "skillint-"];

/// What both have.
const COMMON: &[u8] = b"llint-";

/// Says whether a text may have directives; if not it need not be parsed for them.
pub(super) fn may_have_some(text: &str) -> bool {
    memmem::find(text.as_bytes(), COMMON).is_some()
}

/// Reads the directives of a file, in their order.
pub(super) fn read(document: &Document, names: &mut Names) -> Vec<Directive> {
    let comments = comments::read(document);
    let list = comments.list.iter();
    list.filter_map(|comment| directive(document, &comments, *comment, names))
        .collect()
}

fn directive(
    document: &Document,
    comments: &Comments,
    Comment { span, inner, place }: Comment,
    names: &mut Names,
) -> Option<Directive> {
    let text = comments.text.get(inner.start..inner.end)?;
    let mut tokens = tokens(text.trim_start_matches('#'), inner.end);
    let (word, word_span) = tokens.next()?;
    if !STARTS.iter().any(|start| word.starts_with(start)) {
        return None;
    }
    let known = Word::ALL.iter().find(|(known, _)| *known == word);
    let mut parts = Vec::new();
    let mut has_reason = false;
    while let Some((token, span)) = tokens.next() {
        if is_dash(token) {
            has_reason = tokens.next().is_some();
            break;
        }
        let (rules, outcome) = match names.look_up(token) {
            Ok(rules) => (rules, Outcome::Unused),
            Err(near) => (Names::none(), Outcome::Unknown { near }),
        };
        parts.push(Part {
            selector: Some(span),
            outcome,
            rules,
            ended_by: Vec::new(),
        });
    }
    if parts.is_empty() {
        parts.push(Part {
            selector: None,
            outcome: Outcome::Unused,
            rules: Names::all(),
            ended_by: Vec::new(),
        });
    }
    let line = |offset| document.lines.line(offset);
    Some(Directive {
        span,
        word_span,
        word: known.map(|(_, word)| *word),
        parts,
        has_reason,
        place,
        lines: (line(span.start), line(span.end.saturating_sub(1))),
    })
}

/// Splits a text at blanks and commas; `end`: where it ends in the file.
fn tokens(text: &str, end: usize) -> impl Iterator<Item = (&str, Span)> {
    let mut at = end - text.len();
    let pieces = text.split_inclusive(is_separator).map(move |piece| {
        let start = at;
        at += piece.len();
        let token = piece.trim_end_matches(is_separator);
        (token, Span::new(start, start + token.len()))
    });
    pieces.filter(|(token, _)| !token.is_empty())
}

fn is_separator(sign: char) -> bool {
    sign.is_whitespace() || sign == ','
}

/// Says whether what follows is the reason.
fn is_dash(token: &str) -> bool {
    token.len() > 1 && token.chars().all(|sign| matches!(sign, '-' | '–' | '—'))
}
