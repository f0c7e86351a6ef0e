//! YAML: one section per top-level key or element. A section lists its values, with their paths, and its comments.
#![cfg(feature = "yaml")]

use std::ops::Range;

use granit_parser::{Event, Parser};
use skillc_core::{IndexError, Indexer, IndexerMeta, Section, SourceFile, declare_indexer};

use crate::flat::Flat;

/// The nesting limit. Design: R20.
const MAX_DEPTH: usize = 128;

declare_indexer! {
    /// YAML, one section per top-level key or element
    pub(crate) struct Yaml { id: "yaml", extensions: ["yaml", "yml"], version: 1 }
}

impl Indexer for Yaml {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let text = file.text();
        let mut walk = Walk {
            flat: Flat::new(file, &text),
            open: Vec::new(),
            path: String::new(),
        };
        let mut parser = Parser::new_from_str(&text);
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| IndexError::new(error.to_string()))?;
            let bytes = span.byte_range().unwrap_or_default();
            match event {
                Event::MappingStart(..) => walk.begin(Level::mapping(), bytes)?,
                Event::SequenceStart(..) => walk.begin(Level::sequence(), bytes)?,
                Event::MappingEnd | Event::SequenceEnd => walk.end(&bytes)?,
                Event::Scalar(value, ..) => walk.scalar(&value, bytes)?,
                Event::Alias(_) => {
                    let alias = text.get(bytes.clone()).unwrap_or_default();
                    walk.scalar(alias.trim(), bytes)?;
                }
                Event::DocumentStart(..) => walk.path.clear(),
                _ => {}
            }
        }
        walk.flat.finish(emit)
    }

    fn indexes_other_text(&self) -> bool {
        false
    }
}

/// An open mapping or sequence.
struct Level {
    kind: Kind,
    /// The length of the path of this mapping or sequence.
    path: usize,
    /// Whether this mapping or sequence has no elements yet.
    is_empty: bool,
    /// Whether this mapping or sequence is the key of another mapping.
    is_key: bool,
}

enum Kind {
    /// `is_key`: whether the next node is a key.
    Mapping { is_key: bool },
    /// `index`: the index of the next element.
    Sequence { index: usize },
}

impl Level {
    const fn mapping() -> Self {
        Self::new(Kind::Mapping { is_key: true })
    }

    const fn sequence() -> Self {
        Self::new(Kind::Sequence { index: 0 })
    }

    const fn new(kind: Kind) -> Self {
        Self {
            kind,
            path: 0,
            is_empty: true,
            is_key: false,
        }
    }
}

struct Walk<'a> {
    flat: Flat<'a>,
    open: Vec<Level>,
    /// The path of the current value.
    path: String,
}

impl Walk<'_> {
    fn begin(&mut self, level: Level, bytes: Range<usize>) -> Result<(), IndexError> {
        if self.open.len() >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} deep");
            return Err(IndexError::new(message));
        }
        let is_key = self.node(None, &bytes)?;
        let path = self.path.len();
        self.open.push(Level {
            path,
            is_key,
            ..level
        });
        Ok(())
    }

    fn end(&mut self, bytes: &Range<usize>) -> Result<(), IndexError> {
        let Some(level) = self.open.pop() else {
            return Ok(());
        };
        self.path.truncate(level.path);
        if level.is_empty && !self.open.is_empty() {
            let value = match level.kind {
                Kind::Mapping { .. } => "{}",
                Kind::Sequence { .. } => "[]",
            };
            self.flat.value(&self.path, value, bytes.clone())?;
        }
        if !level.is_key {
            self.after();
        }
        Ok(())
    }

    fn scalar(&mut self, value: &str, bytes: Range<usize>) -> Result<(), IndexError> {
        if self.node(Some(value), &bytes)? {
            self.flat.skip_to(bytes.start)?;
            self.flat.pass(bytes.end);
            return Ok(());
        }
        if self.open.is_empty() {
            self.flat.section("", bytes.start)?;
        }
        self.flat.value(&self.path, value, bytes)?;
        self.after();
        Ok(())
    }

    /// Sets the path at the start of a node. Returns whether the node is a key.
    fn node(&mut self, scalar: Option<&str>, bytes: &Range<usize>) -> Result<bool, IndexError> {
        let is_top = self.open.len() == 1;
        let Some(level) = self.open.last_mut() else {
            return Ok(false);
        };
        level.is_empty = false;
        match &mut level.kind {
            Kind::Mapping { is_key } if *is_key => {
                *is_key = false;
                self.path.truncate(level.path);
                if !self.path.is_empty() {
                    self.path.push('.');
                }
                // A key that is a sequence or a mapping has no name: write `?`.
                self.path += scalar.unwrap_or("?");
                if is_top {
                    self.flat.section(&self.path, bytes.start)?;
                }
                Ok(true)
            }
            Kind::Mapping { .. } => Ok(false),
            Kind::Sequence { index } => {
                self.path.truncate(level.path);
                self.path += &format!("[{index}]");
                *index += 1;
                if is_top {
                    self.flat.section(&self.path, bytes.start)?;
                }
                Ok(false)
            }
        }
    }

    /// Restores the path after a value. In a mapping, the next node is then a key.
    fn after(&mut self) {
        if let Some(level) = self.open.last_mut() {
            self.path.truncate(level.path);
            if let Kind::Mapping { is_key } = &mut level.kind {
                *is_key = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use skillc_core::testkit::sections_of;

    use super::Yaml;

    fn sections(text: &str) -> String {
        sections_of(&Yaml, "a.yaml", text.as_bytes())
    }

    #[test]
    fn deep_nesting_and_long_repeated_paths_are_errors() {
        assert!(sections(&"[".repeat(100_000)).starts_with("error: "));
        let text = format!("{}: [{}0]", "k".repeat(1000), "0,".repeat(20_000));
        let error = "error: its searchable text would be more than 8 times the size of the file\n";
        assert_eq!(sections(&text), error);
    }

    #[test]
    fn aliases_are_not_expanded() {
        let text = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
        let found = sections(text);
        assert!(found.contains("b[1]: *a\n"), "{found}");
        assert_eq!(found.matches(": x\n").count(), 2, "{found}");
    }
}
