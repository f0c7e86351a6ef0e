//! Reads the scalars of text that is or may be YAML, for the security scan.
//!
//! YAML loaders accept more than the field reader of this crate does, so this reader accepts several documents,
//! duplicate keys, keys of any kind, and aliases without an anchor. It does not expand aliases: each scalar is read
//! once, where it is written. After a syntax error, each remaining part that begins with a key at the left edge is read
//! on its own, and any part that still cannot be parsed is returned as text. Every byte is parsed at most twice.

use std::borrow::Cow;

use granit_parser::{ErrorKind, Event, Parser, options};

use crate::source::lines::{Span, char_floor};

/// The maximum nesting depth of lists and maps in text that may be YAML.
const MAX_NESTED: usize = 1000;

/// The maximum number of parts that are read on their own after a syntax error.
const MAX_PARTS: usize = 10_000;

/// A scalar, or text that cannot be parsed.
pub(crate) struct Scalar<'a> {
    /// The value of the scalar, or the unparsed text as written.
    pub(crate) text: Cow<'a, str>,
    /// The position in the whole file.
    pub(crate) span: Span,
    pub(crate) kind: ScalarKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScalarKind {
    Text,
    /// A scalar with the tag `!!binary`: base64 with any white space.
    Binary,
    /// Text that cannot be parsed.
    Unread,
}

/// Calls `take` for each scalar in a part of a file, including keys. Skips the values of the keys in `skip`, except
/// values with an anchor, because an alias may use such a value elsewhere.
///
/// Returns `false` if some scalars may not have been read because of a limit.
pub(crate) fn read_scalars<'a>(
    text: &'a str,
    part: Span,
    skip: &[&str],
    take: &mut impl FnMut(Scalar<'a>),
) -> bool {
    let Some(stop) = pass(text, part, skip, take) else {
        return true;
    };
    let mut is_whole = !stop.is_too_deep;
    let mut start = next_edge(text, stop.last, part.end);
    unread(text, Span::new(stop.last, start), &stop, take);
    for _ in 0..MAX_PARTS {
        if start == part.end {
            return is_whole;
        }
        let end = next_edge(text, start, part.end);
        if let Some(stop) = pass(text, Span::new(start, end), skip, take) {
            is_whole &= !stop.is_too_deep;
            unread(text, Span::new(stop.last, end), &stop, take);
        }
        start = end;
    }
    is_whole && start == part.end
}

/// Where and why the parser stopped.
struct Stop {
    /// The end of the last scalar.
    last: usize,
    /// Whether the text after the last scalar is the value of a skipped key.
    is_skipped: bool,
    is_too_deep: bool,
}

/// The role of the next node in a list or a map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Item,
    Key,
    Value,
}

/// A list or a map that is being read.
struct Open {
    next: Next,
    /// Whether the whole list or map is skipped.
    is_skipped: bool,
    /// Whether the value of the current key is skipped.
    is_value_skipped: bool,
}

impl Open {
    fn skips_next(&self) -> bool {
        self.is_skipped || self.next == Next::Value && self.is_value_skipped
    }
}

/// Reads a part up to the first syntax error; `None` if there is no error.
fn pass<'a>(
    text: &'a str,
    part: Span,
    skip: &[&str],
    take: &mut impl FnMut(Scalar<'a>),
) -> Option<Stop> {
    let options = options! {
        emit_comments: false,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_NESTED,
        block_nesting_limit: MAX_NESTED,
    };
    let source = text.get(part.start..part.end)?;
    let mut parser = Parser::new_from_str_with_options(source, options);
    let mut open: Vec<Open> = Vec::new();
    let mut last = part.start;
    while let Some(event) = parser.next_event() {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                return Some(Stop {
                    last,
                    is_skipped: open.last().is_some_and(Open::skips_next),
                    is_too_deep: matches!(error.kind(), ErrorKind::RecursionLimitExceeded),
                });
            }
        };
        match event {
            Event::Scalar(value, _, anchor, tag) => {
                let is_skipped = node(&mut open, Some(&*value), skip) && anchor == 0;
                let range = span.byte_range().unwrap_or_default();
                let start = char_floor(text, (part.start + range.start).min(part.end));
                let end = char_floor(text, (part.start + range.end).min(part.end)).max(start);
                last = last.max(end);
                let is_binary = tag.is_some_and(|tag| tag.suffix().ends_with("binary"));
                if !is_skipped {
                    take(Scalar {
                        text: value,
                        span: Span::new(start, end),
                        kind: if is_binary {
                            ScalarKind::Binary
                        } else {
                            ScalarKind::Text
                        },
                    });
                }
            }
            Event::SequenceStart(_, anchor, _) => {
                let is_skipped = node(&mut open, None, skip) && anchor == 0;
                open.push(opened(Next::Item, is_skipped));
            }
            Event::MappingStart(_, anchor, _) => {
                let is_skipped = node(&mut open, None, skip) && anchor == 0;
                open.push(opened(Next::Key, is_skipped));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                open.pop();
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                node(&mut open, None, skip);
            }
            _ => {}
        }
    }
    None
}

const fn opened(next: Next, is_skipped: bool) -> Open {
    Open {
        next,
        is_skipped,
        is_value_skipped: false,
    }
}

/// Records a node in the list or map that contains it, and returns whether the node is skipped. `text`: the text of a
/// scalar.
fn node(open: &mut [Open], text: Option<&str>, skip: &[&str]) -> bool {
    let Some(inner) = open.last_mut() else {
        return false;
    };
    let is_skipped = inner.skips_next();
    inner.next = match inner.next {
        Next::Item => Next::Item,
        Next::Key => {
            inner.is_value_skipped = text.is_some_and(|text| skip.contains(&text));
            Next::Value
        }
        Next::Value => Next::Key,
    };
    is_skipped
}

/// Passes the text that was not parsed because of an error to `take`.
fn unread<'a>(text: &'a str, span: Span, stop: &Stop, take: &mut impl FnMut(Scalar<'a>)) {
    let rest = text.get(span.start..span.end).unwrap_or_default();
    if !stop.is_skipped && !rest.trim().is_empty() {
        take(Scalar {
            text: Cow::Borrowed(rest),
            span,
            kind: ScalarKind::Unread,
        });
    }
}

/// Returns the start of the next line with a key, or an entry of a list, at the left edge; `end` if there is no such
/// line. The result is after `from`, unless `from` is the end.
fn next_edge(text: &str, from: usize, end: usize) -> usize {
    let mut at = from;
    for line in text[from..end].split_inclusive(['\n', '\r']) {
        let is_edge = at > from && {
            let line = line.trim_end();
            !line.starts_with([' ', '\t', '#'])
                && (line.starts_with("- ") || line.ends_with(':') || line.contains(": "))
        };
        let is_at_start = text[..at].ends_with(['\n', '\r']);
        if is_edge && is_at_start {
            return at;
        }
        at += line.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let whole = Span::new(0, text.len());
        read_scalars(text, whole, &["description"], &mut |scalar| {
            let sign = match scalar.kind {
                ScalarKind::Text => "",
                ScalarKind::Binary => "b:",
                ScalarKind::Unread => "?:",
            };
            found.push(format!("{sign}{}", scalar.text.trim()));
        });
        found
    }

    #[test]
    fn every_scalar_that_a_loader_may_read_is_read() {
        for (text, expected) in [
            ("a: >-\n  b\n  c\n", "a|b c"),
            ("a: b\na: c\n", "a|b|a|c"),
            ("a: 1\n---\nb: 2\n...\n---\n- 3\n", "a|1|b|2|3"),
            ("a: &x b\nc: *x\nd: *y\n", "a|b|c|d"),
            ("? [a, b]\n: c\n", "a|b|c"),
            ("a: !!binary \"YW\n  Jj\"\n", "a|b:YW Jj"),
            ("description: a b\nc: d\n", "description|c|d"),
            ("description: [a, {b: c}]\nd: e\n", "description|d|e"),
            ("description: &x a\nc: *x\n", "description|a|c"),
        ] {
            assert_eq!(read(text).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn scalars_after_a_syntax_error_are_read() {
        for text in [
            "description: a: b\nc: >-\n  d\n  e\n",
            "a: @\nc: \"d\n  e\"\n",
            "a: [b\nc: d\n  e\n",
            "a: b\n\tc: d\nf:\n  - >-\n    d\n    e\n",
        ] {
            let found = read(text);
            let has = |part: &str| found.iter().any(|text| text.ends_with(part));
            assert!(has("d e") || has("d\n  e"), "{text}: {found:?}");
            assert!(!has("a: b"), "{text}: {found:?}");
        }
    }

    #[test]
    fn text_after_a_syntax_error_is_returned() {
        let found = read("a: \"b\n  c\n");
        assert!(found.iter().any(|text| text.starts_with("?:")), "{found:?}");
        let deep = format!("a: {}\n", "[".repeat(MAX_NESTED + 10));
        let whole = Span::new(0, deep.len());
        assert!(!read_scalars(&deep, whole, &[], &mut |_| {}));
        let many = "a: @\n".repeat(MAX_PARTS + 10);
        let whole = Span::new(0, many.len());
        assert!(!read_scalars(&many, whole, &[], &mut |_| {}));
    }

    proptest! {
        #[test]
        fn spans_are_on_characters(text in "[\\[\\]{}:,\"'|>@#*&!%?\\\\\t\r\n \\-ax1é\u{feff}]{0,60}") {
            let whole = Span::new(0, text.len());
            let mut are_good = true;
            read_scalars(&text, whole, &["a"], &mut |scalar| {
                are_good &= text.get(scalar.span.start..scalar.span.end).is_some();
            });
            prop_assert!(are_good);
        }
    }
}
