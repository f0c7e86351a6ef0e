//! JSON: a section for each top-level key or element, with the paths of its values.
#![cfg(feature = "json")]

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use skillc_core::index::TextBudget;
use skillc_core::{
    IndexError, Indexer, IndexerMeta, LineIndex, Section, SourceFile, declare_indexer,
};

declare_indexer! {
    /// JSON, cut at its top-level keys or elements
    pub(crate) struct Json { id: "json", extensions: ["json"], version: 1 }
}

impl Indexer for Json {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let text = file.text();
        let parts = top_level(&text).map_err(|e| IndexError::new(e.to_string()))?;
        let lines = LineIndex::new(text.as_bytes());
        let mut budget = TextBudget::of(file);
        for Part { name, raw } in parts {
            // Parsed one at a time: a value nested over 128 deep is refused here.
            let value: Value =
                serde_json::from_str(raw).map_err(|e| IndexError::new(e.to_string()))?;
            let mut content = String::new();
            flatten(&name, &value, &mut content, &mut budget)?;
            emit(Section {
                heading: name.into(),
                content: content.into(),
                lines: lines_of(raw, &text, &lines),
            });
        }
        Ok(())
    }
}

/// A top-level key or element, and its value's text within the file.
struct Part<'a> {
    name: String,
    raw: &'a str,
}

fn top_level(text: &str) -> serde_json::Result<Vec<Part<'_>>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let parts = if text.trim_start().starts_with(['{', '[']) {
        reader.deserialize_any(TopLevel)?
    } else {
        let raw: &RawValue = serde::Deserialize::deserialize(&mut reader)?;
        vec![Part {
            name: String::new(),
            raw: raw.get(),
        }]
    };
    reader.end()?;
    Ok(parts)
}

struct TopLevel;

impl<'a> Visitor<'a> for TopLevel {
    type Value = Vec<Part<'a>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some((name, raw)) = map.next_entry::<String, &RawValue>()? {
            parts.push(Part {
                name,
                raw: raw.get(),
            });
        }
        Ok(parts)
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(raw) = list.next_element::<&RawValue>()? {
            parts.push(Part {
                name: format!("[{}]", parts.len()),
                raw: raw.get(),
            });
        }
        Ok(parts)
    }
}

/// Writes each value below `path` as a line: `servers[0].port: 8080`.
fn flatten(
    path: &str,
    value: &Value,
    out: &mut String,
    budget: &mut TextBudget,
) -> Result<(), IndexError> {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                flatten(&path, value, out, budget)?;
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for (at, value) in list.iter().enumerate() {
                flatten(&format!("{path}[{at}]"), value, out, budget)?;
            }
        }
        leaf => {
            let text = leaf
                .as_str()
                .map_or_else(|| leaf.to_string(), str::to_owned);
            budget.take(path.len() + text.len() + 3)?;
            let separator = if path.is_empty() { "" } else { ": " };
            *out += &format!("{path}{separator}{text}\n");
        }
    }
    Ok(())
}

/// Returns the lines of a value; `raw` is a part of `text`.
fn lines_of(raw: &str, text: &str, lines: &LineIndex) -> Range<usize> {
    let start = (raw.as_ptr() as usize)
        .saturating_sub(text.as_ptr() as usize)
        .min(text.len());
    let last = start + raw.len().saturating_sub(1);
    lines.line(start)..lines.line(last) + 1
}
