//! Reads the statements of languages with brackets, and passes them to the function that recognises the language's
//! declarations.
//!
//! The open brackets are in a list instead of on the call stack, because hostile code may be nested deeply.

use super::collect::{Collector, Lead, Outline, qualified};
use super::head::{Body, Brace, Head, Part, Place};
use super::lexer::{Kind, Lexer, Token, closing};
use super::syntax::{Family, Syntax, has};
use super::{Fault, MAX_DEPTH, c, go_shell, rust, script};

/// The maximum number of stored tokens per statement. The first tokens are enough to recognise a declaration.
const MAX_TOKENS: usize = 256;

/// The maximum number of tokens in a statement that is examined again at each line: attributes, a use of a macro, or
/// the name of a shell function.
const MAX_SHORT: usize = 64;

struct Frame {
    open: u8,
    body: Body,
    /// The qualified name of the symbol.
    name: Option<String>,
    is_end: bool,
    /// The indentation of the line with the opening bracket, and of the statements in the brackets.
    line_column: usize,
    column: Option<usize>,
    /// The statement before the opening bracket, if the brackets contain statements.
    outer: Statement,
}

#[derive(Default)]
struct Statement {
    parts: Vec<Part>,
    level: usize,
    lead: Lead,
    /// The index of the symbol that ends with the statement.
    symbol: Option<usize>,
    /// Whether the statement assigns a function in JavaScript.
    is_function: bool,
}

/// A condition (`#if`) of the C preprocessor.
struct Condition {
    /// The number of brackets that are open before the condition.
    depth: usize,
    /// The number of outer brackets that the previous branch has closed. The next branch may close them again.
    closed: usize,
    /// The number of brackets that are still open at the end of the previous branch.
    left: usize,
}

struct Reader<'a> {
    syntax: &'static Syntax,
    lexer: Lexer<'a>,
    found: Collector<'a>,
    /// Whether the reader repairs missing closing brackets: a declaration closes open brackets if its indentation shows
    /// that their closing brackets are missing.
    is_repairing: bool,
    is_balanced: bool,
    frames: Vec<Frame>,
    statement: Statement,
    /// The indentation of the current line, and of the statements outside of brackets.
    line_column: usize,
    column: Option<usize>,
    last: Option<Token>,
    conditions: Vec<Condition>,
}

/// Returns the symbols in `text`, and whether the brackets match.
pub(super) fn read(
    syntax: &'static Syntax,
    text: &str,
    is_repairing: bool,
) -> Result<(Outline, bool), Fault> {
    let mut reader = Reader {
        syntax,
        lexer: Lexer::new(syntax, text),
        found: Collector::new(text),
        is_repairing,
        is_balanced: true,
        frames: Vec::new(),
        statement: Statement::default(),
        line_column: 0,
        column: None,
        last: None,
        conditions: Vec::new(),
    };
    while let Some(token) = reader.lexer.next()? {
        match token.kind {
            Kind::Comment => reader.comment(token),
            Kind::Directive => reader.directive(token)?,
            _ => reader.token(token)?,
        }
    }
    reader.unwind(0);
    reader.end_statement(reader.last_end());
    Ok((reader.found.finish(), reader.is_balanced))
}

impl Reader<'_> {
    fn is(&self, family: Family) -> bool {
        self.syntax.family == family
    }

    fn body(&self) -> Body {
        self.frames.last().map_or(Body::Block, |frame| frame.body)
    }

    /// Returns whether the next token is directly in a list of statements or members, not inside the brackets of a
    /// statement.
    fn is_between(&self) -> bool {
        !matches!(self.body(), Body::Skipped | Body::Inner)
    }

    fn last_end(&self) -> usize {
        self.last.map_or(0, |token| token.end)
    }

    fn comment(&mut self, token: Token) {
        if !self.is_between() {
            return;
        }
        if token.column.is_some() && !self.statement.parts.is_empty() && self.has_only_attributes()
        {
            self.statement.lead.comments.push(token.start..token.end);
        } else {
            // Without a `;`, only the token after the comment shows whether the statement ended before the comment.
            self.found.comment(token);
        }
    }

    /// Returns whether the statement consists only of annotations, attributes or decorators.
    fn has_only_attributes(&self) -> bool {
        let family = self.syntax.family;
        self.is_short(|head| match family {
            Family::Rust => {
                !rust::is_inner_attribute(head) && rust::after_attributes(head, 0) == head.len()
            }
            Family::Java | Family::Script => head.after_annotations(0) == head.len(),
            _ => false,
        })
    }

    /// Returns whether the statement is short and satisfies `is_found`.
    fn is_short(&self, is_found: impl Fn(&Head<'_>) -> bool) -> bool {
        (1..=MAX_SHORT).contains(&self.statement.parts.len()) && is_found(&self.head())
    }

    fn head(&self) -> Head<'_> {
        Head::new(self.found.text, &self.statement.parts)
    }

    fn directive(&mut self, token: Token) -> Result<(), Fault> {
        let line = self.found.slice(token.start + 1, token.end).trim_start();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let word = &line[..line.find(|c| !is_part(c)).unwrap_or(line.len())];
        if self.is_between() && matches!(word, "define" | "include" | "pragma" | "undef") {
            self.end_statement(self.last_end());
        }
        match word {
            "define" if self.is_between() => {
                let line = line[word.len()..].trim_start();
                let name = &line[..line.find(|c| !is_part(c)).unwrap_or(line.len())];
                let lead = self.found.take_comments(token.start);
                if !name.is_empty() && line[name.len()..].starts_with('(') {
                    let bytes = token.start..token.end;
                    self.found.symbol(None, name, lead, bytes);
                } else {
                    self.found.drop_lead(lead);
                }
            }
            "if" | "ifdef" | "ifndef" => {
                if self.conditions.len() >= MAX_DEPTH {
                    return Err(Fault::Deep(token.start));
                }
                self.conditions.push(Condition {
                    depth: self.frames.len(),
                    closed: 0,
                    left: 0,
                });
            }
            "elif" | "else" => {
                let depth = self
                    .conditions
                    .last()
                    .map_or(0, |condition| condition.depth);
                if !self.conditions.is_empty() {
                    // Each branch may have opened the same bracket.
                    while self.frames.len() > depth {
                        self.pop(self.last_end());
                    }
                }
                let left = self.frames.len();
                if let Some(condition) = self.conditions.last_mut() {
                    condition.closed = depth - left;
                    condition.left = left;
                }
            }
            "endif" => {
                self.conditions.pop();
            }
            _ => {}
        }
        if self.is_between() && self.statement.parts.is_empty() {
            self.found.drop_comments();
        }
        Ok(())
    }

    fn token(&mut self, token: Token) -> Result<(), Fault> {
        if let Some(column) = token.column {
            self.line_column = column;
            if self.is_repairing {
                self.repair(token, column);
            }
            if self.is_between() && self.ends_before(token) {
                self.end_statement(self.last_end());
            }
        }
        match token.kind {
            Kind::Open(bracket) => self.open(token, bracket)?,
            Kind::Close(bracket) => self.close(token, bracket),
            Kind::Broken => self.found.mark_broken(token.start),
            Kind::Sign(sign) if self.syntax.illegal.contains(&sign) => {
                self.found.mark_broken(token.start);
            }
            _ => self.add(token),
        }
        self.last = Some(token);
        Ok(())
    }

    /// Closes the open brackets before a declaration with the same indentation as the statements around these brackets.
    fn repair(&mut self, token: Token, column: usize) {
        if token.kind == Kind::Close(b'}') {
            // A bracket at the start of a line closes a bracket that was opened on a line with the same indentation.
            let mut frames = self.frames.iter();
            let outer = frames.rposition(|frame| frame.open == b'{' && frame.line_column <= column);
            if let Some(outer) = outer {
                self.unwind(outer + 1);
            }
            return;
        }
        let word = self.found.slice(token.start, token.end);
        if !is_declaration(self.syntax.family, word) {
            return;
        }
        let column_at = |depth: usize| match depth.checked_sub(1) {
            None => self.column,
            Some(at) => self.frames[at].column,
        };
        let is_open = |depth: &usize| {
            let last = depth.checked_sub(1).map(|at| self.frames[at].body);
            !matches!(last, Some(Body::Skipped | Body::Inner))
        };
        let depth = self.frames.len();
        if is_open(&depth) && column_at(depth).is_none() {
            return;
        }
        let mut depths = (0..=depth).rev().filter(is_open);
        let Some(outer) = depths.find(|depth| column_at(*depth) == Some(column)) else {
            return;
        };
        self.unwind(outer);
        if !self.has_only_attributes() {
            self.end_statement(self.last_end());
        }
    }

    /// Closes brackets that have no closing bracket, until only `depth` brackets are open.
    fn unwind(&mut self, depth: usize) {
        while self.frames.len() > depth {
            self.is_balanced = false;
            self.pop(self.last_end());
        }
    }

    /// Returns whether a line end before a token ends the statement.
    fn ends_before(&self, token: Token) -> bool {
        let (Some(last), false) = (self.last, self.statement.parts.is_empty()) else {
            return false;
        };
        let is_value = matches!(last.kind, Kind::Word | Kind::Text | Kind::Close(_));
        let is_closed = last.kind == Kind::Close(b'}') && self.statement.symbol.is_some();
        match self.syntax.family {
            Family::Go => is_value,
            Family::Shell => !self.is_short(go_shell::is_shell_function),
            Family::Script => {
                let words = [last, token].map(|token| self.found.slice(token.start, token.end));
                is_value && script::ends_between(words, token.kind) && !self.has_only_attributes()
            }
            Family::C => {
                // The `;` after a type is missing, or the statement is a macro that does not need a `;`.
                let is_apart = !self.found.is_adjacent(last.end, token.start);
                is_closed && token.kind == Kind::Word || is_apart && self.is_short(c::is_macro_use)
            }
            Family::Rust => self.is_short(rust::is_inner_attribute),
            _ => false,
        }
    }

    /// Adds a token that is not a bracket.
    fn add(&mut self, token: Token) {
        let body = self.body();
        if body == Body::Skipped {
            return;
        }
        let is_between = body != Body::Inner;
        match token.kind {
            Kind::Sign(b';') if is_between => {
                self.end_statement(token.end);
                if let Some(frame) = self.frames.last_mut().filter(|_| body == Body::Constants) {
                    frame.body = Body::Members;
                }
            }
            Kind::Sign(b',') if matches!(body, Body::Object | Body::Constants) => {
                self.end_statement(self.last_end());
            }
            Kind::Sign(b'&' | b'|') if is_between && self.is(Family::Shell) => {
                self.end_statement(self.last_end());
            }
            // The `:` after the name of an access level, such as `public`.
            Kind::Sign(b':') if is_between && self.is(Family::C) && self.is_short(c::is_label) => {
                self.end_statement(token.end);
            }
            _ => {
                self.record(token);
                if is_between && self.is(Family::Script) && !self.statement.is_function {
                    let is_arrow = token.kind == Kind::Arrow;
                    if is_arrow || self.found.slice(token.start, token.end) == "function" {
                        self.statement.is_function = script::ends(&self.head(), body).is_some();
                    }
                }
            }
        }
    }

    fn record(&mut self, token: Token) {
        if self.statement.parts.is_empty() {
            self.statement.lead = self.found.take_comments(token.start);
            let column = match self.frames.last_mut() {
                Some(frame) => &mut frame.column,
                None => &mut self.column,
            };
            *column = column.or(token.column);
        }
        if self.statement.parts.len() < MAX_TOKENS {
            let level = self.statement.level;
            self.statement.parts.push(Part { token, level });
        }
    }

    fn open(&mut self, token: Token, open: u8) -> Result<(), Fault> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(Fault::Deep(token.start));
        }
        let body = self.body();
        let is_full = self.statement.parts.len() >= MAX_TOKENS;
        let brace = match body {
            Body::Inner if open != b'{' => Brace::other(Body::Inner, false),
            Body::Inner if self.is(Family::Script) && !self.statement.is_function => {
                let last = self.last.map(|token| token.kind);
                let is_block = matches!(last, Some(Kind::Close(b')') | Kind::Arrow));
                let body = if is_block { Body::Block } else { Body::Object };
                Brace::other(body, false)
            }
            Body::Skipped | Body::Inner => Brace::PART,
            _ if open == b'{' && is_full => Brace::PART,
            _ if open == b'{' => self.brace(),
            _ if self.is(Family::Shell) && self.is_short(go_shell::is_shell_function) => {
                self.brace()
            }
            _ if self.is(Family::Go) && self.is_short(go_shell::is_go_group) => {
                Brace::other(Body::Types, true)
            }
            _ => Brace::other(Body::Inner, false),
        };
        if brace.body == Body::Inner || body != Body::Inner && self.statement.parts.is_empty() {
            self.record(token);
        }
        let outer = match brace.body {
            Body::Skipped => {
                self.add_symbol(&brace, token.end);
                Statement::default()
            }
            Body::Inner => {
                self.statement.level += 1;
                Statement::default()
            }
            _ => {
                self.add_symbol(&brace, token.end);
                std::mem::take(&mut self.statement)
            }
        };
        let name = brace.name.map(|name| qualified(self.outer(), &name));
        self.frames.push(Frame {
            open,
            body: brace.body,
            name: name.filter(|_| brace.body != Body::Skipped),
            is_end: brace.is_end,
            line_column: self.line_column,
            column: None,
            outer,
        });
        Ok(())
    }

    /// Returns the kind of construct that a `{` opens here, according to the language.
    fn brace(&self) -> Brace {
        if self.statement.symbol.is_some() {
            return Brace::PART;
        }
        let head = self.head();
        let place = self.place();
        match self.syntax.family {
            Family::C => c::brace(&head, &place, false),
            Family::Java => c::brace(&head, &place, true),
            Family::Go => go_shell::go_brace(&head, &place),
            Family::Rust => rust::brace(&head, place.last),
            Family::Script => script::brace(&head, &place),
            Family::Shell | Family::Python => go_shell::shell_brace(&head),
        }
    }

    fn place(&self) -> Place<'_> {
        Place {
            body: self.body(),
            outer: self.outer(),
            last: self.last.map(|token| token.kind),
        }
    }

    /// Returns the qualified name of the enclosing symbol.
    fn outer(&self) -> Option<&str> {
        let mut frames = self.frames.iter().rev();
        frames.find_map(|frame| frame.name.as_deref())
    }

    fn add_symbol(&mut self, brace: &Brace, end: usize) {
        if let Some(name) = brace.name.as_ref().filter(|_| brace.is_symbol) {
            self.declare(name, end);
        }
    }

    /// Adds the symbol that the statement declares.
    fn declare(&mut self, name: &str, end: usize) {
        let Some(first) = self.statement.parts.first() else {
            return;
        };
        let bytes = first.token.start..end;
        let lead = std::mem::take(&mut self.statement.lead);
        let outer = self.outer().map(str::to_owned);
        self.statement.symbol = self.found.symbol(outer.as_deref(), name, lead, bytes);
    }

    fn close(&mut self, token: Token, close: u8) {
        if let Some(condition) = self.conditions.last_mut()
            && condition.closed > 0
            && condition.left == self.frames.len()
        {
            condition.closed -= 1;
            return;
        }
        let mut at = None;
        for (index, frame) in self.frames.iter().enumerate().rev() {
            if closing(frame.open) == close {
                at = Some(index);
                break;
            }
            if frame.open == b'{' {
                // Brackets within braces must be closed before the braces.
                break;
            }
        }
        let Some(at) = at else {
            // In a shell, `)` also ends a pattern of `case`.
            if close != b')' || !self.is(Family::Shell) {
                self.is_balanced = false;
                self.found.mark_broken(token.start);
            }
            return;
        };
        if self.frames.len() > at + 1 {
            self.found.mark_broken(token.start);
            self.unwind(at + 1);
        }
        self.pop_at(token);
    }

    /// Closes the innermost bracket at its closing bracket.
    fn pop_at(&mut self, token: Token) {
        let is_inner = self.body() == Body::Inner;
        self.pop(token.end);
        if is_inner {
            self.record(token);
        }
    }

    /// Closes the innermost bracket.
    fn pop(&mut self, end: usize) {
        if self.is_between() {
            self.end_statement(self.last_end());
            // A comment at the end of a type does not describe the code after the type.
            self.found.drop_comments();
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        match frame.body {
            Body::Skipped => {}
            Body::Inner => self.statement.level = self.statement.level.saturating_sub(1),
            _ => self.statement = frame.outer,
        }
        if frame.is_end {
            self.end_statement(end);
        }
    }

    fn end_statement(&mut self, end: usize) {
        if self.statement.symbol.is_none() && !self.statement.parts.is_empty() {
            let head = self.head();
            let place = self.place();
            let name = match self.syntax.family {
                Family::C => c::ends(&head, &place, false),
                Family::Java => c::ends(&head, &place, true),
                Family::Go => go_shell::go_ends(&head, &place),
                Family::Rust => rust::ends(&head),
                Family::Script => script::ends(&head, place.body),
                Family::Shell | Family::Python => None,
            };
            if let Some(name) = name {
                self.declare(&name, end);
            }
        }
        let statement = std::mem::take(&mut self.statement);
        if let Some(symbol) = statement.symbol {
            self.found.outline.symbols[symbol].bytes.end = end;
        } else {
            self.found.drop_lead(statement.lead);
        }
    }
}

/// Returns whether declarations can begin with `word`.
fn is_declaration(family: Family, word: &str) -> bool {
    let words = match family {
        Family::C => {
            "bool char class const double enum extern float inline int long namespace static \
             struct template typedef union unsigned using void"
        }
        Family::Go => "const func import type var",
        Family::Java => {
            "@ abstract class enum final interface private protected public record static"
        }
        Family::Rust => {
            "# async const enum extern fn impl macro_rules mod pub static struct trait type unsafe \
             use"
        }
        Family::Script => {
            "@ abstract async class const declare enum export function import interface namespace \
             static type"
        }
        Family::Shell => "function",
        Family::Python => "",
    };
    has(words, word)
}
