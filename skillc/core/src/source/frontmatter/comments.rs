//! The comments of a block, whether it is YAML or not.
//!
//! The parser stops at the first fault and counts comments, so the lines are read here: quotes, block scalars, brackets and
//! text over several lines are followed as far as they decide what a `#` is. Where that is in doubt it is none.
//!
//! Source: RULINGS R15, R22.

use super::place::blanks;
use crate::source::lines::Span;

/// Whether the block could be read: in one that could, nothing ends a quote or a bracket but its counterpart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// It is YAML.
    Sound,
    /// It is not.
    Faulty,
}

/// Returns the comments of a part of a file, each from its `#` to the end of its line, in order.
pub(crate) fn comments(text: &str, part: Span, block: Block) -> Vec<Span> {
    let mut scanner = Scanner {
        block,
        inside: Inside::Nothing,
        brackets: 0,
        may_begin: true,
        found: Vec::new(),
    };
    let mut at = part.start;
    for line in text[part.start..part.end].split_inclusive(['\n', '\r']) {
        scanner.read(line.trim_end_matches(['\n', '\r']), at);
        at += line.len();
    }
    scanner.found
}

/// What goes on from the line before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    /// A value in these quotes.
    Quotes(char),
    /// A block scalar: what is indented further than this.
    Scalar(usize),
    /// Text without quotes: what is indented further than this.
    Plain(usize),
}

struct Scanner {
    block: Block,
    inside: Inside,
    /// How many brackets are open.
    brackets: usize,
    /// Whether a value may begin, so that a quote is one.
    may_begin: bool,
    found: Vec<Span>,
}

impl Scanner {
    fn read(&mut self, line: &str, start: usize) {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_blank = blanks(line) == line.len();
        match self.inside {
            _ if is_blank => return,
            Inside::Scalar(parent) if indent > parent => return,
            Inside::Plain(parent) if indent > parent => {
                return self.read_plain(line, start);
            }
            Inside::Scalar(_) | Inside::Plain(_) => self.inside = Inside::Nothing,
            Inside::Quotes(_) | Inside::Nothing => {}
        }
        if indent == 0 && self.block == Block::Faulty && !line.starts_with([']', '}', '\t']) {
            (self.inside, self.brackets) = (Inside::Nothing, 0);
        }
        if self.brackets == 0 {
            self.may_begin = true;
        }
        self.read_values(line, start, indent);
    }

    /// Reads a line of text that began on a line above: only a comment ends it.
    fn read_plain(&mut self, line: &str, start: usize) {
        if let Some(at) = comment_in(line) {
            self.comment(line, start, at);
            self.inside = Inside::Nothing;
        }
    }

    fn read_values(&mut self, line: &str, start: usize, indent: usize) {
        let mut entry = Entry::at(indent, last_colon(line));
        let mut signs = line.char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            let next = signs.peek().map(|(_, next)| *next);
            if let Inside::Quotes(quote) = self.inside {
                let is_doubled = sign == '\'' && quote == '\'' && next == Some('\'');
                if is_doubled || sign == '\\' && quote == '"' {
                    signs.next();
                } else if sign == quote {
                    self.inside = Inside::Nothing;
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
                while signs.next_if(|(_, sign)| !is_blank(*sign)).is_some() {}
            } else if !is_blank(sign) && !self.read_mark(sign, before, next, &mut entry, at) {
                self.begin(sign, line, at, &mut entry);
            }
        }
        if entry.is_scalar {
            self.inside = Inside::Scalar(entry.column);
        } else if entry.is_plain && self.brackets == 0 && self.inside == Inside::Nothing {
            self.inside = Inside::Plain(entry.column);
        }
    }

    /// Reads a sign that stands between values; `false` if it is none.
    fn read_mark(
        &mut self,
        sign: char,
        before: Option<char>,
        next: Option<char>,
        entry: &mut Entry,
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
            '-' | '?' if self.may_begin && stands_alone => *entry = Entry::at(at, entry.last_colon),
            _ => return false,
        }
        true
    }

    /// Begins a value, if one may begin.
    fn begin(&mut self, sign: char, line: &str, at: usize, entry: &mut Entry) {
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

/// What a line has had so far.
struct Entry {
    /// The column of what its values belong to.
    column: usize,
    /// Whether that is a key.
    has_key: bool,
    /// Whether the last value is text without quotes.
    is_plain: bool,
    /// Whether a block scalar begins.
    is_scalar: bool,
    /// Where the last colon is that may end a key.
    last_colon: usize,
}

impl Entry {
    const fn at(column: usize, last_colon: usize) -> Self {
        Self {
            column,
            has_key: false,
            is_plain: false,
            is_scalar: false,
            last_colon,
        }
    }

    /// Takes note of the first key.
    fn note_key(&mut self, at: usize) {
        if !self.has_key && at < self.last_colon {
            (self.column, self.has_key) = (at, true);
        }
    }
}

/// Returns where the last colon of a line is that a blank or nothing follows; 0 if there is none.
fn last_colon(line: &str) -> usize {
    let mut colons = line.rmatch_indices(':').map(|(at, _)| at);
    let ends_key = |at: &usize| line[at + 1..].chars().next().is_none_or(is_blank);
    colons.find(ends_key).unwrap_or_default()
}

/// Returns where the comment of a line without quotes begins.
fn comment_in(line: &str) -> Option<usize> {
    let marks = line.match_indices('#').map(|(at, _)| at);
    let mut marks = marks.filter(|at| line[..*at].chars().next_back().is_none_or(is_blank));
    marks.next()
}

/// Says whether a colon between brackets ends a key: one in quotes, or one that nothing follows.
fn ends_key(before: Option<char>, next: Option<char>) -> bool {
    let is_quote = before.is_some_and(|sign| matches!(sign, '"' | '\''));
    is_quote || next.is_some_and(|sign| matches!(sign, ',' | '[' | ']' | '{' | '}'))
}

/// Says whether a `|` or `>` begins a block scalar.
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

    fn found(text: &str, block: Block) -> Vec<&str> {
        let spans = comments(text, Span::new(0, text.len()), block);
        spans.iter().map(|at| &text[at.start..at.end]).collect()
    }

    #[test]
    fn only_a_number_sign_after_a_blank_outside_of_text_is_a_comment() {
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
            ("\"a\": {\"b\":\"c # 1\"} # 2\n", &["# 2"]),
        ] {
            assert_eq!(found(block, Block::Sound), expected, "{block:?}");
            assert_eq!(found(block, Block::Faulty), expected, "{block:?}");
        }
    }

    #[test]
    fn in_a_faulty_block_a_quote_ends_at_the_next_line_that_is_not_indented() {
        let block = "a: \"open\n  # 1\nb: c # 2\nd: [\n# 3\n";
        assert_eq!(found(block, Block::Faulty), ["# 2", "# 3"]);
        assert_eq!(found(block, Block::Sound), [""; 0]);
    }

    /// The comments that the YAML parser sees.
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
            "a: ", "b: ", "- ", "\n", "\n", "\n  ", "\n    ", "x", "# c", " # d", "\"", "'", "|",
            ">-", "[", "]", "{", "}", ", ", "\"e\": ", "it's", "\\", "&f ", "!!str ", "? ", "\r\n",
            "\t", "é",
        ]);
        prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_a_comment_here_is_one_for_the_parser(block in blocks()) {
            let file = format!("---\n{block}\n---\n");
            let (read, _) = Frontmatter::split(&file);
            let of = |kind| comments(&block, Span::new(0, block.len()), kind);
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
