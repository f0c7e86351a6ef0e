//! Determines the options of a Python script by static analysis.

use std::collections::BTreeSet;

/// Names that show that a script parses its arguments in an unsupported way.
const UNCLEAR: [&str; 12] = [
    "parse_known_args",
    "parse_known_intermixed_args",
    "parents",
    "allow_abbrev",
    "prefix_chars",
    "fromfile_prefix_chars",
    "click",
    "typer",
    "docopt",
    "getopt",
    "add_flags",
    "set_defaults_from",
];

/// Returns the long options that a script defines with `argparse`, each as `--name`; `None` if the script does not use
/// `argparse`, or if some options cannot be determined.
pub(crate) fn options_of(text: &str) -> Option<BTreeSet<String>> {
    let tokens = tokens(text)?;
    let words = || tokens.iter().filter_map(Token::word);
    if !words().any(|word| word == "ArgumentParser") || words().any(|word| UNCLEAR.contains(&word))
    {
        return None;
    }
    let defined: BTreeSet<&str> = tokens
        .windows(2)
        .filter(|pair| pair[0].word() == Some("def"))
        .filter_map(|pair| pair[1].word())
        .collect();
    if reads_arguments_itself(&tokens) || gives_parser_away(&tokens, &defined) {
        return None;
    }
    let mut options = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.word() != Some("add_argument") || tokens.get(at + 1) != Some(&Token::Sign('(')) {
            continue;
        }
        let arguments = arguments(&tokens[at + 2..])?;
        let has_no_form = arguments
            .iter()
            .any(|argument| argument.contains(&Token::Word("BooleanOptionalAction")));
        for argument in arguments {
            match argument {
                [] | [Token::Word(_), Token::Sign('='), ..] => {}
                [Token::Text(name)] => {
                    let Some(bare) = name.strip_prefix("--") else {
                        continue;
                    };
                    options.insert((*name).to_owned());
                    if has_no_form {
                        options.insert(format!("--no-{bare}"));
                    }
                }
                // The argument is a variable, a list, or a formatted string.
                _ => return None,
            }
        }
    }
    Some(options)
}

/// The maximum number of tokens in a call. A limit is needed because calls can be nested.
const MAX_CALL: usize = 500;

/// Returns the arguments of a call; `None` if the call is not closed within the limit. `tokens`: the tokens after the
/// opening parenthesis.
fn arguments<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<Vec<&'t [Token<'a>]>> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, token) in tokens.iter().enumerate().take(MAX_CALL) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') if depth == 0 => {
                found.push(&tokens[start..at]);
                return Some(found);
            }
            Token::Sign(')' | ']' | '}') => depth -= 1,
            Token::Sign(',') if depth == 0 => {
                found.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Returns whether a script parses `sys.argv` itself. A script does not parse `sys.argv` if it only reads `sys.argv[0]`
/// or the number of arguments, or passes `sys.argv` to `parse_args` or `main`.
fn reads_arguments_itself(tokens: &[Token<'_>]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        if token.word() != Some("argv") {
            return false;
        }
        let is_own_name = matches!(
            tokens.get(at + 1..at + 4),
            Some([Token::Sign('['), Token::Number("0"), Token::Sign(']')])
        );
        let before: Vec<&Token<'_>> = tokens[..at].iter().rev().take(4).collect();
        let is_handed_on = matches!(
            before[..],
            [
                Token::Sign('.'),
                Token::Word("sys"),
                Token::Sign('('),
                Token::Word("parse_args" | "len" | "main")
            ]
        );
        !is_own_name && !is_handed_on
    })
}

/// Returns whether a script passes a parser to a function from another file, which may add options.
fn gives_parser_away(tokens: &[Token<'_>], defined: &BTreeSet<&str>) -> bool {
    let mut parsers: BTreeSet<&str> = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(name) = token else {
            continue;
        };
        if tokens.get(at + 1) != Some(&Token::Sign('=')) {
            continue;
        }
        let value = tokens[at + 2..].iter().take(4);
        let is_parser = value
            .take_while(|token| !matches!(token, Token::Sign('(')))
            .any(|token| {
                matches!(
                    token.word(),
                    Some(
                        "ArgumentParser"
                            | "add_parser"
                            | "add_argument_group"
                            | "add_mutually_exclusive_group"
                    )
                )
            });
        if is_parser {
            parsers.insert(name);
        }
    }
    tokens.windows(4).any(|four| match four {
        [
            Token::Word(called),
            Token::Sign('('),
            Token::Word(given),
            Token::Sign(',' | ')'),
        ] => parsers.contains(given) && !defined.contains(called) && *called != "print",
        _ => false,
    })
}

/// A Python token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Number(&'a str),
    /// A string without its quotes; escapes are not decoded.
    Text(&'a str),
    /// An f-string with replacement fields, whose text is only known at run time.
    Formatted,
    Sign(char),
}

impl<'a> Token<'a> {
    const fn word(&self) -> Option<&'a str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// Tokenizes a script; `None` if a string is not terminated.
fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'#' => {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| **byte != b'\n')
                    .count();
            }
            b'"' | b'\'' => {
                let (inner, end) = quoted(text, at)?;
                at = end;
                let prefix = match tokens.last() {
                    Some(Token::Word(word)) if is_prefix(word) && text[..start].ends_with(word) => {
                        Some(*word)
                    }
                    _ => None,
                };
                if prefix.is_some() {
                    tokens.pop();
                }
                let is_formatted = prefix.is_some_and(|prefix| prefix.contains(['f', 'F']));
                tokens.push(if is_formatted && inner.contains('{') {
                    Token::Formatted
                } else {
                    Token::Text(inner)
                });
            }
            _ if byte.is_ascii_whitespace() => at += 1,
            _ if byte.is_ascii_digit() => {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.')
                    .count();
                tokens.push(Token::Number(&text[start..at]));
            }
            _ if is_of_word(byte) => {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| is_of_word(**byte))
                    .count();
                tokens.push(Token::Word(&text[start..at]));
            }
            _ => {
                tokens.push(Token::Sign(char::from(byte)));
                at += 1;
            }
        }
    }
    Some(tokens)
}

const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Returns whether a word before quotes is a string prefix.
fn is_prefix(word: &str) -> bool {
    word.len() <= 2 && word.bytes().all(|byte| b"rRbBuUfF".contains(&byte))
}

/// Returns the content of the quoted string that starts at a byte, and the end of the string.
fn quoted(text: &str, at: usize) -> Option<(&str, usize)> {
    let quote = &text[at..=at];
    let long = quote.repeat(3);
    let open = if text[at..].starts_with(&long) {
        &*long
    } else {
        quote
    };
    let start = at + open.len();
    let mut end = start;
    loop {
        let rest = text.get(end..)?;
        if rest.starts_with(open) {
            return Some((&text[start..end], end + open.len()));
        }
        let next = rest.chars().next()?;
        match next {
            '\\' => end += 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '\n' if open.len() == 1 => return None,
            _ => end += next.len_utf8(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(parser: &str) -> Option<String> {
        let text = format!("import argparse\nparser = argparse.ArgumentParser()\n{parser}\n");
        let options = options_of(&text)?;
        Some(options.into_iter().collect::<Vec<String>>().join(" "))
    }

    #[test]
    fn literal_options_are_parsed() {
        for (parser, expected) in [
            ("parser.add_argument('--a')", "--a"),
            (
                "parser.add_argument('-a', \"--all\", help='--b, (c')",
                "--all",
            ),
            ("parser.add_argument(r'--a', type=int,)", "--a"),
            ("parser.add_argument('file', nargs='*')", ""),
            (
                "group = parser.add_argument_group('x')\ngroup.add_argument('--a')",
                "--a",
            ),
            (
                "parser.add_argument('--a', action=argparse.BooleanOptionalAction)",
                "--a --no-a",
            ),
            ("'''parser.add_argument('--a')'''", ""),
            ("# it's\nparser.add_argument('--a', help='it\\'s')", "--a"),
            ("print(sys.argv[0])\nparser.parse_args(sys.argv[1:])", ""),
        ] {
            assert_eq!(options(parser).as_deref(), Some(expected), "{parser}");
        }
    }

    #[test]
    fn computed_options_are_unknown() {
        for parser in [
            "parser.add_argument(name)",
            "parser.add_argument(*names)",
            "parser.add_argument('--' + name)",
            "parser.add_argument('--a' 'b')",
            "parser.add_argument(f'--{name}')",
            "parser.add_argument('--a'",
            "parser.add_argument('--a",
            "parser.parse_known_args()",
            "common.add(parser)",
            "if '--x' in sys.argv: pass",
            "child = argparse.ArgumentParser(parents=[parser])",
        ] {
            assert_eq!(options(parser), None, "{parser}");
        }
        assert_eq!(options_of("import click"), None);
    }
}
