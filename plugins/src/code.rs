//! Which bytes of a document are code.

use skillc_core::Document;

/// Says whether a byte is in a block of code.
pub(crate) fn is_in_block(doc: &Document, at: usize) -> bool {
    let before = doc
        .code_blocks
        .partition_point(|block| block.span.start <= at);
    before
        .checked_sub(1)
        .is_some_and(|last| at < doc.code_blocks[last].span.end)
}

/// Says whether a byte is in code, be it a block or a span.
pub(crate) fn is_in_code(doc: &Document, at: usize) -> bool {
    let before = doc.code_spans.partition_point(|span| span.start <= at);
    let in_span = before
        .checked_sub(1)
        .is_some_and(|last| at < doc.code_spans[last].end);
    in_span || is_in_block(doc, at)
}
