//! Checks whether the fences of code blocks are paired as intended.

use memchr::memmem;
use skillc_core::{CodeBlock, Document, Span};

/// Returns whether a document has a code block that ends too early or too late. The text after such a block may be
/// misinterpreted.
pub(crate) fn has_broken_pair(doc: &Document) -> bool {
    let mut blocks = doc.code_blocks.iter().filter(|block| block.info.is_some());
    blocks.any(|block| {
        let fence = fence_at_start(&doc.text[block.span.start..block.span.end]);
        fence.is_some_and(|fence| {
            inner_opening(doc, block, fence).is_some() || is_unclosed(doc, block, fence)
        })
    })
}

/// Returns the fence at the start of `text`.
pub(crate) fn fence_at_start(text: &str) -> Option<&str> {
    let sign = text
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(sign).len();
    (length >= 3).then_some(&text[..length])
}

/// Returns the first line inside a block that is itself an opening fence with a language, and is as long as the block's
/// fence.
pub(crate) fn inner_opening(doc: &Document, block: &CodeBlock, fence: &str) -> Option<Span> {
    let text = doc.text.as_bytes();
    let has_fence = |content: &&Span| {
        memmem::find(&text[content.start..content.end], fence.as_bytes()).is_some()
    };
    for content in block.content.iter().filter(has_fence) {
        let mut start = content.start;
        for line in doc.text[content.start..content.end].split_inclusive('\n') {
            let indent = line.len() - line.trim_start_matches(' ').len();
            let bare = line.trim();
            let inner = fence_at_start(bare).filter(|inner| *inner == fence);
            let info = inner.map_or("", |inner| &bare[inner.len()..]);
            if is_language(info) && indent <= 3 {
                let at = start + indent;
                return Some(Span::new(at, at + bare.len()));
            }
            start += line.len();
        }
    }
    None
}

fn is_language(info: &str) -> bool {
    let is_in_names = |byte: u8| byte.is_ascii_alphanumeric() || b"+-#._".contains(&byte);
    info.starts_with(|c: char| c.is_ascii_alphabetic()) && info.bytes().all(is_in_names)
}

/// Returns whether the last line of a block is not a closing fence.
pub(crate) fn is_unclosed(doc: &Document, block: &CodeBlock, fence: &str) -> bool {
    let text = doc.text[block.span.start..block.span.end].trim_end();
    let Some((_, last)) = text.rsplit_once('\n') else {
        return true;
    };
    let last = last.trim_start_matches([' ', '>', '\t']).trim_end();
    !last.starts_with(fence) || !last.trim_start_matches(&fence[..1]).is_empty()
}
