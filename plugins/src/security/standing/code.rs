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

/// The parts of the syntax of a language that affect where strings begin and end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax {
    /// Whether the language has regular expressions between slashes, and `/*` begins a comment.
    pub(super) has_regex: bool,
    /// Whether three quotes begin a string. In Ruby, the first two of them are an empty string.
    pub(super) has_triple: bool,
}

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
    fn new(bytes: &[u8], at: usize, byte: u8, syntax: Syntax) -> Self {
        let is_triple = syntax.has_triple && byte != b'`' && bytes[at..].starts_with(&[byte; 3]);
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
    pub(super) fn read(text: &str, syntax: Syntax) -> Self {
        let bytes = text.as_bytes();
        let mut code = Self::default();
        let mut string: Option<Quote> = None;
        // The strings around the current expansion, each with the number of braces that are open in the expansion.
        let mut outer: Vec<(Quote, usize)> = Vec::new();
        // The last byte of code that is not blank.
        let mut last: Option<usize> = None;
        let mut search = Search::default();
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
                    let quote = Quote::new(bytes, at, byte, syntax);
                    width = quote.width;
                    string = Some(quote);
                }
                (b'/', None) if syntax.has_regex => {
                    if let Some(end) = comment_end(bytes, at) {
                        at = end;
                        continue;
                    }
                    search = search.next(bytes, at);
                    width = regex_end(bytes, at, last, search).map_or(1, |end| end - at);
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

/// A search for the `/` that ends a regular expression.
#[derive(Debug, Clone, Copy, Default)]
struct Search {
    /// The position where the search ended.
    until: usize,
    /// Whether the search found the `/`.
    is_found: bool,
    /// The position of the last quote on the way.
    quote: Option<usize>,
}

impl Search {
    /// Searches from the `/` at `at`. `self`: the search from the last `/`.
    fn next(self, bytes: &[u8], at: usize) -> Self {
        let (mut is_escaped, mut is_class) = (false, false);
        let mut found = Self {
            until: bytes.len(),
            ..Self::default()
        };
        for (at, byte) in bytes.iter().copied().enumerate().skip(at + 1) {
            let is_plain = !is_escaped;
            is_escaped = is_plain && byte == b'\\';
            match byte {
                b'"' | b'\'' | b'`' => found.quote = Some(at),
                // A `/` on the way of the last search is in a class, `[…]`. From the next bracket on, both searches
                // read the same. To read it again for each `/` would take quadratic time.
                b'[' | b']' if is_plain && at < self.until => {
                    let quote = self.quote.max(found.quote);
                    return Self { quote, ..self };
                }
                b'[' if is_plain => is_class = true,
                b']' if is_plain => is_class = false,
                b'\n' => {
                    found.until = at;
                    break;
                }
                b'/' if is_plain && !is_class => {
                    (found.until, found.is_found) = (at, true);
                    break;
                }
                _ => {}
            }
        }
        found
    }
}

/// Returns the end of the regular expression that begins with the `/` at `at`; `None` if the `/` has another meaning.
/// `last`: the last byte before it that is not blank. `search`: the search from this `/`.
fn regex_end(bytes: &[u8], at: usize, last: Option<usize>, search: Search) -> Option<usize> {
    let has_quote = search.quote.is_some_and(|quote| quote > at);
    let inner = &bytes[at + 1..search.until];
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
    let before = last.map_or(&[][..], |last| &bytes[..=last]);
    let may_begin = match before.last() {
        None => true,
        // After a condition, this is a regular expression; after an operand, a division.
        Some(b')') => has_quote && !inner.first().is_some_and(u8::is_ascii_whitespace),
        Some(b']' | b'"' | b'\'' | b'`' | b'.' | b'/' | b'<') => false,
        Some(byte) if is_part(byte) => {
            let length = before.iter().rev().take_while(|byte| is_part(byte)).count();
            let word = &before[before.len() - length..];
            BEFORE_REGEX.iter().any(|known| known.as_bytes() == word)
        }
        Some(byte) => byte.is_ascii(),
    };
    (may_begin && search.is_found && !inner.is_empty()).then_some(search.until + 1)
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

    fn read(text: &str, has_regex: bool) -> Code {
        let has_triple = true;
        Code::read(
            text,
            Syntax {
                has_regex,
                has_triple,
            },
        )
    }

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
            ("x = a/[b/[c]/d; f(\"", true, Some(18)),
            ("x = a / [/[']/, f(\"", true, Some(18)),
            ("x = a/[b/[c, f(\"", true, Some(15)),
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
            assert_eq!(read(text, has_regex).quote, expected, "{text}");
        }
    }

    #[test]
    fn brackets_in_strings_and_regular_expressions_do_not_count() {
        let code = read("f(a[1], '(', /[(]/, g(", true);
        assert_eq!(code.open, [1, 21]);
        assert_eq!(code.pairs, [(5, 3)]);
        let code = read(") } f(`${g(1)}(`", false);
        assert_eq!((code.closing, code.open), (2, vec![5]));
        let text = "f('a', \"b\" + c";
        assert_eq!(read(text, true).without_strings(text), "f(,  + c");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[\"'`\\\\/*#$f{}()\\[\\]\n a1é]{0,60}", has_regex in proptest::bool::ANY) {
            let code = read(&text, has_regex);
            proptest::prop_assert!(code.quote.is_none_or(|at| text.is_char_boundary(at)));
            code.without_strings(&text);
        }
    }
}
