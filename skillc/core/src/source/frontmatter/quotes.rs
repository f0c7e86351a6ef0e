//! Explains mistakes in a quoted value: an invalid escape, an unclosed quote, text after the closing quote.

use std::ops::Range;

use super::explain::{Reason, Scene};

/// Valid characters after a backslash in double quotes, in addition to `x`, `u` and `U`.
const ESCAPES: &str = "0abt\tnvfre \"/\\N_LP\n\r";

/// Explains the mistake in the quoted value that the parser rejected at an offset.
pub(super) fn explain(scene: &Scene<'_>, at: usize) -> Option<Reason> {
    let value = scene.value_above(at, ['"', '\'']);
    let here = scene.text[at..].starts_with(['"', '\'']).then_some(at);
    let subject = value.map(|start| start.subject());
    let found = value.and_then(|start| mistake(scene, start.at, &start.subject()));
    found
        .or_else(|| mistake(scene, here?, "a value"))
        .or_else(|| {
            let content = scene.line(at).content();
            let text = format!("this line continues {} and must be indented", subject?);
            Some(scene.reason(content.start, content.end - content.start, text))
        })
}

fn mistake(scene: &Scene<'_>, open: usize, subject: &str) -> Option<Reason> {
    let quote = &scene.text[open..=open];
    let is_double = quote == "\"";
    if let Some((at, len)) = bad_escape(scene.text, open).filter(|_| is_double) {
        let escape = &scene.text[at..at + len];
        let text =
            format!("'{escape}' is not a valid escape in double quotes; write a backslash as \\\\");
        return Some(scene.reason(at, len, text));
    }
    let Some(close) = closing_quote(scene.text, open) else {
        let text = format!("{subject} starts with a quote that is never closed");
        return Some(scene.reason(open, 1, text));
    };
    let rest = scene.rest_of_line(close + 1);
    let inside = if is_double { "\\\"" } else { "''" };
    let text =
        format!("{subject} continues after its closing quote; write an inner quote as {inside}");
    (rest.start < rest.end).then(|| scene.reason(rest.start, rest.end - rest.start, text))
}

/// Finds the closing quote for the quote at `open`.
fn closing_quote(text: &str, open: usize) -> Option<usize> {
    let quote = text[open..].chars().next()?;
    let mut signs = text[open + 1..].char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let is_escaped = match sign {
            '\\' => quote == '"',
            '\'' => quote == '\'' && matches!(signs.peek(), Some((_, '\''))),
            _ => false,
        };
        if is_escaped {
            signs.next();
        } else if sign == quote {
            return Some(open + 1 + at);
        }
    }
    None
}

/// Finds the first invalid escape in double quotes, and returns its offset and length.
fn bad_escape(text: &str, open: usize) -> Option<(usize, usize)> {
    let mut at = open + 1;
    loop {
        let rest = &text[at..];
        let next = rest.find(['\\', '"'])?;
        if rest[next..].starts_with('"') {
            return None;
        }
        at += next;
        let sign = text[at + 1..].chars().next()?;
        let digits = match sign {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ if ESCAPES.contains(sign) => 0,
            _ => return Some((at, 1 + sign.len_utf8())),
        };
        let end = at + 1 + sign.len_utf8() + digits;
        if digits > 0 && !is_character(text, at, end - digits..end) {
            return Some((at, 2));
        }
        at = end;
    }
}

/// Returns whether the digits of the escape at `at` encode a character, or one half of a surrogate pair whose other
/// half is next to it.
fn is_character(text: &str, at: usize, digits: Range<usize>) -> bool {
    let half_at = |at: Option<usize>| {
        let escape = text.get(at?..at? + 6)?;
        u32::from_str_radix(escape.strip_prefix("\\u")?, 16).ok()
    };
    let code = text
        .get(digits.clone())
        .filter(|code| !code.starts_with('+'));
    match code.and_then(|code| u32::from_str_radix(code, 16).ok()) {
        Some(0xd800..=0xdbff) => matches!(half_at(Some(digits.end)), Some(0xdc00..=0xdfff)),
        Some(0xdc00..=0xdfff) => matches!(half_at(at.checked_sub(6)), Some(0xd800..=0xdbff)),
        Some(code) => char::from_u32(code).is_some(),
        None => false,
    }
}
