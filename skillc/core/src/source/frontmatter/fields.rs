//! Builds fields from the events of the YAML parser.
//!
//! The span of each value is given in byte offsets from the start of the file. An alias shares its anchor's value, but
//! the value is counted again against the limits, so a caller that walks the values never encounters more values or
//! deeper nesting than the limits allow.

use std::collections::HashMap;
use std::sync::Arc;

use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, ScanError, Span as YamlSpan, StrInput, StructureStyle,
    options,
};

use super::{Field, Item, Value};
use crate::source::lines::Span;

/// The maximum nesting depth of lists and maps, with aliases expanded.
pub(super) const MAX_DEPTH: usize = 128;

/// The maximum number of values in a block, with aliases expanded. A block without aliases is too small to contain that
/// many values.
const MAX_VALUES: usize = 1 << 16;

/// Whether every alias must have an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aliases {
    /// Every alias must have an anchor, because the text is a whole block.
    Resolved,
    /// An alias need not have an anchor, because the anchor may be in another part of the block.
    Open,
}

/// Why a block, or a part of it, cannot be parsed. Positions refer to the whole file.
#[derive(Debug)]
pub(super) enum Fault {
    /// The parser rejects the text.
    Syntax { kind: ErrorKind, at: usize },
    /// An alias refers to an anchor outside the part.
    Unresolved,
    /// A map has a duplicate key.
    Duplicate { key: String, first: Span, at: Span },
    /// The block is a scalar or a list.
    NotAMap { at: Span },
    /// A second YAML document begins.
    SecondDocument { at: Span },
    /// An alias refers to a value that contains the alias.
    OwnAlias { at: Span },
    /// Values are nested deeper than [`MAX_DEPTH`].
    TooDeep { at: Span },
    /// There are more values than the limit allows.
    TooMany { at: Span },
}

impl Fault {
    /// Returns where the error begins; `None` if the part itself has no error.
    pub(super) const fn start(&self) -> Option<usize> {
        match self {
            Self::Syntax { at, .. } => Some(*at),
            Self::Unresolved => None,
            Self::Duplicate { at, .. }
            | Self::NotAMap { at }
            | Self::SecondDocument { at }
            | Self::OwnAlias { at }
            | Self::TooDeep { at }
            | Self::TooMany { at } => Some(at.start),
        }
    }
}

type Result<T> = std::result::Result<T, Fault>;

/// Parses a part of a file as a YAML map. Returns the fields before the first error, and the error itself. The last of
/// these fields may be truncated. A part that contains only comments is an empty map.
pub(super) fn read(text: &str, part: Span, aliases: Aliases) -> (Vec<Field>, Option<Fault>) {
    let mut reader = FieldReader::new(text, part, aliases, MAX_VALUES);
    let mut fields = Vec::new();
    let fault = reader.top(&mut fields).err();
    (fields, fault)
}

/// Parses a part of a file as a single YAML value of any kind, with at most `most` values. A part that contains only
/// comments is null.
///
/// Returns the value, and the offsets of its plain scalars and of aliases of plain scalars, in ascending order.
pub(super) fn read_value(text: &str, part: Span, most: usize) -> Result<(Item, Vec<usize>)> {
    let mut reader = FieldReader::new(text, part, Aliases::Resolved, most);
    let root = match reader.next()? {
        None => Item {
            value: Value::Null,
            span: Span::new(part.end, part.end),
        },
        Some((event, at)) => {
            let node = reader.node(event, at, 0)?;
            Item {
                value: node.value,
                span: node.span,
            }
        }
    };
    match reader.next()? {
        None => Ok((root, reader.plain)),
        Some((_, at)) => Err(Fault::SecondDocument { at }),
    }
}

struct FieldReader<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    part: Span,
    anchors: HashMap<usize, Node>,
    /// The number of values so far, with aliases expanded.
    values: usize,
    most: usize,
    /// The offsets of plain scalars (without quotes and tags), and of aliases of plain scalars.
    plain: Vec<usize>,
}

/// A value with the counts that are checked against the limits.
#[derive(Clone)]
struct Node {
    value: Value,
    span: Span,
    /// The nesting depth of lists and maps, including this value.
    depth: usize,
    /// The number of values in this value, including itself.
    values: usize,
    /// Whether the value is a scalar without quotes and without a tag.
    is_plain: bool,
}

/// The result of reading the contents of a list or a map.
struct Inside {
    /// The end of the last value.
    last: usize,
    /// The span of the closing bracket; without brackets, the span of the next event.
    closing: Span,
    /// The nesting depth of the values.
    depth: usize,
}

impl<'a> FieldReader<'a> {
    fn new(text: &'a str, part: Span, aliases: Aliases, most: usize) -> Self {
        let options = options! {
            emit_comments: false,
            emit_unresolved_aliases: aliases == Aliases::Open,
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
        };
        Self {
            text,
            parser: Parser::new_from_str_with_options(&text[part.start..part.end], options),
            part,
            anchors: HashMap::new(),
            values: 0,
            most,
            plain: Vec::new(),
        }
    }

    fn top(&mut self, fields: &mut Vec<Field>) -> Result<()> {
        match self.next()? {
            None => return Ok(()),
            Some((Event::MappingStart(..), at)) => {
                self.fields(at, 1, fields)?;
            }
            Some((Event::Scalar(text, style, ..), _)) if is_null(&text, style) => {}
            Some((_, at)) => return Err(Fault::NotAMap { at }),
        }
        match self.next()? {
            None => Ok(()),
            Some((_, at)) => Err(Fault::SecondDocument { at }),
        }
    }

    /// Builds a value from an event, and reads the contents of a list or a map.
    fn node(&mut self, event: Event<'a>, at: Span, level: usize) -> Result<Node> {
        let before = self.values;
        self.values += 1;
        let (anchor, mut node) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let mut leaf = self.leaf(&text, style, at);
                leaf.is_plain = style == ScalarStyle::Plain && tag.is_none();
                (anchor, leaf)
            }
            Event::SequenceStart(style, anchor, _) => (anchor, self.list(style, at, level + 1)?),
            Event::MappingStart(style, anchor, _) => (anchor, self.map(style, at, level + 1)?),
            Event::Alias(anchor) => (0, self.alias(anchor, at, level)?),
            _ => return Err(Fault::Unresolved),
        };
        if self.values > self.most {
            return Err(Fault::TooMany { at });
        }
        if node.is_plain {
            self.plain.push(at.start);
        }
        node.values = self.values - before;
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn leaf(&self, text: &str, style: ScalarStyle, at: Span) -> Node {
        let value = if is_null(text, style) {
            Value::Null
        } else {
            Value::Text(text.into())
        };
        // The parser's span of a block scalar includes trailing line ends.
        let len = self.text[at.start..at.end].trim_end().len();
        Node {
            value,
            span: Span::new(at.start, at.start + len),
            depth: 0,
            values: 0,
            is_plain: false,
        }
    }

    fn alias(&mut self, anchor: usize, at: Span, level: usize) -> Result<Node> {
        let node = self.anchors.get(&anchor).ok_or(Fault::OwnAlias { at })?;
        if level + node.depth > MAX_DEPTH {
            return Err(Fault::TooDeep { at });
        }
        self.values += node.values;
        Ok(Node {
            span: at,
            ..node.clone()
        })
    }

    fn list(&mut self, style: StructureStyle, at: Span, level: usize) -> Result<Node> {
        let mut items = Vec::new();
        let inside = self.items(at, level, &mut items)?;
        Ok(inside.node(Value::List(items.into()), style, at))
    }

    fn map(&mut self, style: StructureStyle, at: Span, level: usize) -> Result<Node> {
        let mut fields = Vec::new();
        let inside = self.fields(at, level, &mut fields)?;
        Ok(inside.node(Value::Map(fields.into()), style, at))
    }

    fn items(&mut self, at: Span, level: usize, items: &mut Vec<Item>) -> Result<Inside> {
        check_depth(level, at)?;
        let mut inside = Inside::new(at);
        while let Some((event, at)) = self.next()? {
            if matches!(event, Event::SequenceEnd) {
                inside.closing = at;
                break;
            }
            let node = self.node(event, at, level)?;
            inside.add(&node);
            items.push(Item {
                value: node.value,
                span: node.span,
            });
        }
        Ok(inside)
    }

    fn fields(&mut self, at: Span, level: usize, fields: &mut Vec<Field>) -> Result<Inside> {
        check_depth(level, at)?;
        let mut inside = Inside::new(at);
        let mut places: HashMap<Arc<str>, Span> = HashMap::new();
        while let Some((event, at)) = self.next()? {
            if matches!(event, Event::MappingEnd) {
                inside.closing = at;
                break;
            }
            let key = self.node(event, at, level)?;
            inside.add(&key);
            let Some((event, at)) = self.next()? else {
                break;
            };
            let value = self.node(event, at, level)?;
            inside.add(&value);
            let Value::Text(text) = key.value else {
                continue;
            };
            if let Some(first) = places.insert(text.clone(), key.span) {
                let (key, at) = (text.to_string(), key.span);
                return Err(Fault::Duplicate { key, first, at });
            }
            fields.push(Field {
                key: text.to_string(),
                key_span: key.span,
                value: value.value,
                value_span: value.span,
            });
        }
        Ok(inside)
    }

    /// Returns the next event with content, and its span in the whole file.
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>> {
        while let Some(event) = self.parser.next_event() {
            let (event, span) = event.map_err(|error| self.refused(&error))?;
            match event {
                Event::StreamStart
                | Event::StreamEnd
                | Event::DocumentStart(..)
                | Event::DocumentEnd => {}
                event => return Ok(Some((event, self.place(&span)))),
            }
        }
        Ok(None)
    }

    fn place(&self, span: &YamlSpan) -> Span {
        let range = span.byte_range().unwrap_or_default();
        let within = |offset: usize| (self.part.start + offset).min(self.part.end);
        Span::new(within(range.start), within(range.end))
    }

    fn refused(&self, error: &ScanError) -> Fault {
        let offset = error.marker().byte_offset().unwrap_or_default();
        Fault::Syntax {
            kind: error.kind().clone(),
            at: (self.part.start + offset).min(self.part.end),
        }
    }
}

impl Inside {
    const fn new(at: Span) -> Self {
        Self {
            last: at.end,
            closing: at,
            depth: 0,
        }
    }

    fn add(&mut self, node: &Node) {
        self.last = self.last.max(node.span.end);
        self.depth = self.depth.max(node.depth);
    }

    fn node(self, value: Value, style: StructureStyle, at: Span) -> Node {
        let end = if style == StructureStyle::Flow {
            self.closing.end
        } else {
            self.last
        };
        Node {
            value,
            span: Span::new(at.start, end.max(at.end)),
            depth: self.depth + 1,
            values: 0,
            is_plain: false,
        }
    }
}

/// Checks the nesting depth, which bounds the recursion of the reader.
const fn check_depth(level: usize, at: Span) -> Result<()> {
    if level > MAX_DEPTH {
        return Err(Fault::TooDeep { at });
    }
    Ok(())
}

fn is_null(text: &str, style: ScalarStyle) -> bool {
    style == ScalarStyle::Plain && matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::source::frontmatter::{Fields, Frontmatter, MAX_BLOCK_BYTES};

    fn fields(text: &str) -> Fields {
        match Frontmatter::split(text) {
            (Frontmatter::Valid(fields), _) => fields,
            (other, _) => panic!("{other:?}"),
        }
    }

    /// F-30.
    #[test]
    fn lists_and_maps_have_their_contents_with_spans() {
        let text = "---\nallowed-tools: [Read, {a: b}]\nlist:\n  - &x \"one\"\n  - *x\nmetadata:\n  deep: {n: 1}\n---\n";
        let read = fields(text);
        let shown = |span: &Span| &text[span.start..span.end];
        let Value::List(items) = &read.get("allowed-tools").unwrap().value else {
            panic!("not a list")
        };
        assert_eq!(items[0].value, Value::Text("Read".into()));
        assert_eq!(shown(&items[1].span), "{a: b}");
        let list = read.get("list").unwrap();
        let Value::List(items) = &list.value else {
            panic!("not a list")
        };
        assert_eq!(items[0].value, items[1].value);
        let places: Vec<_> = items.iter().map(|item| shown(&item.span)).collect();
        assert_eq!(places, ["\"one\"", "*x"]);
        assert_eq!(shown(&list.value_span), "- &x \"one\"\n  - *x");
        let Value::Map(fields) = &read.get("metadata").unwrap().value else {
            panic!("not a map")
        };
        assert_eq!(fields[0].key, "deep");
        assert_eq!(shown(&fields[0].value_span), "{n: 1}");
    }

    /// R20.
    #[test]
    fn alias_bombs_are_refused_at_once() {
        let mut values = "a: &a [x, x, x]\n".to_owned();
        for (from, to) in ('a'..'y').zip('b'..'z') {
            values += &format!("{to}: &{to} [*{from}, *{from}, *{from}]\n");
        }
        let mut depth = "a0: &a0 x\n".to_owned();
        for at in 1..2500 {
            depth += &format!("a{at}: &a{at} [*a{}]\n", at - 1);
        }
        let too_deep = "nested deeper than 128 levels";
        for (block, expected) in [
            (
                format!("a: {}\n", "x".repeat(MAX_BLOCK_BYTES)),
                "larger than 64 KiB",
            ),
            (values, "line 11: aliases repeat more than 65,536 values"),
            (depth, "line 130: nested deeper than 128 levels"),
            (format!("a: {}", "[".repeat(60_000)), too_deep),
            (format!("a: {}", "{a: ".repeat(15_000)), too_deep),
            (format!("a: {}", "- ".repeat(30_000)), "line 2: "),
            (format!("a:\n  {}x", "- ".repeat(30_000)), too_deep),
            ("a: [x\n".repeat(10_000), "line 2: "),
            ("a: \"\n".repeat(10_000), "line 2: "),
            ("a:\n".repeat(20_000), "line 3: 'a' is set twice"),
            (format!("a: \"{}", "\\".repeat(60_000)), "line 2: "),
            (format!("{}@", "a: 1\n b: @\n".repeat(5_000)), "line 3: "),
        ] {
            let text = format!("---\n{block}\n---\n");
            let begin = Instant::now();
            let (read, _) = Frontmatter::split(&text);
            assert!(
                begin.elapsed() < Duration::from_secs(1),
                "{:?}",
                &text[..30]
            );
            let Frontmatter::Invalid { message, .. } = read else {
                panic!("{read:?}")
            };
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn aliases_within_the_bounds_are_accepted() {
        let mut block = "a: &a [x, x, x]\n".to_owned();
        for (from, to) in ('a'..'h').zip('b'..'i') {
            block += &format!("{to}: &{to} [*{from}, *{from}, *{from}]\n");
        }
        let read = fields(&format!("---\n{block}---\n"));
        let Value::List(items) = &read.get("h").unwrap().value else {
            panic!("not a list")
        };
        let (Value::List(one), Value::List(other)) = (&items[0].value, &items[2].value) else {
            panic!("not lists")
        };
        assert!(Arc::ptr_eq(one, other));
    }
}
