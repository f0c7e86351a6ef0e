//! Parses comments into directives.
//!
//! `skilllint-disable SKL201, heading-hierarchy SKL3 -- why`: a word, selectors separated by commas or whitespace, and
//! a reason.

use memchr::{memchr, memchr2_iter, memmem};

use skillc_core::source::comments::{self, Comment, Comments};
use skillc_core::source::document::Document;
use skillc_core::source::lines::Span;

use super::likeness::meant;
use super::names::{Names, SetId};
use super::{Directive, Outcome, Part, Word};

/// The prefix of every directive, and a common misspelling of the prefix.
const STARTS: [&str; 2] = ["skilllint-", "skillint-"];

/// The substring that both prefixes share.
const COMMON: &[u8] = b"llint-";

/// The verbs that follow the prefix.
const VERBS: [&str; 2] = ["disable", "enable"];

/// Reports whether a file may contain directives; if not, its comments need not be read.
pub(super) fn may_have_some(document: &Document) -> bool {
    let bytes = document.text.as_bytes();
    let (head, body) = bytes.split_at(document.body_start.min(bytes.len()));
    // Fast path: most files have no comments.
    if memchr(b'#', head).is_none() && memmem::find(body, b"<!--").is_none() {
        return false;
    }
    let begins = |bytes: &[u8], word: &str| {
        let start = bytes.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    let is_likeness = |at: usize| {
        let Some(rest) = bytes[at.saturating_sub(1)..].get("lint".len()..) else {
            return false;
        };
        let separators = rest.iter().take(2);
        let separators = separators.take_while(|sign| matches!(sign, b'-' | b'_' | b':' | b' '));
        let rest = &rest[separators.count()..];
        begins(&bytes[at.saturating_sub(1)..], "lint")
            && VERBS.iter().any(|verb| begins(rest, verb))
    };
    memmem::find(bytes, COMMON).is_some() || memchr2_iter(b'i', b'I', bytes).any(is_likeness)
}

pub(super) fn read(document: &Document, names: &mut Names<'_>) -> Vec<Directive> {
    let comments = comments::read(document);
    let list = comments.list.iter();
    list.filter_map(|comment| directive(document, &comments, *comment, names))
        .collect()
}

fn directive(
    document: &Document,
    comments: &Comments,
    Comment { span, inner, place }: Comment,
    names: &mut Names<'_>,
) -> Option<Directive> {
    let text = comments.text.get(inner.start..inner.end)?;
    let mut tokens = tokens(text.trim_start_matches('#'), inner.end);
    let (word, mut word_span) = tokens.next()?;
    let mut likeness = None;
    if !STARTS.iter().any(|start| word.starts_with(start)) {
        let next = tokens.clone().next();
        let (meant, is_of_two) = meant(word, next.map(|(next, _)| next))?;
        if let Some((_, span)) = next.filter(|_| is_of_two) {
            word_span.end = span.end;
            tokens.next();
        }
        likeness = Some(meant);
    }
    let known = Word::ALL.iter().find(|(known, _)| *known == word);
    let (parts, has_reason) = parts(tokens, names);
    let line = |offset| document.lines.line(offset);
    Some(Directive {
        span,
        word_span,
        word: known.map(|(_, word)| *word),
        meant: likeness,
        parts,
        has_reason,
        place,
        lines: (line(span.start), line(span.end.saturating_sub(1))),
    })
}

/// Reads selectors, and reports whether a reason follows them.
fn parts<'t>(
    mut tokens: impl Iterator<Item = (&'t str, Span)> + Clone,
    names: &mut Names,
) -> (Vec<Part>, bool) {
    let mut parts = Vec::new();
    let mut has_reason = false;
    while let Some((token, span)) = tokens.next() {
        if is_dash(token) {
            has_reason = tokens.next().is_some();
            break;
        }
        let (rules, outcome) = match names.look_up(token) {
            Ok(rules) => (rules, Outcome::Unused),
            Err(near) if near.is_none() || has_dash(token) => {
                let next = tokens.clone().next().map(|(next, _)| next);
                if is_prose(token, next, names) {
                    let end = tokens.last().map_or(span.end, |(_, last)| last.end);
                    parts.push(part(
                        Some(Span::new(span.start, end)),
                        Names::none(),
                        Outcome::Prose,
                    ));
                    break;
                }
                (Names::none(), Outcome::Unknown { near })
            }
            Err(near) => (Names::none(), Outcome::Unknown { near }),
        };
        parts.push(part(Some(span), rules, outcome));
    }
    if parts.is_empty() {
        parts.push(part(None, Names::all(), Outcome::Unused));
    }
    (parts, has_reason)
}

fn part(selector: Option<Span>, rules: SetId, outcome: Outcome) -> Part {
    Part {
        selector,
        outcome,
        rules,
        ended_by: Vec::new(),
    }
}

/// Reports whether a token that is not a selector begins a reason. The token does so if it contains the kind of dash
/// that introduces a reason, or if this token and the next one are words of prose.
fn is_prose(token: &str, next: Option<&str>, names: &mut Names) -> bool {
    let is_word = |token: &str| {
        token
            .chars()
            .all(|sign| sign.is_lowercase() || sign == '\'')
    };
    let mut is_unknown = |token: &str| !is_dash(token) && names.look_up(token).is_err();
    has_dash(token) || is_word(token) && next.is_some_and(|next| is_word(next) && is_unknown(next))
}

/// Reports whether a token contains a dash that is probably meant to introduce a reason.
fn has_dash(token: &str) -> bool {
    token == "-" || token.contains("--") || token.contains(['–', '—'])
}

/// Splits a string at whitespace and commas; `end`: the offset of the string's end in the file.
fn tokens(text: &str, end: usize) -> impl Iterator<Item = (&str, Span)> + Clone {
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

/// Reports whether a token introduces the reason.
fn is_dash(token: &str) -> bool {
    token.len() > 1 && token.chars().all(|sign| matches!(sign, '-' | '–' | '—'))
}
