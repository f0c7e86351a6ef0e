//! Fixes that remove directives, together with the `enable` directives that would then have no effect.
//!
//! A removal is safe where everything else keeps its meaning: in valid frontmatter, at the end of a line of text, and
//! on lines of its own between paragraphs, headings and fenced code. Where a comment separates lists, code or
//! definitions, removing it could merge them, so the fix needs review.

use std::collections::{BTreeMap, BTreeSet};

use skillc_core::source::comments::CommentPlace;
use skillc_core::source::frontmatter::Frontmatter;
use skillc_core::source::lines::Span;

use super::{Directive, Directives};
use crate::rule::fix::{Edit, Fix, Safety};

/// The maximum number of lines above and below a comment that are examined to find the blocks that the comment
/// separates.
const MAX_LINES: usize = 16;

impl Directives<'_> {
    /// Returns a fix that removes a directive.
    pub fn without(&self, directive: usize) -> Fix {
        let parts = 0..self.list[directive].parts.len();
        let parts = parts.map(|part| (directive, part));
        self.fix("remove the directive".to_owned(), parts.collect())
    }

    /// Returns a fix that removes one selector of a directive, or the whole directive if it has no other selector.
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

    /// Cuts out a selector with the separator before it; for the first selector, with the separator after it.
    fn cut(&self, directive: &Directive, part: usize) -> Option<Edit> {
        let selector = |at: usize| directive.parts.get(at)?.selector;
        let own = selector(part)?;
        let span = match part.checked_sub(1) {
            Some(before) => Span::new(selector(before)?.end, own.end),
            None => Span::new(own.start, selector(1)?.start),
        };
        Some(self.edit(span, ""))
    }

    fn removal(&self, directive: &Directive) -> (Edit, Safety) {
        let document = self.document;
        let (first, last) = directive.lines;
        let lines = document.lines.range(first, last + 1);
        let before = document.text.get(lines.start..directive.span.start);
        let before = before.unwrap_or_default();
        let after = document.text.get(directive.span.end..lines.end);
        let after = after.unwrap_or_default();
        // Do not trim the whole line: if a line has many comments, reading the whole line for each comment takes
        // quadratic time.
        let ends_line = after.trim_start().is_empty();
        let is_alone = ends_line && before.trim_end().is_empty();
        let is_sound = matches!(document.frontmatter, Frontmatter::Valid(_));
        let is_safe = match directive.place {
            CommentPlace::Frontmatter => is_sound,
            CommentPlace::Text => ends_line && first == last && is_text(before),
            CommentPlace::Alone => {
                is_alone && before.is_empty() && self.is_between_blocks(first, last)
            }
            CommentPlace::Html => false,
        };
        let safety = if is_safe {
            Safety::Safe
        } else {
            Safety::Unsafe
        };
        if is_alone {
            let edit = match directive.place {
                CommentPlace::Frontmatter | CommentPlace::Text => {
                    self.edit(Span::new(lines.start, lines.end), "")
                }
                CommentPlace::Alone | CommentPlace::Html => self.block_removal(first, last),
            };
            return (edit, safety);
        }
        let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
        let start = directive.span.start - blanks;
        (self.edit(Span::new(start, directive.span.end), ""), safety)
    }

    /// Reports whether the text around some lines parses the same with and without these lines.
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

    /// Removes the lines of a block. The text above and below stays separate, without a second empty line.
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

fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    rest.len() < line.len() && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Reports whether a line is ignored when looking for the neighbouring block: it is empty, or contains only a comment.
fn is_passed_over(line: &str) -> bool {
    let line = line.trim_end();
    let inner = line
        .strip_prefix("<!--")
        .and_then(|rest| rest.strip_suffix("-->"));
    line.is_empty() || inner.is_some_and(|inner| !inner.contains("-->"))
}

/// Reports whether a line belongs to a paragraph, a heading or a code fence, regardless of the lines next to it.
fn is_block(line: &str) -> bool {
    line.starts_with(char::is_alphabetic)
        || line.starts_with("```")
        || line.starts_with("~~~")
        || is_heading(line.trim_end())
}

/// Reports whether the text before a comment at the end of a line is plain text, and remains plain text without the
/// comment.
///
/// `false` if, without the comment, the text could become a definition, a thematic break, a table delimiter, or the
/// start of code, a link or a tag.
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

/// Merges overlapping removals: two may remove the same empty line.
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
