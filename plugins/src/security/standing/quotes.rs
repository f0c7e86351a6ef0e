//! Parses a line of a shell script the same way as a shell, to determine whether a position is in code, in quotes or in
//! a comment.

/// The kind of text that contains a position on a line of a shell script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    Code,
    /// A string, with the position of its opening quote.
    Quoted(usize),
    Comment,
}

/// A construct that is open at a position. A string has the position of its opening quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `"`.
    Double(usize),
    /// `'`, in which nothing is escaped.
    Single(usize),
    /// `$'`.
    Escaped(usize),
    /// `(`, `$(`, `<(`: commands.
    Group,
    /// `` ` ``: commands.
    Backtick,
    /// `${`.
    Expansion,
}

/// Returns the kind of text at the end of `before`. Where shells may disagree, the text counts as code.
///
/// `is_start`: whether `before` begins at the start of a line; otherwise it may begin within a word.
pub(super) fn quoting(before: &str, is_start: bool) -> Quoting {
    let bytes = before.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let mut starts_word = is_start;
    let mut is_nested = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let next = bytes.get(at + 1).copied();
        let top = open.last().copied();
        let may_comment = std::mem::replace(&mut starts_word, false);
        let is_literal = matches!(top, Some(Open::Single(_) | Open::Escaped(_)));
        let is_double = matches!(top, Some(Open::Double(_)));
        let mut width = 1;
        match byte {
            b'\\' if !matches!(top, Some(Open::Single(_))) => width = 2,
            // The second backtick also closes the strings that were opened after the first backtick.
            b'`' => match open.iter().position(|open| *open == Open::Backtick) {
                Some(first) => open.truncate(first),
                None if is_literal => {}
                None => {
                    open.push(Open::Backtick);
                    starts_word = true;
                }
            },
            b'\'' if is_literal => {
                open.pop();
            }
            _ if is_literal => {}
            b'"' if is_double => {
                open.pop();
            }
            b'$' if next == Some(b'(') => {
                is_nested |= !open.is_empty();
                open.push(Open::Group);
                starts_word = true;
                width = 2;
            }
            b'$' if next == Some(b'{') => {
                open.push(Open::Expansion);
                width = 2;
            }
            _ if is_double => {}
            b'$' if next == Some(b'\'') => {
                open.push(Open::Escaped(at + 1));
                width = 2;
            }
            b'"' => open.push(Open::Double(at)),
            // Whether this is a quote depends on the expansion and on the shell.
            b'\'' if top == Some(Open::Expansion) => return Quoting::Code,
            b'\'' => open.push(Open::Single(at)),
            b'}' if top == Some(Open::Expansion) => {
                open.pop();
            }
            _ if top == Some(Open::Expansion) => {}
            b'(' => {
                open.push(Open::Group);
                starts_word = true;
            }
            b')' if top == Some(Open::Group) => {
                open.pop();
            }
            b'#' if may_comment && !open.contains(&Open::Backtick) => return Quoting::Comment,
            _ => starts_word = byte.is_ascii_whitespace() || matches!(byte, b';' | b'&' | b'|'),
        }
        at += width;
    }
    // The `)` after a pattern of `case` does not end a substitution.
    if is_nested && before.contains("case") {
        return Quoting::Code;
    }
    let around = open.iter().rev().find(|open| **open != Open::Expansion);
    match around {
        Some(Open::Double(at) | Open::Single(at) | Open::Escaped(at)) => Quoting::Quoted(*at),
        _ => Quoting::Code,
    }
}

/// Returns the length of a string up to its closing quote. `rest`: the string, without its opening quote. Returns
/// `None` if the string does not end, or if a shell runs a part of it.
pub(super) fn end_of_string(rest: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    let end = rest.find(|c: char| {
        let is_end = c == quote && !is_escaped;
        is_escaped = quote == '"' && c == '\\' && !is_escaped;
        is_end
    })?;
    let has_code = quote == '"' && (rest[..end].contains("$(") || rest[..end].contains('`'));
    (!has_code).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_a_shell_reads_it() {
        for (before, expected) in [
            ("a ", Quoting::Code),
            ("a '", Quoting::Quoted(2)),
            ("a \"b", Quoting::Quoted(2)),
            ("a $'b\\'", Quoting::Quoted(3)),
            ("a 'b\\' ; ", Quoting::Code),
            ("a \"b\\\" ; ", Quoting::Quoted(2)),
            ("a \"$(", Quoting::Code),
            ("a \"$(b)\" && ", Quoting::Code),
            ("a \"$(b \"c\")", Quoting::Quoted(2)),
            ("a \"$(b \"c\")\" ; ", Quoting::Code),
            ("a \"$((1 + (2)))", Quoting::Quoted(2)),
            ("a \"`b", Quoting::Code),
            ("a \"`b 'c`\" ; ", Quoting::Code),
            ("a \"${b:-c", Quoting::Quoted(2)),
            ("a \"${b:-'}\" ; ", Quoting::Code),
            ("a \"$(case b in b) c '\"';; esac)\" ; ", Quoting::Code),
            ("a # b 'c", Quoting::Comment),
            ("a ' # ' ; ", Quoting::Code),
            ("a b# ", Quoting::Code),
            ("${#a} ", Quoting::Code),
            ("# don't ", Quoting::Comment),
        ] {
            assert_eq!(quoting(before, true), expected, "{before}");
        }
        assert_eq!(quoting("# ; ", false), Quoting::Code);
    }

    #[test]
    fn a_string_ends_at_its_quote() {
        for (rest, quote, expected) in [
            ("a' b", '\'', Some(1)),
            ("a\\' b", '\'', Some(2)),
            ("a\\\" b\" c", '"', Some(5)),
            ("a\\\\\" b", '"', Some(3)),
            ("$(a)\" b", '"', None),
            ("$(a)' b", '\'', Some(4)),
            ("a", '"', None),
        ] {
            assert_eq!(end_of_string(rest, quote), expected, "{rest}");
        }
    }
}
