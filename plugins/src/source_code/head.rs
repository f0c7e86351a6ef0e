//! The input and output of the functions that recognise declarations. The input is a statement.

use super::lexer::{Kind, Token};

/// A token of a statement, and the number of brackets around it within the statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) token: Token,
    pub(super) level: usize,
}

/// The kind of content in a pair of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// Code that is not searched for symbols.
    Skipped,
    /// A part of a statement.
    Inner,
    /// Statements.
    Block,
    /// The members of a type.
    Members,
    /// The constants of an enumeration in Java, and then its members.
    Constants,
    /// The members of an object in JavaScript.
    Object,
    /// The types of a group in Go.
    Types,
}

/// The kind of construct that a `{` between statements opens.
pub(super) struct Brace {
    /// The name of a symbol, or the name that qualifies the symbols in the brackets.
    pub(super) name: Option<String>,
    pub(super) is_symbol: bool,
    pub(super) body: Body,
    /// Whether the statement ends with the brackets.
    pub(super) is_end: bool,
}

impl Brace {
    /// Brackets within a statement. The statement continues after the brackets.
    pub(super) const PART: Self = Self::other(Body::Skipped, false);
    /// Code at the end of a statement.
    pub(super) const CODE: Self = Self::other(Body::Skipped, true);
    /// Statements without a name.
    pub(super) const BLOCK: Self = Self::other(Body::Block, true);

    pub(super) const fn other(body: Body, is_end: bool) -> Self {
        Self {
            name: None,
            is_symbol: false,
            body,
            is_end,
        }
    }

    /// A symbol that contains no symbols.
    pub(super) fn leaf(name: impl Into<String>, is_end: bool) -> Self {
        Self::container(name, Body::Skipped, is_end)
    }

    /// A symbol that can contain symbols.
    pub(super) fn container(name: impl Into<String>, body: Body, is_end: bool) -> Self {
        Self {
            name: Some(name.into()),
            is_symbol: true,
            body,
            is_end,
        }
    }

    /// Brackets that contain symbols but are not a symbol.
    pub(super) fn scope(name: Option<String>) -> Self {
        Self {
            name,
            is_symbol: false,
            body: Body::Members,
            is_end: true,
        }
    }
}

/// The context of a statement.
pub(super) struct Place<'a> {
    pub(super) body: Body,
    /// The name of the enclosing type.
    pub(super) outer: Option<&'a str>,
    /// The last token before a `{`.
    pub(super) last: Option<Kind>,
}

/// The tokens of a statement that are outside its brackets. All positions are indexes into this list.
pub(super) struct Head<'a> {
    text: &'a str,
    parts: &'a [Part],
    top: Vec<usize>,
}

impl<'a> Head<'a> {
    pub(super) fn new(text: &'a str, parts: &'a [Part]) -> Self {
        let top = (0..parts.len()).filter(|at| parts[*at].level == 0);
        Self {
            text,
            parts,
            top: top.collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.top.len()
    }

    pub(super) fn token(&self, at: usize) -> Option<Token> {
        Some(self.parts[*self.top.get(at)?].token)
    }

    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.token(at).map(|token| token.kind)
    }

    /// Returns whether the token at a position is the character `sign`.
    pub(super) fn is(&self, at: usize, sign: u8) -> bool {
        self.kind(at) == Some(Kind::Sign(sign))
    }

    /// Returns whether the token at a position is the opening bracket `bracket`.
    pub(super) fn opens(&self, at: usize, bracket: u8) -> bool {
        self.kind(at) == Some(Kind::Open(bracket))
    }

    /// Returns the word at a position; an empty string if the token is not a word.
    pub(super) fn word(&self, at: usize) -> &'a str {
        match self.token(at) {
            Some(token) if token.kind == Kind::Word => self.slice(token.start, token.end),
            _ => "",
        }
    }

    /// Returns the word at a position if it can be a name, and is not a number.
    pub(super) fn name(&self, at: usize) -> Option<&'a str> {
        let word = self.word(at);
        let is_name = !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit());
        is_name.then_some(word)
    }

    /// Returns the text from one token to another, inclusive.
    pub(super) fn text(&self, first: usize, last: usize) -> &'a str {
        match (self.token(first), self.token(last)) {
            (Some(first), Some(last)) => self.slice(first.start, last.end),
            _ => "",
        }
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns the first position at or after `from` for which `is_found` returns true.
    pub(super) fn find(&self, from: usize, is_found: impl Fn(usize) -> bool) -> Option<usize> {
        (from..self.len()).find(|at| is_found(*at))
    }

    /// Returns the position after the type arguments that begin at a position, if any.
    pub(super) fn after_angles(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for end in at..self.len() {
            match self.kind(end) {
                Some(Kind::Sign(b'<')) => depth += 1,
                Some(Kind::Sign(b'>')) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return if end == at { at } else { end + 1 };
            }
        }
        self.len()
    }

    /// Returns the position after the annotations or decorators that begin at a position.
    pub(super) fn after_annotations(&self, mut at: usize) -> usize {
        while self.is(at, b'@') && self.word(at + 1) != "interface" {
            at += 2;
            while self.is(at, b'.') {
                at += 2;
            }
            if self.opens(at, b'(') {
                at += 2;
            }
        }
        at.min(self.len())
    }

    /// Returns the position of the `<` that matches the `>` at a position.
    pub(super) fn before_angles(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for start in (0..=at).rev() {
            match self.kind(start) {
                Some(Kind::Sign(b'>')) => depth += 1,
                Some(Kind::Sign(b'<')) => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(start);
            }
        }
        None
    }

    /// Returns the tokens directly inside the brackets that begin at a position.
    pub(super) fn inner(&self, at: usize) -> impl Iterator<Item = (Kind, &'a str)> + '_ {
        let first = self.top.get(at).map_or(self.parts.len(), |at| at + 1);
        let inner = self.parts[first..].iter();
        let inner = inner.take_while(|part| part.level > 0);
        let inner = inner.filter(|part| part.level == 1).map(|part| part.token);
        inner.map(|token| (token.kind, self.slice(token.start, token.end)))
    }
}
