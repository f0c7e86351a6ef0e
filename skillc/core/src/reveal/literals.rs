//! Joins string literals that a program puts together: `"cu" + "rl"`, `c""url`, `a=cu; b=rl; $a$b`.
//!
//! A value is followed from its assignment to its use in the same file, line by line. There is no parser of any language behind
//! this: what looks like a literal, a name and an operator is one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// The longest statement that is read, in bytes.
const MAX_STATEMENT: usize = 4000;

/// The most lines that one statement has.
const MAX_LINES: usize = 30;

/// The most variables of a file, and the longest value of one.
const MAX_NAMES: usize = 300;
const MAX_VALUE: usize = 2000;

/// The most statements of a text that are given out.
const MAX_FOUND: usize = 100;

/// Commands that are worth hiding.
const COMMANDS: [&str; 12] = [
    "curl",
    "wget",
    "bash",
    "base64",
    "python",
    "eval",
    "exec",
    "/sh",
    "nc ",
    "powershell",
    "iex",
    "http",
];

/// Signs that a text is turned around.
const REVERSALS: [&str; 5] = ["[::-1]", ".reverse()", "| rev", "strrev(", "reversed("];

type Names = BTreeMap<String, String>;

/// Gives out the statements of a text whose literals are joined.
pub(super) fn join(text: &str, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let has_literals = memchr::memchr3(b'"', b'\'', b'$', bytes).is_some();
    if !has_literals && memchr::memchr3(b'\\', b'^', b'`', bytes).is_none() {
        return;
    }
    let most = found.len() + MAX_FOUND;
    let mut names = Names::new();
    let mut start = 0;
    while start < text.len() && found.len() < most {
        let end = statement_end(text, start);
        let whole = &text[start..end];
        let is_used = |b: u8| matches!(b, b'"' | b'\'' | b'$' | b'=');
        if whole.len() <= MAX_STATEMENT
            && (!names.is_empty()
                || whole
                    .bytes()
                    .any(|b| is_used(b) || matches!(b, b'\\' | b'^' | b'`')))
        {
            let line = whole.trim_end();
            let span = Span::new(start, start + line.len());
            let is_evaluated = !names.is_empty() || line.bytes().any(is_used);
            let joined = is_evaluated.then(|| evaluate(line, &mut names)).flatten();
            let parts = [joined, unsplit(line), reversed(line)];
            for text in parts.into_iter().flatten() {
                found.push(Decoded {
                    span,
                    text,
                    encoding: if REVERSALS.iter().any(|sign| line.contains(sign)) {
                        Encoding::Reversed
                    } else {
                        Encoding::Concatenation
                    },
                });
            }
        }
        start = end;
    }
}

/// Returns where a statement ends: at a line end, unless an operator joins the next line to it.
fn statement_end(text: &str, start: usize) -> usize {
    let mut end = start;
    for _ in 0..MAX_LINES {
        let Some(line) = text[end..].split_inclusive('\n').next() else {
            return end;
        };
        end += line.len();
        let last = line.trim_end();
        let next = text[end..].trim_start_matches([' ', '\t']);
        let goes_on = last.ends_with(['+', '\\'])
            || next.starts_with("+ ")
            || last.ends_with(['"', '\''])
                && last.len() > 3
                && next.starts_with(['"', '\'', 'f'])
                && next[1..].starts_with(|c: char| c != ' ')
                && !next.starts_with("f ")
                && (next.starts_with(['"', '\''])
                    || next.starts_with("f\"")
                    || next.starts_with("f'"));
        if !goes_on || end - start > MAX_STATEMENT {
            return end;
        }
    }
    end
}

/// A part of an expression.
enum Operand {
    Text(String),
    Other,
}

/// Replaces joined literals and known names of a statement; `None` if there are none. Remembers what it assigns.
fn evaluate(line: &str, names: &mut Names) -> Option<String> {
    let mut out = String::with_capacity(line.len());
    let mut is_changed = false;
    for part in parts(line) {
        let (head, name) = assigned(part);
        let (value, has_changed) = substitute(&part[head..], names);
        if let Some(name) = name.filter(|_| names.len() < MAX_NAMES) {
            match literal(value.trim().trim_end_matches([';', ','])) {
                Some(text) if text.len() <= MAX_VALUE => {
                    names.insert(name.to_owned(), text);
                }
                _ => {
                    names.remove(name);
                }
            }
        }
        out.push_str(&part[..head]);
        out.push_str(&value);
        is_changed |= has_changed;
    }
    is_changed.then(|| members(&out))
}

/// Splits a line behind each `;` outside quotes, where a shell begins another command.
fn parts(line: &str) -> Vec<&str> {
    if !line.contains(';') {
        return vec![line];
    }
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == ';' && parts.len() < MAX_LINES => {
                parts.push(&line[start..=at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[start..]);
    parts
}

/// Returns where the value of an assignment begins, and the name; 0 if it is none.
fn assigned(part: &str) -> (usize, Option<&str>) {
    let bare = part.trim_start();
    let mut rest = bare;
    for word in [
        "export ",
        "local ",
        "readonly ",
        "let ",
        "const ",
        "var ",
        "set ",
        "my ",
        "$",
    ] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let length = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    let (name, after) = rest.split_at(length);
    let value = after.trim_start();
    let is_assigned =
        value.starts_with('=') && !value.starts_with("==") && !value.starts_with("=>");
    if name.is_empty() || name.as_bytes()[0].is_ascii_digit() || !is_assigned {
        return (0, None);
    }
    (part.len() - value.len() + 1, Some(name))
}

/// Returns what a value stands for if it is one literal, or one word of a shell.
fn literal(value: &str) -> Option<String> {
    match value.as_bytes() {
        [] => None,
        [quote @ (b'"' | b'\''), inner @ .., last] if quote == last => {
            (!inner.contains(quote)).then(|| value[1..value.len() - 1].to_owned())
        }
        bytes => bytes
            .iter()
            .all(|b| {
                b.is_ascii_alphanumeric()
                    || matches!(
                        b,
                        b'/' | b'.' | b':' | b'-' | b'_' | b'+' | b'=' | b'@' | b'~'
                    )
            })
            .then(|| value.to_owned()),
    }
}

/// Joins operands; returns the text, and whether anything was joined or replaced.
fn substitute(text: &str, names: &Names) -> (String, bool) {
    let mut out = String::with_capacity(text.len());
    let mut is_changed = false;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let is_word = c.is_ascii_alphabetic() || c == '_';
        if is_word || matches!(c, '"' | '\'' | '$') {
            let (end, operand) = operand(text, at, names);
            if let Operand::Text(mut value) = operand {
                let (mut last, mut count) = (end, 1);
                // Behind the last operand may follow an operator and another.
                while let Some(next) = after_operator(text, last) {
                    let (end, Operand::Text(more)) = self::operand(text, next, names) else {
                        break;
                    };
                    value.push_str(&more);
                    last = end;
                    count += 1;
                    if value.len() > MAX_STATEMENT {
                        break;
                    }
                }
                let is_quoted = matches!(c, '"' | '\'') && count == 1;
                let is_same = is_quoted && value == text[at + 1..last - 1];
                if c == '$' {
                    out.push_str(&value);
                    is_changed = true;
                } else if is_same {
                    out.push_str(&text[at..last]);
                } else {
                    out.push('"');
                    out.push_str(&value);
                    out.push('"');
                    is_changed = true;
                }
                at = last;
                continue;
            }
            out.push_str(&text[at..end]);
            at = end;
            continue;
        }
        out.push(c);
        at += c.len_utf8();
    }
    (out, is_changed)
}

/// Reads what may be an operand: its end, and its value if that is known.
fn operand(text: &str, at: usize, names: &Names) -> (usize, Operand) {
    let rest = &text[at..];
    let bytes = rest.as_bytes();
    match bytes[0] {
        quote @ (b'"' | b'\'') => {
            let mut end = 1;
            while end < bytes.len() && bytes[end] != quote {
                end += 1 + usize::from(bytes[end] == b'\\');
            }
            if end >= bytes.len() {
                return (text.len(), Operand::Other);
            }
            let inner = &rest[1..end];
            let value = match quote {
                b'"' => expand(inner, names),
                _ => inner.to_owned(),
            };
            (at + end + 1, Operand::Text(value))
        }
        b'$' => match variable(rest) {
            Some((length, name)) => match names.get(name) {
                Some(value) => (at + length, Operand::Text(value.clone())),
                None => (at + length, Operand::Other),
            },
            None => (at + 1, Operand::Other),
        },
        _ => {
            let length = bytes
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
                .count();
            let name = &rest[..length];
            // A string with a prefix: f"…", b'…', r"…".
            if length == 1
                && matches!(bytes.get(1), Some(b'"' | b'\''))
                && matches!(bytes[0], b'f' | b'b' | b'r' | b'F')
            {
                let (end, inner) = operand(text, at + 1, names);
                return match inner {
                    Operand::Text(inner) if bytes[0].eq_ignore_ascii_case(&b'f') => {
                        (end, Operand::Text(braces(&inner, names)))
                    }
                    inner => (end, inner),
                };
            }
            let follows = rest[length..].trim_start();
            let is_value =
                !follows.starts_with('(') && !follows.starts_with('=') && !follows.starts_with('.');
            let before = text[..at].trim_end();
            let is_argument = before.ends_with(['(', '+', ',', '=']) || before.is_empty();
            match names.get(name).filter(|_| is_value && is_argument) {
                Some(value) => (at + length, Operand::Text(value.clone())),
                None => (at + length.max(1), Operand::Other),
            }
        }
    }
}

/// Returns the length and the name of `$name`, `${name}`.
fn variable(text: &str) -> Option<(usize, &str)> {
    let rest = text.strip_prefix('$')?;
    let inner = rest.strip_prefix('{').unwrap_or(rest);
    let length = inner
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    if length == 0 {
        return None;
    }
    let name = &inner[..length];
    if inner.len() == rest.len() {
        return Some((1 + length, name));
    }
    inner[length..]
        .starts_with('}')
        .then_some((3 + length, name))
}

/// Replaces the variables in a string.
fn expand(text: &str, names: &Names) -> String {
    if names.is_empty() || !text.contains('$') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, value) = match variable(rest) {
            Some((length, name)) => (
                length,
                names
                    .get(name)
                    .map_or(&rest[..length], |value| value.as_str()),
            ),
            None => (1, "$"),
        };
        out.push_str(value);
        rest = &rest[length..];
        if out.len() > MAX_STATEMENT {
            break;
        }
    }
    out.push_str(rest);
    out
}

/// Replaces `{name}` in a string.
fn braces(text: &str, names: &Names) -> String {
    let mut out = text.to_owned();
    for (name, value) in names {
        let sign = format!("{{{name}}}");
        if out.len() < MAX_STATEMENT && out.contains(&sign) {
            out = out.replace(&sign, value);
        }
    }
    out
}

/// Returns where the next operand begins, behind an operator that joins texts, or directly behind another.
fn after_operator(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let is_operand = |c: char| c.is_ascii_alphabetic() || matches!(c, '"' | '\'' | '$' | '_');
    if rest.starts_with(['"', '\'', '$']) {
        return Some(at);
    }
    let bare = rest.trim_start_matches([' ', '\t', '\n', '\r', '\\']);
    let bare = match bare.as_bytes() {
        [b'+' | b'&' | b'.', next, ..] if !matches!(next, b'&' | b'.' | b'=') => {
            bare[1..].trim_start()
        }
        // Python joins neighbours, over lines as well.
        [b'"' | b'\'', ..]
            if rest
                .trim_start_matches([' ', '\t'])
                .starts_with(['\n', '\r', '\\']) =>
        {
            bare
        }
        _ => return None,
    };
    bare.starts_with(is_operand)
        .then(|| text.len() - bare.len())
}

/// Removes what a shell ignores within a word: `c""url`, `cu\rl`, `${IFS}`; `None` if that makes no command.
fn unsplit(line: &str) -> Option<String> {
    let signs = ['"', '\'', '$', '\\', '^', '`'];
    if !line.contains(signs) {
        return None;
    }
    let out = line
        .replace("${IFS}", " ")
        .replace("$IFS", " ")
        .replace("$@", "");
    let mut plain = String::with_capacity(out.len());
    let mut before = ' ';
    let mut rest = out.chars().peekable();
    while let Some(c) = rest.next() {
        let is_inside = before.is_ascii_alphabetic()
            && rest
                .peek()
                .is_some_and(|next| next.is_ascii_lowercase() || signs.contains(next));
        if !(signs.contains(&c) && c != '$' && is_inside) {
            plain.push(c);
            before = c;
        }
    }
    let is_new = |command: &&str| plain.contains(*command) && !line.contains(*command);
    COMMANDS.iter().any(is_new).then_some(plain)
}

/// Writes a member that is named by a string as one that is named directly: `a["b"]` is `a.b`.
fn members(text: &str) -> String {
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"([\w)\]])\[["']([A-Za-z_]\w{1,40})["']\]"#).expect("a pattern")
    });
    MEMBER.replace_all(text, "$1.$2").into_owned()
}

/// Turns the longest literal of a line around that turns texts around.
fn reversed(line: &str) -> Option<String> {
    if !REVERSALS.iter().any(|sign| line.contains(sign)) {
        return None;
    }
    let mut longest = "";
    for quote in ['"', '\''] {
        let longest_of = line
            .split(quote)
            .skip(1)
            .step_by(2)
            .max_by_key(|part| part.len());
        longest = longest_of
            .filter(|part| part.len() > longest.len())
            .unwrap_or(longest);
    }
    (longest.len() >= 8).then(|| longest.chars().rev().collect())
}
