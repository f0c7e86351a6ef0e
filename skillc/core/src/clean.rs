//! Texts that come from a skill and are shown to somebody: what a terminal would obey is escaped.

use std::borrow::Cow;

/// Escapes what a terminal would obey: control characters, and marks that turn the direction of what follows.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| push_clean(&mut out, c));
    Cow::Owned(out)
}

/// Adds a character, escaped if a terminal would obey it.
pub fn push_clean(out: &mut String, c: char) {
    if is_obeyed(c) {
        out.extend(c.escape_default());
    } else {
        out.push(c);
    }
}

/// Says whether a terminal would obey a character.
fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
