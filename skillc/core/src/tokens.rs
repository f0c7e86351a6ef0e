//! Estimates the number of tokens in a string.
//!
//! Tokenizers differ between models, so this is a model-independent estimate: one token for each Chinese, Japanese or
//! Korean character, and one for every four other characters, spaces included. Code and tables often have more tokens
//! than estimated.
//!
//! Design: R3.

/// The approximate number of characters per token in text that is not Chinese, Japanese or Korean.
const CHARS_PER_TOKEN: usize = 4;

/// Returns the approximate number of tokens in a string.
pub fn tokens(text: &str) -> usize {
    let cost: usize = text.chars().map(cost).sum();
    cost.div_ceil(CHARS_PER_TOKEN)
}

/// Returns the byte offset of the first character beyond `max` tokens.
pub fn first_beyond(text: &str, max: usize) -> Option<usize> {
    let mut left = max.saturating_mul(CHARS_PER_TOKEN);
    // Fast path: a character that costs a whole token has at least three bytes.
    if text.len() <= left / CHARS_PER_TOKEN * 3 {
        return None;
    }
    for (at, c) in text.char_indices() {
        let Some(after) = left.checked_sub(cost(c)) else {
            return Some(at);
        };
        left = after;
    }
    None
}

/// Returns the cost of a character in fractions of a token: `CHARS_PER_TOKEN` fractions are one token.
const fn cost(c: char) -> usize {
    match c {
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{3000}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}' => CHARS_PER_TOKEN,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_letters_or_one_cjk_character_are_a_token() {
        for (text, expected) in [
            ("", 0),
            ("a", 1),
            ("one two", 2),
            ("表", 1),
            ("表格 a", 3),
            ("한글。", 3),
            ("éüñß", 1),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn the_first_character_over_the_limit_is_found() {
        assert_eq!(first_beyond("abcd", 1), None);
        assert_eq!(first_beyond("abcde", 1), Some(4));
        assert_eq!(first_beyond("ab表", 1), Some(2));
        assert_eq!(first_beyond("", 0), None);
    }
}
