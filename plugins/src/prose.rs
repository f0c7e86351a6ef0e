//! Determines which bytes of a document are visible text.

use skillc_core::{Document, Span};

/// Returns whether a byte is visible text, not code, HTML or the destination of a link.
pub(crate) fn is_text(doc: &Document, at: usize) -> bool {
    let is_in = |list: &[Span]| span_at(list, at).is_some();
    !doc.is_in_code(at)
        && !is_in(&doc.html_blocks)
        && !is_in(&doc.inline_html)
        && !is_in(&doc.hidden)
}

/// Returns the span that contains a byte. `list`: spans in ascending order.
pub(crate) fn span_at(list: &[Span], at: usize) -> Option<Span> {
    let before = list.partition_point(|span| span.start <= at);
    let span = list[before.checked_sub(1)?];
    (at < span.end).then_some(span)
}
