//! Reads the strings of JSON, JSON with comments, JSON5 and TOML, even in files with syntax errors.

use crate::source::lines::Span;

/// Characters that can precede a string in single quotes.
const STARTS: [char; 5] = ['[', '{', ',', ':', '('];

/// A string literal.
pub(super) struct Quoted<'a> {
    /// The position of the string with its quotes.
    pub(super) span: Span,
    /// The text between the quotes.
    pub(super) inner: &'a str,
    /// Whether a `\` in the string begins an escape.
    pub(super) has_escapes: bool,
    /// Whether the string is the key of a value.
    pub(super) is_key: bool,
    /// Whether the string is the value of a skipped key.
    pub(super) is_skipped: bool,
}

/// Calls `take` for each string. `skip`: keys whose strings are marked as skipped.
pub(super) fn strings<'a>(
    text: &'a str,
    is_toml: bool,
    skip: &[&str],
    take: &mut impl FnMut(Quoted<'a>),
) {
    let bytes = text.as_bytes();
    let is_sign = |byte: &u8| matches!(byte, b'"' | b'\'' | b'#' | b'/');
    // The end of the last string or comment, and whether that string is a skipped key.
    let (mut from, mut is_left_out) = (0, false);
    let mut at = 0;
    while let Some(sign) = bytes[at..].iter().position(is_sign) {
        let open = at + sign;
        if matches!(bytes[open], b'#' | b'/') {
            at = comment_end(text, open);
            if at > open + 1 {
                (from, is_left_out) = (at, false);
            }
            continue;
        }
        let before = text[from..open].trim_end();
        // An apostrophe elsewhere is part of prose in a file that is not JSON.
        let is_start =
            bytes[open] == b'"' || is_toml || before.is_empty() || before.ends_with(STARTS);
        if !is_start {
            at = open + 1;
            continue;
        }
        let Some((inner, end)) = closed(text, open, is_toml) else {
            // A string of TOML ends on its line, unless it has three quotes.
            if is_toml && !text[open + 1..].starts_with(&text[open..=open]) {
                at = line_end(text, open);
                continue;
            }
            return;
        };
        let rest = text[end..].trim_start();
        let inner = &text[inner.start..inner.end];
        let is_skipped = match before.strip_suffix([':', '=']).map(str::trim_end) {
            Some("") => is_left_out,
            Some(bare) => skip.contains(&last_word(bare)),
            None => false,
        };
        take(Quoted {
            span: Span::new(open, end),
            inner,
            has_escapes: !is_toml || bytes[open] == b'"',
            is_key: rest.starts_with(':') || is_toml && rest.starts_with('='),
            is_skipped,
        });
        is_left_out = skip.contains(&inner);
        from = end;
        at = end;
    }
}

fn line_end(text: &str, from: usize) -> usize {
    let rest = &text.as_bytes()[from..];
    memchr::memchr(b'\n', rest).map_or(text.len(), |at| from + at)
}

/// Returns the end of the comment that begins at `open`; the next offset if there is no comment.
fn comment_end(text: &str, open: usize) -> usize {
    let rest = &text[open..];
    if rest.starts_with('#') || rest.starts_with("//") {
        line_end(text, open)
    } else if rest.starts_with("/*") {
        let end = rest.find("*/");
        end.map_or(text.len(), |end| open + end + 2)
    } else {
        open + 1
    }
}

fn last_word(text: &str) -> &str {
    let is_other = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    text.rsplit(is_other).next().unwrap_or_default()
}

/// Returns the span between the quotes of the string at `open`, and the end of the string; `None` if the string is not
/// closed.
fn closed(text: &str, open: usize, is_toml: bool) -> Option<(Span, usize)> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(open)?;
    let has_escapes = !is_toml || quote == b'"';
    let triple = [quote; 3];
    let is_long = is_toml && bytes[open..].starts_with(&triple);
    let start = if is_long { open + 3 } else { open + 1 };
    let mut at = start;
    loop {
        at += memchr::memchr3(quote, b'\\', b'\n', bytes.get(at..)?)?;
        if bytes[at] == b'\\' {
            at += 1 + usize::from(has_escapes);
        } else if bytes[at] == b'\n' {
            if is_toml && !is_long {
                return None;
            }
            at += 1;
        } else if !is_long {
            return Some((Span::new(start, at), at + 1));
        } else if bytes[at..].starts_with(&triple) {
            // One or two more quotes before the closing ones belong to the string.
            let more = bytes[at + 3..].iter().take(2);
            let more = more.take_while(|byte| **byte == quote).count();
            return Some((Span::new(start, at + more), at + 3 + more));
        } else {
            at += 1;
        }
    }
}

/// Returns the value of a string. Decodes the escapes of JSON, JSON5 and TOML; a `\` at the end of a line continues the
/// line. `is_toml`: whether white space at the start of the next line is removed, too.
pub fn unescaped(inner: &str, is_toml: bool) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (value, after) = escape(&rest[at + 1..], is_toml);
        out.extend(value);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Returns the character of an escape, and the text after the escape. `text`: the text after the `\`.
fn escape(text: &str, is_toml: bool) -> (Option<char>, &str) {
    let Some(first) = text.chars().next() else {
        return (None, text);
    };
    let after = &text[first.len_utf8()..];
    let coded = |digits: usize| {
        let value = number(after, digits).map(|value| char::from_u32(value).unwrap_or('\u{fffd}'));
        match value {
            Some(value) => (Some(value), &after[digits..]),
            None => (Some(first), after),
        }
    };
    match first {
        'b' => (Some('\u{8}'), after),
        't' => (Some('\t'), after),
        'n' => (Some('\n'), after),
        'v' => (Some('\u{b}'), after),
        'f' => (Some('\u{c}'), after),
        'r' => (Some('\r'), after),
        'e' => (Some('\u{1b}'), after),
        '0' => (Some('\0'), after),
        'x' => coded(2),
        'u' => pair(after).unwrap_or_else(|| coded(4)),
        'U' => coded(8),
        _ if is_toml && first.is_whitespace() => (None, text.trim_start()),
        '\r' => (None, after.strip_prefix('\n').unwrap_or(after)),
        '\n' | '\u{2028}' | '\u{2029}' => (None, after),
        _ => (Some(first), after),
    }
}

/// Returns the character that a surrogate pair encodes, and the text after the pair. `text`: the text after the first
/// `\u`.
fn pair(text: &str) -> Option<(Option<char>, &str)> {
    let high = number(text, 4)?;
    let low = number(text[4..].strip_prefix("\\u")?, 4)?;
    let is_pair = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    let value = is_pair.then(|| 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    Some((char::from_u32(value), &text[10..]))
}

/// Returns the value of the hex digits at the start of a string. `digits`: their number.
fn number(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, is_toml: bool) -> Vec<String> {
        let mut found = Vec::new();
        strings(text, is_toml, &["description"], &mut |string| {
            let sign = if string.is_skipped { "-" } else { "" };
            assert!(text[string.span.start..string.span.end].contains(string.inner));
            let value = if string.has_escapes {
                unescaped(string.inner, is_toml)
            } else {
                string.inner.to_owned()
            };
            found.push(format!("{sign}{value}"));
        });
        found
    }

    #[test]
    fn strings_are_read_as_their_loaders_read_them() {
        for (text, is_toml, expected) in [
            (r#"{"a": "b\\\nc"}"#, false, "a|b\\\nc"),
            (
                r#"{"a": "\u0062\ud83d\ude00\ud800\/"}"#,
                false,
                "a|b😀\u{fffd}/",
            ),
            (
                "// don't \"\n{'a': 'b\\\n c\\x64'} /* \" */",
                false,
                "a|b cd",
            ),
            ("# \"\n{a: \"b\"}", false, "b"),
            ("it's \"a\"", false, "a"),
            (r#"["\""#, false, ""),
            ("a = \"\\U00000062\\u0063\" # \"\n", true, "bc"),
            ("a = 'C:\\'\nb = \"c\"\n", true, "C:\\|c"),
            (
                "a = \"\"\"b\\\n   c \"d\" \\\"\"\"\"\n",
                true,
                "bc \"d\" \"",
            ),
            ("a = '''b\\\n'c'\n'''\n", true, "b\\\n'c'\n"),
            (
                "a = '''x'''', b = \"\"\"y\"\"\"\"\", c = \"d\"\n",
                true,
                "x'|y\"\"|d",
            ),
            ("a = \"b\nc = \"d\"\n", true, "d"),
            (
                r#"{"description": "a", "b": "c", description: "d", "description": ["e"]}"#,
                false,
                "description|-a|b|c|-d|description|e",
            ),
            ("{\"a\": // description:\n\"b\"}", false, "a|b"),
            ("description = \"a\"\nb = \"c\"", true, "-a|c"),
        ] {
            assert_eq!(read(text, is_toml).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn strings_that_are_not_closed_take_linear_time() {
        for text in [
            "\"\\\"",
            "'''\\'''\n",
            "\"\"\"\\\"\"\"\n",
            "/*",
            "'",
            "\"\n",
            "#'",
        ] {
            let text = text.repeat(100_000);
            read(&text, false);
            read(&text, true);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[\"'\\\\#/*:=u0dx8U\n é]{0,60}", is_toml in proptest::bool::ANY) {
            read(&text, is_toml);
        }
    }
}
