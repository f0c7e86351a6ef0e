//! The YAML block at the head of a Markdown file.
//!
//! The only module that knows YAML. The block is split off by our own rule (it stands between two lines of just `---`, of
//! which one is the first of the file) and its fields are read with their places. Bounded: 64 KiB, and the parser's own
//! limit on nesting; aliases share their text, so an alias bomb costs nothing.
//!
//! Source: RFC-0008 C-REGISTRY, RULINGS R9, R15, R20, LEDGER D-E011, D-ENCODING.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span as YamlSpan, StrInput};

use crate::source::lines::Span;

/// The largest block that is read.
const MAX_BLOCK_BYTES: usize = 64 << 10;

/// The frontmatter of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frontmatter {
    /// The first line is not `---`.
    Absent,
    /// No second `---` line.
    Unclosed,
    /// The block is not a YAML map.
    Invalid {
        /// The reason, in one line.
        message: String,
        /// Where, in the whole file.
        at: Span,
        /// The fields before the fault.
        fields: Fields,
    },
    /// The fields, in file order.
    Valid(Fields),
}

/// The top-level fields of a block, in file order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields {
    entries: Vec<Field>,
    block: String,
}

/// One `key: value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The key's text.
    pub key: String,
    /// Where the key is, in the whole file.
    pub key_span: Span,
    /// What it is set to.
    pub value: Value,
    /// Where the value is, in the whole file.
    pub value_span: Span,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// A scalar of any type, as its text.
    Text(Arc<str>),
    /// A sequence.
    List,
    /// A mapping.
    Map,
}

impl Frontmatter {
    /// Splits a file: its frontmatter, and the byte offset at which the body begins.
    ///
    /// A byte order mark before the first line is passed over. Without a complete block the body is the whole file.
    pub fn split(text: &str) -> (Self, usize) {
        let start = if text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        let Some(first) = delimiter_len(&text[start..]) else {
            return (Self::Absent, start);
        };
        let block_start = start + first;
        let mut at = block_start;
        for line in text[block_start..].split_inclusive('\n') {
            if delimiter_len(line).is_some() {
                return (
                    read_block(&text[block_start..at], block_start),
                    at + line.len(),
                );
            }
            at += line.len();
        }
        (Self::Unclosed, start)
    }

    /// Returns the fields that were read; none if there is no block.
    pub fn fields(&self) -> Option<&Fields> {
        match self {
            Self::Valid(fields) | Self::Invalid { fields, .. } => Some(fields),
            Self::Absent | Self::Unclosed => None,
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

    /// Returns a field's text; `None` if it is absent, null, a list or a map.
    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Says whether the key begins a line of the block, which also a faulty block can tell.
    pub fn mentions(&self, key: &str) -> bool {
        self.block.lines().any(|line| {
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    }
}

/// Writes a text as a YAML scalar on one line that every reader takes for the same text.
///
/// Letters of any script, digits, `-`, `_` and `.` stay as they are where no reader can take them for another type;
/// everything else is put in double quotes with what is not printable escaped.
pub fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// Writes a text as a YAML scalar in double quotes, on one line.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unprintable(c) => out.push_str(&escaped(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Says whether a text needs no quotes: it begins with a letter and is no word that YAML 1.1 or 1.2 gives a meaning.
fn is_plain(text: &str) -> bool {
    let words = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(char::is_alphabetic)
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !words.contains(&text.to_ascii_lowercase().as_str())
}

/// Characters that YAML readers refuse, fold or take for line ends.
const fn is_unprintable(c: char) -> bool {
    matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escaped(c: char) -> String {
    let code = u32::from(c);
    if code <= 0xff {
        format!("\\x{code:02x}")
    } else {
        format!("\\u{code:04x}")
    }
}

/// Returns the length of a `---` line with its line end; `None` if `text` does not begin with one.
fn delimiter_len(text: &str) -> Option<usize> {
    let line = text.split_inclusive('\n').next()?;
    (line.trim_end_matches('\n').trim_end_matches('\r') == "---").then_some(line.len())
}

fn read_block(block: &str, offset: usize) -> Frontmatter {
    let whole = Span::new(offset, offset + block.len());
    if block.len() > MAX_BLOCK_BYTES {
        return Frontmatter::Invalid {
            message: "larger than 64 KiB".into(),
            at: whole,
            fields: Fields::default(),
        };
    }
    let mut reader = Reader {
        parser: Parser::new_from_str(block),
        offset,
        whole,
        texts: HashMap::new(),
    };
    let mut entries = Vec::new();
    let result = reader.read(&mut entries);
    let fields = Fields {
        entries,
        block: block.to_owned(),
    };
    match result {
        Ok(()) => Frontmatter::Valid(fields),
        Err(Fault { message, at }) => Frontmatter::Invalid {
            message,
            at,
            fields,
        },
    }
}

/// Why a block cannot be read.
struct Fault {
    message: String,
    at: Span,
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    offset: usize,
    whole: Span,
    texts: HashMap<usize, Arc<str>>,
}

impl Reader<'_> {
    fn read(&mut self, entries: &mut Vec<Field>) -> Result<(), Fault> {
        let mut keys = HashSet::new();
        match self.next()? {
            None => return Ok(()),
            Some((Event::MappingStart(..), _)) => {}
            Some((Event::Scalar(text, ScalarStyle::Plain, ..), _)) if is_null(&text) => {
                return self.end();
            }
            Some((_, at)) => {
                return Err(Fault {
                    message: "not a map of fields".into(),
                    at,
                });
            }
        }
        while let Some((event, key_span)) = self.next()? {
            if matches!(event, Event::MappingEnd) {
                return self.end();
            }
            let Value::Text(key) = self.value(event)? else {
                self.value_of_next()?;
                continue;
            };
            let (value, value_span) = self.value_of_next()?;
            if !keys.insert(key.clone()) {
                return Err(Fault {
                    message: format!("duplicate key '{key}'"),
                    at: key_span,
                });
            }
            entries.push(Field {
                key: key.to_string(),
                key_span,
                value,
                value_span,
            });
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        match self.next()? {
            None => Ok(()),
            Some((_, at)) => Err(Fault {
                message: "more than one YAML document".into(),
                at,
            }),
        }
    }

    fn value_of_next(&mut self) -> Result<(Value, Span), Fault> {
        match self.next()? {
            Some((event, at)) => Ok((self.value(event)?, at)),
            None => Ok((Value::Null, self.whole)),
        }
    }

    /// Turns an event into a value, passing over what is inside a list or a map.
    fn value(&mut self, event: Event<'_>) -> Result<Value, Fault> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let text: Arc<str> = text.into();
                if anchor != 0 {
                    self.texts.insert(anchor, text.clone());
                }
                Ok(if style == ScalarStyle::Plain && is_null(&text) {
                    Value::Null
                } else {
                    Value::Text(text)
                })
            }
            Event::Alias(anchor) => Ok(self
                .texts
                .get(&anchor)
                .map_or(Value::Map, |text| Value::Text(text.clone()))),
            Event::SequenceStart(..) => self.skip_inside().map(|()| Value::List),
            _ => self.skip_inside().map(|()| Value::Map),
        }
    }

    fn skip_inside(&mut self) -> Result<(), Fault> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Some((Event::SequenceStart(..) | Event::MappingStart(..), _)) => depth += 1,
                Some((Event::SequenceEnd | Event::MappingEnd, _)) => depth -= 1,
                Some((Event::Scalar(text, _, anchor, _), _)) if anchor != 0 => {
                    drop(self.texts.insert(anchor, text.into()));
                }
                Some(_) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Returns the next event that stands for content, with its place in the whole file.
    fn next(&mut self) -> Result<Option<(Event<'static>, Span)>, Fault> {
        while let Some(event) = self.parser.next_event() {
            let (event, span) = event.map_err(|error| self.fault(&error))?;
            match event {
                Event::StreamStart
                | Event::StreamEnd
                | Event::DocumentStart(..)
                | Event::DocumentEnd
                | Event::Comment(..) => {}
                event => return Ok(Some((owned(event), self.place(&span)))),
            }
        }
        Ok(None)
    }

    fn place(&self, span: &YamlSpan) -> Span {
        span.byte_range().map_or(self.whole, |range| {
            Span::new(self.offset + range.start, self.offset + range.end)
        })
    }

    fn fault(&self, error: &ScanError) -> Fault {
        let at = error.marker().byte_offset().map_or(self.whole.start, |at| {
            (self.offset + at).min(self.whole.end)
        });
        // The block begins on the file's second line.
        let place = format!(
            "at line {} column {}",
            error.marker().line() + 1,
            error.marker().col() + 1
        );
        Fault {
            message: format!("{} {place}", error.kind()),
            at: Span::new(at, at),
        }
    }
}

fn owned(event: Event<'_>) -> Event<'static> {
    match event {
        Event::Scalar(text, style, anchor, _) => {
            Event::Scalar(text.into_owned().into(), style, anchor, None)
        }
        Event::SequenceStart(style, anchor, _) => Event::SequenceStart(style, anchor, None),
        Event::MappingStart(style, anchor, _) => Event::MappingStart(style, anchor, None),
        Event::Alias(anchor) => Event::Alias(anchor),
        Event::SequenceEnd => Event::SequenceEnd,
        _ => Event::MappingEnd,
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Fields {
        match Frontmatter::split(text) {
            (Frontmatter::Valid(fields), _) => fields,
            (other, _) => panic!("{other:?}"),
        }
    }

    /// F-29, D-ENCODING.
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
            assert_eq!(
                Frontmatter::split(absent).0,
                Frontmatter::Absent,
                "{absent:?}"
            );
        }
        for unclosed in [
            "---\nname: a\n",
            "---\nname: a\n----\n",
            "---\nname: a\n--- x\n",
            "---",
        ] {
            assert_eq!(
                Frontmatter::split(unclosed).0,
                Frontmatter::Unclosed,
                "{unclosed:?}"
            );
        }
        assert_eq!(fields("---\n---").iter().count(), 0);
        assert_eq!(fields("---\n# nothing\n---\n").iter().count(), 0);
    }

    /// F-31.
    #[test]
    fn block_scalars_quotes_escapes_and_comments_are_yaml() {
        let read = fields(
            "---\na: >-\n  one\n  two\nb: \"q\\u00e9\\n\" # c\nc: 'it''s'\nd: 12.50\ne: *x\n---\n"
                .replace("*x", "~")
                .as_str(),
        );
        assert_eq!(read.text("a"), Some("one two"));
        assert_eq!(read.text("b"), Some("qé\n"));
        assert_eq!(read.text("c"), Some("it's"));
        assert_eq!(read.text("d"), Some("12.50"));
        assert_eq!(read.get("e").unwrap().value, Value::Null);
    }

    /// F-30.
    #[test]
    fn lists_and_maps_are_values_like_any_other() {
        let read =
            fields("---\nallowed-tools: [Read, {a: b}]\nmetadata:\n  a: &x deep\nname: *x\n---\n");
        assert_eq!(read.get("allowed-tools").unwrap().value, Value::List);
        assert_eq!(read.get("metadata").unwrap().value, Value::Map);
        assert_eq!(read.text("name"), Some("deep"));
    }

    #[test]
    fn spans_index_the_whole_file() {
        let text = "---\nname: \"a\"\n---\n";
        let field = fields(text).get("name").unwrap().clone();
        assert_eq!(&text[field.key_span.start..field.key_span.end], "name");
        assert_eq!(&text[field.value_span.start..field.value_span.end], "\"a\"");
    }

    #[test]
    fn a_fault_has_a_place_and_keeps_what_was_read_before_it() {
        let text = "---\nname: a\ndescription: b: c\n---\n";
        let (
            Frontmatter::Invalid {
                message,
                at,
                fields,
            },
            _,
        ) = Frontmatter::split(text)
        else {
            panic!("not invalid")
        };
        assert!(message.contains("line 3"), "{message}");
        assert!(at.start >= 4 && at.end <= text.len());
        assert_eq!(fields.text("name"), Some("a"));
        assert!(fields.mentions("description") && !fields.mentions("license"));
        let (Frontmatter::Invalid { message, .. }, _) =
            Frontmatter::split("---\na: 1\na: 2\n---\n")
        else {
            panic!("valid")
        };
        assert_eq!(message, "duplicate key 'a'");
        assert!(matches!(
            Frontmatter::split("---\n- a\n---\n").0,
            Frontmatter::Invalid { .. }
        ));
    }

    #[test]
    fn written_scalars_read_back() {
        for text in [
            "my-skill",
            "null",
            "3d",
            "a: b",
            "#x",
            "q\"\\ \n\t\u{1b}\u{2028}\u{feff}é😀 ",
            "",
            " x",
            "-",
            "yes",
        ] {
            assert_eq!(
                fields(&format!("---\na: {}\n---\n", scalar(text))).text("a"),
                Some(text),
                "{text:?}"
            );
        }
        assert_eq!(scalar("my-skill.v2_x"), "my-skill.v2_x");
    }

    #[test]
    fn bombs_are_refused_or_cost_nothing() {
        let deep = format!("---\na: {}\n---\n", "[".repeat(20_000));
        assert!(matches!(
            Frontmatter::split(&deep).0,
            Frontmatter::Invalid { .. }
        ));
        let large = format!("---\na: {}\n---\n", "x".repeat(MAX_BLOCK_BYTES));
        assert!(matches!(
            Frontmatter::split(&large).0,
            Frontmatter::Invalid { .. }
        ));
        let mut bomb = "---\na: &a [x]\n".to_owned();
        for (from, to) in ('a'..'y').zip('b'..'z') {
            bomb += &format!("{to}: &{to} [*{from}, *{from}, *{from}]\n");
        }
        assert_eq!(
            fields(&(bomb + "---\n")).get("y").unwrap().value,
            Value::List
        );
    }
}
