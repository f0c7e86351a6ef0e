//! TOML 1.1.
//!
//! Dates and times are strings, as written. Values are in the order of their keys in the file. If a table is written in
//! several places, its position is that of its own header or, if it has no header, that of the first occurrence of its
//! key. The span of the table covers all these places.

use skillc_core::{Span, toml_cost};
use toml_edit::{Document, Item, Key, TableLike, Value};

use super::fault::{self, Fault};
use super::node::{Kind, Node};
use super::tree::{Builder, Content};

/// Parses text as TOML; the root is a map that spans the whole text.
///
/// # Errors
/// If the text is not valid TOML, has a duplicate key, or exceeds the bounds.
pub fn toml(text: &str, base: usize) -> Result<Node, Fault> {
    fault::start(text, base)?;
    if let Some((at, reason)) = toml_cost::excess(text) {
        return Err(Fault::new(text, base, at, reason));
    }
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map_or(text.len(), |span| span.start);
        Fault::new(text, base, at, error.message())
    })?;
    let mut writer = Writer {
        text,
        builder: Builder::new(text, base),
    };
    writer.table(document.as_table(), Span::new(0, text.len()))?;
    writer.builder.finish()
}

struct Writer<'t> {
    text: &'t str,
    builder: Builder<'t>,
}

impl Writer<'_> {
    /// Adds a table. `own`: the span of the table's header, braces or key. Returns the span of the whole table.
    fn table(&mut self, table: &dyn TableLike, own: Span) -> Result<Span, Fault> {
        self.builder.open(Kind::Map, own.start)?;
        let keys = table.iter().filter_map(|(key, _)| table.get_key_value(key));
        let mut entries: Vec<_> = keys
            .map(|(key, item)| (key_span(key, own), key, item))
            .collect();
        entries.sort_by_key(|(at, _, _)| at.start);
        let mut span = own;
        for (at, key, item) in entries {
            let text = Content::decoded(self.text, at, key.get());
            self.builder.key(at, text);
            let inside = self.item(item, at)?;
            span = over(span, over(at, inside));
        }
        self.builder.close_at(span);
        Ok(span)
    }

    /// Adds the value of a key. Returns the value's span, or the key's span if there is no value.
    fn item(&mut self, item: &Item, key: Span) -> Result<Span, Fault> {
        match item {
            Item::None => Ok(key),
            Item::Value(value) => self.value(value, key),
            Item::Table(table) => self.table(table, place(table.span(), key)),
            Item::ArrayOfTables(tables) => {
                let mut span = place(tables.span(), key);
                self.builder.open(Kind::List, span.start)?;
                for table in tables {
                    let inside = self.table(table, place(table.span(), key))?;
                    span = over(span, inside);
                }
                self.builder.close_at(span);
                Ok(span)
            }
        }
    }

    fn value(&mut self, value: &Value, outer: Span) -> Result<Span, Fault> {
        let span = place(value.span(), outer);
        let (kind, text) = match value {
            Value::Array(array) => {
                self.builder.open(Kind::List, span.start)?;
                for value in array {
                    self.value(value, span)?;
                }
                self.builder.close_at(span);
                return Ok(span);
            }
            Value::InlineTable(table) => return self.table(table, span),
            Value::String(text) => (Kind::Text, Content::decoded(self.text, span, text.value())),
            Value::Integer(_) | Value::Float(_) => (Kind::Number, Content::Source(span)),
            Value::Boolean(_) => (Kind::Bool, Content::Source(span)),
            Value::Datetime(_) => (Kind::Text, Content::Source(span)),
        };
        self.builder.scalar(kind, span, text)?;
        Ok(span)
    }
}

fn key_span(key: &Key, outer: Span) -> Span {
    place(key.span(), outer)
}

/// Converts a span of the parser. An item that is not written in the file has no span: for such an item, returns
/// `otherwise`.
fn place(range: Option<std::ops::Range<usize>>, otherwise: Span) -> Span {
    range.map_or(otherwise, |range| Span::new(range.start, range.end))
}

/// Returns the smallest span that covers two spans.
fn over(one: Span, other: Span) -> Span {
    Span::new(one.start.min(other.start), one.end.max(other.end))
}
