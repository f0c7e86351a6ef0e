//! YAML, as the reader of frontmatter has it.
//!
//! What is written without quotes and tags is a truth or a number if it is one in the core schema of YAML 1.2; whatever has
//! a tag is a text, unless it is a list or a map. Keys are texts; a value whose key is null, a list or a map is passed over.
//! `<<` is a key like any other. An alias is the value that it stands for, as often as it is written, and whatever is in it
//! has the place of the alias.

use skillc_core::source::frontmatter::{Yaml, read_yaml};
use skillc_core::{Item, Span, Value};

use super::MAX_VALUES;
use super::fault::{self, Fault};
use super::node::{Kind, Node};
use super::scalar;
use super::tree::{Builder, Content};

/// The most that is read before values are counted exactly: here, keys count too, and aliases twice.
const MAX_READ: usize = 3 * MAX_VALUES;

/// Reads a text as YAML; nothing but comments is null.
///
/// # Errors
/// What is no YAML, a second document, a key that is twice in a map, and what exceeds the bounds; aliases count as much as
/// what they stand for.
pub fn yaml(text: &str, base: usize) -> Result<Node, Fault> {
    fault::start(text, base)?;
    let read = read_yaml(text, MAX_READ)
        .map_err(|refusal| Fault::new(text, base, refusal.at.start, &refusal.reason))?;
    let mut writer = Writer {
        text,
        read: &read,
        builder: Builder::new(text, base),
    };
    writer.item(&read.root, Span::new(0, text.len()))?;
    writer.builder.finish()
}

struct Writer<'t> {
    text: &'t str,
    read: &'t Yaml,
    builder: Builder<'t>,
}

impl Writer<'_> {
    /// Adds a value and what is in it. The reader keeps the nesting within bounds.
    fn item(&mut self, item: &Item, outer: Span) -> Result<(), Fault> {
        self.value(&item.value, item.span, outer)
    }

    fn value(&mut self, value: &Value, at: Span, outer: Span) -> Result<(), Fault> {
        let span = within(at, outer);
        match value {
            Value::Null => self.builder.scalar(Kind::Null, span, Content::Source(span)),
            Value::Text(text) => {
                let kind = if self.read.is_plain(at.start) {
                    scalar::kind(text)
                } else {
                    Kind::Text
                };
                let text = Content::of_shared(self.text, at, text);
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
            Value::Map(fields) => {
                self.builder.open(Kind::Map, span.start)?;
                for field in fields.iter() {
                    let key = Content::of(self.text, field.key_span, &field.key);
                    self.builder.key(within(field.key_span, span), key);
                    self.value(&field.value, field.value_span, span)?;
                }
                self.builder.close(span.end);
                Ok(())
            }
        }
    }
}

/// Returns a place; that of the list or map around it if it lies elsewhere, which it does below an alias.
fn within(at: Span, outer: Span) -> Span {
    if outer.start <= at.start && at.end <= outer.end {
        at
    } else {
        outer
    }
}
