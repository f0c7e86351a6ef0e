//! A finding with the lines it is about, marked.
//!
//! The only module that knows `annotate-snippets`, which panics on a span outside its source: every span is clamped here.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use skillc_core::Severity;
use skillc_ops::lint::{Excerpt, LintFinding};

use crate::page::clean;

/// Whether a text may have colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Plain text.
    Plain,
    /// With the colours of a terminal.
    Styled,
}

/// Returns a finding as plain text: the normative line, its place, the marked lines, and what helps.
///
/// Returns: lines that each end with LF; an empty line closes a finding that has marked lines.
pub fn finding_text(finding: &LintFinding) -> String {
    annotated(finding, "", Ink::Plain)
}

/// Returns a finding as [`finding_text`] does; `folder` stands before the file's path and ends with `/` unless empty.
pub(crate) fn annotated(finding: &LintFinding, folder: &str, ink: Ink) -> String {
    let style = style_of(finding.severity, ink);
    let (head, rest) = finding
        .headline
        .split_once(':')
        .unwrap_or((&finding.headline, ""));
    let mut text = format!(
        "{style}{}{}:{}\n",
        clean(head),
        style.render_reset(),
        clean(rest)
    );
    if let Some(file) = &finding.file {
        let (line, column) = (finding.line.unwrap_or(1), finding.column.unwrap_or(1));
        let place = format!("{folder}{file}");
        text += &format!("  --> {}:{line}:{column}\n", clean(&place));
    }
    if let Some(excerpt) = &finding.excerpt {
        text += &marked(excerpt, finding.severity, ink);
    }
    if let Some(help) = &finding.help {
        text += &format!("  = help: {}\n", clean(help));
    }
    if finding.excerpt.is_some() || finding.help.is_some() {
        text.push('\n');
    }
    text
}

/// Returns the style of a headline's code.
pub(crate) fn style_of(severity: Severity, ink: Ink) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    match ink {
        Ink::Styled => color.on_default().bold(),
        Ink::Plain => Style::new(),
    }
}

fn marked(excerpt: &Excerpt, severity: Severity, ink: Ink) -> String {
    let annotations = excerpt.marks.iter().enumerate().map(|(at, mark)| {
        let kind = if at == 0 {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let annotation: Annotation<'_> =
            kind.span(clamped(mark.span.start..mark.span.end, &excerpt.text));
        if mark.text.is_empty() {
            annotation
        } else {
            annotation.label(mark.text.as_str())
        }
    });
    let snippet = Snippet::source(excerpt.text.as_str())
        .line_start(excerpt.line)
        .annotations(annotations);
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let renderer = match ink {
        Ink::Styled => Renderer::styled(),
        Ink::Plain => Renderer::plain(),
    };
    renderer.render(&[Group::with_level(level).element(snippet)]) + "\n"
}

/// Moves a span to character boundaries inside a text.
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
