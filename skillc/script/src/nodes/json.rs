//! Strict JSON (RFC 8259): no comments, no trailing commas, no dialects.
//!
//! The scanner is part of `jsonc-parser`. This module rejects the extensions to JSON that the scanner accepts. It
//! processes the tokens without recursion, so deep nesting cannot overflow the stack.

use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};
use skillc_core::Span;

use super::fault::{self, Fault, shown};
use super::node::{Kind, Node};
use super::tree::{Builder, Content};

const STRICT: ScannerOptions = ScannerOptions {
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses text as JSON. Duplicate keys of an object are kept; [`Node::get`] returns the first.
///
/// # Errors
/// If the text is not valid JSON, or exceeds the bounds.
pub fn json(text: &str, base: usize) -> Result<Node, Fault> {
    let start = fault::start(text, base)?;
    let mut reader = JsonReader {
        text,
        start,
        end: start,
        scanner: Scanner::new(&text[start..], &STRICT),
        builder: Builder::new(text, base),
    };
    let mut expected = Expected::Value;
    while let Some((token, span)) = reader.next()? {
        expected = reader.take(expected, &token, span)?;
    }
    match expected {
        Expected::Nothing => reader.builder.finish(),
        Expected::Value if reader.builder.innermost().is_none() => {
            Err(reader.builder.fault(text.len(), "there is no value"))
        }
        _ => Err(reader
            .builder
            .fault(text.len(), "unexpected end: a bracket is never closed")),
    }
}

/// The tokens that may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

struct JsonReader<'t> {
    text: &'t str,
    /// Offset where the scanner's text begins.
    start: usize,
    /// Offset where the last token ends.
    end: usize,
    scanner: Scanner<'t>,
    builder: Builder<'t>,
}

impl<'t> JsonReader<'t> {
    /// Returns the next token with its span in the text.
    fn next(&mut self) -> Result<Option<(Token<'t>, Span)>, Fault> {
        let token = self.scanner.scan().map_err(|error| {
            let at = self.start + error.range().start;
            self.builder.fault(at, &self.refused(error.kind(), at))
        })?;
        let span = Span::new(
            self.start + self.scanner.token_start(),
            self.start + self.scanner.token_end(),
        );
        // The scanner also skips whitespace that JSON does not allow.
        let between = &self.text[self.end..span.start];
        if let Some(at) = between.find(|sign| !" \t\n\r".contains(sign)) {
            let at = self.end + at;
            return Err(self.builder.fault(at, &self.unexpected(at)));
        }
        self.end = span.end;
        Ok(token.map(|token| (token, span)))
    }

    /// Processes a token, and returns the tokens that may follow.
    fn take(
        &mut self,
        expected: Expected,
        token: &Token<'t>,
        span: Span,
    ) -> Result<Expected, Fault> {
        use Expected as E;
        match (expected, token) {
            (E::Key | E::KeyOrEnd, Token::String(key)) => {
                self.check_string(span)?;
                let text = Content::decoded(self.text, span, key);
                self.builder.key(span, text);
                Ok(E::Colon)
            }
            (E::Colon, Token::Colon) => Ok(E::Value),
            (E::CommaOrEnd, Token::Comma) => Ok(match self.builder.innermost() {
                Some(Kind::Map) => E::Key,
                _ => E::Value,
            }),
            (E::KeyOrEnd | E::CommaOrEnd, Token::CloseBrace) if self.is_in(Kind::Map) => {
                Ok(self.close(span))
            }
            (E::ValueOrEnd | E::CommaOrEnd, Token::CloseBracket) if self.is_in(Kind::List) => {
                Ok(self.close(span))
            }
            (E::Value | E::ValueOrEnd, _) => self.value(token, span),
            _ => Err(self.misplaced(expected, token, span)),
        }
    }

    fn value(&mut self, token: &Token<'t>, span: Span) -> Result<Expected, Fault> {
        let source = Content::Source(span);
        match token {
            Token::OpenBrace => {
                self.builder.open(Kind::Map, span.start)?;
                return Ok(Expected::KeyOrEnd);
            }
            Token::OpenBracket => {
                self.builder.open(Kind::List, span.start)?;
                return Ok(Expected::ValueOrEnd);
            }
            Token::String(text) => {
                self.check_string(span)?;
                let text = Content::decoded(self.text, span, text);
                self.builder.scalar(Kind::Text, span, text)?;
            }
            Token::Boolean(_) => self.builder.scalar(Kind::Bool, span, source)?,
            Token::Number(_) => self.builder.scalar(Kind::Number, span, source)?,
            Token::Null => self.builder.scalar(Kind::Null, span, source)?,
            _ => return Err(self.misplaced(Expected::Value, token, span)),
        }
        Ok(self.after_value())
    }

    fn close(&mut self, span: Span) -> Expected {
        self.builder.close(span.end);
        self.after_value()
    }

    fn after_value(&self) -> Expected {
        match self.builder.innermost() {
            Some(_) => Expected::CommaOrEnd,
            None => Expected::Nothing,
        }
    }

    fn is_in(&self, kind: Kind) -> bool {
        self.builder.innermost() == Some(kind)
    }

    /// Rejects line ends and other control characters, which the scanner accepts in strings.
    fn check_string(&self, span: Span) -> Result<(), Fault> {
        let written = &self.text.as_bytes()[span.start..span.end];
        match written.iter().position(|byte| *byte < b' ') {
            None => Ok(()),
            Some(at) => {
                let sign = char::from(written[at]);
                let reason = match sign {
                    '\n' | '\r' => "a string contains a line break; write \\n".to_owned(),
                    _ => format!("a string contains {}, which must be escaped", shown(sign)),
                };
                Err(self.builder.fault(span.start + at, &reason))
            }
        }
    }

    fn misplaced(&self, expected: Expected, token: &Token<'t>, span: Span) -> Fault {
        use Expected as E;
        let is_value = |token: &Token<'_>| {
            !matches!(
                token,
                Token::Colon | Token::Comma | Token::CloseBrace | Token::CloseBracket
            )
        };
        let reason = match (expected, token) {
            (_, Token::CommentLine(_) | Token::CommentBlock(_)) => {
                "comments are not allowed in JSON"
            }
            (E::Key, Token::CloseBrace) | (E::Value, Token::CloseBracket) => "trailing comma",
            (_, Token::Word(_)) => "unknown word; strings must be in double quotes",
            (E::Key | E::KeyOrEnd, token) if is_value(token) => "keys must be in double quotes",
            (E::Colon, _) => "missing colon after the key",
            (E::CommaOrEnd, token) if is_value(token) => "missing comma before this value",
            (E::Nothing, _) => "unexpected text after the value",
            (_, Token::CloseBrace | Token::CloseBracket) => "unmatched closing bracket",
            _ => return self.builder.fault(span.start, &self.unexpected(span.start)),
        };
        self.builder.fault(span.start, reason)
    }

    fn refused(&self, kind: &ParseErrorKind, at: usize) -> String {
        use jsonc_parser::ParseStringErrorKind as Text;
        let reason = match kind {
            ParseErrorKind::String(Text::UnterminatedStringLiteral) => "unterminated string",
            ParseErrorKind::String(
                Text::ExpectedFourHexDigits | Text::InvalidUnicodeEscapeSequence(_),
            ) => "invalid escape sequence",
            ParseErrorKind::String(_) => "invalid escape sequence; write a backslash as \\\\",
            ParseErrorKind::SingleQuotedStringsNotAllowed => "strings must be in double quotes",
            ParseErrorKind::UnterminatedCommentBlock => "comments are not allowed in JSON",
            ParseErrorKind::UnexpectedToken => return self.unexpected(at),
            _ => "invalid number",
        };
        reason.to_owned()
    }

    fn unexpected(&self, at: usize) -> String {
        match self.text[at..].chars().next() {
            Some(sign) => format!("{} is not allowed here", shown(sign)),
            None => "unexpected end".to_owned(),
        }
    }
}
