//! YAML files, as opposed to frontmatter.
//!
//! The frontmatter reader parses them, with the same wording for errors. The top-level value may be of any kind. A file
//! must be a single document; a second document is rejected as ambiguous. `<<` is an ordinary key.

use super::Item;
use super::explain::explain;
use super::fields::{Fault, read_value};
use super::recover::on_characters;
use crate::source::lines::Span;

const SECOND: &str = "a second document starts here; only one is allowed";

/// A parsed YAML file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Yaml {
    /// The top-level value; null if there are only comments.
    pub root: Item,
    plain: Vec<usize>,
}

/// Why text was rejected as YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The reason, on one line, without the position: `nested deeper than 128 levels`.
    pub reason: String,
    /// The span of the error, in the whole text.
    pub at: Span,
}

impl Yaml {
    /// Returns whether the scalar at a byte offset has neither quotes nor a tag, so that its text determines its type.
    /// An alias is treated like its anchor.
    pub fn is_plain(&self, start: usize) -> bool {
        self.plain.binary_search(&start).is_ok()
    }
}

/// Parses the whole text of a YAML file; skips a leading byte order mark.
///
/// `most_values`: the maximum number of scalars, lists, maps and keys, with aliases expanded. The nesting depth is
/// limited to 128.
///
/// # Errors
/// A [`Refusal`] for a syntax error, a second document, a duplicate key in a map, an alias inside the value that it
/// refers to, or an exceeded limit.
pub fn read_yaml(text: &str, most_values: usize) -> Result<Yaml, Refusal> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let start = start.min('\u{feff}'.len_utf8());
    let whole = Span::new(start, text.len());
    match read_value(text, whole, most_values) {
        Ok((root, plain)) => Ok(Yaml { root, plain }),
        Err(fault) => Err(refusal(text, whole, &fault, most_values)),
    }
}

fn refusal(text: &str, whole: Span, fault: &Fault, most_values: usize) -> Refusal {
    let (reason, at) = match fault {
        Fault::SecondDocument { at } => (SECOND.to_owned(), *at),
        Fault::TooMany { at } => (format!("has more than {most_values} keys and values"), *at),
        fault => {
            let reason = explain(text, whole, fault);
            (reason.text, reason.at)
        }
    };
    // If the span is extended to the whole last line and that line is unterminated, the span may end past the end of
    // the text.
    let at = on_characters(text, whole, at);
    Refusal {
        reason,
        at: Span::new(at.start, at.end.min(text.len())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::source::frontmatter::Value;

    #[test]
    fn the_top_level_may_be_any_value() {
        let list = read_yaml("\u{feff}# c\n- a\n- 1\n", 9).unwrap();
        assert!(matches!(&list.root.value, Value::List(items) if items.len() == 2));
        let text = read_yaml("--- \"1\"\n...\n", 9).unwrap();
        assert_eq!(text.root.value, Value::Text("1".into()));
        assert!(!text.is_plain(text.root.span.start));
        for empty in ["", "# c\n", "~", "---\n"] {
            let read = read_yaml(empty, 9).unwrap();
            assert_eq!(read.root.value, Value::Null, "{empty:?}");
        }
    }

    #[test]
    fn plain_scalars_are_distinguished_from_quoted_tagged_and_block_ones() {
        let text = "- 1\n- '1'\n- !!str 1\n- |-\n  1\n- &x 1\n- *x\n- &y '1'\n- *y\n";
        let read = read_yaml(text, 20).unwrap();
        let Value::List(items) = &read.root.value else {
            panic!("not a list")
        };
        let found: Vec<_> = items
            .iter()
            .map(|item| read.is_plain(item.span.start))
            .collect();
        let expected = [true, false, false, false, true, true, false, false];
        assert_eq!(found, expected);
    }

    #[test]
    fn excessive_or_ambiguous_input_is_refused_with_its_location() {
        for (text, reason, at) in [
            ("a: 1\n---\nb: 2\n", "a second document", 9),
            ("[1, 2, 3, 4, 5]", "has more than 5 keys and values", 13),
            ("[&a [1], *a]", "has more than 5 keys and values", 9),
            ("a: 1\na: 2\n", "'a' is set twice, first on line 1", 5),
            ("a: *b\n", "'*b' is an alias, but there is no anchor", 3),
        ] {
            let found = read_yaml(text, 5).unwrap_err();
            assert!(found.reason.starts_with(reason), "{found:?}");
            assert_eq!(found.at.start, at, "{found:?}");
        }
        let deep = read_yaml(&"- ".repeat(1000), 5000).unwrap_err();
        assert_eq!(deep.reason, "nested deeper than 128 levels");
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_parsed_or_refused(text in "[\\[\\]{}:,\"'|>@#*&!%?\\\\\t\n \\-ax1é\u{feff}\0]{0,40}") {
            match read_yaml(&text, 64) {
                Ok(read) => {
                    let span = read.root.span;
                    prop_assert!(text.get(span.start..span.end).is_some());
                }
                Err(refusal) => {
                    prop_assert!(text.get(refusal.at.start..refusal.at.end).is_some());
                    prop_assert!(!refusal.reason.contains(['\n', '\r']), "{:?}", refusal.reason);
                }
            }
        }
    }
}
