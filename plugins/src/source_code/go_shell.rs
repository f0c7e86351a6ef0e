//! Recognises declarations in Go and functions in shell scripts.

use super::head::{Body, Brace, Head, Place};
use super::lexer::Kind;

/// Returns whether a `(` begins a group of types.
pub(super) fn is_go_group(head: &Head<'_>) -> bool {
    head.len() == 1 && head.word(0) == "type"
}

/// Returns the kind of construct that a `{` opens, if the `{` is between Go statements.
pub(super) fn go_brace(head: &Head<'_>, place: &Place<'_>) -> Brace {
    let last = head.word(head.len().saturating_sub(1));
    let is_type = matches!(last, "interface" | "struct") && place.last == Some(Kind::Word);
    match go_ends(head, place) {
        Some(_) if is_type && head.word(0) == "func" => Brace::PART,
        Some(name) => Brace::leaf(name, false),
        None => Brace::PART,
    }
}

/// Returns the name that a Go statement declares.
pub(super) fn go_ends(head: &Head<'_>, place: &Place<'_>) -> Option<String> {
    match head.word(0) {
        _ if place.body == Body::Types => head.name(0).map(str::to_owned),
        // `func (c *Chamber[T]) Fill(…)`
        "func" if head.opens(1, b'(') => {
            let words = head.inner(1).filter(|(kind, _)| *kind == Kind::Word);
            let (_, receiver) = words.last()?;
            Some(format!("{receiver}::{}", head.name(3)?))
        }
        "func" | "type" => head.name(1).map(str::to_owned),
        _ => None,
    }
}

/// Returns whether a statement is the beginning of a shell function.
pub(super) fn is_shell_function(head: &Head<'_>) -> bool {
    shell_function(head).is_some()
}

/// Returns the kind of construct that a bracket opens, if the bracket is between shell statements.
pub(super) fn shell_brace(head: &Head<'_>) -> Brace {
    match shell_function(head) {
        Some(name) => Brace::leaf(name, true),
        None => Brace::PART,
    }
}

/// Returns the name of a shell function: `function open`, `open ()`, or both.
fn shell_function<'a>(head: &Head<'a>) -> Option<&'a str> {
    let first = usize::from(head.word(0) == "function" && head.len() > 1);
    let name = head.name(first).filter(|name| !name.contains('='))?;
    let has_brackets = head.opens(first + 1, b'(') && head.inner(first + 1).next().is_none();
    let end = first + if has_brackets { 3 } else { 1 };
    (end == head.len() && end > 1).then_some(name)
}
