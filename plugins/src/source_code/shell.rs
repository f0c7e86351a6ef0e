//! Functions in shell scripts.

use super::head::Head;
use super::reader::Brace;

/// Returns whether a statement is the beginning of a function.
pub(super) fn is_header(head: &Head<'_>) -> bool {
    name(head).is_some()
}

/// Returns what begins with a bracket between statements.
pub(super) fn brace(head: &Head<'_>) -> Brace {
    match name(head) {
        Some(name) => Brace::leaf(name, true),
        None => Brace::PART,
    }
}

/// Returns the name of a function: `function open`, `open ()`, or both.
fn name<'a>(head: &Head<'a>) -> Option<&'a str> {
    let first = usize::from(head.word(0) == "function" && head.len() > 1);
    let name = head.name(first).filter(|name| !name.contains('='))?;
    let has_brackets = head.opens(first + 1, b'(') && head.inner(first + 1).next().is_none();
    let end = first + if has_brackets { 3 } else { 1 };
    (end == head.len() && end > 1).then_some(name)
}
