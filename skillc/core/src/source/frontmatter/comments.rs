//! Finds the comments of a block, even if the block is invalid YAML.
//!
//! The YAML parser stops at the first error and limits how many comments it buffers, so this module scans the lines
//! itself. It tracks quotes, block scalars, brackets and multi-line text as far as needed to decide whether a `#`
//! begins a comment. If in doubt, a `#` does not begin a comment.
//!
//! Design: R15, R22.

use super::block_lines::blanks;
use crate::source::lines::Span;

/// Whether a block is valid. In a valid block, only the matching delimiter ends a quote or a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// Valid YAML.
    Sound,
    /// Invalid YAML.
    Faulty,
}

/// Returns the comments of a file's frontmatter, each from its `#` to the end of its line, in order.
///
/// `body_start`: the start of the line after the block. The `---` lines are not part of the block.
pub(crate) fn comments(text: &str, body_start: usize, block: Block) -> Vec<Span> {
    let mut scanner = Scanner {
        block,
        inside: Inside::Nothing,
        parent: None,
        brackets: 0,
        may_begin: true,
        found: Vec::new(),
    };
    let head = &text[..body_start];
    let start = head.find('\n').map_or(head.len(), |end| end + 1);
    let lines = head.trim_end_matches(['\n', '\r']);
    let end = lines.rfind('\n').map_or(start, |end| end + 1).max(start);
    let mut at = start;
    for line in head[start..end].split_inclusive(['\n', '\r']) {
        scanner.read(line.trim_end_matches(['\n', '\r']), at);
        at += line.len();
    }
    scanner.found
}

/// The construct that continues from the previous line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    /// A value in quotes of this kind.
    Quotes(char),
    /// A block scalar, which continues on lines that are indented further than this column.
    Scalar(usize),
    /// Unquoted text, which continues on lines that are indented further than this column.
    Plain(usize),
    /// Unknown: an unterminated quote or bracket.
    Doubt,
}

struct Scanner {
    block: Block,
    inside: Inside,
    /// The column of the next value's parent, if that value begins on a later line.
    parent: Option<usize>,
    brackets: usize,
    /// Whether a value may begin at this position. If so, a quote character opens a quoted value.
    may_begin: bool,
    found: Vec<Span>,
}

impl Scanner {
    fn read(&mut self, line: &str, start: usize) {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_blank = blanks(line) == line.len();
        match self.inside {
            _ if is_blank => return,
            Inside::Doubt => return,
            Inside::Scalar(parent) if indent > parent => return,
            Inside::Plain(parent) if indent > parent => {
                return self.read_plain(line, start);
            }
            Inside::Scalar(_) | Inside::Plain(_) => self.inside = Inside::Nothing,
            Inside::Quotes(_) | Inside::Nothing => {}
        }
        let is_open = self.inside != Inside::Nothing || self.brackets > 0;
        let may_go_on = indent > 0 || line.starts_with([']', '}', '\t']);
        if self.block == Block::Faulty && is_open && !may_go_on {
            self.inside = Inside::Doubt;
            return;
        }
        if self.brackets == 0 {
            self.may_begin = true;
        }
        self.read_values(line, start, indent);
    }

    /// Reads a line that continues unquoted text: only a comment ends it.
    fn read_plain(&mut self, line: &str, start: usize) {
        if let Some(at) = comment_in(line) {
            self.comment(line, start, at);
            self.inside = Inside::Nothing;
        }
    }

    fn read_values(&mut self, line: &str, start: usize, indent: usize) {
        let mut entry = LineState::at(indent, last_colon(line));
        let mut signs = line.char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            let next = signs.peek().map(|(_, next)| *next);
            if let Inside::Quotes(quote) = self.inside {
                let is_doubled = sign == '\'' && quote == '\'' && next == Some('\'');
                if is_doubled || sign == '\\' && quote == '"' {
                    signs.next();
                } else if sign == quote {
                    self.inside = self.after_quote(&line[at + 1..]);
                    if self.inside == Inside::Doubt {
                        return;
                    }
                }
                continue;
            }
            let before = line[..at].chars().next_back();
            if sign == '#' && before.is_none_or(is_blank) {
                self.comment(line, start, at);
                entry.is_plain = false;
                break;
            }
            if self.may_begin && matches!(sign, '&' | '!') {
                // A key begins at its anchor or tag.
                entry.note_key(at);
                while signs.next_if(|(_, sign)| !is_blank(*sign)).is_some() {}
            } else if !is_blank(sign) && !self.read_mark(sign, before, next, &mut entry, at) {
                self.begin(sign, line, at, &mut entry);
            }
        }
        self.end_line(&entry);
    }

    fn end_line(&mut self, entry: &LineState) {
        let own = (entry.parent != Parent::Above).then_some(entry.column);
        let column = own.or(self.parent);
        if entry.is_scalar {
            self.inside = column.map_or(Inside::Doubt, Inside::Scalar);
        } else if entry.is_plain && self.brackets == 0 && self.inside == Inside::Nothing {
            self.inside = Inside::Plain(column.unwrap_or(entry.column));
        }
        self.parent = column.filter(|_| self.may_begin && self.brackets == 0);
    }

    /// Returns the state after a closing quote. In an invalid block, text directly after the quote may still belong to
    /// the value.
    fn after_quote(&self, rest: &str) -> Inside {
        let next = rest.trim_start_matches(is_blank).chars().next();
        let is_end = next.is_none_or(|sign| matches!(sign, '#' | ':' | ',' | ']' | '}'));
        match self.block {
            Block::Faulty if !is_end => Inside::Doubt,
            Block::Faulty | Block::Sound => Inside::Nothing,
        }
    }

    /// Reads an indicator between values; returns `false` if the character is not an indicator.
    fn read_mark(
        &mut self,
        sign: char,
        before: Option<char>,
        next: Option<char>,
        entry: &mut LineState,
        at: usize,
    ) -> bool {
        let stands_alone = next.is_none_or(is_blank);
        match sign {
            '[' | '{' if self.may_begin || self.brackets > 0 => {
                self.brackets += 1;
                self.may_begin = true;
            }
            ']' | '}' if self.brackets > 0 => {
                self.brackets -= 1;
                (self.may_begin, entry.is_plain) = (false, false);
            }
            ',' if self.brackets > 0 => (self.may_begin, entry.is_plain) = (true, false),
            ':' if stands_alone || self.brackets > 0 && ends_key(before, next) => {
                (self.may_begin, entry.is_plain) = (true, false);
            }
            '-' | '?' if self.may_begin && stands_alone => {
                *entry = LineState::at(at, entry.last_colon);
                entry.parent = Parent::Mark;
            }
            _ => return false,
        }
        true
    }

    /// Begins a value, if a value may begin here.
    fn begin(&mut self, sign: char, line: &str, at: usize, entry: &mut LineState) {
        if !self.may_begin {
            return;
        }
        self.may_begin = false;
        match sign {
            '"' | '\'' => self.inside = Inside::Quotes(sign),
            '|' | '>' if self.brackets == 0 && is_header(&line[at..]) => {
                entry.is_scalar = true;
                return;
            }
            _ => entry.is_plain = true,
        }
        entry.note_key(at);
    }

    fn comment(&mut self, line: &str, start: usize, at: usize) {
        let span = Span::new(start + at, start + line.len());
        self.found.push(span);
    }
}

/// The parent of the values on a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parent {
    /// A line above.
    Above,
    /// The marker of a list item (`-`) or of an explicit key (`?`).
    Mark,
    Key,
}

struct LineState {
    /// The column of the parent of the line's values.
    column: usize,
    parent: Parent,
    /// Whether the last value is unquoted text.
    is_plain: bool,
    /// Whether a block scalar begins.
    is_scalar: bool,
    /// The position of the last colon that may end a key.
    last_colon: usize,
}

impl LineState {
    const fn at(column: usize, last_colon: usize) -> Self {
        Self {
            column,
            parent: Parent::Above,
            is_plain: false,
            is_scalar: false,
            last_colon,
        }
    }

    /// Records the first key.
    fn note_key(&mut self, at: usize) {
        if self.parent != Parent::Key && at < self.last_colon {
            (self.column, self.parent) = (at, Parent::Key);
        }
    }
}

/// Returns the position of the last colon that precedes a space or the end of the line; 0 if there is none.
fn last_colon(line: &str) -> usize {
    let mut colons = line.rmatch_indices(':').map(|(at, _)| at);
    let ends_key = |at: &usize| line[at + 1..].chars().next().is_none_or(is_blank);
    colons.find(ends_key).unwrap_or_default()
}

/// Returns the start of the comment on a line without quotes.
fn comment_in(line: &str) -> Option<usize> {
    let marks = line.match_indices('#').map(|(at, _)| at);
    let mut marks = marks.filter(|at| line[..*at].chars().next_back().is_none_or(is_blank));
    marks.next()
}

/// Returns whether a colon inside brackets ends a key: it follows a quote, or a bracket or comma follows it.
fn ends_key(before: Option<char>, next: Option<char>) -> bool {
    let is_quote = before.is_some_and(|sign| matches!(sign, '"' | '\''));
    is_quote || next.is_some_and(|sign| matches!(sign, ',' | '[' | ']' | '{' | '}'))
}

/// Returns whether a `|` or `>` begins a block scalar.
fn is_header(rest: &str) -> bool {
    let rest = rest[1..].trim_start_matches(|sign: char| matches!(sign, '+' | '-' | '0'..='9'));
    rest.is_empty() || rest.starts_with([' ', '\t'])
}

const fn is_blank(sign: char) -> bool {
    matches!(sign, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use granit_parser::{Event, Parser, options};
    use proptest::prelude::*;

    use super::*;
    use crate::source::frontmatter::Frontmatter;

    fn spans(text: &str, block: Block) -> Vec<Span> {
        let head = format!("---\n{text}\n---\n");
        let spans = comments(&head, head.len(), block).into_iter();
        spans
            .map(|at| Span::new(at.start - 4, at.end - 4))
            .collect()
    }

    fn found(text: &str, block: Block) -> Vec<&str> {
        let spans = spans(text, block);
        spans.iter().map(|at| &text[at.start..at.end]).collect()
    }

    #[test]
    fn only_an_unquoted_number_sign_after_a_blank_starts_a_comment() {
        for (block, expected) in [
            ("# 1\r\na: b # 2\r\n  # 3\r\n", &["# 1", "# 2", "# 3"][..]),
            ("a: b#1\nc: 'd # 2'\ne: \"f\\\" # 3\" # 4\n", &["# 4"]),
            ("a: |\n  # 1\n\n  b\n# 2\n", &["# 2"]),
            ("a: >- # 1\n  # 2\nb: c # 3\n", &["# 1", "# 3"]),
            ("- a: |\n    # 1\n  b: c # 2\n", &["# 2"]),
            ("a: \"b\n  # 1\n  c\" # 2\n", &["# 2"]),
            ("a: [b, 'c # 1', # 2\n  d] # 3\n", &["# 2", "# 3"]),
            ("a: it\n  'tis\nb: 'c # 1' # 2\n", &["# 2"]),
            ("a: &x \"b # 1\"\nc: !!str |\n  # 2\n", &[]),
            ("&x a: |\n # 1\nb: c # 2\n", &["# 2"]),
            ("\"a\": {\"b\":\"c # 1\"} # 2\n", &["# 2"]),
        ] {
            assert_eq!(found(block, Block::Sound), expected, "{block:?}");
            assert_eq!(found(block, Block::Faulty), expected, "{block:?}");
        }
    }

    #[test]
    fn keys_may_all_be_indented() {
        for (block, expected) in [
            ("  a: \"b # 1\n    c\"\n  d: e # 2", &["# 2"][..]),
            ("  a: |\n    # 1\n  b: c # 2", &["# 2"]),
            ("  a: it's # 1\n  b: 'c # 2'", &["# 1"]),
        ] {
            assert_eq!(found(block, Block::Sound), expected, "{block:?}");
            assert_eq!(found(block, Block::Faulty), expected, "{block:?}");
        }
    }

    #[test]
    fn a_value_on_its_own_line_belongs_to_the_key_above() {
        for (block, expected) in [
            ("a:\n  |\n  b\n  # 1\n  c\nd: e # 2", &["# 2"][..]),
            ("z: \n  |\n # 1", &[]),
            ("z: \n    >-\n # 1\ny: x # 2", &["# 2"]),
            ("a: # 1\n\n  # 2\n    |\n # 3", &["# 1", "# 2"]),
            ("a: !!str\n  |\n # 1", &[]),
            ("- \n   |\n  # 1\n- a # 2", &["# 2"]),
            ("a:\n  b\n 'tis\nc: ' # 1'", &[]),
        ] {
            assert_eq!(found(block, Block::Sound), expected, "{block:?}");
            assert_eq!(found(block, Block::Faulty), expected, "{block:?}");
        }
    }

    #[test]
    fn an_unclosed_quote_or_bracket_hides_later_comments() {
        for (block, expected) in [
            (
                "# 1\na: \"open\n  # 2\nb: c # 3\nd: \"e\" # 4",
                &["# 1"][..],
            ),
            ("a: 'b # 1\nc: 'd # 2' # 3", &[]),
            ("a: \"b \"c\" # 1\nd: e # 2", &[]),
            ("a: [ # 1\nb: c # 2", &["# 1"]),
            ("a: [\n] # 1\nb: \"c\" # 2", &["# 1", "# 2"]),
        ] {
            assert_eq!(found(block, Block::Faulty), expected, "{block:?}");
        }
    }

    /// Returns the offsets of the comments that the YAML parser finds.
    fn parsed(block: &str) -> Vec<usize> {
        let options = options! { emit_comments: true };
        let parser = Parser::new_from_str_with_options(block, options);
        let events = parser.flatten();
        let comments = events.filter(|(event, _)| matches!(event, Event::Comment(..)));
        comments
            .filter_map(|(_, span)| Some(span.byte_range()?.start))
            .collect()
    }

    fn blocks() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a: ", "b: ", "- ", "\n", "\n", "\n ", "\n  ", "\n    ", "|\n", ">-\n", "x", "# c",
            " # d", "\"", "'", "|", ">-", "[", "]", "{", "}", ", ", "\"e\": ", "it's", "\\", "&f ",
            "!!str ", "? ", "\r\n", "\t", "é",
        ]);
        let pieces = prop::collection::vec(piece, 0..16);
        let indent = prop::sample::select(vec!["", "", " ", "  "]);
        (indent, pieces).prop_map(|(indent, pieces)| {
            let block = [indent, &pieces.concat()].concat();
            block.replace('\n', &format!("\n{indent}"))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn comments_match_those_of_the_parser(block in blocks()) {
            let file = format!("---\n{block}\n---\n");
            let (read, _) = Frontmatter::split(&file);
            let of = |kind| spans(&block, kind);
            for span in of(Block::Faulty) {
                prop_assert!(block[span.start..span.end].starts_with('#'));
            }
            if matches!(read, Frontmatter::Valid(_)) {
                let known = parsed(&block);
                for span in of(Block::Sound) {
                    prop_assert!(known.contains(&span.start), "{block:?}: {span:?} of {known:?}");
                }
            }
        }
    }
}
