//! The YAML block at the start of a Markdown file.
//!
//! This is the only module of this crate that parses YAML. It locates the block by its own rule (two lines that are
//! exactly `---`, the first of which is the first line of the file), and parses the fields with their positions. An
//! invalid block still yields the fields that can be parsed on their own, and a reason in the author's terms rather
//! than the parser's.
//!
//! A block is limited to 64 KiB, a nesting depth of 128, and 65,536 values. An alias counts as many values as its
//! anchor, although both share one value in memory. The same reader parses whole YAML files, which have their own
//! limits.
//!
//! Design: C-REGISTRY, R9, R15, R20, D-E011, D-ENCODING.

mod block_lines;
mod brackets;
pub(crate) mod comments;
mod copy;
mod explain;
mod fields;
mod head;
mod json;
mod quotes;
mod recover;
mod scalars;
mod write;
mod yaml_file;

use std::sync::Arc;

use crate::source::lines::Span;

pub use copy::{CopyFault, copy_fields};
pub use head::Head;
pub use json::to_json;
pub(crate) use scalars::{Scalar, ScalarKind, read_scalars};
pub use write::{quoted, scalar};
pub use yaml_file::{Refusal, Yaml, read_yaml};

/// The maximum size of a block that is parsed.
const MAX_BLOCK_BYTES: usize = 64 << 10;

/// The frontmatter of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frontmatter {
    /// The first line is not `---`.
    Absent,
    /// The second `---` line is missing.
    Unclosed,
    /// The block is not a valid YAML map, or exceeds a limit.
    Invalid {
        /// The reason, on one line: `line 3: the value of 'description' contains ': '; put it in quotes`.
        message: String,
        /// The span of the error, in the whole file.
        at: Span,
        /// The fields that could be recovered with certainty.
        fields: Fields,
    },
    /// The fields, in file order.
    Valid(Fields),
}

/// The top-level fields of a block, in file order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields {
    entries: Vec<Field>,
    unread: Unread,
}

/// The part of a block that could not be parsed into fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Unread {
    /// The block was parsed completely.
    #[default]
    Nothing,
    /// The text of the block, part of which could not be parsed.
    Text(String),
    /// The block is too large to examine.
    Everything,
}

/// A `key: value` entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The key's text.
    pub key: String,
    /// The span of the key, in the whole file.
    pub key_span: Span,
    /// The parsed value.
    pub value: Value,
    /// The span of the value, in the whole file; a block scalar begins at its first line of text.
    pub value_span: Span,
}

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The parsed value.
    pub value: Value,
    /// The span of the entry, in the whole file.
    pub span: Span,
}

/// The value of a field.
///
/// An alias shares its anchor's value, so the spans inside a value can precede the key of the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Empty, `~` or `null`.
    Null,
    /// A scalar of any type, as its text.
    Text(Arc<str>),
    /// A sequence.
    List(Arc<[Item]>),
    /// A mapping: its fields in file order, except those whose key is null, a list or a map.
    Map(Arc<[Field]>),
}

impl Frontmatter {
    /// Returns the frontmatter of a file, and the byte offset where the body begins.
    ///
    /// A byte order mark before the first line is skipped. If there is no complete block, the body is the whole file.
    /// However, a malformed block at the start is not part of the body, because the last line of such a block would
    /// turn the fields above it into a heading. The two delimiter lines must end with LF or CRLF: no client reads a
    /// block whose lines end with a lone CR.
    pub fn split(text: &str) -> (Self, usize) {
        let start = if text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        let Some(first) = delimiter_len(&text[start..]) else {
            return (Self::Absent, start + end_of_lookalike(&text[start..]));
        };
        let block_start = start + first;
        let mut at = block_start;
        for line in text[block_start..].split_inclusive('\n') {
            if delimiter_len(line).is_some() {
                return (
                    Self::read(text, Span::new(block_start, at)),
                    at + line.len(),
                );
            }
            at += line.len();
        }
        (Self::Unclosed, start + end_of_lookalike(&text[start..]))
    }

    /// Returns the fields that could be parsed; `None` if there is no complete block.
    pub fn fields(&self) -> Option<&Fields> {
        match self {
            Self::Valid(fields) | Self::Invalid { fields, .. } => Some(fields),
            Self::Absent | Self::Unclosed => None,
        }
    }

    fn read(text: &str, block: Span) -> Self {
        if block.end - block.start > MAX_BLOCK_BYTES {
            let first_line = text[..block.start].trim_end();
            return Self::Invalid {
                message: "larger than 64 KiB".into(),
                at: Span::new(first_line.len().saturating_sub(3), first_line.len()),
                fields: Fields {
                    entries: Vec::new(),
                    unread: Unread::Everything,
                },
            };
        }
        let (entries, fault) = fields::read(text, block, fields::Aliases::Resolved);
        match fault {
            None => Self::Valid(Fields {
                entries,
                unread: Unread::Nothing,
            }),
            Some(fault) => recover::recover(text, block, entries, &fault),
        }
    }
}

impl Fields {
    /// Returns the fields in file order.
    pub fn iter(&self) -> impl Iterator<Item = &Field> {
        self.entries.iter()
    }

    /// Returns a field by its key.
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.entries.iter().find(|field| field.key == key)
    }

    /// Returns a field's text; `None` if the field is absent, null, a list or a map.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.value.text()
    }

    /// Returns whether the key exists, even in a part of the block that cannot be parsed.
    pub fn mentions(&self, key: &str) -> bool {
        self.get(key).is_some()
            || match &self.unread {
                Unread::Nothing => false,
                Unread::Text(block) => recover::has_key(block, key),
                Unread::Everything => true,
            }
    }
}

impl Field {
    /// Returns the span of the field's value, or of its key if the value is empty.
    pub fn place(&self) -> Span {
        if self.value_span.start == self.value_span.end {
            self.key_span
        } else {
            self.value_span
        }
    }
}

impl Value {
    /// Returns `a list` or `a map` for a value of that type; `None` for any other value.
    pub const fn structure(&self) -> Option<&'static str> {
        match self {
            Self::List(_) => Some("a list"),
            Self::Map(_) => Some("a map"),
            _ => None,
        }
    }

    /// Returns the text of a scalar; `None` for null, a list or a map.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Returns the lines between the two delimiters of a complete block.
///
/// `body`: the start of the line after the block.
fn block_of(text: &str, body: usize) -> Option<&str> {
    let block = text.get(..body)?.split_once('\n')?.1;
    let last = block.trim_end_matches(['\r', '\n']).rfind('\n');
    Some(last.map_or("", |end| &block[..=end]))
}

/// Returns the length of a malformed block at the start of a string: lines of fields between two lines similar to
/// `---`, for example with extra white space, other dashes or more dashes. Returns 0 if there is no such block.
fn end_of_lookalike(text: &str) -> usize {
    let head = text.len().min(MAX_BLOCK_BYTES);
    let mut end = 0;
    let mut lines = text.split_inclusive(['\n', '\r']).map(|line| {
        end += line.len();
        (line.trim_matches(is_invisible), end)
    });
    let Some((first, _)) = lines.find(|(line, _)| !line.is_empty()) else {
        return 0;
    };
    let fields = lines
        .next()
        .is_some_and(|(line, _)| line.contains([':', '=']));
    if !is_rule(first) || !fields {
        return 0;
    }
    let close = lines
        .take_while(|(_, end)| *end <= head)
        .find(|(line, _)| is_rule(line));
    close.map_or(0, |(_, end)| end)
}

/// Returns whether a line consists only of three or more dashes of any kind, or of a single em dash.
fn is_rule(line: &str) -> bool {
    let is_dash = |c| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    line == "\u{2014}" || line.chars().count() >= 3 && line.chars().all(is_dash)
}

fn is_invisible(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Returns the length of a `---` line including its line end; `None` if `text` does not begin with such a line.
fn delimiter_len(text: &str) -> Option<usize> {
    let line = text.split_inclusive('\n').next()?;
    (line.trim_end_matches('\n').trim_end_matches('\r') == "---").then_some(line.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fields(text: &str) -> Fields {
        match Frontmatter::split(text) {
            (Frontmatter::Valid(fields), _) => fields,
            (other, _) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_malformed_block_is_not_part_of_the_body() {
        for meant in [
            "----\nname: a\n---\n",
            "\n\u{200b}--- \nname: a\n---\n",
            "---\nname: a\n--- \n",
            "---\rname: a\r---\r",
            "\u{2014}\nname = a\n\u{2014}-\u{2014}\n",
        ] {
            let (_, body) = Frontmatter::split(&format!("{meant}# a\n"));
            assert_eq!(body, meant.len(), "{meant:?}");
        }
        for body in ["***\na: b\n***\n", "----\na: b\n", "----\na\n---\n"] {
            assert_eq!(Frontmatter::split(body).1, 0, "{body:?}");
        }
    }

    /// C-REGISTRY.1, F-29, D-ENCODING.
    #[test]
    fn a_delimiter_is_a_line_of_exactly_three_hyphens() {
        let (found, body) = Frontmatter::split("\u{feff}---\r\nname: a\r\n---\r\nbody");
        assert_eq!(found.fields().unwrap().text("name"), Some("a"));
        assert_eq!(&"\u{feff}---\r\nname: a\r\n---\r\nbody"[body..], "body");
        for absent in [
            "----\nname: a\n---\n",
            "--- x\n---\n",
            "\n---\n---\n",
            "",
            "--",
        ] {
            let (read, _) = Frontmatter::split(absent);
            assert_eq!(read, Frontmatter::Absent, "{absent:?}");
        }
        for unclosed in [
            "---\nname: a\n",
            "---\nname: a\n----\n",
            "---\nname: a\n--- x\n",
            "---",
        ] {
            let (read, _) = Frontmatter::split(unclosed);
            assert_eq!(read, Frontmatter::Unclosed, "{unclosed:?}");
        }
        assert_eq!(fields("---\n---").iter().count(), 0);
        assert_eq!(fields("---\n# nothing\n---\n").iter().count(), 0);
    }

    /// F-31.
    #[test]
    fn block_scalars_quotes_escapes_and_comments_follow_yaml() {
        let read = fields(
            "---\na: >-\n  one\n  two\nb: \"q\\u00e9\\n\" # c\nc: 'it''s'\nd: 12.50\ne: ~\nf: one\n two\n---\n",
        );
        assert_eq!(read.text("a"), Some("one two"));
        assert_eq!(read.text("b"), Some("qé\n"));
        assert_eq!(read.text("c"), Some("it's"));
        assert_eq!(read.text("d"), Some("12.50"));
        assert_eq!(read.get("e").unwrap().value, Value::Null);
        assert_eq!(read.text("f"), Some("one two"));
    }

    #[test]
    fn a_block_may_have_any_number_of_comments() {
        let read = fields(&format!("---\n{}name: a\n---\n", "# c\n".repeat(500)));
        assert_eq!(read.text("name"), Some("a"));
    }

    /// R15, R20.
    #[test]
    fn a_block_that_is_too_large_to_parse_may_have_any_key() {
        let text = format!("\u{feff}---\r\nd: {}\n---\n", "x".repeat(MAX_BLOCK_BYTES));
        let (read, body) = Frontmatter::split(&text);
        let Frontmatter::Invalid { at, fields, .. } = read else {
            panic!("{read:?}")
        };
        assert_eq!(&text[at.start..at.end], "---");
        assert!(fields.mentions("name") && fields.iter().next().is_none());
        assert_eq!(body, text.len());
    }

    #[test]
    fn spans_are_file_offsets_and_exclude_newlines() {
        let text = "\u{feff}---\r\nname: \"é\"\r\nd: |\r\n  one\r\n  two\r\n\r\n---\r\n";
        let read = fields(text);
        let field = read.get("name").unwrap();
        assert_eq!(&text[field.key_span.start..field.key_span.end], "name");
        assert_eq!(&text[field.value_span.start..field.value_span.end], "\"é\"");
        let span = read.get("d").unwrap().value_span;
        assert_eq!(&text[span.start..span.end], "one\r\n  two");
    }

    #[test]
    fn lines_are_counted_as_editors_do() {
        let text = "\u{feff}---\r\nname: a\r\n\r\ndescription: b: c\r\n---\r\n";
        let (read, _) = Frontmatter::split(text);
        let Frontmatter::Invalid { message, .. } = read else {
            panic!("{read:?}")
        };
        assert!(message.starts_with("line 4: "), "{message}");
    }

    /// Calls `check` with each span in a list of fields.
    fn visit(fields: &[Field], check: &mut impl FnMut(Span)) {
        for field in fields {
            check(field.key_span);
            check(field.value_span);
            visit_value(&field.value, check);
        }
    }

    fn visit_value(value: &Value, check: &mut impl FnMut(Span)) {
        match value {
            Value::Null | Value::Text(_) => {}
            Value::List(items) => {
                for item in items.iter() {
                    check(item.span);
                    visit_value(&item.value, check);
                }
            }
            Value::Map(fields) => visit(fields, check),
        }
    }

    /// Generates fragments of YAML in well-formed and malformed combinations.
    fn blocks() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("name: a\n".to_owned()),
            Just("d: ".to_owned()),
            Just("\n  ".to_owned()),
            Just("\r\n".to_owned()),
            Just("- ".to_owned()),
            Just("&x ".to_owned()),
            Just("*x ".to_owned()),
            Just("--- ".to_owned()),
            "[\\[\\]{}:,\"'|>@#*&!%?\\\\\t\n ux-]",
            "[aé日😀\u{85}\u{2028}\u{feff}\r\0]",
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_block_is_parsed_with_spans_on_character_boundaries(block in blocks()) {
            let text = format!("---\n{block}\n---\n");
            let (read, body) = Frontmatter::split(&text);
            let mut places = vec![Span::new(0, body)];
            if let Frontmatter::Invalid { message, at, .. } = &read {
                prop_assert!(!message.contains(['\n', '\r']), "{message:?}");
                prop_assert!(at.start < at.end, "{message:?}");
                places.push(*at);
            }
            if let Some(fields) = read.fields() {
                visit(&fields.entries, &mut |span| places.push(span));
                for field in fields.iter() {
                    prop_assert!(fields.mentions(&field.key));
                }
            }
            for span in places {
                prop_assert!(text.get(span.start..span.end).is_some(), "{span:?}");
            }
        }

        #[test]
        fn arbitrary_text_splits(text in "(---\n)?.{0,40}(\n---\n)?.{0,9}") {
            let (_, body) = Frontmatter::split(&text);
            prop_assert!(text.get(body..).is_some());
        }
    }
}
