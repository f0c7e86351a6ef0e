//! SKL207 line-length.
//!
//! Design: C-EXTENSIONS. The rule is disabled unless it is selected.

use std::ops::Range;

use skillc_core::{Document, Skill, Span};
use skillc_lint::{Findings, OptionKind, Rule, RuleMeta, RuleOption, declare_rule};

/// The default line length limit, in characters.
const MAX_CHARS: usize = 120;

const OPTIONS: &[RuleOption] = &[RuleOption::new(
    "max-characters",
    OptionKind::Number,
    "Maximum line length in characters; default 120",
)];

declare_rule! {
    /// Reports a line of text that is longer than 120 characters.
    ///
    /// ## Why
    /// Short lines keep diffs small, and make it easy to find a position that a search or a linter reports.
    ///
    /// Lines in frontmatter, code blocks, tables and headings can have any length. A link, a code span or a word that
    /// is longer than a line by itself is not counted, because it cannot be broken. Therefore a list of long links is
    /// accepted, and so is a paragraph of Chinese or Japanese without spaces, where a line break would be rendered as a
    /// space. The rule is disabled by default, because it is a matter of taste; enable it with
    /// `--extend-select SKL207`.
    ///
    /// ## Example
    /// ```markdown
    /// Write keywords in capitals, put each clause on a line of its own, and indent what belongs to a clause by two spaces so that it stands out.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Write keywords in capitals, put each clause on a line of its own, and indent what belongs to a clause by two spaces
    /// so that it stands out.
    /// ```
    pub(crate) struct LineLength {
        code: "SKL207",
        name: "line-length",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for LineLength {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn options(&self) -> &[RuleOption] {
        OPTIONS
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let most = out.options().number("max-characters").unwrap_or(MAX_CHARS);
        let wide = lines_that_may_be_wide(doc);
        let whole = unbreakable(doc);
        for line in (1..=doc.lines.count()).filter(|line| !wide[*line]) {
            let range = doc.lines.range(line, line + 1);
            // Skip a byte order mark in the first line.
            let start = range.start.max(doc.body_start);
            // Skip lines before the body: they are frontmatter, valid or not.
            let Some(text) = doc.text.get(start..range.end) else {
                continue;
            };
            let text = text.trim_end();
            let Some(beyond) = offset_of_char(text, most) else {
                continue;
            };
            let place = Span::new(start, start + text.len());
            if breakable_chars(doc, place, &whole, most) > most {
                let beyond = Span::new(start + beyond, place.end);
                out.at(beyond, too_long(text.chars().count(), most));
            }
        }
    }
}

fn too_long(count: usize, most: usize) -> String {
    format!("line of {count} characters; expected at most {most}")
}

/// Returns, for each line, whether it is frontmatter, code, a table or a heading.
fn lines_that_may_be_wide(doc: &Document) -> Vec<bool> {
    let headings = doc.headings.iter().chain(&doc.inner_headings);
    let spans = headings
        .map(|heading| heading.span)
        .chain(doc.code_blocks.iter().map(|block| block.span))
        .chain(doc.tables.iter().copied())
        .chain(
            doc.frontmatter
                .fields()
                .map(|_| Span::new(0, doc.body_start)),
        );
    let mut wide = vec![false; doc.lines.count() + 1];
    for span in spans.filter(|span| span.start < span.end) {
        wide[doc.lines.line(span.start)..=doc.lines.line(span.end - 1)].fill(true);
    }
    wide
}

/// Returns the links and code spans in order; overlapping spans are merged.
fn unbreakable(doc: &Document) -> Vec<Span> {
    let mut spans: Vec<Span> = doc.links.iter().map(|link| link.span).collect();
    spans.extend(&doc.code_spans);
    spans.sort_unstable();
    spans.dedup_by(|next, last| {
        let overlap = next.start < last.end;
        last.end = last.end.max(if overlap { next.end } else { 0 });
        overlap
    });
    spans
}

/// Counts the characters of a line, except the characters of parts that would be too long even on a line of their own.
fn breakable_chars(doc: &Document, line: Span, whole: &[Span], most: usize) -> usize {
    let text = &doc.text[line.start..line.end];
    let marker = text.len() - without_marker(text).len();
    let margin = text[..marker].chars().count();
    let pieces = pieces(text, line, marker, whole);
    let lengths = pieces.into_iter().map(|piece| text[piece].chars().count());
    let too_long: usize = lengths.filter(|length| margin + length > most).sum();
    text.chars().count() - too_long
}

/// Splits the part of a line after its marker at the spaces where the line can be broken.
fn pieces(text: &str, line: Span, marker: usize, whole: &[Span]) -> Vec<Range<usize>> {
    let mut rest = &whole[whole.partition_point(|span| span.end <= line.start)..];
    let mut pieces = Vec::new();
    let mut start = marker;
    for (at, _) in text[marker..].match_indices([' ', '\t']) {
        let at = marker + at;
        while let [first, others @ ..] = rest
            && first.end <= line.start + at
        {
            rest = others;
        }
        let is_inside = rest
            .first()
            .is_some_and(|span| span.start < line.start + at);
        if !is_inside {
            pieces.push(start..at);
            start = at + 1;
        }
    }
    pieces.push(start..text.len());
    pieces
}

/// Returns a line without its indentation and the markers of quotes and lists.
fn without_marker(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = match rest.as_bytes().first() {
            Some(b'>' | b'-' | b'*' | b'+') => &rest[1..],
            Some(b'0'..=b'9') if number.starts_with(['.', ')']) => &number[1..],
            _ => return rest,
        };
        if !after.starts_with([' ', '\t']) && !rest.starts_with('>') {
            return rest;
        }
        rest = after.trim_start();
    }
}

/// Returns the byte offset of the character at the given 0-based index; `None` if the text is shorter.
fn offset_of_char(text: &str, number: usize) -> Option<usize> {
    text.char_indices().nth(number).map(|(at, _)| at)
}
