//! JSON: one section per top-level key or element. A section lists all its values, with their paths.
//!
//! A JSON parser first validates the text. A second scan then reads the values, so that the order of keys, duplicate
//! keys and the digits of numbers are preserved.
#![cfg(feature = "json")]

use serde::de::IgnoredAny;
use skillc_core::index::TextBudget;
use skillc_core::{
    IndexError, Indexer, IndexerMeta, LineIndex, Section, SourceFile, declare_indexer,
};

/// The nesting limit, including the outermost list or object. Design: R20.
const MAX_DEPTH: usize = 128;

declare_indexer! {
    /// JSON, one section per top-level key or element
    pub(crate) struct Json { id: "json", extensions: ["json"], version: 2 }
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
        serde_json::from_str::<IgnoredAny>(&text).map_err(|e| IndexError::new(e.to_string()))?;
        let lines = LineIndex::new(text.as_bytes());
        let mut walk = Walk {
            text: &text,
            at: 0,
            path: String::new(),
            out: String::new(),
            budget: TextBudget::for_file(file),
        };
        let mut part = |walk: &mut Walk<'_>| {
            let heading = walk.path.clone();
            walk.peek()?;
            let start = walk.at;
            walk.value(2)?;
            emit(Section {
                heading: heading.into(),
                content: std::mem::take(&mut walk.out).into(),
                lines: lines.line(start)..lines.line(walk.at - 1) + 1,
            });
            Ok(())
        };
        match walk.peek()? {
            b'{' | b'[' => walk.children(&mut part),
            _ => part(&mut walk),
        }
    }

    fn indexes_other_text(&self) -> bool {
        false
    }
}

/// A scanner over text that is known to be valid JSON.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    /// The path of the current value.
    path: String,
    /// One line per value so far: `servers[0].port: 8080`.
    out: String,
    budget: TextBudget,
}

impl<'a> Walk<'a> {
    /// Writes the current value with all values inside it, and advances past it. `depth`: 1 for the outermost value.
    fn value(&mut self, depth: usize) -> Result<(), IndexError> {
        match self.peek()? {
            b'{' | b'[' if depth > MAX_DEPTH => Err(IndexError::new(format!(
                "nested more than {MAX_DEPTH} deep"
            ))),
            open @ (b'{' | b'[') => {
                let before = self.at;
                self.children(&mut |walk| walk.value(depth + 1))?;
                let inside = &self.text[before + 1..self.at - 1];
                if inside.trim().is_empty() {
                    self.line(if open == b'{' { "{}" } else { "[]" })?;
                }
                Ok(())
            }
            b'"' => {
                let text = self.string()?;
                self.line(&text)
            }
            _ => {
                let text = self.literal();
                self.line(text)
            }
        }
    }

    /// Calls `visit` at each value in the current object or list, with `path` set to the value's path. `visit` must
    /// advance past the value. Then advances past the closing bracket.
    fn children(
        &mut self,
        visit: &mut dyn FnMut(&mut Self) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let parent = self.path.len();
        let is_object = self.peek()? == b'{';
        self.at += 1;
        for index in 0_usize.. {
            if self.peek()? == b',' {
                self.at += 1;
            }
            if matches!(self.peek()?, b'}' | b']') {
                self.at += 1;
                break;
            }
            if is_object {
                let key = self.string()?;
                if parent > 0 {
                    self.path.push('.');
                }
                self.path += &key;
                self.peek()?;
                // Skip the colon.
                self.at += 1;
            } else {
                self.path += &format!("[{index}]");
            }
            visit(self)?;
            self.path.truncate(parent);
        }
        Ok(())
    }

    /// Skips whitespace and returns the next byte.
    fn peek(&mut self) -> Result<u8, IndexError> {
        let rest = &self.text.as_bytes()[self.at..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
        self.at += blanks.count();
        let next = self.text.as_bytes().get(self.at);
        next.copied()
            .ok_or_else(|| IndexError::new("unexpected end"))
    }

    /// Reads the current string and advances past it.
    fn string(&mut self) -> Result<String, IndexError> {
        self.peek()?;
        let start = self.at;
        let mut is_escaped = true;
        let inside = |byte: &&u8| {
            let is_end = **byte == b'"' && !is_escaped;
            is_escaped = **byte == b'\\' && !is_escaped;
            !is_end
        };
        let length = self.text.as_bytes()[start..]
            .iter()
            .take_while(inside)
            .count();
        self.at = (start + length + 1).min(self.text.len());
        serde_json::from_str(&self.text[start..self.at]).map_err(|_| {
            // The string contains a lone surrogate, which the validator accepts.
            let line = LineIndex::new(self.text.as_bytes()).line(start);
            IndexError::new(format!("invalid escape in a string at line {line}"))
        })
    }

    /// Reads the current number or word and advances past it.
    fn literal(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let is_end = |c: char| matches!(c, ',' | '}' | ']') || c.is_ascii_whitespace();
        let literal = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        self.at += literal.len();
        literal
    }

    fn line(&mut self, value: &str) -> Result<(), IndexError> {
        self.budget.take(self.path.len() + value.len() + 3)?;
        let separator = if self.path.is_empty() { "" } else { ": " };
        self.out += &format!("{}{separator}{value}\n", self.path);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use skillc_core::testkit::sections_of;

    use super::Json;

    fn nested(depth: usize) -> String {
        sections_of(
            &Json,
            "a.json",
            format!("{}{}", "[".repeat(depth), "]".repeat(depth)).as_bytes(),
        )
    }

    #[test]
    fn nesting_of_128_is_accepted_and_deeper_nesting_refused() {
        let innermost = format!("[0]{}: []\n", "[0]".repeat(126));
        assert_eq!(nested(128), format!("[1..2] \"[0]\"\n{innermost}\n---\n"));
        assert_eq!(nested(129), "error: nested more than 128 deep\n");
        assert_eq!(nested(100_000), "error: nested more than 128 deep\n");
    }

    #[test]
    fn paths_that_would_inflate_the_text_are_refused() {
        let text = format!("{{\"{}\": [{}0]}}", "k".repeat(4096), "0,".repeat(4096));
        let error = "error: its searchable text would be more than 8 times the size of the file\n";
        assert_eq!(sections_of(&Json, "a.json", text.as_bytes()), error);
    }
}
