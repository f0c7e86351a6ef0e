//! Source code: its symbols, such as functions and types, and the comments that document them.
//!
//! There are no parsers here. A lexer ([`lexer`]) that is driven by a table ([`syntax`]) finds words, brackets, strings
//! and comments. Recognisers then look for the beginnings of declarations among these tokens. This is enough to find
//! symbols, and the code around a syntax error is still read. Bodies of functions are skipped.

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
    /// The brackets up to this byte are nested too deeply.
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
