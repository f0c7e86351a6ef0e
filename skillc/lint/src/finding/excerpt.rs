//! The source lines of a finding, cut to a bounded length.
//!
//! Only marked lines and their neighbours keep their text; the other lines are empty, because a renderer folds them.

use std::borrow::Cow;
use std::ops::Range;

use skillc_core::secrets::{self, Secret};
use skillc_core::source::lines::char_floor;
use skillc_core::{Document, Span};

use crate::Diagnostic;

/// A label at least this many lines away from its finding is dropped.
const MAX_LINES: usize = 400;

/// The maximum number of labels shown: rendering labels takes quadratic time, and a script can add thousands.
const MAX_LABELS: usize = 100;

/// A line shows at most this many columns: with the gutter, they fit in a terminal of 80 columns.
const MAX_COLUMNS: usize = 72;

/// How many of the [`MAX_COLUMNS`] are reserved for the text next to a long mark.
const BESIDE: usize = 28;

/// The minimum number of columns shown after a mark, if the line has that many.
const TRAIL: usize = 12;

/// The replacement for text that was cut.
const CUT: &str = "…";

/// Lines of a file with marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The 1-based number of the first line.
    pub line: usize,
    /// The lines, joined by LF, without the last line end; long lines are cut.
    pub text: String,
    /// The marks: first the finding itself, then its labels.
    pub marks: Vec<Mark>,
}

/// A mark in an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The byte range in the excerpt's text, on character boundaries.
    pub span: Span,
    /// A short label; empty for the finding itself.
    pub text: String,
}

/// Returns the lines of a finding; `None` if the finding is about a file as a whole.
///
/// `secrets`: the secrets in the document; they are masked before a line is cut.
pub(crate) fn excerpt(
    diagnostic: &Diagnostic,
    document: &Document,
    secrets: &[Secret],
) -> Option<Excerpt> {
    if diagnostic.span == Span::default() {
        return None;
    }
    let places = places(diagnostic, document);
    let first = places.iter().map(|place| place.line).min()?;
    let last = places.iter().map(|place| place.line).max()?;
    let mut excerpt = Excerpt {
        line: first,
        text: String::new(),
        marks: Vec::new(),
    };
    let mut marks: Vec<Option<Mark>> = places.iter().map(|_| None).collect();
    for line in first..=last {
        if line > first {
            excerpt.text.push('\n');
        }
        let here: Vec<usize> = (0..places.len())
            .filter(|at| places[*at].line == line)
            .collect();
        let is_near = places.iter().any(|place| place.line.abs_diff(line) <= 1);
        if is_near {
            let mut text = Cow::Borrowed(line_text(document, line));
            let start = document.lines.range(line, line).start;
            if has_secret(secrets, start, start + text.len()) {
                secrets::mask_spans(text.to_mut(), start, secrets);
            }
            let spans: Vec<Span> = here.iter().map(|at| places[*at].span).collect();
            let shown = cut(&text, &spans);
            for (at, span) in here.into_iter().zip(shown.spans) {
                let offset = excerpt.text.len();
                marks[at] = Some(Mark {
                    span: Span::new(offset + span.start, offset + span.end),
                    text: places[at].text.clone(),
                });
            }
            excerpt.text += &shown.text;
        }
    }
    excerpt.marks = marks.into_iter().flatten().collect();
    Some(excerpt)
}

fn has_secret(secrets: &[Secret], start: usize, end: usize) -> bool {
    let from = secrets.partition_point(|secret| secret.span.end <= start);
    secrets
        .get(from)
        .is_some_and(|secret| secret.span.start < end)
}

/// Returns the mark of a finding, followed by the marks of those labels that are close enough.
fn places(diagnostic: &Diagnostic, document: &Document) -> Vec<LineMark> {
    let primary = LineMark::new(diagnostic.span, "", document);
    let line = primary.line;
    let labels = diagnostic
        .labels
        .iter()
        .map(|label| LineMark::new(label.span, &label.text, document))
        .filter(|place| place.line.abs_diff(line) < MAX_LINES)
        .take(MAX_LABELS);
    [primary].into_iter().chain(labels).collect()
}

/// A mark within one line.
struct LineMark {
    line: usize,
    /// The byte range within the line.
    span: Span,
    text: String,
}

impl LineMark {
    /// Creates a mark for the part of a span that is on its first line.
    fn new(span: Span, text: &str, document: &Document) -> Self {
        let line = document.lines.line(span.start);
        let start = document.lines.range(line, line).start;
        let len = line_text(document, line).len();
        let within = |offset: usize| offset.saturating_sub(start).min(len);
        Self {
            line,
            span: Span::new(within(span.start), within(span.end.max(span.start))),
            text: text.to_owned(),
        }
    }
}

fn line_text(document: &Document, line: usize) -> &str {
    document.text[document.lines.range(line, line + 1)].trim_end_matches(['\n', '\r'])
}

/// A line as shown, and its marks in the shown text.
struct Shown {
    text: String,
    spans: Vec<Span>,
}

/// Cuts a long line to the text around its first mark, keeping the line's start if it fits. The time depends on the
/// number of columns, not on the length of the line.
fn cut(line: &str, spans: &[Span]) -> Shown {
    let anchor = spans.first().copied().unwrap_or_default();
    let (start, end) = (char_floor(line, anchor.start), char_floor(line, anchor.end));
    let (end, marked) = ahead(line, start..end, MAX_COLUMNS - BESIDE);
    let room = MAX_COLUMNS - marked;
    let (from, before) = back(line, start, room);
    let (_, after) = ahead(line, end..line.len(), room);
    let left = if from == 0 && before + after.min(TRAIL) <= room {
        before
    } else {
        before.min((room / 2).max(room - after))
    };
    let (from, _) = back(line, start, left);
    let (to, _) = ahead(line, end..line.len(), room - left);
    let before = if from > 0 { CUT } else { "" };
    let after = if to < line.len() { CUT } else { "" };
    let place = |offset: usize| char_floor(line, offset.clamp(from, to)) - from + before.len();
    Shown {
        text: [before, &line[from..to], after].concat(),
        spans: spans
            .iter()
            .map(|span| Span::new(place(span.start), place(span.end)))
            .collect(),
    }
}

/// Moves forward at most `columns` columns in a range; returns the offset and the columns covered.
fn ahead(line: &str, range: Range<usize>, columns: usize) -> (usize, usize) {
    let text = &line[range.clone()];
    let (len, walked) = walk(text.chars(), columns);
    (range.start + len, walked)
}

/// Moves back at most `columns` columns from an offset; returns the offset and the columns covered.
fn back(line: &str, from: usize, columns: usize) -> (usize, usize) {
    let (len, walked) = walk(line[..from].chars().rev(), columns);
    (from - len, walked)
}

/// Returns the number of bytes of the characters that fit into `columns` columns, and the number of columns that they
/// occupy.
fn walk(chars: impl Iterator<Item = char>, columns: usize) -> (usize, usize) {
    let (mut len, mut walked) = (0, 0);
    for c in chars {
        if walked + width(c) > columns {
            break;
        }
        len += c.len_utf8();
        walked += width(c);
    }
    (len, walked)
}

/// Returns an approximate display width of a character; a tab is shown as four spaces.
fn width(c: char) -> usize {
    match c {
        '\t' => 4,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn cut_at(line: &str, start: usize, end: usize) -> (String, String) {
        let shown = cut(line, &[Span::new(start, end)]);
        let span = shown.spans[0];
        let marked = shown.text[span.start..span.end].to_owned();
        (shown.text, marked)
    }

    #[test]
    fn secrets_are_masked_before_a_line_is_cut() {
        let token = format!("gh{}_{}", "p", "k3JxQ9mZ7vLp2RwT8sYbN4cHd6FgUaWe5oXi");
        let text = format!("{} {token} {token} {}\n", "x".repeat(60), "y".repeat(60));
        let document = Document::parse(
            skillc_core::RelPath::parse("a.md").unwrap(),
            text.clone().into_bytes(),
        );
        let found = secrets::find(&document.text);
        assert_eq!(found.len(), 2);
        for at in (0..text.len() - 4).step_by(7) {
            let diagnostic = Diagnostic {
                span: Span::new(at, at + 3),
                ..Diagnostic::from_fault(None, "seen".to_owned())
            };
            let shown = excerpt(&diagnostic, &document, &found).unwrap().text;
            assert!(!shown.contains("xQ9") && !shown.contains("5oX"), "{shown}");
        }
    }

    #[test]
    fn only_the_first_labels_are_shown() {
        let path = skillc_core::RelPath::parse("a.md").unwrap();
        let document = Document::parse(path, b"some text\n".to_vec());
        let mut diagnostic = Diagnostic::from_fault(None, "seen".to_owned());
        diagnostic.span = Span::new(0, 4);
        for _ in 0..2 * MAX_LABELS {
            diagnostic.label(Span::new(5, 9), "here too");
        }
        let shown = excerpt(&diagnostic, &document, &[]).unwrap();
        assert_eq!(shown.marks.len(), 1 + MAX_LABELS);
    }

    #[test]
    fn short_lines_are_kept_and_long_ones_truncated_around_the_mark() {
        assert_eq!(cut_at("ab cd", 3, 5), ("ab cd".to_owned(), "cd".to_owned()));
        let line = format!("{}MARK{}", "x".repeat(500), "y".repeat(500));
        let (text, marked) = cut_at(&line, 500, 504);
        assert_eq!(marked, "MARK");
        assert_eq!(text, format!("…{}MARK{}…", "x".repeat(34), "y".repeat(34)));
        let (text, _) = cut_at(&line, 996, 1000);
        assert_eq!(text, format!("…{}", "y".repeat(72)));
    }

    #[test]
    fn the_start_of_a_line_is_kept_if_its_mark_is_near() {
        let line = format!("description: {}", "words ".repeat(100));
        let (text, marked) = cut_at(&line, 13, line.len());
        assert!(
            text.starts_with("description: words ") && text.ends_with('…'),
            "{text}"
        );
        assert_eq!(marked.chars().count(), 72 - 13);
        let (text, marked) = cut_at(&line, 43, 48);
        assert!(text.starts_with("description: "), "{text}");
        assert_eq!(marked, "words");
    }

    #[test]
    fn wide_characters_take_two_columns_and_tabs_four() {
        let (text, marked) = cut_at(&"描述".repeat(300), 900, 906);
        assert_eq!(marked, "描述");
        assert_eq!(text.chars().count(), 1 + 36 + 1);
        let (text, _) = cut_at(&"\t".repeat(100), 0, 0);
        assert_eq!(text, format!("{}…", "\t".repeat(18)));
    }

    #[test]
    fn another_mark_beyond_the_cut_points_at_the_cut() {
        let line = "x".repeat(500);
        let shown = cut(&line, &[Span::new(0, 4), Span::new(400, 404)]);
        assert_eq!(shown.spans[1].start, 72);
        assert_eq!(shown.spans[1].end, 72);
    }

    proptest! {
        #[test]
        fn marks_stay_on_character_boundaries(line in "[aé日😀\t]{0,400}", start in 0usize..900, len in 0usize..900) {
            let start = char_floor(&line, start.min(line.len()));
            let end = char_floor(&line, (start + len).min(line.len()));
            let shown = cut(&line, &[Span::new(start, end)]);
            let marked = shown.text.get(shown.spans[0].start..shown.spans[0].end);
            prop_assert!(marked.is_some_and(|marked| line[start..end].starts_with(marked)));
            prop_assert!(shown.text.chars().map(width).sum::<usize>() <= MAX_COLUMNS + 2);
        }
    }
}
