//! Recognises declarations in Rust.

use super::head::{Body, Brace, Head};
use super::lexer::Kind;
use super::syntax::has;

const ITEMS: &str = "enum fn impl macro_rules mod struct trait type union";

/// Returns the kind of construct that a `{` opens, if the `{` is between statements.
pub(super) fn brace(head: &Head<'_>, last: Option<Kind>) -> Brace {
    if last == Some(Kind::Sign(b'<')) {
        // `Matrix<{ N }>`
        return Brace::PART;
    }
    match item(head) {
        Some((at, "impl")) => Brace::scope(implemented(head, at)),
        Some((at, keyword)) => match (keyword, name(head, at, keyword)) {
            (_, None) => Brace::CODE,
            ("mod" | "trait", Some(name)) => Brace::container(name, Body::Members, true),
            (_, Some(name)) => Brace::leaf(name, true),
        },
        // `extern "C" {`
        None if head.find(0, |at| head.word(at) == "extern").is_some() => Brace::BLOCK,
        None => {
            // `thread_local! {`, but not `const MAX: Size = Size {`.
            let is_macro = head.find(0, |at| head.is(at, b'!')).is_some();
            let is_value = head.find(0, |at| head.is(at, b'=')).is_some();
            let is_import = last == Some(Kind::Path);
            Brace::other(Body::Skipped, is_macro && !is_value && !is_import)
        }
    }
}

/// Returns the name that an item without a body declares.
pub(super) fn ends(head: &Head<'_>) -> Option<String> {
    let (at, keyword) = item(head)?;
    if matches!(keyword, "impl" | "mod") {
        return None;
    }
    name(head, at, keyword).map(str::to_owned)
}

/// Returns whether a statement is an inner attribute (`#![…]`).
pub(super) fn is_inner_attribute(head: &Head<'_>) -> bool {
    head.len() == 4 && head.is(0, b'#') && head.is(1, b'!')
}

/// Returns the position after the attributes that begin here.
pub(super) fn after_attributes(head: &Head<'_>, mut at: usize) -> usize {
    while head.is(at, b'#') {
        at += if head.is(at + 1, b'!') { 4 } else { 3 };
    }
    at.min(head.len())
}

/// Returns the position of an item's keyword, and the keyword.
fn item<'a>(head: &Head<'a>) -> Option<(usize, &'a str)> {
    let mut at = after_attributes(head, 0);
    loop {
        let word = head.word(at);
        if has(ITEMS, word) && (head.name(at + 1).is_some() || word != "union") {
            return Some((at, word));
        }
        at += match word {
            // `pub(crate)`, `extern "C"`
            "pub" if head.opens(at + 1, b'(') => 3,
            "extern" if head.kind(at + 1) == Some(Kind::Text) => 2,
            "async" | "auto" | "const" | "default" | "extern" | "pub" | "safe" | "unsafe" => 1,
            _ => return None,
        };
    }
}

/// Returns the name of an item whose keyword is at `at`.
fn name<'a>(head: &Head<'a>, at: usize, keyword: &str) -> Option<&'a str> {
    head.name(at + if keyword == "macro_rules" { 2 } else { 1 })
}

/// Returns the name of the type of an `impl` block, without the path and the arguments of the type.
fn implemented(head: &Head<'_>, at: usize) -> Option<String> {
    let mut first = head.after_angles(at + 1);
    let mut at = first;
    while at < head.len() && head.word(at) != "where" {
        if head.word(at) == "for" && !head.is(at + 1, b'<') {
            first = at + 1;
        }
        at = head.after_angles(at).max(at + 1);
    }
    while matches!(head.word(first), "dyn" | "mut")
        || matches!(head.kind(first), Some(Kind::Sign(_) | Kind::Text))
    {
        first += 1;
    }
    while head.kind(first + 1) == Some(Kind::Path) {
        first += 2;
    }
    if head.kind(first) == Some(Kind::Path) {
        first += 1;
    }
    head.name(first).map(str::to_owned)
}
