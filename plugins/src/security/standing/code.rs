//! Reads the strings and brackets of a part of a program in a language other than a shell.

/// Words after which a `/` begins a regular expression.
const BEFORE_REGEX: [&str; 23] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "do",
    "else",
    "void",
    "delete",
    "instanceof",
    "new",
    "await",
    "yield",
    "throw",
    "and",
    "or",
    "not",
    "if",
    "unless",
    "when",
    "split",
    "grep",
    "qr",
];

/// The strings and brackets of a part of a program. The part may begin within a string: then it is read correctly from
/// the next line on, because no string is read beyond the end of its line.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// The position of the quote of the string that is open at the end.
    pub(super) quote: Option<usize>,
    /// The strings in order, with their quotes. An expansion in a string is not a part of the string.
    pub(super) strings: Vec<(usize, usize)>,
    /// The positions of the brackets that are open at the end, outermost first.
    pub(super) open: Vec<usize>,
    /// Pairs of the position of a closing bracket and that of its opening bracket, in order.
    pub(super) pairs: Vec<(usize, usize)>,
    /// The number of closing brackets whose opening brackets are before the part.
    pub(super) closing: usize,
}

/// The beginning of a string.
#[derive(Debug, Clone, Copy)]
struct Quote {
    at: usize,
    /// The position after the last expansion in the string; without one, that of the quote.
    from: usize,
    byte: u8,
    /// The number of quotes: one or three.
    width: usize,
}

impl Quote {
    fn new(bytes: &[u8], at: usize, byte: u8) -> Self {
        let is_triple = byte != b'`' && bytes[at..].starts_with(&[byte; 3]);
        let width = if is_triple { 3 } else { 1 };
        Self {
            at,
            from: at,
            byte,
            width,
        }
    }

    fn ends_at(self, bytes: &[u8], at: usize) -> bool {
        bytes[at..].starts_with(&[self.byte; 3][..self.width])
    }
}

impl Code {
    /// `has_regex`: whether the language has regular expressions between slashes, and `/*` begins a comment.
    pub(super) fn read(text: &str, has_regex: bool) -> Self {
        let bytes = text.as_bytes();
        let mut code = Self::default();
        let mut string: Option<Quote> = None;
        // The strings around the current expansion, each with the number of braces that are open in the expansion.
        let mut outer: Vec<(Quote, usize)> = Vec::new();
        // The last byte of code that is not blank.
        let mut last: Option<usize> = None;
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            let mut width = 1;
            match (byte, string) {
                (b'\\', _) => width = 2,
                (b'\n', _) => {
                    code.add(string.take(), at);
                    outer.clear();
                }
                (b'{', Some(quote)) if is_expansion(text, at, quote) => {
                    code.add(string.take(), at);
                    outer.push((quote, 0));
                }
                (_, Some(quote)) if quote.ends_at(bytes, at) => {
                    width = quote.width;
                    code.add(string.take(), at + width);
                    last = Some(at);
                }
                (_, Some(_)) => {}
                (b'"' | b'\'' | b'`', None) => {
                    let quote = Quote::new(bytes, at, byte);
                    width = quote.width;
                    string = Some(quote);
                }
                (b'/', None) if has_regex => {
                    if let Some(end) = comment_end(bytes, at) {
                        at = end;
                        continue;
                    }
                    width = regex_end(bytes, at, last).map_or(1, |end| end - at);
                    last = Some(at + width - 1);
                }
                (b'}', None) if outer.last().is_some_and(|(_, braces)| *braces == 0) => {
                    let around = outer.pop();
                    string = around.map(|(quote, _)| Quote { from: at, ..quote });
                }
                (_, None) => {
                    code.bracket(byte, at, &mut outer);
                    last = if byte.is_ascii_whitespace() {
                        last
                    } else {
                        Some(at)
                    };
                }
            }
            at += width;
        }
        code.quote = string.map(|quote| quote.at);
        code.add(string, bytes.len());
        code
    }

    fn add(&mut self, string: Option<Quote>, end: usize) {
        self.strings.extend(string.map(|quote| (quote.from, end)));
    }

    /// Reads a byte of code that may be a bracket.
    fn bracket(&mut self, byte: u8, at: usize, outer: &mut [(Quote, usize)]) {
        match byte {
            b'(' | b'[' | b'{' => self.open.push(at),
            b')' | b']' | b'}' => match self.open.pop() {
                Some(open) => self.pairs.push((at, open)),
                None => self.closing += 1,
            },
            _ => return,
        }
        if let Some((_, braces)) = outer.last_mut() {
            match byte {
                b'{' => *braces += 1,
                b'}' => *braces = braces.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Returns the text, which was read, without its strings.
    pub(super) fn without_strings(&self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end) in &self.strings {
            plain.push_str(text.get(from..*start).unwrap_or_default());
            from = *end;
        }
        plain.push_str(text.get(from..).unwrap_or_default());
        plain
    }
}

/// Returns the end of the comment `/* … */` that begins at `at`, if it ends on its line.
fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inner = bytes[at..].strip_prefix(b"/*")?;
    let line = memchr::memchr(b'\n', inner).unwrap_or(inner.len());
    let length = memchr::memmem::find(&inner[..line], b"*/")?;
    Some(at + length + 4)
}

/// Returns the end of the regular expression that begins with the `/` at `at`; `None` if the `/` has another meaning.
/// `last`: the last byte before it that is not blank.
fn regex_end(bytes: &[u8], at: usize, last: Option<usize>) -> Option<usize> {
    let (mut is_escaped, mut is_class, mut has_quote) = (false, false, false);
    let rest = &bytes[at + 1..];
    let length = rest.iter().position(|byte| {
        let is_plain = !is_escaped;
        is_escaped = is_plain && *byte == b'\\';
        has_quote |= matches!(byte, b'"' | b'\'' | b'`');
        match byte {
            b'[' if is_plain => is_class = true,
            b']' if is_plain => is_class = false,
            _ => {}
        }
        *byte == b'\n' || *byte == b'/' && is_plain && !is_class
    })?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
    let before = last.map_or(&[][..], |last| &bytes[..=last]);
    let may_begin = match before.last() {
        None => true,
        // After a condition, this is a regular expression; after an operand, a division.
        Some(b')') => has_quote && !rest[0].is_ascii_whitespace(),
        Some(b']' | b'"' | b'\'' | b'`' | b'.' | b'/' | b'<') => false,
        Some(byte) if is_part(byte) => {
            let length = before.iter().rev().take_while(|byte| is_part(byte)).count();
            let word = &before[before.len() - length..];
            BEFORE_REGEX.iter().any(|known| known.as_bytes() == word)
        }
        Some(byte) => byte.is_ascii(),
    };
    (may_begin && length > 0 && rest[length] == b'/').then_some(at + length + 2)
}

/// Returns whether a `{` in a string begins an expression: `${`, `#{` or the `{` of a format string.
fn is_expansion(text: &str, at: usize, quote: Quote) -> bool {
    match text[..at].chars().next_back() {
        Some('$') => quote.byte == b'`',
        Some('#') => quote.byte != b'\'',
        // `{{` is a brace.
        Some('{') => false,
        _ => is_format(&text[..quote.at]) && !text[at + 1..].starts_with('{'),
    }
}

/// Returns whether code ends with the prefix of a format string: `f` or `rf`.
fn is_format(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'']);
    let letters = before.bytes().rev();
    let prefix: Vec<u8> = letters
        .take_while(u8::is_ascii_alphabetic)
        .take(3)
        .collect();
    prefix.len() < 3 && prefix.iter().any(|byte| matches!(byte, b'f' | b'F'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_string_at_the_end_is_found() {
        for (text, has_regex, expected) in [
            ("f(\"a", true, Some(2)),
            ("f(\"a\" + 'b", true, Some(8)),
            ("f(\"\"\"a\"b'c\"\"\", \"", false, Some(15)),
            ("f(\"\"\"a", false, Some(2)),
            ("f(\"\", \"", false, Some(6)),
            ("f(/'/, \"", true, Some(7)),
            ("x = /[/'\"]/; f(\"", true, Some(15)),
            ("return /'/.test(\"", true, Some(16)),
            ("if (x) /'/.test(\"", true, Some(16)),
            ("f(/* ' */ \"", true, Some(10)),
            ("x = a / b; y = c / d; f(\"", true, Some(24)),
            ("x = (a) / len(\"b/c\") / f(\"", true, Some(25)),
            ("f(lambda a, /: '/', \"", false, Some(20)),
            ("`a ${f(\"", true, Some(7)),
            ("`a ${b} c", true, Some(0)),
            ("f\"{g('", false, Some(5)),
            ("f\"{{a", false, Some(1)),
            ("don't\nf(\"", true, Some(8)),
            ("f(\\'", true, None),
            ("f(a)", true, None),
        ] {
            assert_eq!(Code::read(text, has_regex).quote, expected, "{text}");
        }
    }

    #[test]
    fn brackets_in_strings_and_regular_expressions_do_not_count() {
        let code = Code::read("f(a[1], '(', /[(]/, g(", true);
        assert_eq!(code.open, [1, 21]);
        assert_eq!(code.pairs, [(5, 3)]);
        let code = Code::read(") } f(`${g(1)}(`", false);
        assert_eq!((code.closing, code.open), (2, vec![5]));
        let text = "f('a', \"b\" + c";
        assert_eq!(Code::read(text, true).without_strings(text), "f(,  + c");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[\"'`\\\\/*#$f{}()\\[\\]\n a1é]{0,60}", has_regex in proptest::bool::ANY) {
            let code = Code::read(&text, has_regex);
            proptest::prop_assert!(code.quote.is_none_or(|at| text.is_char_boundary(at)));
            code.without_strings(&text);
        }
    }
}
