//! Finds functions and classes in Python, whose blocks are delimited by indentation.

use std::ops::Range;

use super::collect::{Collector, Lead, Outline, qualified};
use super::lexer::{Kind, Lexer, Token, closing};
use super::syntax::Syntax;
use super::{Fault, MAX_DEPTH};

/// A function or class whose block has not ended yet.
struct Block {
    column: usize,
    symbol: Option<usize>,
    /// The qualified name of a class; `None` for a function, whose body is not searched.
    class: Option<String>,
}

struct Reader<'a> {
    found: Collector<'a>,
    blocks: Vec<Block>,
    brackets: Vec<u8>,
    /// The comments and decorators before a definition, and where they begin.
    lead: Option<(Lead, usize)>,
    /// Whether the line is a decorator.
    is_decorator: bool,
    /// The first words of the line, which may begin a definition.
    words: Vec<Token>,
    /// The definition whose first line has not ended yet.
    header: Option<usize>,
    /// The file or symbol that the next token documents, if that token is a string.
    documents: Option<Documented>,
    column: usize,
    last_end: usize,
}

#[derive(Clone, Copy)]
enum Documented {
    File,
    Symbol(usize),
}

/// Returns the symbols in `text`.
pub(super) fn read(syntax: &'static Syntax, text: &str) -> Result<Outline, Fault> {
    let mut lexer = Lexer::new(syntax, text);
    let mut reader = Reader {
        found: Collector::new(text),
        blocks: Vec::new(),
        brackets: Vec::new(),
        lead: None,
        is_decorator: false,
        words: Vec::new(),
        header: None,
        documents: Some(Documented::File),
        column: 0,
        last_end: 0,
    };
    while let Some(token) = lexer.next()? {
        match token.kind {
            Kind::Comment if reader.brackets.is_empty() => reader.comment(token),
            Kind::Comment => {}
            Kind::Sign(sign) if syntax.illegal.contains(&sign) => {
                reader.found.mark_broken(token.start);
            }
            Kind::Broken => reader.found.mark_broken(token.start),
            _ => reader.token(token)?,
        }
    }
    reader.close_blocks(0);
    if let Some((lead, _)) = reader.lead.take() {
        reader.found.drop_lead(lead);
    }
    Ok(reader.found.finish())
}

impl Reader<'_> {
    fn comment(&mut self, token: Token) {
        if let Some(column) = token.column {
            if column != self.column {
                // A comment at another indentation belongs to another block.
                self.found.drop_comments();
            }
            self.column = column;
        }
        self.found.comment(token);
    }

    fn token(&mut self, token: Token) -> Result<(), Fault> {
        if let Some(column) = token.column {
            let is_definition = matches!(self.word(token), "class" | "def");
            if is_definition && !self.brackets.is_empty() {
                // A closing bracket is missing.
                self.found.mark_broken(token.start);
                self.brackets.clear();
            }
            if self.brackets.is_empty() {
                self.begin_line(token, column);
            }
        }
        if let Some(documented) = self.documents.take()
            && token.kind == Kind::Text
        {
            self.document(documented, token);
        }
        match token.kind {
            Kind::Open(open) => {
                if self.brackets.len() >= MAX_DEPTH {
                    return Err(Fault::Deep(token.start));
                }
                self.brackets.push(open);
            }
            Kind::Close(close) => {
                let open = self
                    .brackets
                    .iter()
                    .rposition(|open| closing(*open) == close);
                if open.is_none_or(|open| open + 1 < self.brackets.len()) {
                    self.found.mark_broken(token.start);
                }
                self.brackets.truncate(open.unwrap_or(self.brackets.len()));
            }
            Kind::Sign(b':') if self.brackets.is_empty() => {
                self.documents = self.header.take().map(Documented::Symbol);
            }
            _ => {}
        }
        self.definition(token)?;
        self.last_end = token.end;
        Ok(())
    }

    fn word(&self, token: Token) -> &str {
        match token.kind {
            Kind::Word => self.found.slice(token.start, token.end),
            _ => "",
        }
    }

    /// Begins a line that does not continue the previous line.
    fn begin_line(&mut self, token: Token, column: usize) {
        self.close_blocks(column);
        self.header = None;
        self.words.clear();
        if column != self.column {
            self.found.drop_comments();
        }
        self.column = column;
        let comments = self.found.take_comments(token.start);
        let is_decorated = std::mem::take(&mut self.is_decorator);
        if is_decorated && let Some((lead, _)) = &mut self.lead {
            lead.comments.extend(comments.comments);
        } else if let Some((lead, _)) = self.lead.replace((comments, token.start)) {
            self.found.drop_lead(lead);
        }
        self.is_decorator = token.kind == Kind::Sign(b'@');
        let is_definition = matches!(self.word(token), "async" | "class" | "def");
        if !is_definition
            && !self.is_decorator
            && let Some((lead, _)) = self.lead.take()
        {
            self.found.drop_lead(lead);
        }
    }

    /// Looks for `def name`, `async def name` and `class Name` at the start of a line.
    fn definition(&mut self, token: Token) -> Result<(), Fault> {
        let is_decorated = self.words.is_empty() && token.column.is_none();
        if is_decorated || self.lead.is_none() || self.words.len() > 2 || token.kind != Kind::Word {
            return Ok(());
        }
        self.words.push(token);
        let [.., keyword, name] = self.words[..] else {
            return Ok(());
        };
        let is_class = match self.word(keyword) {
            "class" => true,
            "def" => false,
            _ => return Ok(()),
        };
        let Some((lead, start)) = self.lead.take() else {
            return Ok(());
        };
        if self
            .blocks
            .last()
            .is_some_and(|block| block.class.is_none())
        {
            return Ok(());
        }
        if self.blocks.len() >= MAX_DEPTH {
            return Err(Fault::Deep(token.start));
        }
        let name = self.found.slice(name.start, name.end);
        let outer = self.blocks.last().and_then(|block| block.class.as_deref());
        let class = is_class.then(|| qualified(outer, name));
        let bytes = start..token.end;
        let symbol = self.found.symbol(outer, name, lead, bytes);
        self.header = symbol;
        self.blocks.push(Block {
            column: self.column,
            symbol,
            class,
        });
        Ok(())
    }

    /// Adds a string that documents the file or a symbol.
    fn document(&mut self, documented: Documented, token: Token) {
        let text = self.found.slice(token.start, token.end);
        let prefix = text.find(['"', '\'']).unwrap_or_default();
        let bytes: Range<usize> = token.start + prefix..token.end;
        match documented {
            Documented::Symbol(symbol) => self.found.outline.symbols[symbol].docs.push(bytes),
            Documented::File => {
                self.found.drop_comments();
                self.found.outline.docs.push(bytes);
            }
        }
    }

    /// Ends the blocks that do not contain a line with this indentation.
    fn close_blocks(&mut self, column: usize) {
        while let Some(block) = self.blocks.pop_if(|block| block.column >= column) {
            if let Some(symbol) = block.symbol {
                self.found.outline.symbols[symbol].bytes.end = self.last_end;
            }
        }
    }
}
