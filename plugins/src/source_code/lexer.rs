//! Divides source code into tokens, in one pass.

use super::syntax::{BlockComments, Family, Quote, Syntax, has};
use super::{Fault, MAX_DEPTH};

/// The number of columns between two tab stops.
const TAB: usize = 8;

/// The maximum length of a raw string's delimiter in C++.
const MAX_DELIMITER: usize = 16;

/// The maximum length of an escaped character literal in Rust: `'\u{1f6f6}'`.
const MAX_CHARACTER: usize = 16;

/// The words of JavaScript after which a `/` begins a regular expression.
const BEFORE_VALUE: &str =
    "await case delete do else in instanceof new of return throw typeof void yield";

/// A token of source code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The column of the token if it is the first on its line.
    pub(super) column: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, keyword or number.
    Word,
    /// A string, a part of a string, or a lifetime in Rust.
    Text,
    Open(u8),
    Close(u8),
    Sign(u8),
    /// `::`
    Path,
    /// `=>`
    Arrow,
    /// Another operator of several characters, such as `==` and `->`.
    Operator,
    Comment,
    /// A line of the C preprocessor.
    Directive,
    /// A string that is not closed on its line.
    Broken,
}

/// A string that is interrupted by code.
struct OpenText {
    quote: &'static Quote,
    start: usize,
    /// The opening bracket of the code, and the number of these brackets that are open.
    open: u8,
    depth: usize,
}

struct HereDocument {
    start: usize,
    delimiter: (usize, usize),
    is_indented: bool,
}

pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    syntax: &'static Syntax,
    at: usize,
    column: usize,
    /// Whether the current line has no token so far.
    is_at_line_start: bool,
    /// The last token other than a comment.
    last: Option<Token>,
    texts: Vec<OpenText>,
    /// The interrupted string that continues here.
    resumed: Option<OpenText>,
    here_documents: Vec<HereDocument>,
    /// Whether the position is between `((` and `))` of a shell.
    is_arithmetic: bool,
    /// For each of `"`, `'` and `/`, a position up to which a search has found no closing mark on the same line. The
    /// lexer does not repeat this search before that position.
    lone: [usize; 3],
}

impl<'a> Lexer<'a> {
    pub(super) fn new(syntax: &'static Syntax, text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            syntax,
            at: if text.starts_with('\u{feff}') { 3 } else { 0 },
            column: 0,
            is_at_line_start: true,
            last: None,
            texts: Vec::new(),
            resumed: None,
            here_documents: Vec::new(),
            is_arithmetic: false,
            lone: [0; 3],
        }
    }

    /// Returns the next token; `None` at the end of the text.
    ///
    /// # Errors
    /// [`Fault`] if a string, comment or here-document is not closed.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Fault> {
        let resumed = self.resumed.take();
        let column = match &resumed {
            Some(_) => None,
            None => self.blank()?,
        };
        let start = self.at;
        let kind = match (resumed, self.texts.first()) {
            (Some(text), _) => self.text(text.quote, text.start)?,
            (None, Some(text)) if start >= self.bytes.len() => return Err(Fault::Open(text.start)),
            (None, None) if start >= self.bytes.len() => return Ok(None),
            (None, _) => self.token(column.is_some())?,
        };
        self.at = self.at.min(self.bytes.len());
        let token = Token {
            kind,
            start,
            end: self.at,
            column,
        };
        if kind != Kind::Comment {
            self.last = Some(token);
        }
        Ok(Some(token))
    }

    /// Returns whether the last token can end a value, so that a `/` after it is a division.
    fn ends_value(&self) -> bool {
        let Some(last) = self.last else {
            return false;
        };
        let text = &self.bytes[last.start..last.end];
        match last.kind {
            Kind::Word => std::str::from_utf8(text).is_ok_and(|word| !has(BEFORE_VALUE, word)),
            Kind::Text | Kind::Close(_) => true,
            // `count++ / 2`
            Kind::Sign(b'+' | b'-') => self.bytes[..last.start].ends_with(text),
            _ => false,
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or_default()
    }

    fn starts(&self, text: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(text)
    }

    fn is(&self, family: Family) -> bool {
        self.syntax.family == family
    }

    /// Returns the position of the line end after `at`, or the end of the text.
    fn line_end(&self, at: usize) -> usize {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(is_end).unwrap_or(rest.len())
    }

    /// Returns the position after a backslash and the character that it escapes.
    fn after_escape(&self, at: usize) -> usize {
        at + match (self.byte(at + 1), self.byte(at + 2)) {
            (b'\r', b'\n') => 3,
            _ => 2,
        }
    }

    /// Skips whitespace. Returns the column if the next token is the first token on its line.
    fn blank(&mut self) -> Result<Option<usize>, Fault> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => {
                    self.at += 1;
                    self.column = 0;
                    self.is_at_line_start = true;
                    self.is_arithmetic = false;
                    if byte == b'\n' || self.byte(self.at) != b'\n' {
                        self.skip_here_documents()?;
                    }
                }
                b'\t' => {
                    self.at += 1;
                    self.column = (self.column / TAB + 1) * TAB;
                }
                b' ' | 0x0b | 0x0c => {
                    self.at += 1;
                    self.column += 1;
                }
                b'\\' if matches!(self.byte(self.at + 1), b'\n' | b'\r') => {
                    self.at = self.after_escape(self.at);
                }
                _ => break,
            }
        }
        let is_first = std::mem::take(&mut self.is_at_line_start);
        Ok(is_first.then_some(self.column))
    }

    fn skip_here_documents(&mut self) -> Result<(), Fault> {
        for document in std::mem::take(&mut self.here_documents) {
            let delimiter = &self.bytes[document.delimiter.0..document.delimiter.1];
            loop {
                if self.at >= self.bytes.len() {
                    return Err(Fault::Open(document.start));
                }
                let end = self.line_end(self.at);
                let mut line = &self.bytes[self.at..end];
                while document.is_indented && line.first() == Some(&b'\t') {
                    line = &line[1..];
                }
                self.at = end + 1;
                if self.bytes[end..].starts_with(b"\r\n") {
                    self.at += 1;
                }
                if line == delimiter {
                    break;
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
        Ok(())
    }

    fn token(&mut self, is_first: bool) -> Result<Kind, Fault> {
        let byte = self.byte(self.at);
        let next = self.byte(self.at + 1);
        let is_interpreter = self.at == 0 && self.starts(b"#!") && !self.starts(b"#![");
        if is_interpreter || self.starts(self.syntax.line_comment) && self.can_begin_comment() {
            self.at = self.line_end(self.at);
            return Ok(Kind::Comment);
        }
        if self.syntax.block_comments != BlockComments::None && self.starts(b"/*") {
            return self.block_comment();
        }
        if byte == b'#' && is_first && self.is(Family::C) {
            return self.directive();
        }
        if byte == b'\'' && self.is(Family::Rust) {
            return Ok(self.character_or_lifetime());
        }
        if let Some(quote) = self.quote() {
            let start = self.at;
            self.at += quote.begin.len();
            return self.text(quote, start);
        }
        if byte == b'/' && self.is(Family::Script) && self.regular_expression(is_first) {
            return Ok(Kind::Text);
        }
        let is_private = byte == b'#' && self.is(Family::Script) && self.is_word(next);
        if is_private || self.is_word(byte) {
            return self.word();
        }
        if self.is(Family::Shell) {
            if byte == b'\\' {
                // Treat any escaped character as a word.
                let length = match next {
                    0xf0.. => 4,
                    0xe0.. => 3,
                    0xc0.. => 2,
                    _ => 1,
                };
                self.at += 1 + length;
                return Ok(Kind::Word);
            }
            if self.starts(b"((") {
                self.is_arithmetic = true;
            } else if self.starts(b"))") {
                self.is_arithmetic = false;
            } else if self.starts(b"<<") && !self.is_arithmetic {
                self.at += self.here_document();
                return Ok(Kind::Operator);
            }
        }
        Ok(self.sign(byte, next))
    }

    fn sign(&mut self, byte: u8, next: u8) -> Kind {
        self.at += 1;
        match (byte, next) {
            // In a shell, `[` and `]` occur only in tests and patterns.
            (b'[' | b']', _) if self.is(Family::Shell) => Kind::Sign(byte),
            (b'(' | b'[' | b'{', _) => {
                if let Some(text) = self.texts.last_mut().filter(|text| text.open == byte) {
                    text.depth += 1;
                }
                Kind::Open(byte)
            }
            (b')' | b']' | b'}', _) => {
                if let Some(text) = self.texts.last_mut()
                    && closing(text.open) == byte
                {
                    text.depth -= 1;
                    if text.depth == 0 {
                        self.resumed = self.texts.pop();
                    }
                }
                Kind::Close(byte)
            }
            (b':', b':') => {
                self.at += 1;
                Kind::Path
            }
            (b'=', b'>') => {
                self.at += 1;
                Kind::Arrow
            }
            (b'-', b'>') => {
                self.at += 1;
                Kind::Operator
            }
            (
                b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^'
                | b':' | b'?',
                b'=',
            ) => {
                while self.byte(self.at) == b'=' {
                    self.at += 1;
                }
                Kind::Operator
            }
            _ => Kind::Sign(byte),
        }
    }

    fn can_begin_comment(&self) -> bool {
        if !self.is(Family::Shell) {
            return true;
        }
        let is_in_expansion = self.texts.last().is_some_and(|text| text.open == b'{');
        let before = self.at.checked_sub(1).map_or(b'\n', |at| self.byte(at));
        !is_in_expansion && (before.is_ascii_whitespace() || b";&|()`".contains(&before))
    }

    fn block_comment(&mut self) -> Result<Kind, Fault> {
        let start = self.at;
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            if self.starts(b"/*") {
                self.at += 2;
                if depth == 0 || self.syntax.block_comments == BlockComments::Nested {
                    depth += 1;
                }
            } else if self.starts(b"*/") {
                self.at += 2;
                depth -= 1;
                if depth == 0 {
                    return Ok(Kind::Comment);
                }
            } else {
                self.at += 1;
            }
        }
        Err(Fault::Open(start))
    }

    /// Reads a line of the preprocessor with its continuations.
    fn directive(&mut self) -> Result<Kind, Fault> {
        while self.at < self.bytes.len() {
            match self.byte(self.at) {
                b'\\' => self.at = self.after_escape(self.at),
                b'\n' | b'\r' => break,
                b'/' if self.starts(b"//") => self.at = self.line_end(self.at),
                b'/' if self.starts(b"/*") => {
                    self.block_comment()?;
                }
                b'"' => {
                    self.at += 1;
                    self.text(&self.syntax.quotes[0], self.at)?;
                }
                _ => self.at += 1,
            }
        }
        Ok(Kind::Directive)
    }

    /// Returns the kind of the string that begins here.
    fn quote(&self) -> Option<&'static Quote> {
        let mut quotes = self.syntax.quotes.iter();
        let quote = quotes.find(|quote| self.starts(quote.begin))?;
        let is_lone = lone_index(quote).is_some_and(|index| self.at < self.lone[index]);
        // In `"${name:-it's}"`, the `'` is not a quote.
        let is_in_expansion = self.is(Family::Shell)
            && quote.begin == b"'"
            && self.texts.last().is_some_and(|text| text.open == b'{');
        (!is_lone && !is_in_expansion).then_some(quote)
    }

    /// Reads a string up to its end, or up to code within it.
    fn text(&mut self, quote: &'static Quote, start: usize) -> Result<Kind, Fault> {
        let mut at = self.at;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' if quote.has_escapes => at = self.after_escape(at),
                b'\n' | b'\r' if !quote.is_multiline => break,
                _ if byte == quote.end[0] && self.bytes[at..].starts_with(quote.end) => {
                    self.at = at + quote.end.len();
                    return Ok(Kind::Text);
                }
                b'$' if quote.holes.contains(&self.byte(at + 1)) => {
                    if self.texts.len() >= MAX_DEPTH {
                        return Err(Fault::Deep(at));
                    }
                    self.at = at + 1;
                    self.texts.push(OpenText {
                        quote,
                        start,
                        open: self.byte(self.at),
                        depth: 0,
                    });
                    return Ok(Kind::Text);
                }
                _ => at += 1,
            }
        }
        if quote.is_multiline {
            return Err(Fault::Open(start));
        }
        if let Some(index) = lone_index(quote).filter(|_| self.is(Family::Script)) {
            // The quote is an apostrophe in JSX text between two tags.
            self.lone[index] = at;
            return Ok(Kind::Sign(quote.begin[0]));
        }
        self.at = at.min(self.bytes.len());
        Ok(Kind::Broken)
    }

    /// Reads a regular expression. Returns false if the `/` does not begin one.
    fn regular_expression(&mut self, is_first: bool) -> bool {
        let before = self.at.checked_sub(1).map_or(b'\n', |at| self.byte(at));
        let divides = self.ends_value() && (!is_first || self.starts(b"/>"));
        if divides || before == b'<' || self.at < self.lone[2] {
            return false;
        }
        let mut at = self.at + 1;
        let mut is_in_class = false;
        while let Some(&byte) = self.bytes.get(at) {
            at += 1;
            match byte {
                b'\\' => at += 1,
                b'\n' | b'\r' => break,
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => {
                    self.at = at;
                    return true;
                }
                _ => {}
            }
        }
        self.lone[2] = at.min(self.line_end(self.at));
        false
    }

    /// Reads `'a'` or `'a` in Rust.
    fn character_or_lifetime(&mut self) -> Kind {
        let start = self.at;
        self.at += 1;
        if self.byte(self.at) == b'\\' {
            let end = self.bytes.len().min(start + MAX_CHARACTER);
            let rest = self.bytes.get(start + 3..end).unwrap_or_default();
            let length = rest.iter().position(|byte| *byte == b'\'');
            self.at = length.map_or(start + 2, |length| start + 4 + length);
            return Kind::Text;
        }
        let mut end = self.at + 1;
        while self.byte(end) & 0xc0 == 0x80 {
            end += 1;
        }
        if self.byte(end) == b'\'' && !matches!(self.byte(self.at), b'\n' | b'\r' | b'\'') {
            self.at = end + 1;
        } else {
            while self.is_word(self.byte(self.at)) {
                self.at += 1;
            }
        }
        Kind::Text
    }

    fn is_word(&self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            || byte == b'_'
            || byte >= 0x80
            || self.syntax.word_signs.contains(&byte)
    }

    /// Reads a word, and the string after it if the word is a string prefix.
    fn word(&mut self) -> Result<Kind, Fault> {
        let start = self.at;
        let is_number = self.byte(start).is_ascii_digit();
        self.at += 1;
        loop {
            let byte = self.byte(self.at);
            let is_separator = byte == b'\'' && is_number && self.is(Family::C);
            if self.is_word(byte) || is_separator && self.byte(self.at + 1).is_ascii_alphanumeric()
            {
                self.at += 1;
            } else {
                break;
            }
        }
        let word = &self.bytes[start..self.at];
        match self.syntax.family {
            Family::Rust if [&b"r"[..], b"br", b"cr"].contains(&word) => self.raw_rust(start),
            Family::C
                if self.byte(self.at) == b'"'
                    && [&b"R"[..], b"LR", b"uR", b"UR", b"u8R"].contains(&word) =>
            {
                self.raw_c(start)
            }
            Family::Python if matches!(self.byte(self.at), b'"' | b'\'') && word.len() <= 2 => {
                let is_prefix = word.iter().all(|byte| b"bBfFrRtTuU".contains(byte));
                match self.quote().filter(|_| is_prefix) {
                    Some(quote) => {
                        self.at += quote.begin.len();
                        self.text(quote, start)
                    }
                    None => Ok(Kind::Word),
                }
            }
            _ => Ok(Kind::Word),
        }
    }

    /// Reads `r#"…"#` or `r#name`.
    fn raw_rust(&mut self, start: usize) -> Result<Kind, Fault> {
        let mut at = self.at;
        while self.byte(at) == b'#' {
            at += 1;
        }
        let hashes = at - self.at;
        if self.byte(at) != b'"' {
            if hashes == 1 && self.is_word(self.byte(at)) {
                self.at = at;
                while self.is_word(self.byte(self.at)) {
                    self.at += 1;
                }
            }
            return Ok(Kind::Word);
        }
        at += 1;
        let mut found = None;
        while let Some(&byte) = self.bytes.get(at) {
            at += 1;
            found = match byte {
                b'"' => Some(0),
                b'#' => found.map(|found| found + 1),
                _ => None,
            };
            if found == Some(hashes) {
                self.at = at;
                return Ok(Kind::Text);
            }
        }
        Err(Fault::Open(start))
    }

    /// Reads `R"x(…)x"`.
    fn raw_c(&mut self, start: usize) -> Result<Kind, Fault> {
        let first = self.at + 1;
        let end = self.bytes.len().min(first + MAX_DELIMITER + 1);
        let Some(length) = self.bytes[first..end].iter().position(|b| *b == b'(') else {
            return Ok(Kind::Word);
        };
        let delimiter = &self.bytes[first..first + length];
        for at in first + length..self.bytes.len() {
            let rest = &self.bytes[at..];
            if let Some(rest) = rest.strip_prefix(b")")
                && let Some(rest) = rest.strip_prefix(delimiter)
                && rest.first() == Some(&b'"')
            {
                self.at = at + length + 2;
                return Ok(Kind::Text);
            }
        }
        Err(Fault::Open(start))
    }

    /// Reads the beginning of a here-document, and returns its length.
    fn here_document(&mut self) -> usize {
        if self.starts(b"<<<") {
            return 3;
        }
        let mut at = self.at + 2;
        let is_indented = self.byte(at) == b'-';
        if is_indented {
            at += 1;
        }
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        let mark = self.byte(at);
        let is_quoted = matches!(mark, b'\'' | b'"');
        if is_quoted || mark == b'\\' {
            at += 1;
        }
        let first = at;
        while at < self.bytes.len() {
            let byte = self.byte(at);
            let is_part = if is_quoted {
                byte != mark && !matches!(byte, b'\n' | b'\r')
            } else {
                self.is_word(byte)
            };
            if !is_part {
                break;
            }
            at += 1;
        }
        // The text after `<<` is a number: `1 << 2`.
        if first == at || !is_quoted && self.byte(first).is_ascii_digit() {
            return 2;
        }
        self.here_documents.push(HereDocument {
            start: self.at,
            delimiter: (first, at),
            is_indented,
        });
        at + usize::from(is_quoted) - self.at
    }
}

/// Returns the index of a kind of string in `lone`.
fn lone_index(quote: &Quote) -> Option<usize> {
    match quote.begin {
        b"\"" if !quote.is_multiline => Some(0),
        b"'" if !quote.is_multiline => Some(1),
        _ => None,
    }
}

/// Returns the closing bracket that matches an opening bracket.
pub(super) fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}
