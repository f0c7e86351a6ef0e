//! Fixes that take directives away, and with them what would then end nothing.
//!
//! A comment in the frontmatter, in running text or in a block of its own goes without a trace. What stands on a line of HTML
//! behind one may become Markdown without it: somebody has to look at that.

use std::collections::{BTreeMap, BTreeSet};

use super::{Directive, Directives};
use crate::lint::fix::{Edit, Fix, Safety};
use crate::source::comments::Place;
use crate::source::lines::Span;

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
        let is_alone = before.trim().is_empty() && after.trim().is_empty();
        let safety = if directive.place == Place::Html {
            Safety::Unsafe
        } else {
            Safety::Safe
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
        let is_heading = |line: &str| {
            let rest = line.trim_start_matches('#');
            rest.len() < line.len() && (rest.is_empty() || rest.starts_with([' ', '\t']))
        };
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
