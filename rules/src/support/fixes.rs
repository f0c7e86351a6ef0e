//! Helpers that create edits for fixes, for example to change a name, a heading level or a link's destination.

use skillc_core::source::frontmatter::scalar;
use skillc_core::{Document, Heading, Reference, Span};
use skillc_lint::Edit;

use crate::support::fields::field;

/// Replaces a range of bytes in a document.
pub(crate) fn edit(doc: &Document, span: Span, text: impl Into<String>) -> Edit {
    Edit {
        file: doc.path.clone(),
        span,
        text: text.into(),
    }
}

/// Inserts text into a document.
pub(crate) fn insert(doc: &Document, at: usize, text: impl Into<String>) -> Edit {
    edit(doc, Span::new(at, at), text)
}

/// Sets the name of a skill; `None` if the name is empty, has several lines, or is not on the same line as its key.
pub(crate) fn set_name(main: &Document, name: &str) -> Option<Edit> {
    let field = field(main, "name")?;
    let between = main.text.get(field.key_span.end..field.value_span.start)?;
    let value = main
        .text
        .get(field.value_span.start..field.value_span.end)?;
    let is_plain = !between.contains('\n') && !value.is_empty() && !value.contains('\n');
    is_plain.then(|| edit(main, field.value_span, scalar(name)))
}

/// Raises a heading to a given level; `None` if the notation of the heading does not allow this.
pub(crate) fn set_level(doc: &Document, heading: &Heading, level: u8) -> Option<Edit> {
    let written = doc.text.get(heading.span.start..heading.span.end)?;
    let start = heading.span.start + written.len() - written.trim_start().len();
    let signs = written.trim_start();
    let signs = signs.len() - signs.trim_start_matches('#').len();
    if signs == usize::from(heading.level) {
        let span = Span::new(start, start + signs);
        return Some(edit(doc, span, "#".repeat(level.into())));
    }
    // Underlined headings have only two levels.
    let line = written.trim_end();
    let underline = line.len() - line.rsplit('\n').next()?.trim_start().len();
    let is_underline = signs == 0 && line[underline..].bytes().all(|sign| sign == b'-');
    let span = Span::new(
        heading.span.start + underline,
        heading.span.start + line.len(),
    );
    let equal = "=".repeat(span.end - span.start);
    (is_underline && (heading.level, level) == (2, 1)).then(|| edit(doc, span, equal))
}

/// Moves headings up by `levels` levels; `None` if one of them cannot be moved.
pub(crate) fn move_up<'a>(
    doc: &Document,
    mut headings: impl Iterator<Item = &'a Heading>,
    levels: u8,
) -> Option<Vec<Edit>> {
    headings.try_fold(Vec::new(), |mut edits, heading| {
        edits.push(set_level(doc, heading, heading.level.checked_sub(levels)?)?);
        Some(edits)
    })
}

/// Returns the position at which the text of a heading begins.
pub(crate) fn text_start(doc: &Document, heading: &Heading) -> Option<usize> {
    let written = doc.text.get(heading.span.start..heading.span.end)?;
    let text = written.trim_start().trim_start_matches('#');
    let text = text.trim_start_matches([' ', '\t']);
    Some(heading.span.start + written.len() - text.len())
}

/// Replaces the part of a link's destination after an offset; `None` if the destination is written differently in the
/// file, for example with escapes.
pub(crate) fn set_destination(
    doc: &Document,
    link: &Reference,
    from: usize,
    text: &str,
) -> Option<Edit> {
    let written = doc.text.get(link.span.start..link.span.end)?;
    let span = Span::new(link.span.start + from, link.span.end);
    (written == &*link.written).then(|| edit(doc, span, text))
}
