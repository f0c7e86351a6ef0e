//! Declarations in Go.

use super::head::Head;
use super::lexer::Kind;
use super::reader::{Body, Brace, Place};

/// Returns whether a `(` begins a group of types.
pub(super) fn is_group(head: &Head<'_>) -> bool {
    head.len() == 1 && head.word(0) == "type"
}

/// Returns what begins with a `{` between statements.
pub(super) fn brace(head: &Head<'_>, place: &Place<'_>) -> Brace {
    let last = head.word(head.len().saturating_sub(1));
    let is_type = matches!(last, "interface" | "struct") && place.last == Some(Kind::Word);
    match ends(head, place) {
        Some(_) if is_type && head.word(0) == "func" => Brace::PART,
        Some(name) => Brace::leaf(name, false),
        None => Brace::PART,
    }
}

/// Returns the name that a statement declares.
pub(super) fn ends(head: &Head<'_>, place: &Place<'_>) -> Option<String> {
    match head.word(0) {
        _ if place.body == Body::Types => head.name(0).map(str::to_owned),
        "type" => head.name(1).map(str::to_owned),
        // `func (c *Chamber[T]) Fill(…)`
        "func" if head.opens(1, b'(') => {
            let words = head.inner(1).filter(|(kind, _)| *kind == Kind::Word);
            let (_, receiver) = words.last()?;
            Some(format!("{receiver}::{}", head.name(3)?))
        }
        "func" => head.name(1).map(str::to_owned),
        _ => None,
    }
}
