//! Which bytes of a document are visible text.

use skillc_core::{Document, Span};

/// Returns whether a byte is visible text: in neither code nor HTML, nor a link's destination.
pub(crate) fn is_text(doc: &Document, at: usize) -> bool {
    let is_in = |list: &[Span]| span_at(list, at).is_some();
    !doc.is_in_code(at)
        && !is_in(&doc.html_blocks)
        && !is_in(&doc.inline_html)
        && !is_in(&doc.hidden)
}

/// Returns the last of some ascending spans that starts at or before a byte, if it contains the byte.
pub(crate) fn span_at(list: &[Span], at: usize) -> Option<Span> {
    let before = list.partition_point(|span| span.start <= at);
    let span = list[before.checked_sub(1)?];
    (at < span.end).then_some(span)
}
