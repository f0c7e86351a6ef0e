//! TOML: one section per table and per top-level key. A section lists its values, with their paths, and its comments.
#![cfg(feature = "toml")]

use std::ops::Range;

use skillc_core::index::TextBudget;
use skillc_core::toml_cost;
use skillc_core::{IndexError, Indexer, IndexerMeta, Section, SourceFile, declare_indexer};
use toml_edit::{Document, Item, Table, Value};

use crate::flat::Flat;

declare_indexer! {
    /// TOML, one section per table and top-level key
    pub(crate) struct Toml { id: "toml", extensions: ["toml"], version: 1 }
}

/// The memory limit of the parser for one file, in bytes.
const MAX_PARSER_COST: usize = 256 << 20;

impl Indexer for Toml {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let text = file.text();
        if let Some(reason) = toml_cost::refusal(&text, MAX_PARSER_COST) {
            return Err(IndexError::new(reason));
        }
        let document = Document::parse(&*text);
        let document = document.map_err(|error| IndexError::new(error.message()))?;
        let mut collector = PartCollector {
            text: &text,
            parts: Vec::new(),
            budget: TextBudget::for_file(file),
        };
        collector.table(document.as_table(), "", true)?;
        let mut parts = collector.parts;
        // Sort the parts, because a subtable may be far from its parent table in the file.
        parts.sort_by_key(|part| part.bytes.start);
        let mut flat = Flat::new(file, &text);
        for part in parts {
            let Range { start, end } = part.bytes;
            match part.kind {
                PartKind::Section => {
                    flat.section(&part.path, start)?;
                    flat.pass(end);
                }
                PartKind::Value(value) => flat.value(&part.path, &value, start..end)?,
            }
        }
        flat.finish(emit)
    }

    fn indexes_other_text(&self) -> bool {
        false
    }
}

/// A key, header or value of the file.
struct TomlPart {
    path: String,
    bytes: Range<usize>,
    kind: PartKind,
}

enum PartKind {
    /// The header of a table, or a top-level key.
    Section,
    Value(String),
}

/// Collects the parts of a document.
struct PartCollector<'a> {
    text: &'a str,
    parts: Vec<TomlPart>,
    /// Limits the total size of the paths, which are all in memory at the same time.
    budget: TextBudget,
}

impl PartCollector<'_> {
    fn add(
        &mut self,
        path: &str,
        bytes: Option<Range<usize>>,
        kind: PartKind,
    ) -> Result<(), IndexError> {
        let Some(bytes) = bytes else { return Ok(()) };
        self.budget.take(path.len())?;
        let path = path.to_owned();
        self.parts.push(TomlPart { path, bytes, kind });
        Ok(())
    }

    /// Adds the keys and values of a table. `is_top`: whether this is the root table, whose keys are sections.
    fn table(&mut self, table: &Table, path: &str, is_top: bool) -> Result<(), IndexError> {
        for (name, item) in table {
            let path = joined(path, name);
            let key = table.key(name).and_then(toml_edit::Key::span);
            let key = key.filter(|_| is_top);
            match item {
                Item::Value(value) => {
                    self.add(&path, key, PartKind::Section)?;
                    self.value(value, &path)?;
                }
                // A dotted key: `a.b = 1`.
                Item::Table(inner) if inner.is_dotted() => {
                    self.add(&path, key, PartKind::Section)?;
                    self.table(inner, &path, false)?;
                }
                Item::Table(inner) => self.with_header(inner, &path)?,
                Item::ArrayOfTables(all) => {
                    for (index, inner) in all.iter().enumerate() {
                        self.with_header(inner, &format!("{path}[{index}]"))?;
                    }
                }
                Item::None => {}
            }
        }
        Ok(())
    }

    fn with_header(&mut self, inner: &Table, path: &str) -> Result<(), IndexError> {
        let header = inner.span().filter(|_| !inner.is_implicit());
        self.add(path, header, PartKind::Section)?;
        self.table(inner, path, false)
    }

    fn value(&mut self, value: &Value, path: &str) -> Result<(), IndexError> {
        match value {
            Value::Array(all) if !all.is_empty() => {
                for (index, one) in all.iter().enumerate() {
                    self.value(one, &format!("{path}[{index}]"))?;
                }
                Ok(())
            }
            Value::InlineTable(inner) if !inner.is_empty() => {
                for (name, one) in inner {
                    self.value(one, &joined(path, name))?;
                }
                Ok(())
            }
            _ => {
                let text = match value {
                    Value::String(text) => text.value().clone(),
                    Value::Array(_) => "[]".to_owned(),
                    Value::InlineTable(_) => "{}".to_owned(),
                    // Other values are indexed as written in the source, so that numbers keep their notation.
                    other => {
                        let bytes = other.span().unwrap_or_default();
                        self.text.get(bytes).unwrap_or_default().to_owned()
                    }
                };
                self.add(path, value.span(), PartKind::Value(text))
            }
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use skillc_core::testkit::sections_of;

    use super::Toml;

    #[test]
    fn deep_nesting_and_long_repeated_paths_are_errors() {
        let sections = |text: &str| sections_of(&Toml, "a.toml", text.as_bytes());
        assert!(sections(&format!("a = {}", "[".repeat(100_000))).starts_with("error: "));
        let text = format!("{} = [{}0]", "k".repeat(4096), "0,".repeat(4096));
        let error = "error: its searchable text would be more than 8 times the size of the file\n";
        assert_eq!(sections(&text), error);
    }
}
