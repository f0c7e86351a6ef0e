//! The lines that a finding is about, cut to a bounded length.
//!
//! Only lines that are marked, and those beside them, keep their text; the others stay empty, for a renderer folds them.

use skillc_core::{Diagnostic, Document, Span};

use super::report::{Excerpt, Mark};

/// The most lines between the first marked line and the last; an explanation farther off is left out.
const MAX_LINES: usize = 400;

/// The most bytes of a line that are shown before a mark, and after it.
const MAX_BESIDE: usize = 120;

/// The most bytes of a mark that are shown.
const MAX_MARKED: usize = 160;

/// What stands where something was cut.
const CUT: &str = "…";

/// Returns the lines of a finding; `None` if it is about a file as a whole.
pub(crate) fn excerpt(diagnostic: &Diagnostic, document: &Document) -> Option<Excerpt> {
    if diagnostic.span == Span::default() {
        return None;
    }
    let primary = Place::of(diagnostic.span, "", document);
    let line = primary.line;
    let labels = diagnostic
        .labels
        .iter()
        .map(|label| Place::of(label.span, &label.text, document))
        .filter(|place| place.line.abs_diff(line) < MAX_LINES);
    let places: Vec<Place> = [primary].into_iter().chain(labels).collect();
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
            let text = line_text(document, line);
            let spans: Vec<Span> = here.iter().map(|at| places[*at].span).collect();
            let shown = cut(text, &spans);
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

/// A marked place within one line.
struct Place {
    line: usize,
    /// Bytes within the line.
    span: Span,
    text: String,
}

impl Place {
    /// Takes the part of a span that lies on its first line.
    fn of(span: Span, text: &str, document: &Document) -> Self {
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

/// A line as it is shown, and where its marks are in that.
struct Shown {
    text: String,
    spans: Vec<Span>,
}

/// Cuts a long line to what is around its first mark.
fn cut(line: &str, spans: &[Span]) -> Shown {
    let anchor = spans.first().copied().unwrap_or_default();
    let from = floor(line, anchor.start.saturating_sub(MAX_BESIDE));
    let marked = anchor.end.min(anchor.start + MAX_MARKED);
    let to = floor(line, (marked + MAX_BESIDE).min(line.len()));
    let before = if from > 0 { CUT } else { "" };
    let after = if to < line.len() { CUT } else { "" };
    let place = |offset: usize| floor(line, offset.clamp(from, to)) - from + before.len();
    Shown {
        text: [before, &line[from..to], after].concat(),
        spans: spans
            .iter()
            .map(|span| Span::new(place(span.start), place(span.end)))
            .collect(),
    }
}

/// Returns the character boundary at or before an offset.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
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
    fn a_short_line_stays_whole_and_a_long_one_is_cut_around_its_mark() {
        assert_eq!(cut_at("ab cd", 3, 5), ("ab cd".to_owned(), "cd".to_owned()));
        let line = format!("{}MARK{}", "x".repeat(500), "y".repeat(500));
        let (text, marked) = cut_at(&line, 500, 504);
        assert_eq!(marked, "MARK");
        assert_eq!(
            text,
            format!("…{}MARK{}…", "x".repeat(120), "y".repeat(120))
        );
        let (text, marked) = cut_at(&"z".repeat(2_000_000), 0, 2_000_000);
        assert!(text.len() < 300 && marked.len() == MAX_MARKED + MAX_BESIDE);
    }

    proptest! {
        #[test]
        fn marks_stay_on_characters(line in "[aé日😀]{0,400}", start in 0usize..900, len in 0usize..900) {
            let start = floor(&line, start.min(line.len()));
            let end = floor(&line, (start + len).min(line.len()));
            let shown = cut(&line, &[Span::new(start, end)]);
            prop_assert!(shown.text.get(shown.spans[0].start..shown.spans[0].end).is_some());
        }
    }
}
