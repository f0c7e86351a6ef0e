//! Recovers fields from an invalid block.
//!
//! The fields that the parser completed before the error are certain, except for the last one, to which more text may
//! belong. Starting with that field, each field is parsed on its own, from its key at the left edge to the next key.
//! Fields with duplicate keys are not recovered, and neither is a field with an alias whose anchor is in another field.
//! The author should look for the error in the first field that cannot be parsed on its own.
//!
//! Design: R15.

use std::collections::HashMap;

use super::block_lines::{line_at, lines};
use super::explain::{Reason, explain};
use super::fields::{Aliases, Fault, read};
use super::{Field, Fields, Frontmatter, Unread};
use crate::source::lines::{LineIndex, Span};

/// The maximum number of fields that are parsed on their own. Skills have about ten fields.
const MAX_CHUNKS: usize = 256;

/// Recovers as many fields as possible from an invalid block.
///
/// `sure`: the fields before the error, the last of which may be truncated.
pub(super) fn recover(text: &str, block: Span, mut sure: Vec<Field>, fault: &Fault) -> Frontmatter {
    if matches!(fault, Fault::SecondDocument { .. }) {
        let reason = explain(text, block, fault);
        return invalid(text, block, &reason, sure);
    }
    let doubtful = sure.pop();
    let chunks = chunks(text, block, doubtful.as_ref());
    let mut times: HashMap<String, usize> = HashMap::new();
    let known = sure.iter().map(|field| &field.key);
    for key in known.chain(chunks.iter().filter_map(|chunk| chunk.key.as_ref())) {
        *times.entry(key.clone()).or_default() += 1;
    }
    let mut first = None;
    for Chunk { span, key } in chunks.into_iter().take(MAX_CHUNKS) {
        let (entries, fault) = read(text, span, Aliases::Open);
        match fault {
            None => {
                let entry = entries.into_iter().next();
                sure.extend(entry.filter(|field| Some(&field.key) == key.as_ref()));
            }
            Some(Fault::Unresolved) => {}
            Some(fault) => first = first.or(Some((span, fault))),
        }
    }
    sure.retain(|field| times.get(&field.key) == Some(&1));
    let reason = first_reason(text, block, fault, first);
    invalid(text, block, &reason, sure)
}

fn invalid(text: &str, block: Span, reason: &Reason, entries: Vec<Field>) -> Frontmatter {
    let at = on_characters(text, block, reason.at);
    let line = LineIndex::new(&text.as_bytes()[..block.end]).line(at.start);
    Frontmatter::Invalid {
        message: format!("line {line}: {}", reason.text),
        at,
        fields: Fields {
            entries,
            unread: Unread::Text(text[block.start..block.end].to_owned()),
        },
    }
}

/// Returns the reason for the first error: the error of the whole block, or the error of the first part that cannot be
/// parsed on its own.
fn first_reason(text: &str, block: Span, own: &Fault, of_part: Option<(Span, Fault)>) -> Reason {
    match of_part {
        Some((part, fault)) if own.start().is_none_or(|at| at >= part.start) => {
            explain(text, part, &fault)
        }
        _ => explain(text, block, own),
    }
}

/// A part of a block that is parsed on its own.
struct Chunk {
    span: Span,
    /// The key; `None` for the text before the first key.
    key: Option<String>,
}

/// Splits a block before each line with a key at the left edge, starting at the uncertain field.
fn chunks(text: &str, block: Span, doubtful: Option<&Field>) -> Vec<Chunk> {
    let Some((start, indent)) = edge(text, block, doubtful) else {
        return Vec::new();
    };
    let mut chunks = vec![Chunk {
        span: Span::new(start, block.end),
        key: None,
    }];
    for line in lines(text, Span::new(start, block.end)) {
        let Some(key) = line.key().filter(|_| line.indent() == indent) else {
            continue;
        };
        if let Some(before) = chunks.last_mut() {
            before.span.end = line.start;
        }
        chunks.push(Chunk {
            span: Span::new(line.start, block.end),
            key: Some(key.to_owned()),
        });
    }
    chunks
}

/// Returns the offset where splitting begins, and the indentation of the fields; `None` if the fields are not on
/// separate lines.
fn edge(text: &str, block: Span, doubtful: Option<&Field>) -> Option<(usize, usize)> {
    let first = lines(text, block).find(|line| !line.is_silent())?;
    if first.is_flow() || first.text.trim_start().starts_with('?') {
        return None;
    }
    let Some(field) = doubtful else {
        return Some((block.start, first.indent()));
    };
    let line = line_at(text, block, field.key_span.start);
    let is_first = line.content().start == field.key_span.start;
    is_first.then_some((line.start, line.indent()))
}

/// Returns whether any line of a block, or any entry in braces, begins with `key`.
pub(super) fn has_key(block: &str, key: &str) -> bool {
    let begins = |rest: &str| {
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "{?-\"'".contains(c));
        let after = rest.strip_prefix(key).unwrap_or_default();
        let after = after.strip_prefix(['"', '\'']).unwrap_or(after);
        after.trim_start().starts_with([':', '：'])
    };
    block.lines().any(|line| line.split(',').any(begins))
}

/// Extends a span to whole characters, or to the whole line if the span is empty, so that the span can be displayed.
pub(super) fn on_characters(text: &str, block: Span, at: Span) -> Span {
    let (mut start, mut end) = (at.start.min(block.end), at.end.min(block.end));
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    if start < end {
        return Span::new(start, end);
    }
    let line = line_at(text, block, start);
    Span::new(line.start, (line.start + line.text.len()).max(start + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recovered(block: &str) -> Fields {
        let (read, _) = Frontmatter::split(&format!("---\n{block}\n---\n"));
        match read {
            Frontmatter::Invalid { fields, .. } => fields,
            _ => panic!("{block:?}: {read:?}"),
        }
    }

    /// R15, F-30.
    #[test]
    fn only_self_contained_fields_are_recovered() {
        for (block, expected) in [
            (
                "name: a\ndescription: b: c\nlicense: MIT",
                "name=a license=MIT",
            ),
            (
                "  name: a\n  description: b: c\n  license: MIT",
                "name=a license=MIT",
            ),
            ("description: \"open\nname: a\nb: \"c\"", "name=a b=c"),
            ("description: [open\nname: a", "name=a"),
            ("name: a\nname: b\nc: d", "c=d"),
            ("name: a\nc: d\nname: [", "c=d"),
            ("a: &x 1\nname: *x\nd: @", "a=1"),
            ("a: 1\n--- \nb: 2", "a=1"),
            ("a: 1\n  b: 2", ""),
            ("{a: 1, b: 2 c: 3}", "a=1"),
            ("{\n  name: a,\n  b: 2 c: 3\n}", "name=a"),
            ("{\n  name: a,\n  @\n}", ""),
            (
                "\"name\": a\nm:\n  x: [y]\n  z: b: c\nd: |\n  one\n  two",
                "name=a d=one\ntwo\n",
            ),
            ("'key", ""),
        ] {
            let fields = recovered(block);
            let shown = fields
                .iter()
                .map(|field| format!("{}={}", field.key, field.value.text().unwrap_or("?")));
            assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{block:?}");
        }
    }

    /// R15.
    #[test]
    fn a_key_is_present_even_if_its_value_is_unreadable() {
        for (block, key, is_there) in [
            ("name: a\ndescription: b: c", "description", true),
            ("description: @\nname:x", "name", true),
            ("'name' : @", "name", true),
            ("{description: a, name: b", "name", true),
            ("description: @\nsurname: x", "name", false),
            ("description: @ name of it", "name", false),
            ("name: a\nname: b", "name", true),
        ] {
            assert_eq!(recovered(block).mentions(key), is_there, "{block:?}");
        }
        let (read, _) = Frontmatter::split("---\nm:\n  name: a\n---\n");
        assert!(!read.fields().unwrap().mentions("name"));
    }
}
