//! Finds the symbols in source code, such as functions and types, and the comments that document them.
//!
//! This module does not contain full parsers. A table-driven lexer ([`lexer`], [`syntax`]) finds words, brackets,
//! strings and comments. A function for each family of languages then recognises the beginnings of declarations among
//! these tokens. This is enough to find symbols, and it works even if the code contains syntax errors. Bodies of
//! functions are skipped.

mod c;
mod collect;
mod go_shell;
mod head;
mod lexer;
mod python;
mod reader;
mod rust;
mod script;
mod syntax;
#[cfg(test)]
mod tests;

pub(crate) use collect::{Outline, Symbol};
pub(crate) use syntax::Syntax;

/// The maximum nesting depth of brackets.
pub(crate) const MAX_DEPTH: usize = 256;

/// The reason why a file has no outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The string, comment or here-document that begins at this byte is not closed.
    Open(usize),
    /// The brackets or conditions at this byte exceed the maximum nesting depth.
    Deep(usize),
}

impl Outline {
    /// Finds the symbols in `text`.
    ///
    /// # Errors
    /// [`Fault`] if a string or comment is not closed, or brackets are nested too deeply.
    pub(crate) fn read(syntax: &'static Syntax, text: &str) -> Result<Self, Fault> {
        if syntax.family == syntax::Family::Python {
            return python::read(syntax, text);
        }
        match reader::read(syntax, text, false)? {
            (outline, true) => Ok(outline),
            // If the brackets do not match, the indentation shows where declarations begin.
            (_, false) => Ok(reader::read(syntax, text, true)?.0),
        }
    }
}
