//! Copies the fields of a block to another file so that every YAML parser reads the same values.
//!
//! Each scalar keeps the author's notation where the notation determines its type: `1.10`, `2024-01-01`, `yes` and
//! `null` stay plain, and quoted scalars stay quoted. Anchors and aliases are resolved, comments are dropped, and each
//! scalar is written on one line. A list or map written on several lines stays that way, unless the copy would have
//! more lines than the caller allows. In that case, lists and maps are written in flow style (`[a, b]`), the longest
//! first. Flow style is only a fallback, because some clients reject it.
//!
//! The copy never exceeds the maximum size of a block. Without this limit, a few aliases of a long string would exhaust
//! memory (a "billion laughs" attack).

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::{self, Display};
use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle, StrInput, StructureStyle, Tag, options};

use super::fields::MAX_DEPTH;
use super::write::{is_unprintable, quoted};
use super::{Frontmatter, MAX_BLOCK_BYTES, block_of};

/// The maximum length, in bytes, of a key that is written directly before its colon. YAML parsers limit such a key to
/// 1024 characters, unless `?` marks the key.
const MAX_KEY_BYTES: usize = 1000;

/// Why the fields of a block cannot be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyFault {
    /// The block cannot be parsed.
    Unreadable,
    /// The fields need more lines than allowed.
    TooManyFields {
        /// The minimum number of lines that the fields need.
        lines: usize,
        /// The maximum number of lines.
        most: usize,
    },
    /// The copy would exceed the size limit of a block.
    TooLarge,
}

impl Display for CopyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => write!(f, "the frontmatter cannot be parsed"),
            Self::TooManyFields { lines, most } => write!(
                f,
                "the frontmatter has {lines} lines of fields besides name and description; a stub has room for {most}"
            ),
            Self::TooLarge => write!(
                f,
                "the frontmatter is larger than 64 KiB in the stub, where aliases are expanded and line breaks are escaped"
            ),
        }
    }
}

/// Copies the fields of a file's frontmatter, in their order.
///
/// `except`: top-level keys to omit. `most_lines`: the maximum number of lines of the result. Returns the fields as
/// lines `key: value`, each with its line end.
///
/// # Errors
/// See [`CopyFault`].
pub fn copy_fields(text: &str, except: &[&str], most_lines: usize) -> Result<String, CopyFault> {
    let (Frontmatter::Valid(_), body) = Frontmatter::split(text) else {
        return Err(CopyFault::Unreadable);
    };
    let block = block_of(text, body).ok_or(CopyFault::Unreadable)?;
    let mut fields = Vec::new();
    let mut left = MAX_BLOCK_BYTES;
    for (key, value) in CopyReader::new(block).top()? {
        if key.text().is_some_and(|key| except.contains(&key)) {
            continue;
        }
        let field = Written::new(&key, &value, left)?;
        left -= field.flow.len();
        fields.push(field);
    }
    make_fit(&mut fields, most_lines)?;
    Ok(fields.iter().map(Written::shown).collect())
}

/// Rewrites the longest fields in flow style until all fields fit. Of equally long fields, rewrites the last one first.
fn make_fit(fields: &mut [Written], most: usize) -> Result<(), CopyFault> {
    let mut lines: usize = fields.iter().map(Written::lines).sum();
    let mut bytes: usize = fields.iter().map(|field| field.shown().len()).sum();
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by_key(|at| Reverse((fields[*at].lines(), *at)));
    for at in order {
        if lines <= most && bytes <= MAX_BLOCK_BYTES {
            return Ok(());
        }
        let field = &mut fields[at];
        (lines, bytes) = (lines - field.lines(), bytes - field.shown().len());
        field.block = None;
        (lines, bytes) = (lines + field.lines(), bytes + field.shown().len());
    }
    if lines > most {
        return Err(CopyFault::TooManyFields { lines, most });
    }
    Ok(())
}

/// A field in both notations.
struct Written {
    /// The field in flow style, that is, with brackets: one line, or two if the key is long.
    flow: String,
    /// The field with one line per entry, if the author wrote the field that way.
    block: Option<String>,
}

impl Written {
    fn new(key: &Node, value: &Node, most_bytes: usize) -> Result<Self, CopyFault> {
        let mut flow = Writer::new(most_bytes);
        flow.key(key, ScalarContext::Block)?;
        flow.end_of_line(value)?;
        let mut block = Writer::new(most_bytes);
        let is_block = key.is_simple_key() && value.is_block();
        let written = block
            .key(key, ScalarContext::Block)
            .and_then(|()| block.nested(value, 2));
        Ok(Self {
            flow: flow.out,
            block: (is_block && written.is_ok()).then_some(block.out),
        })
    }

    fn shown(&self) -> &str {
        self.block.as_deref().unwrap_or(&self.flow)
    }

    fn lines(&self) -> usize {
        self.shown().lines().count()
    }
}

/// A value with its notation in the source.
struct Node {
    /// The tag, such as `!!str` or `!x`.
    tag: Option<String>,
    kind: Kind,
}

enum Kind {
    Scalar { text: String, is_plain: bool },
    List { items: Vec<Rc<Node>>, is_flow: bool },
    Map { entries: Entries, is_flow: bool },
}

type Entries = Vec<(Rc<Node>, Rc<Node>)>;

impl Node {
    /// Returns the text of a scalar.
    fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns whether the node is an untagged scalar that is short enough, even in escaped form, to precede a colon.
    fn is_simple_key(&self) -> bool {
        self.text()
            .is_some_and(|text| text.len() <= MAX_KEY_BYTES / 5)
            && self.tag.is_none()
    }

    /// Returns whether the node is a list or a map in block style that can be copied in block style.
    fn is_block(&self) -> bool {
        let is_block = match &self.kind {
            Kind::Scalar { .. } => false,
            Kind::List { items, is_flow } => !is_flow && !items.is_empty(),
            Kind::Map { entries, is_flow } => {
                let are_simple = entries.iter().all(|(key, _)| key.is_simple_key());
                !is_flow && !entries.is_empty() && are_simple
            }
        };
        is_block && self.tag.is_none()
    }

    fn is_empty(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, is_plain: true } if text.is_empty())
    }
}

/// Converts parser events to nodes. The block was parsed before, so nesting and aliases are within bounds.
struct CopyReader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, Rc<Node>>,
}

impl<'a> CopyReader<'a> {
    fn new(block: &'a str) -> Self {
        let options = options! {
            emit_comments: false,
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
        };
        Self {
            parser: Parser::new_from_str_with_options(block, options),
            anchors: HashMap::new(),
        }
    }

    fn top(&mut self) -> Result<Entries, CopyFault> {
        loop {
            match self.next()? {
                Event::StreamStart | Event::DocumentStart(..) => {}
                Event::MappingStart(..) => return self.entries(),
                // The block is empty or contains only comments.
                _ => return Ok(Vec::new()),
            }
        }
    }

    fn next(&mut self) -> Result<Event<'a>, CopyFault> {
        let Some(Ok((event, span))) = self.parser.next_event() else {
            return Err(CopyFault::Unreadable);
        };
        let is_written = span.byte_range().is_some_and(|range| !range.is_empty());
        Ok(match event {
            // The parser reports an omitted null as '~'.
            Event::Scalar(_, ScalarStyle::Plain, anchor, tag) if !is_written => {
                Event::Scalar("".into(), ScalarStyle::Plain, anchor, tag)
            }
            event => event,
        })
    }

    fn entries(&mut self) -> Result<Entries, CopyFault> {
        let mut entries = Vec::new();
        loop {
            let event = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(entries);
            }
            let key = self.node(event)?;
            let event = self.next()?;
            entries.push((key, self.node(event)?));
        }
    }

    fn items(&mut self) -> Result<Vec<Rc<Node>>, CopyFault> {
        let mut items = Vec::new();
        loop {
            let event = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok(items);
            }
            items.push(self.node(event)?);
        }
    }

    fn node(&mut self, event: Event<'a>) -> Result<Rc<Node>, CopyFault> {
        let (kind, anchor, tag) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let text = text.into_owned();
                let is_plain = style == ScalarStyle::Plain;
                (Kind::Scalar { text, is_plain }, anchor, tag)
            }
            Event::SequenceStart(style, anchor, tag) => {
                let is_flow = style == StructureStyle::Flow;
                let items = self.items()?;
                (Kind::List { items, is_flow }, anchor, tag)
            }
            Event::MappingStart(style, anchor, tag) => {
                let is_flow = style == StructureStyle::Flow;
                let entries = self.entries()?;
                (Kind::Map { entries, is_flow }, anchor, tag)
            }
            Event::Alias(anchor) => {
                return self
                    .anchors
                    .get(&anchor)
                    .cloned()
                    .ok_or(CopyFault::Unreadable);
            }
            _ => return Err(CopyFault::Unreadable),
        };
        let tag = tag.map(|tag| tag_text(&tag));
        let node = Rc::new(Node { tag, kind });
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        Ok(node)
    }
}

/// The context of a scalar: inside brackets, fewer characters are allowed without quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScalarContext {
    Block,
    Flow,
}

struct Writer {
    out: String,
    most_bytes: usize,
}

impl Writer {
    const fn new(most_bytes: usize) -> Self {
        Self {
            out: String::new(),
            most_bytes,
        }
    }

    fn push(&mut self, text: &str) -> Result<(), CopyFault> {
        if self.out.len() + text.len() > self.most_bytes {
            return Err(CopyFault::TooLarge);
        }
        self.out += text;
        Ok(())
    }

    /// Writes a key with its colon.
    fn key(&mut self, key: &Node, place: ScalarContext) -> Result<(), CopyFault> {
        let start = self.out.len();
        self.flow_or_scalar(key, place)?;
        if self.out.len() - start <= MAX_KEY_BYTES {
            return self.push(":");
        }
        let written = self.out.split_off(start);
        self.push("? ")?;
        self.push(&written)?;
        self.push(if place == ScalarContext::Block {
            "\n:"
        } else {
            " :"
        })
    }

    /// Writes the rest of a line after a colon.
    fn end_of_line(&mut self, value: &Node) -> Result<(), CopyFault> {
        if !value.is_empty() || value.tag.is_some() {
            self.push(" ")?;
            self.flow_or_scalar(value, ScalarContext::Block)?;
        }
        self.push("\n")
    }

    /// Writes the value after a colon: a scalar on the same line, a list or a map on lines of its own.
    fn nested(&mut self, value: &Node, indent: usize) -> Result<(), CopyFault> {
        if !value.is_block() {
            return self.end_of_line(value);
        }
        self.push("\n")?;
        self.push(&" ".repeat(indent))?;
        self.lines(value, indent)
    }

    /// Writes the lines of a list or a map. The caller has already indented the first line.
    fn lines(&mut self, node: &Node, indent: usize) -> Result<(), CopyFault> {
        let margin = " ".repeat(indent);
        match &node.kind {
            Kind::Scalar { .. } => {}
            Kind::List { items, .. } => {
                for (at, item) in items.iter().enumerate() {
                    self.push(if at == 0 { "" } else { &margin })?;
                    self.push("- ")?;
                    if item.is_block() {
                        self.lines(item, indent + 2)?;
                    } else {
                        self.flow_or_scalar(item, ScalarContext::Block)?;
                        self.push("\n")?;
                    }
                }
            }
            Kind::Map { entries, .. } => {
                for (at, (key, value)) in entries.iter().enumerate() {
                    self.push(if at == 0 { "" } else { &margin })?;
                    self.key(key, ScalarContext::Block)?;
                    self.nested(value, indent + 2)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a value on one line.
    fn flow_or_scalar(&mut self, node: &Node, place: ScalarContext) -> Result<(), CopyFault> {
        if let Some(tag) = &node.tag {
            self.push(tag)?;
            self.push(" ")?;
        }
        match &node.kind {
            Kind::Scalar { text, is_plain } => match (text.as_str(), is_plain) {
                ("", true) if node.tag.is_some() => Ok(()),
                // Inside brackets, some parsers do not read an empty value as null.
                ("", true) => self.push("null"),
                (text, true) if stays_plain(text, place) => self.push(text),
                (text, _) => self.push(&quoted(text)),
            },
            Kind::List { items, .. } => {
                self.push("[")?;
                for (at, item) in items.iter().enumerate() {
                    self.push(if at == 0 { "" } else { ", " })?;
                    self.flow_or_scalar(item, ScalarContext::Flow)?;
                }
                self.push("]")
            }
            Kind::Map { entries, .. } => {
                self.push("{")?;
                for (at, (key, value)) in entries.iter().enumerate() {
                    self.push(if at == 0 { "" } else { ", " })?;
                    self.key(key, ScalarContext::Flow)?;
                    self.push(" ")?;
                    self.flow_or_scalar(value, ScalarContext::Flow)?;
                }
                self.push("}")
            }
        }
    }
}

/// Returns whether a plain scalar of the source can stay unquoted in this context. Any other plain scalar can be quoted
/// without changing its type: it is a string in every YAML schema, because it does not look like a number, date,
/// boolean or null.
fn stays_plain(text: &str, place: ScalarContext) -> bool {
    let is_mark = matches!(text, "-" | "?" | ":" | "---" | "...");
    let begins_entry = ["- ", "? ", ": "].iter().any(|mark| text.starts_with(mark));
    let ends_value = text.contains(": ") || text.contains(" #") || text.ends_with(':');
    // PyYAML ends a plain scalar inside brackets at any '?', not only at a '?' before a space.
    let in_flow = place == ScalarContext::Flow
        && (text.contains([',', '[', ']', '{', '}', '?']) || text.starts_with(':'));
    let is_odd = text.chars().any(is_unprintable) || text.trim() != text;
    !(is_mark || begins_entry || ends_value || in_flow || is_odd)
}

/// Formats a tag so that it needs no `%TAG` directive.
fn tag_text(tag: &Tag) -> String {
    match tag.parts() {
        ("tag:yaml.org,2002:", suffix) => format!("!!{}", uri(suffix)),
        ("!", suffix) => format!("!{}", uri(suffix)),
        ("", "!") => "!".to_owned(),
        (handle, suffix) => format!("!<{}>", uri(&format!("{handle}{suffix}"))),
    }
}

/// Percent-encodes characters that some parsers reject in a tag.
fn uri(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-;/?:@&=+$_.~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests;
