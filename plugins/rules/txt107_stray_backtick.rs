//! TXT107 stray-backtick.

use memchr::memchr;
use skillc_core::{Document, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::fences::has_broken_pair;
use crate::prose::{is_text, span_at};
use crate::tables::{columns, is_wide, row};

declare_rule! {
    /// Reports unpaired backticks, empty pairs of backticks, and escaped backticks around text that is meant as code.
    ///
    /// ## Why
    /// A code span needs a backtick at both ends. If one is missing, the name or command is shown as text, and the
    /// words around it are often shown as code: an agent cannot tell where a command ends. An empty pair of backticks
    /// shows that a word is missing, usually in generated text.
    ///
    /// The rule reports, outside code blocks:
    ///
    /// - an unpaired backtick in a paragraph, heading or table cell
    /// - an empty pair of backticks
    /// - a backtick that is escaped in a code span (`` `\`` ``): a backslash has no effect there
    /// - two escaped backticks (`` \` ``) around a word: the backticks are shown as text, and the word is not code
    ///
    /// There is one finding per file, which lists up to five more positions.
    ///
    /// ## What is not reported
    /// - Lines that mention backticks or fences, and a backtick in quotation marks or parentheses.
    /// - Quotation marks in TeX notation: ``` ``so'' ```.
    /// - Rows of a table with more cells than columns, which TXT110 reports: a pipe in code splits a code span into two
    ///   cells.
    /// - HTML blocks, and files in which a code block does not end where intended (TXT105).
    /// - Two missing backticks in one paragraph, because the two remaining backticks form a pair.
    ///
    /// ## Example
    /// ```markdown
    /// Run `make test before each commit.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Run `make test` before each commit.
    /// ```
    ///
    /// ## Source
    /// CommonMark 0.31, code spans: a run of backticks is literal text if no run of the same length follows.
    pub(crate) struct StrayBacktick {
        code: "TXT107",
        name: "stray-backtick",
        severity: Warning,
        since: "0.3.0",
    }
}

/// The maximum number of positions that are shown in addition to the first.
const MAX_SHOWN: usize = 5;

/// A failed attempt to write a code span that contains a backtick: in a code span, a backslash does not escape the
/// backtick.
const ESCAPED_IN_CODE: &str = "`\\``";

/// Words that mark a line as being about backticks.
const ABOUT: [&str; 12] = [
    "backtick",
    "back-tick",
    "back tick",
    "fence",
    "grave accent",
    "围栏",
    "フェンス",
    "反引号",
    "反引號",
    "バックティック",
    "バッククォート",
    "백틱",
];

/// The kind of fault that a backtick has.
#[derive(Clone, Copy)]
enum Fault {
    Alone,
    Empty,
    Escaped,
    Backslash,
}

impl Rule for StrayBacktick {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        if !doc.encoding.is_text() || has_broken_pair(doc) {
            return;
        }
        let places = places(doc);
        let Some(&(span, fault)) = places.first() else {
            return;
        };
        let (message, help) = fault.words();
        let found = out.at(span, message).help(help);
        for (span, _) in &places[1..] {
            found.label(*span, "here too");
        }
    }
}

impl Fault {
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Alone => (
                "an unpaired backtick is shown as text",
                "start and end code with a backtick, or escape a literal one: '\\`'",
            ),
            Self::Empty => (
                "an empty pair of backticks",
                "write the missing word, or remove the backticks",
            ),
            Self::Escaped => (
                "escaped backticks are shown as text: what they enclose is not code",
                "remove the backslashes",
            ),
            Self::Backslash => (
                "a backslash does not escape a backtick in code: this is shown as text",
                "use two backticks around code that contains one",
            ),
        }
    }
}

/// Returns the first faults of a document in order, at most one per line.
fn places(doc: &Document) -> Vec<(Span, Fault)> {
    let text = &doc.text[..doc.markup_end];
    let mut places = Vec::new();
    let mut done_line = 0;
    // The last escaped backtick that may start a pair.
    let mut open: Option<usize> = None;
    let mut table = (0, 0);
    let mut spans = doc.code_spans.iter().peekable();
    let mut at = doc.body_start;
    while places.len() <= MAX_SHOWN
        && let Some(found) = text
            .as_bytes()
            .get(at..)
            .and_then(|rest| memchr(b'`', rest))
    {
        let start = at + found;
        while spans.next_if(|span| span.end <= start).is_some() {}
        if let Some(code) = spans.peek().filter(|span| span.start <= start) {
            at = code.end;
            // The two backticks do not close the code span, so the span ends at a later backtick.
            if text[start..code.end].starts_with(ESCAPED_IN_CODE) {
                done_line = doc.lines.line(start);
                places.push((
                    Span::new(start, start + ESCAPED_IN_CODE.len()),
                    Fault::Backslash,
                ));
            }
            continue;
        }
        if let Some(block) = doc.code_block_at(start) {
            at = block.span.end.max(start + 1);
            continue;
        }
        let is_escaped = text[..start]
            .bytes()
            .rev()
            .take_while(|b| *b == b'\\')
            .count()
            % 2
            == 1;
        let run = text[start..].bytes().take_while(|b| *b == b'`').count();
        let length = if is_escaped { 1 } else { run };
        let mut span = Span::new(start, start + length);
        at = span.end;
        let line = doc.lines.line(start);
        if line == done_line || !is_text(doc, start) {
            continue;
        }
        let fault = if is_escaped {
            let begin = open.filter(|begin| is_code_between(&text[*begin + 1..start - 1]));
            let Some(begin) = begin else {
                open = Some(start);
                continue;
            };
            open = None;
            span.start = begin - 1;
            Fault::Escaped
        } else if text[start..].starts_with(ESCAPED_IN_CODE) {
            span.end = start + ESCAPED_IN_CODE.len();
            Fault::Backslash
        } else if length == 2 {
            Fault::Empty
        } else {
            Fault::Alone
        };
        // Only the first fault on a line is considered.
        done_line = line;
        let whole = &doc.text[doc.lines.range(line, line + 1)];
        let is_excepted = is_meant(text, span)
            || is_definition(whole)
            || is_about(whole)
            || is_in_wide_row(doc, &mut table, start, whole);
        if is_excepted && !matches!(fault, Fault::Backslash) {
            continue;
        }
        places.push((span, fault));
    }
    places
}

/// Returns whether a line is a table row with more cells than columns, which TXT110 reports.
///
/// `known`: caches the start of the most recent table, and its number of columns.
fn is_in_wide_row(doc: &Document, known: &mut (usize, usize), at: usize, line: &str) -> bool {
    span_at(&doc.tables, at).is_some_and(|table| {
        if known.0 != table.start {
            *known = (table.start, columns(doc, table));
        }
        let row = row(line, 0);
        is_wide(&line[row.start..row.end], known.1)
    })
}

/// Returns whether the text between two escaped backticks looks like code: it is on one line, without spaces at its
/// ends.
fn is_code_between(text: &str) -> bool {
    !text.is_empty() && text.len() < 200 && !text.contains(['\n', '`']) && text.trim() == text
}

/// Returns whether a line looks like a link reference definition. Markdown ignores a definition whose label is already
/// defined.
fn is_definition(line: &str) -> bool {
    let bare = line.trim_start();
    bare.starts_with('[') && bare.contains("]:")
}

fn is_about(line: &str) -> bool {
    let line = line.to_lowercase();
    ABOUT.iter().any(|word| line.contains(word))
}

/// Returns whether a backtick is intended: it is in quotation marks, because the text is about the backtick itself, or
/// it is part of a TeX quotation mark.
fn is_meant(text: &str, span: Span) -> bool {
    let before = text[..span.start]
        .trim_end_matches('\\')
        .chars()
        .next_back();
    let rest = &text[span.end..];
    let is_quote = |c: char| {
        matches!(
            c,
            '"' | '\'' | '(' | ')' | '“' | '”' | '‘' | '’' | '「' | '」' | '[' | ']'
        )
    };
    if before.is_some_and(is_quote) && rest.chars().next().is_some_and(is_quote) {
        return true;
    }
    let mut near = rest
        .char_indices()
        .take(200)
        .take_while(|(_, c)| *c != '\n');
    near.any(|(at, _)| rest[at..].starts_with("''")) && span.end - span.start == 2
}
