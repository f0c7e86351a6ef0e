//! Fixes that take directives away, and with them what would then end nothing.
//!
//! A removal is safe where all else stays what it is: in frontmatter that can be read, at the end of a line of text, and on
//! lines of its own between paragraphs, headings and fenced code. Where a comment keeps lists, code or definitions from being
//! others, somebody has to look.

use std::collections::{BTreeMap, BTreeSet};

use skillc_core::source::comments::Place;
use skillc_core::source::frontmatter::Frontmatter;
use skillc_core::source::lines::Span;

use super::{Directive, Directives};
use crate::rule::fix::{Edit, Fix, Safety};

/// How many lines are looked at, above and below a comment, for what it stands between.
const MAX_LINES: usize = 16;

impl Directives<'_> {
    /// Returns a fix that takes a directive away.
    pub fn without(&self, directive: usize) -> Fix {
        let parts = 0..self.list[directive].parts.len();
        let parts = parts.map(|part| (directive, part));
        self.fix("remove the directive".to_owned(), parts.collect())
    }

    /// Returns a fix that takes one selector of a directive away; the directive, if it has no other.
    pub fn without_part(&self, directive: usize, part: usize) -> Fix {
        let selector = self.list[directive].parts[part].selector;
        let shown = selector.map_or("", |span| self.text(span));
        let title = format!("remove '{shown}' from the directive");
        self.fix(title, vec![(directive, part)])
    }

    fn fix(&self, title: String, parts: Vec<(usize, usize)>) -> Fix {
        let mut going: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (directive, part) in parts {
            let ends = &self.list[directive].parts[part].ended_by;
            for (directive, part) in ends.iter().copied().chain([(directive, part)]) {
                going.entry(directive).or_default().insert(part);
            }
        }
        let (mut edits, mut safety) = (Vec::new(), Safety::Safe);
        for (at, parts) in going {
            let directive = &self.list[at];
            if parts.len() == directive.parts.len() {
                let (edit, of_edit) = self.removal(directive);
                safety = safety.max(of_edit);
                edits.push(edit);
            } else {
                let selectors = parts
                    .into_iter()
                    .filter_map(|part| self.cut(directive, part));
                edits.extend(selectors);
            }
        }
        Fix {
            safety,
            ..Fix::safe(title, joined(edits))
        }
    }

    /// Cuts a selector out, with what separates it from the one before, or from the one after if it is the first.
    fn cut(&self, directive: &Directive, part: usize) -> Option<Edit> {
        let selector = |at: usize| directive.parts.get(at)?.selector;
        let own = selector(part)?;
        let span = match part.checked_sub(1) {
            Some(before) => Span::new(selector(before)?.end, own.end),
            None => Span::new(own.start, selector(1)?.start),
        };
        Some(self.edit(span, ""))
    }

    /// Takes a whole directive away.
    fn removal(&self, directive: &Directive) -> (Edit, Safety) {
        let document = self.document;
        let (first, last) = directive.lines;
        let lines = document.lines.range(first, last + 1);
        let before = document.text.get(lines.start..directive.span.start);
        let before = before.unwrap_or_default();
        let after = document.text.get(directive.span.end..lines.end);
        let after = after.unwrap_or_default();
        // Not `trim`: between many comments only the blanks next to each are looked at.
        let ends_line = after.trim_start().is_empty();
        let is_alone = ends_line && before.trim_end().is_empty();
        let is_sound = matches!(document.frontmatter, Frontmatter::Valid(_));
        let is_safe = match directive.place {
            Place::Frontmatter => is_sound,
            Place::Text => ends_line && first == last && is_text(before),
            Place::Alone => is_alone && before.is_empty() && self.is_between_blocks(first, last),
            Place::Html => false,
        };
        let safety = if is_safe {
            Safety::Safe
        } else {
            Safety::Unsafe
        };
        if is_alone {
            let edit = match directive.place {
                Place::Frontmatter | Place::Text => {
                    self.edit(Span::new(lines.start, lines.end), "")
                }
                Place::Alone | Place::Html => self.block_removal(first, last),
            };
            return (edit, safety);
        }
        let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
        let start = directive.span.start - blanks;
        (self.edit(Span::new(start, directive.span.end), ""), safety)
    }

    /// Says whether what is next to some lines, above and below, is the same with and without them.
    fn is_between_blocks(&self, first: usize, last: usize) -> bool {
        let document = self.document;
        let line = |at: usize| document.text.get(document.lines.range(at, at + 1));
        let is_plain = |mut lines: &mut dyn Iterator<Item = usize>| {
            let mut near = (&mut lines).take(MAX_LINES).filter_map(line);
            match near.find(|line| !is_passed_over(line)) {
                Some(line) => is_block(line),
                None => lines.next().is_none(),
            }
        };
        let body = document.lines.line(document.body_start);
        is_plain(&mut (body..first).rev()) && is_plain(&mut (last + 1..=document.lines.count()))
    }

    /// Takes the lines of a block away, but so that what is above stays apart from what is below, by one empty line.
    fn block_removal(&self, first: usize, last: usize) -> Edit {
        let document = self.document;
        let line = |at: usize| {
            let text = document.text.get(document.lines.range(at, at + 1));
            text.unwrap_or_default().trim()
        };
        let lines = document.lines.range(first, last + 1);
        let is_first = document.lines.range(first, first).start <= document.body_start;
        let above = if is_first { "" } else { line(first - 1) };
        let below = line(last + 1);
        if above.is_empty() && !is_first && last >= document.lines.count() {
            let start = document.lines.range(first - 1, first).start;
            return self.edit(Span::new(start, lines.end), "");
        }
        if above.is_empty() && below.is_empty() {
            let end = document.lines.range(first, last + 2).end;
            return self.edit(Span::new(lines.start, end), "");
        }
        let are_apart =
            above.is_empty() || below.is_empty() || is_heading(above) || is_heading(below);
        let text = if are_apart { "" } else { "\n" };
        self.edit(Span::new(lines.start, lines.end), text)
    }

    fn edit(&self, span: Span, text: &str) -> Edit {
        Edit {
            file: self.document.path.clone(),
            span,
            text: text.to_owned(),
        }
    }
}

/// Says whether a line is a heading.
fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    rest.len() < line.len() && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Says whether a line may be gone as well: one that is empty, or nothing but a comment.
fn is_passed_over(line: &str) -> bool {
    let line = line.trim_end();
    let inner = line
        .strip_prefix("<!--")
        .and_then(|rest| rest.strip_suffix("-->"));
    line.is_empty() || inner.is_some_and(|inner| !inner.contains("-->"))
}

/// Says whether a line is of a paragraph, a heading or the fence of code, and of nothing else, whatever is next to it.
fn is_block(line: &str) -> bool {
    line.starts_with(char::is_alphabetic)
        || line.starts_with("```")
        || line.starts_with("~~~")
        || is_heading(line.trim_end())
}

/// Says whether what stands before a comment at the end of a line is text, and stays so without the comment.
///
/// Not: what may be a definition then, a rule, the marks of a table, or the beginning of code, of a link or of a tag.
fn is_text(before: &str) -> bool {
    let text = before.trim_end();
    let has_link = text.contains("](");
    let ends_well = text.ends_with(|sign: char| {
        sign.is_alphanumeric()
            || matches!(sign, '.' | ',' | ';' | '!' | '?')
            || sign == ')' && has_link
    });
    let is_open = |open: char, close: char| text.rfind(open) > text.rfind(close);
    let has_blank = text.len() < before.len();
    if !ends_well || !has_blank || is_open('(', ')') || is_open('<', '>') {
        return false;
    }
    if text.contains("]:") || text.contains("```") {
        return false;
    }
    let mut words = text.split_whitespace();
    let begins_block = words
        .clone()
        .next()
        .is_some_and(|mark| matches!(mark, "-" | "*" | "+") || is_heading(mark));
    let is_word = |word: &str| word.contains(char::is_alphanumeric);
    if begins_block {
        return words.any(is_word);
    }
    let words = words.filter(|word| word.starts_with(char::is_alphanumeric) || word.contains("]("));
    words.take(2).count() == 2
}

/// Makes one of removals that overlap: two that take the same empty line away.
fn joined(edits: Vec<Edit>) -> Vec<Edit> {
    let mut joined: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match joined.last_mut() {
            Some(last) if edit.span.start < last.span.end => {
                last.span.end = last.span.end.max(edit.span.end);
            }
            _ => joined.push(edit),
        }
    }
    joined
}
