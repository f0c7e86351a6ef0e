//! Sanitizes text from a skill before it is shown to a person: escapes characters that a terminal would interpret or
//! hide.

use std::borrow::Cow;

/// The maximum length of a message about a configuration file, in characters.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// The number of characters that are kept at the end of a message that is too long.
const KEPT_AT_END: usize = 300;

/// Shortens a message that repeats a very long key or value from a file. Omits the middle, because the beginning names
/// the file, and the end says what is wrong.
pub fn abridge(message: &mut String) {
    if message.chars().nth(MAX_MESSAGE_CHARS).is_none() {
        return;
    }
    let mut places = message.char_indices().map(|(at, _)| at);
    // One character stands for the omitted text.
    let from = places.nth(MAX_MESSAGE_CHARS - KEPT_AT_END - 1);
    let to = places.nth_back(KEPT_AT_END - 1);
    if let (Some(from), Some(to)) = (from, to) {
        message.replace_range(from..to, "…");
    }
}

/// Escapes the characters for which [`is_unseen`] returns true. Keeps joiners between non-ASCII characters, because
/// some scripts and emoji need them.
pub fn clean(text: &str) -> Cow<'_, str> {
    replaced(text, push_clean)
}

/// Like [`clean`], but keeps control characters, such as line ends. Use this function for text that a model reads: a
/// model sees invisible characters that a person does not see, so they are escaped for models, too.
pub fn clean_for_model(text: &str) -> Cow<'_, str> {
    replaced(text, |out, c| {
        if c.is_control() {
            out.push(c);
        } else {
            push_clean(out, c);
        }
    })
}

/// Like [`clean`], but for a line whose byte offsets must stay valid: replaces each unsafe non-ASCII character with
/// visible characters of the same byte length. ASCII characters are unchanged.
pub fn clean_in_place(text: &str) -> Cow<'_, str> {
    replaced(text, |out, c| match c.len_utf8() {
        2 if is_unseen(c) => out.push('¿'),
        3 if is_unseen(c) => out.push(char::REPLACEMENT_CHARACTER),
        4 if is_unseen(c) => out.push_str("¿¿"),
        _ => out.push(c),
    })
}

/// Copies a string: keeps joiners between non-ASCII characters, and passes every other character to `put`.
fn replaced(text: &str, put: impl Fn(&mut String, char)) -> Cow<'_, str> {
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
            put(&mut out, c);
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

/// Appends a character, escaped if [`is_unseen`] returns true.
pub fn push_clean(out: &mut String, c: char) {
    if is_unseen(c) {
        out.extend(c.escape_default());
    } else {
        out.push(c);
    }
}

/// Returns whether a character is invisible or misleading on screen: a control character, a bidirectional mark, a line
/// separator, a tag character, or a zero-width character without a visible effect. The variation selectors U+FE00 to
/// U+FE0F are not included, because they select between text and emoji presentation.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
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
    fn only_very_long_messages_are_abridged() {
        for text in ["", "plain é", &"é".repeat(1_000)] {
            let mut message = text.to_owned();
            abridge(&mut message);
            assert_eq!(message, text);
        }
        for c in ["x", "é", "🎉"] {
            let mut message = format!("file: key '{}' is unknown", c.repeat(200_000));
            abridge(&mut message);
            assert_eq!(message.chars().count(), 1_000);
            assert!(message.starts_with(&format!("file: key '{c}")), "{message}");
            assert!(message.contains(&format!("{c}…{c}")), "{message}");
            assert!(message.ends_with(&format!("{c}' is unknown")), "{message}");
        }
    }

    #[test]
    fn control_characters_are_kept_for_models() {
        let text = "a\r\n\tb\u{1b}\u{85}\u{202e}";
        assert_eq!(clean_for_model(text), "a\r\n\tb\u{1b}\u{85}\\u{202e}");
    }

    #[test]
    fn invisible_characters_are_escaped() {
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
            ("\u{3164}a\u{fffe}", "\\u{3164}a\\u{fffe}"),
            (
                "a\u{34f}b\u{e0100}c\u{e01ef}d\u{17b4}",
                "a\\u{34f}b\\u{e0100}c\\u{e01ef}d\\u{17b4}",
            ),
            ("❤\u{fe0f}", "❤\u{fe0f}"),
            ("adm\u{200d}in", "adm\\u{200d}in"),
            (
                "👩\u{200d}💻 می\u{200c}خواهم",
                "👩\u{200d}💻 می\u{200c}خواهم",
            ),
            ("👩\u{200d}\u{200d}", "👩\\u{200d}\\u{200d}"),
        ] {
            assert_eq!(clean(text), shown);
            if !text.contains(char::is_control) {
                assert_eq!(clean_for_model(text), shown);
            }
            let in_place = clean_in_place(text);
            assert_eq!(in_place.len(), text.len());
            let has_unseen =
                in_place.contains(|c: char| !c.is_ascii() && is_unseen(c) && !is_joiner(c));
            assert!(!has_unseen, "{in_place:?}");
        }
    }
}
