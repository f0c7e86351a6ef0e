//! Rejects TOML that would be too expensive to parse.
//!
//! Every TOML file is checked here before it is parsed, whether it belongs to the user, a project, a skill or a client.
//! The exception is the test cases of a script, whose size alone is limited.
//!
//! The parser builds a list of all tokens and then a large value for each entry, so a few megabytes of TOML could take
//! gigabytes of memory. For each header of an existing table, the parser moves all tables after that table, so the
//! product of headers and entries is bounded. Strings and comments are skipped exactly as the parser skips them: text
//! that the parser treats as a header must not be treated as part of a string here. Dots are limited too, because the
//! parser reports an error for each part of a key that is nested too deep.

/// The maximum number of values in a tree of structured data: scalars, lists and maps, not counting keys.
pub const MAX_VALUES: usize = 200_000;

/// The maximum nesting of lists and maps in structured data.
pub const MAX_DEPTH: usize = 128;

/// The maximum memory that the parser may use for a configuration file, in bytes.
pub const MAX_CONFIG_COST: usize = 64 << 20;

/// The maximum number of characters that start a value or separate keys. Each entry has only a few.
const MAX_SIGNS: usize = 3 * MAX_VALUES;

/// The maximum number of words, punctuation characters, whitespace runs and line ends, together.
const MAX_TOKENS: usize = 10 * MAX_VALUES;

/// The limit on the number of table headers times the number of characters that [`MAX_SIGNS`] limits.
const MAX_MOVES: usize = 50_000_000;

/// The characters that end a word.
const SIGNS: &[u8] = b".=,[]{} \t#\r\n";

/// Returns the offset at which TOML becomes too expensive to parse, and the reason; `None` if all of it can be parsed.
pub fn excess(text: &str) -> Option<(usize, &'static str)> {
    let bytes = text.as_bytes();
    let (mut at, mut signs, mut tokens, mut headers, mut dots) = (0, 0, 0, 0, 0);
    let mut is_line_start = true;
    while at < bytes.len() {
        let sign = bytes[at];
        tokens += 1;
        signs += usize::from(b"[{,=.".contains(&sign));
        // A `[` in a multi-line array also counts, because only the parser knows where the array ends.
        let is_header = is_line_start && sign == b'[' && bytes.get(at + 1) != Some(&b'[');
        headers += usize::from(is_header);
        dots = match sign {
            b'.' => dots + 1,
            sign if b"=,[]{}\r\n".contains(&sign) => 0,
            _ => dots,
        };
        if dots > MAX_DEPTH {
            return Some((at, "nested deeper than 128 levels"));
        }
        if signs > MAX_SIGNS {
            return Some((at, "too many entries"));
        }
        if tokens > MAX_TOKENS {
            return Some((at, "too many words and lines"));
        }
        if signs * headers > MAX_MOVES {
            return Some((at, "too many tables and entries"));
        }
        is_line_start =
            matches!(sign, b'\n' | b'\r') || is_line_start && matches!(sign, b' ' | b'\t' | 0xef);
        at += token_len(bytes, at);
    }
    None
}

/// Estimates, from measurements, how many bytes of memory the parser needs for a TOML document. Each part of a key may
/// create a table.
pub fn cost(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut cost) = (0, bytes.len());
    while at < bytes.len() {
        cost += match bytes[at] {
            b'.' => 2_400,
            b'=' | b'[' | b'{' | b',' => 600,
            _ => 100,
        };
        at += token_len(bytes, at);
    }
    cost
}

/// Returns why the parser would take too much time or memory for a TOML document; `None` if it would not.
///
/// `most`: the maximum memory, in bytes.
pub fn refusal(text: &str, most: usize) -> Option<&'static str> {
    let reason = excess(text).map(|(_, reason)| reason);
    reason.or_else(|| (cost(text) > most).then_some("too many entries"))
}

fn token_len(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let run = |is_part: fn(u8) -> bool| {
        let end = rest.iter().position(|byte| !is_part(*byte));
        end.unwrap_or(rest.len())
    };
    match rest[0] {
        b'"' | b'\'' => text_len(rest),
        b'#' => run(|byte| !matches!(byte, b'\r' | b'\n')),
        b' ' | b'\t' => run(|byte| matches!(byte, b' ' | b'\t')),
        sign if SIGNS.contains(&sign) => 1,
        // A quote within a word does not start a string.
        _ => run(|byte| !SIGNS.contains(&byte)),
    }
}

/// Returns the length of a quoted string; an unclosed string extends to the end of its line or of the file.
fn text_len(rest: &[u8]) -> usize {
    let quote = rest[0];
    let is_long = rest.starts_with(&[quote; 3]);
    let mut at = if is_long { 3 } else { 1 };
    while at < rest.len() {
        match rest[at] {
            b'\\' if quote == b'"' => {
                at += usize::from(matches!(rest.get(at + 1), Some(b'\\' | b'"')));
            }
            b'\n' if !is_long => return at,
            _ if is_long && rest[at..].starts_with(&[quote; 3]) => {
                // One or two quotes before the closing quotes belong to the string.
                let more = rest[at + 3..].iter().take(2);
                return at + 3 + more.take_while(|byte| **byte == quote).count();
            }
            byte if !is_long && byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_and_comments_are_one_token() {
        for (text, len) in [
            ("\"a,[\\\",\" b", 8),
            ("'a\\' b", 4),
            ("\"a\nb\"", 2),
            ("\"\"\"a\n\"\\\"\"\"\" b", 11),
            ("'''a''b''' c", 10),
            ("'''a'''''' c", 9),
            ("\"\"\"a\"\"\"\" c", 8),
            ("\"a\\\nb", 3),
            ("# a\rb", 3),
            ("\"\" a", 2),
            ("# a, b\nc", 6),
            ("a-b.c", 3),
            ("a\"b'c d", 5),
            ("\"a\\", 3),
        ] {
            assert_eq!(token_len(text.as_bytes(), 0), len, "{text:?}");
        }
    }

    #[test]
    fn only_relevant_tokens_are_counted() {
        assert_eq!(excess(&format!("a = '{}'", ",".repeat(MAX_TOKENS))), None);
        let (at, reason) = excess(&format!("a = [{}", "1,".repeat(MAX_SIGNS))).unwrap();
        assert_eq!(reason, "too many entries");
        assert_eq!(at, 5 + 2 * (MAX_SIGNS - 2) + 1);
        let (at, reason) = excess(&"\n".repeat(MAX_TOKENS + 1)).unwrap();
        assert_eq!(reason, "too many words and lines");
        assert_eq!(at, MAX_TOKENS);
    }

    #[test]
    fn a_dotted_key_of_many_parts_is_nested_too_deep() {
        let key = |parts: usize| format!("a = 1.5\n{}a = 1", "a . ".repeat(parts));
        assert_eq!(excess(&key(MAX_DEPTH)), None);
        let (_, reason) = excess(&key(MAX_DEPTH + 1)).unwrap();
        assert_eq!(reason, format!("nested deeper than {MAX_DEPTH} levels"));
        assert_eq!(excess(&"a = [1.5,\n2.5]\n".repeat(1_000)), None);
    }

    #[test]
    fn too_many_headers_among_entries_are_refused() {
        let entries = "a = 1\n".repeat(10_000);
        let few = format!("{entries}{}", "[a]\n".repeat(1_000));
        assert_eq!(excess(&few), None);
        for header in ["[a]\n", "\t[ a ]\r\n", "'''\n'''\n[a]\n", "a'''\n[a]\n"] {
            let many = format!("{entries}{}", header.repeat(5_000));
            let (_, reason) = excess(&many).unwrap();
            assert_eq!(reason, "too many tables and entries");
        }
        for other in ["[[a]]\n", "a = [1]\n", "'''\n[a]\n'''\n", "# [a]\n"] {
            let many = format!("{entries}{}", other.repeat(5_000));
            assert_eq!(excess(&many), None, "{other:?}");
        }
    }
}
