//! Which bytes of a document are text that readers see.

use skillc_core::{Document, Span};

/// Says whether a byte is in text that Markdown reads and shows: in neither code nor HTML, nor the destination of a link.
pub(crate) fn is_text(doc: &Document, at: usize) -> bool {
    let is_in = |list: &[Span]| span_at(list, at).is_some();
    !doc.is_in_code(at)
        && !is_in(&doc.html_blocks)
        && !is_in(&doc.inline_html)
        && !is_in(&doc.hidden)
}

/// Returns the last of some spans in ascending order that begins at or before a byte, if the byte is in it.
pub(crate) fn span_at(list: &[Span], at: usize) -> Option<Span> {
    let before = list.partition_point(|span| span.start <= at);
    let span = list[before.checked_sub(1)?];
    (at < span.end).then_some(span)
}
