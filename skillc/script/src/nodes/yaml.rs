//! YAML, parsed by the frontmatter reader.
//!
//! The YAML 1.2 core schema determines whether a plain scalar is a boolean, a number or a string. A value with a tag is
//! a string, unless it is a list or a map. Keys are strings; entries whose key is null, a list or a map are skipped.
//! `<<` is an ordinary key. An alias is expanded to its value at every occurrence, and all values in the expansion have
//! the position of the alias.

use skillc_core::source::frontmatter::read_yaml;
use skillc_core::{Field, Fields, Item, Span, Value};

use super::MAX_VALUES;
use super::fault::{self, Fault};
use super::node::{Kind, Node};
use super::scalar;
use super::tree::{Builder, Content};

/// A coarse limit for the frontmatter reader, which runs before values are counted exactly. The limit is three times as
/// high, because the reader also counts keys, and counts aliases twice.
const MAX_READ: usize = 3 * MAX_VALUES;

/// Parses text as YAML; text that consists only of comments is null.
///
/// # Errors
/// If the text is not valid YAML, has a second document or a duplicate key, or exceeds the bounds. Each alias counts as
/// all the values of its expansion.
pub fn yaml(text: &str, base: usize) -> Result<Node, Fault> {
    fault::start(text, base)?;
    let read = read_yaml(text, MAX_READ)
        .map_err(|refusal| Fault::new(text, base, refusal.at.start, &refusal.reason))?;
    let mut writer = Writer {
        text,
        is_plain: &|at, _| read.is_plain(at.start),
        builder: Builder::new(text, base),
    };
    writer.item(&read.root, Span::new(0, text.len()))?;
    writer.builder.finish()
}

/// Converts fields that are already parsed. `head`: the beginning of the file, up to the end of the frontmatter.
///
/// # Errors
/// If the fields exceed the bounds.
pub fn fields(fields: &Fields, head: &str) -> Result<Node, Fault> {
    let is_plain = |at: Span, text: &str| head.get(at.start..at.end) == Some(text);
    let mut writer = Writer {
        text: head,
        is_plain: &is_plain,
        builder: Builder::new(head, 0),
    };
    writer.map(fields.iter(), Span::new(0, head.len()))?;
    writer.builder.finish()
}

struct Writer<'t> {
    text: &'t str,
    /// Returns whether the scalar with this span and text is written without quotes and without a tag.
    is_plain: &'t dyn Fn(Span, &str) -> bool,
    builder: Builder<'t>,
}

impl Writer<'_> {
    /// Adds a value and its children. The reader bounds the nesting, so the recursion is safe.
    fn item(&mut self, item: &Item, outer: Span) -> Result<(), Fault> {
        self.value(&item.value, item.span, outer)
    }

    fn value(&mut self, value: &Value, at: Span, outer: Span) -> Result<(), Fault> {
        let span = within(at, outer);
        match value {
            Value::Null => self.builder.scalar(Kind::Null, span, Content::Source(span)),
            Value::Text(text) => {
                let kind = if (self.is_plain)(at, text) {
                    scalar::kind(text)
                } else {
                    Kind::Text
                };
                let text = Content::from_shared(self.text, at, text);
                self.builder.scalar(kind, span, text)
            }
            Value::List(items) => {
                self.builder.open(Kind::List, span.start)?;
                for item in items.iter() {
                    self.item(item, span)?;
                }
                self.builder.close(span.end);
                Ok(())
            }
            Value::Map(fields) => self.map(fields.iter(), span),
        }
    }

    fn map<'f>(
        &mut self,
        fields: impl Iterator<Item = &'f Field>,
        span: Span,
    ) -> Result<(), Fault> {
        self.builder.open(Kind::Map, span.start)?;
        for field in fields {
            let key = Content::decoded(self.text, field.key_span, &field.key);
            self.builder.key(within(field.key_span, span), key);
            self.value(&field.value, field.value_span, span)?;
        }
        self.builder.close(span.end);
        Ok(())
    }
}

/// Returns the span `at` if it is inside `outer`, the span of the enclosing list or map. Otherwise, as for a value in
/// the expansion of an alias, returns `outer`.
fn within(at: Span, outer: Span) -> Span {
    if outer.start <= at.start && at.end <= outer.end {
        at
    } else {
        outer
    }
}
