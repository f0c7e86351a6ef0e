//! Escapes in the strings of programming languages, each of which stands for a character: `\x41`, `\x{41}`, `\u0041`,
//! `\u{41}`, `\U00000041`, `\101`, `\o{101}`, `\N{U+41}` and `\N{LATIN CAPITAL LETTER A}`.

/// The maximum length of the text in the braces of an escape, in bytes.
const MAX_BRACES: usize = 80;

/// The Unicode names of ASCII characters other than letters and digits.
const NAMED: [(&str, char); 33] = [
    ("SPACE", ' '),
    ("EXCLAMATION MARK", '!'),
    ("QUOTATION MARK", '"'),
    ("NUMBER SIGN", '#'),
    ("DOLLAR SIGN", '$'),
    ("PERCENT SIGN", '%'),
    ("AMPERSAND", '&'),
    ("APOSTROPHE", '\''),
    ("LEFT PARENTHESIS", '('),
    ("RIGHT PARENTHESIS", ')'),
    ("ASTERISK", '*'),
    ("PLUS SIGN", '+'),
    ("COMMA", ','),
    ("HYPHEN-MINUS", '-'),
    ("FULL STOP", '.'),
    ("SOLIDUS", '/'),
    ("COLON", ':'),
    ("SEMICOLON", ';'),
    ("LESS-THAN SIGN", '<'),
    ("EQUALS SIGN", '='),
    ("GREATER-THAN SIGN", '>'),
    ("QUESTION MARK", '?'),
    ("COMMERCIAL AT", '@'),
    ("LEFT SQUARE BRACKET", '['),
    ("REVERSE SOLIDUS", '\\'),
    ("RIGHT SQUARE BRACKET", ']'),
    ("CIRCUMFLEX ACCENT", '^'),
    ("LOW LINE", '_'),
    ("GRAVE ACCENT", '`'),
    ("LEFT CURLY BRACKET", '{'),
    ("VERTICAL LINE", '|'),
    ("RIGHT CURLY BRACKET", '}'),
    ("TILDE", '~'),
];

/// The names of the digits, in order.
const DIGITS: [&str; 10] = [
    "ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE",
];

/// Returns the length of the escape at the start of `text`, and the character that it stands for.
pub(super) fn escape(text: &str) -> Option<(usize, char)> {
    let rest = text.strip_prefix('\\')?;
    let kind = *rest.as_bytes().first()?;
    if rest.as_bytes().get(1) == Some(&b'{') {
        let (length, inner) = braces(text)?;
        let c = match kind {
            b'x' | b'u' => code(inner, 16),
            b'o' => code(inner, 8),
            b'N' => named(inner),
            _ => None,
        };
        return c.map(|c| (length, c));
    }
    let digits = |count: usize| {
        let c = code(rest.get(1..=count)?, 16)?;
        Some((count + 2, c))
    };
    match kind {
        b'x' => digits(2),
        b'u' => digits(4),
        b'U' => digits(8),
        b'0'..=b'7' => short(text, 8),
        _ => None,
    }
}

/// Like [`escape`], but also reads several characters in one escape: `\u{63 75}`.
pub(super) fn escapes(text: &str) -> Option<(usize, String)> {
    if let Some((length, c)) = escape(text) {
        return Some((length, c.to_string()));
    }
    if !text.starts_with("\\u{") {
        return None;
    }
    let (length, inner) = braces(text)?;
    let codes = inner.split_ascii_whitespace();
    let value: Option<String> = codes.map(|digits| code(digits, 16)).collect();
    value.map(|value| (length, value))
}

/// Reads an escape of one to three digits, such as `\101`. The digits are octal in most languages, and decimal in Lua.
pub(super) fn short(text: &str, radix: u32) -> Option<(usize, char)> {
    let rest = text.strip_prefix('\\')?;
    let is_digit = |byte: &u8| char::from(*byte).is_digit(radix);
    let length = rest.bytes().take(3).take_while(is_digit).count();
    let value = u8::from_str_radix(&rest[..length], radix).ok()?;
    Some((length + 1, char::from(value)))
}

/// Returns the length of an escape with braces, and the text in the braces.
fn braces(text: &str) -> Option<(usize, &str)> {
    let inner = text.get(3..)?;
    let end = inner
        .bytes()
        .take(MAX_BRACES)
        .position(|byte| byte == b'}')?;
    Some((end + 4, &inner[..end]))
}

/// Returns the character with the given code. Perl ignores blanks and `_` in a code.
fn code(digits: &str, radix: u32) -> Option<char> {
    let digits = digits.trim().replace('_', "");
    // `from_str_radix` accepts a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let code = u32::from_str_radix(&digits, radix).ok()?;
    char::from_u32(code)
}

/// Returns the ASCII character with a Unicode name. Names of other characters are not decoded, because they do not hide
/// commands.
fn named(name: &str) -> Option<char> {
    let name = name.trim().to_ascii_uppercase();
    if let Some(digits) = name.strip_prefix("U+") {
        return code(digits, 16);
    }
    let letter = |prefix: &str| {
        let letter = name.strip_prefix(prefix)?;
        let first = letter.chars().next()?;
        (letter.len() == 1 && first.is_ascii_alphabetic()).then_some(first)
    };
    // Perl has short names such as `latin:u`.
    let small = letter("LATIN SMALL LETTER ").or_else(|| letter("LATIN:"));
    if let Some(small) = small {
        return Some(small.to_ascii_lowercase());
    }
    if let Some(digit) = name.strip_prefix("DIGIT ") {
        let value = DIGITS.iter().position(|known| *known == digit)?;
        return char::from_digit(u32::try_from(value).ok()?, 10);
    }
    let sign = NAMED.iter().find(|(known, _)| *known == name);
    letter("LATIN CAPITAL LETTER ").or_else(|| sign.map(|(_, c)| *c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_many_languages_are_read() {
        for text in [
            r"\x75",
            r"\x{75}",
            r"\x{ 0_075 }",
            r"\u0075",
            r"\u{75}",
            r"\u{000075}",
            r"\U00000075",
            r"\165",
            r"\o{165}",
            r"\N{U+75}",
            r"\N{LATIN SMALL LETTER U}",
            r"\N{latin small letter u}",
            r"\N{latin:u}",
        ] {
            assert_eq!(escape(text), Some((text.len(), 'u')), "{text}");
        }
        assert_eq!(escape(r"\N{DIGIT SEVEN}"), Some((15, '7')));
        assert_eq!(escape(r"\N{SOLIDUS}x"), Some((11, '/')));
        assert_eq!(escapes(r"\u{63 75}rl"), Some((9, "cu".to_owned())));
        assert_eq!(short(r"\117rl", 10), Some((4, 'u')));
        for text in [
            r"\x{}",
            r"\x{",
            r"\u{110000}",
            r"\u+041",
            r"\999",
            r"\N{BULLET}",
            r"\xé",
            r"\U0000",
            r"\",
            "",
        ] {
            assert_eq!(escape(text), None, "{text}");
        }
    }
}
