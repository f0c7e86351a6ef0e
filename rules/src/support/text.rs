//! Quotes text in messages.

/// The maximum length of quoted text, in characters.
const MAX_CHARS: usize = 100;

/// Formats text for quoting in a message: on one line, truncated with `…`.
pub(crate) fn shown(text: &str) -> String {
    let words = text.split_whitespace();
    let chars = words.flat_map(|word| std::iter::once(' ').chain(word.chars()));
    let mut line: String = chars.skip(1).take(MAX_CHARS + 1).collect();
    if let Some((end, _)) = line.char_indices().nth(MAX_CHARS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_truncated_at_a_character_and_shown_on_one_line() {
        assert_eq!(shown(&"é".repeat(101)), format!("{}…", "é".repeat(100)));
        assert_eq!(shown(&"é".repeat(100)), "é".repeat(100));
        assert_eq!(shown(" a\r\n  b "), "a b");
        assert_eq!(shown(""), "");
    }
}
