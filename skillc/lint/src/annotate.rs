//! Renders a finding as text with its source lines and marks.
//!
//! This is the only module that uses `annotate-snippets`. That crate panics on a span outside its source, so every span
//! is clamped here.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use skillc_core::clean::{clean, clean_in_place};

use crate::finding::{Excerpt, LintFinding, Mark};
use crate::style::{Styling, frame, style_of};
use crate::{Safety, Severity};

/// The line width passed to the renderer. No excerpt is that wide, so the renderer cuts nothing: `excerpt` has already
/// cut long lines around their marks.
const UNCUT: usize = 1000;

/// Returns a finding as plain text: the headline, the location, the marked lines and the help.
///
/// Each line ends with LF. If there are marked lines or help, an empty line follows.
pub fn finding_text(finding: &LintFinding) -> String {
    rendered(finding, "", None, Styling::Plain)
}

/// The mark of a finding that `--fix` can fix.
pub const FIXABLE: &str = "[*]";

/// Reports whether `--fix` alone fixes a finding.
pub fn is_fixable(finding: &LintFinding) -> bool {
    finding.fixable == Some(Safety::Safe)
}

/// Like [`finding_text`], but styled, and with a note if `--fix` can fix the finding.
///
/// `folder`: prefix of the file's path; ends with `/` unless empty.
pub fn annotated(finding: &LintFinding, folder: &str, ink: Styling) -> String {
    // The specification prescribes the first two lines, so the note is on a line of its own.
    let note = is_fixable(finding).then_some("fixable with --fix");
    rendered(finding, folder, note, ink)
}

fn rendered(finding: &LintFinding, folder: &str, note: Option<&str>, ink: Styling) -> String {
    let mut text = coded(&finding.headline, finding.severity, ink);
    let (path, line, column) = (finding.file.shown(folder), finding.line, finding.column);
    text += &format!("  --> {}:{line}:{column}\n", clean(&path));
    if let Some(excerpt) = &finding.excerpt {
        text += &marked(excerpt, finding.severity, ink);
    }
    if let Some(help) = &finding.help {
        let sign = ink.paint(frame(), "=");
        text += &format!("  {sign} help: {}\n", clean(help));
    }
    if let Some(note) = note {
        let sign = ink.paint(frame(), "=");
        text += &format!("  {sign} {FIXABLE} {note}\n");
    }
    if finding.excerpt.is_some() || finding.help.is_some() || note.is_some() {
        text.push('\n');
    }
    text
}

/// Returns the message and, on a second line, the help. Viewers with little space show only the first line.
pub fn told(finding: &LintFinding) -> String {
    match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    }
}

/// Styles the code at the beginning of a line, and appends a line end.
pub fn coded(line: &str, severity: Severity, ink: Styling) -> String {
    let (code, rest) = line.split_once(':').unwrap_or((line, ""));
    format!("{}:{}\n", ink.paint(style_of(severity), code), clean(rest))
}

/// Returns the lines of an excerpt with the marks below them, as compilers show them.
pub fn marked(excerpt: &Excerpt, severity: Severity, ink: Styling) -> String {
    let source = clean_in_place(&excerpt.text);
    let texts: Vec<_> = excerpt.marks.iter().map(|mark| clean(&mark.text)).collect();
    let annotation = |(at, (mark, text))| -> Annotation<'_> {
        let (mark, text): (&Mark, &str) = (mark, text);
        let kind = if at == 0 {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let annotation = kind.span(clamped(mark.span.start..mark.span.end, &source));
        if text.is_empty() {
            annotation
        } else {
            annotation.label(text)
        }
    };
    let texts = texts.iter().map(AsRef::as_ref);
    let marks = excerpt.marks.iter().zip(texts).enumerate();
    let snippet = Snippet::source(&*source)
        .line_start(excerpt.line)
        .annotations(marks.map(annotation));
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let renderer = match ink {
        Styling::Styled => Renderer::styled()
            .error(style_of(Severity::Error))
            .warning(style_of(Severity::Warning))
            .line_num(frame())
            .context(frame()),
        Styling::Plain => Renderer::plain(),
    };
    let group = Group::with_level(level).element(snippet);
    renderer.term_width(UNCUT).render(&[group]) + "\n"
}

/// Clamps a span to the text and rounds it down to character boundaries.
fn clamped(span: Range<usize>, text: &str) -> Range<usize> {
    let floor = |offset: usize| {
        let mut at = offset.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(span.start);
    start..floor(span.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use skillc_core::Span;

    fn excerpt(text: &str, marks: &[(usize, usize, &str)]) -> Excerpt {
        let mark = |(start, end, text): &(usize, usize, &str)| Mark {
            span: Span::new(*start, *end),
            text: (*text).to_owned(),
        };
        Excerpt {
            line: 7,
            text: text.to_owned(),
            marks: marks.iter().map(mark).collect(),
        }
    }

    fn plain(text: &str, marks: &[(usize, usize, &str)]) -> String {
        marked(&excerpt(text, marks), Severity::Error, Styling::Plain)
    }

    #[test]
    fn marks_are_aligned_for_characters_of_any_width() {
        assert_eq!(
            plain("\tab", &[(1, 3, "")]),
            "  |\n7 |     ab\n  |     ^^\n"
        );
        assert_eq!(
            plain("日本 ab", &[(7, 9, "")]),
            "  |\n7 | 日本 ab\n  |      ^^\n"
        );
        assert_eq!(plain("ab", &[(2, 2, "")]), "  |\n7 | ab\n  |   ^\n");
        assert_eq!(plain("", &[(0, 0, "here")]), "  |\n7 |\n  | ^ here\n");
    }

    #[test]
    fn lines_and_labels_are_escaped_for_the_terminal() {
        let text = "a\u{1b}[31mb\u{202e}c\u{0}\u{7f}\u{9b}1m";
        let shown = plain(text, &[(0, 3, "la\u{1b}[0m\u{2066}bel")]);
        assert_eq!(
            shown,
            "  |\n7 | a␛[31mb\u{fffd}c␀␡¿1m\n  | ^^^ la\\u{1b}[0m\\u{2066}bel\n"
        );
        let text = "a\u{200b}b\u{e0041}c d";
        assert_eq!(
            plain(text, &[(11, 12, "")]),
            "  |\n7 | a\u{fffd}b¿¿c d\n  |        ^\n"
        );
    }

    proptest! {
        #[test]
        fn arbitrary_text_and_marks_can_be_rendered(
            text in "[a日😀é\u{200d}\u{202e}\u{1b}\u{9b} \t\r\n]{0,200}",
            marks in vec((0usize..250, 0usize..250, "[a日\n ]{0,9}"), 0..6),
            line in 0usize..2000,
            is_styled: bool,
        ) {
            let marks = marks.into_iter().map(|(start, end, text)| Mark { span: Span::new(start, end), text });
            let excerpt = Excerpt { line, text, marks: marks.collect() };
            let shown = marked(&excerpt, Severity::Warning, Styling::new(is_styled));
            prop_assert!(shown.ends_with('\n'));
            prop_assert!(is_styled || !shown.contains(|c: char| c.is_control() && c != '\n'), "{:?}", shown);
        }
    }
}
