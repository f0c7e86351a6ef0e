//! Rewrites joins of string lists as concatenations: `"".join(["cu", "rl"])`, `["cu", "rl"].join("")`.

use std::ops::Range;

use super::literals::MAX_RESULT;

/// The maximum number of elements of a list. No statement that is examined is long enough for more.
const MAX_ELEMENTS: usize = 2000;

/// The start of a call that joins a list.
const JOIN: &str = ".join(";

/// Returns a statement with each join of a list rewritten as a concatenation; `None` if no list is joined. `list`:
/// returns the source text of the list that was assigned to a variable.
pub(super) fn concatenated<'a>(
    line: &'a str,
    list: impl Fn(&str) -> Option<&'a str>,
) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in line.match_indices(JOIN) {
        // Stop here: a statement may join one long list a hundred times.
        if out.len() > MAX_RESULT {
            break;
        }
        let open = at + JOIN.len();
        let found = if line[..at].ends_with(['"', '\'']) {
            after_separator(line, at, open, &list)
        } else {
            before_separator(line, at, open, &list)
        };
        let Some((range, elements, separator)) = found.filter(|(range, ..)| range.start >= copied)
        else {
            continue;
        };
        let separator = format!(" + {separator} + ");
        // A separator that makes the result this long is no part of a command.
        if elements.len() * separator.len() > 8 * MAX_RESULT {
            continue;
        }
        out.push_str(&line[copied..range.start]);
        let is_empty = matches!(separator.as_bytes(), [b' ', b'+', b' ', a, b, ..] if a == b);
        out.push_str(&elements.join(if is_empty { " + " } else { &separator }));
        copied = range.end;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&line[copied..]);
    Some(out)
}

/// The range of a call, the elements of the list, and the separator as a literal.
type Call<'a> = (Range<usize>, Vec<&'a str>, &'a str);

/// Parses `"separator".join([…])`, as in Python.
fn after_separator<'a>(
    line: &'a str,
    at: usize,
    open: usize,
    list: impl Fn(&str) -> Option<&'a str>,
) -> Option<Call<'a>> {
    let quote = line[..at].chars().next_back()?;
    let start = line[..at - 1].rfind(quote)?;
    let separator = &line[start..at];
    let argument = line[open..].trim_start();
    let from = line.len() - argument.len();
    let (elements, end) = if let Some((elements, length)) = elements(argument) {
        (elements, from + length)
    } else {
        let name = name_at_start(argument);
        (elements(list(name)?)?.0, from + name.len())
    };
    let rest = line[end..].trim_start().strip_prefix(')')?;
    Some((start..line.len() - rest.len(), elements, separator))
}

/// Parses `[…].join("separator")`, as in JavaScript and Ruby.
fn before_separator<'a>(
    line: &'a str,
    at: usize,
    open: usize,
    list: impl Fn(&str) -> Option<&'a str>,
) -> Option<Call<'a>> {
    let before = &line[..at];
    let (start, elements) = if before.ends_with(']') {
        let start = before.rfind('[')?;
        let (elements, length) = elements(&before[start..])?;
        (length == before.len() - start).then_some((start, elements))?
    } else {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let start = before.trim_end_matches(is_name).len();
        (start, elements(list(&before[start..])?)?.0)
    };
    let (argument, after) = line[open..].split_once(')')?;
    let argument = argument.trim();
    let separator = if is_literal(argument) {
        argument
    } else {
        "\"\""
    };
    Some((start..line.len() - after.len(), elements, separator))
}

/// Returns the elements of a list at the start of `text`, and the length of the list; `None` if there is no list, or if
/// an element is neither a literal nor a name.
pub(super) fn elements(text: &str) -> Option<(Vec<&str>, usize)> {
    let close = match text.as_bytes().first()? {
        b'[' => b']',
        b'(' => b')',
        _ => return None,
    };
    let bytes = text.as_bytes();
    let mut elements = Vec::new();
    let (mut start, mut quote) = (1, None);
    let mut at = 1;
    while at < bytes.len() && elements.len() < MAX_ELEMENTS {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if open == byte => quote = None,
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, byte) if byte == b',' || byte == close => {
                let element = text.get(start..at)?.trim();
                if !element.is_empty() {
                    let is_name = name_at_start(element).len() == element.len();
                    (is_literal(element) || is_name).then(|| elements.push(element))?;
                }
                if byte == close {
                    return (!elements.is_empty()).then_some((elements, at + 1));
                }
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn name_at_start(text: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest = text.trim_start_matches(is_name);
    &text[..text.len() - rest.len()]
}

fn is_literal(text: &str) -> bool {
    match text.as_bytes() {
        [quote @ (b'"' | b'\''), .., last] => quote == last,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_joined_often_has_a_bounded_result() {
        let long = format!("[{}]", "b, ".repeat(199));
        let line = "\"\".join(a) ".repeat(350);
        let joined = concatenated(&line, |_| Some(&long)).expect("a joined list");
        assert!(
            joined.len() < line.len() + MAX_RESULT + 2000,
            "{}",
            joined.len()
        );
    }

    #[test]
    fn joined_lists_are_concatenations() {
        let list = |name: &str| (name == "parts").then_some("['a', b]");
        for (line, expected) in [
            (r#"x = "".join(["cu", "rl"])"#, r#"x = "cu" + "rl""#),
            (
                r#"x = " ".join(("cu", 'rl',)) + y"#,
                r#"x = "cu" + " " + 'rl' + y"#,
            ),
            (r#"run(["cu", "rl"].join(''))"#, r#"run("cu" + "rl")"#),
            (
                r#"run(["cu", "rl"].join("-"), z)"#,
                r#"run("cu" + "-" + "rl", z)"#,
            ),
            ("x = ''.join(parts)", "x = 'a' + b"),
            ("f(parts.join())", "f('a' + b)"),
        ] {
            assert_eq!(
                concatenated(line, list).as_deref(),
                Some(expected),
                "{line}"
            );
        }
        for line in [
            "os.path.join(a, b)",
            r#"", ".join(names)"#,
            r#"" ".join(f(x) for x in y)"#,
            "thread.join()",
            "'.join(",
            "].join(",
            r#""".join(["#,
        ] {
            assert_eq!(concatenated(line, list), None, "{line}");
        }
    }
}
