//! Texts that come from a skill and are shown to a person: what a terminal would obey, or would not show, is escaped.

use std::borrow::Cow;

/// Escapes control characters, marks that turn the direction of what follows, and characters without a width. Joiners
/// between letters that are not ASCII stay, as some scripts and emoji need them.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_joiner(c)
            && [before, chars.peek().copied()]
                .into_iter()
                .all(can_be_joined)
        {
            out.push(c);
        } else {
            push_clean(&mut out, c);
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

/// Adds a character, escaped if [`is_unseen`].
pub fn push_clean(out: &mut String, c: char) {
    if is_unseen(c) {
        out.extend(c.escape_default());
    } else {
        out.push(c);
    }
}

/// Says whether a character is not seen as itself: a control character, a mark of direction, a separator of lines, a tag, or
/// one without a width.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn can_be_joined(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_ascii() && !is_unseen(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_escaped() {
        for (text, shown) in [
            ("plain é 漢字 🎉", "plain é 漢字 🎉"),
            ("\u{1b}[31mred\u{9b}", "\\u{1b}[31mred\\u{9b}"),
            ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
            ("a\u{200b}b\u{200f}\u{61c}", "a\\u{200b}b\\u{200f}\\u{61c}"),
            (
                "a\u{2028}::error::b\u{2029}",
                "a\\u{2028}::error::b\\u{2029}",
            ),
            ("\u{feff}\u{fff9}\u{e0041}", "\\u{feff}\\u{fff9}\\u{e0041}"),
            ("adm\u{200d}in", "adm\\u{200d}in"),
            (
                "👩\u{200d}💻 می\u{200c}خواهم",
                "👩\u{200d}💻 می\u{200c}خواهم",
            ),
            ("👩\u{200d}\u{200d}", "👩\\u{200d}\\u{200d}"),
        ] {
            assert_eq!(clean(text), shown);
        }
    }
}
