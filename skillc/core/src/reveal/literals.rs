//! Joins string literals that a program concatenates: `"cu" + "rl"`, `c""url`, `a=cu; b=rl; $a$b`.
//!
//! Values are tracked line by line, from their assignment to their use in the same file. This module does not parse any
//! language: it treats anything that looks like a literal, a name or an operator as one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::expansions::{may_expand, may_list, unsplit};
use super::lists::{concatenated, elements};
use super::{Decoded, Encoding, MAX_DECODED};
use crate::source::lines::Span;

/// The maximum length of a statement that is examined, in bytes.
const MAX_STATEMENT: usize = 4000;

/// The maximum number of known variables, and the maximum length of a value in bytes.
const MAX_NAMES: usize = 1000;
const MAX_VALUE: usize = 2000;

/// The maximum number of results.
const MAX_FOUND: usize = 200;

/// Once a result has this length, in bytes, no more values are substituted in it, because a statement may use a long
/// value two thousand times.
pub(super) const MAX_RESULT: usize = 8 << 10;

/// Expressions that reverse a string.
pub(super) const REVERSALS: [&str; 5] = ["[::-1]", ".reverse()", "| rev", "strrev(", "reversed("];

/// The variables whose values are known.
#[derive(Default)]
struct Names {
    values: BTreeMap<String, String>,
    /// The source text of each list that was assigned to a variable.
    lists: BTreeMap<String, String>,
    /// Whether a variable was not recorded because of [`MAX_NAMES`].
    has_more: bool,
    /// The first characters of the names, as bits. Together with `longest`, they rule out nearly every word without a
    /// look-up.
    first: u128,
    longest: usize,
}

impl Names {
    fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn get(&self, name: &str) -> Option<&str> {
        let first = *name.as_bytes().first()?;
        let may_be = name.len() <= self.longest
            && first.is_ascii()
            && self.first & (1 << (first & 127)) != 0;
        if !may_be {
            return None;
        }
        self.values.get(name).map(String::as_str)
    }

    /// Stores a variable whose value is a list. `list`: the source text of the list.
    fn set_list(&mut self, name: &str, list: &str) {
        if self.lists.len() < MAX_NAMES || self.lists.contains_key(name) {
            self.lists.insert(name.to_owned(), list.to_owned());
        } else {
            self.has_more = true;
        }
    }

    /// Sets the value of a variable; `None` removes the variable.
    fn set(&mut self, name: &str, value: Option<String>) {
        let Some(value) = value else {
            self.values.remove(name);
            return;
        };
        if self.values.len() >= MAX_NAMES && !self.values.contains_key(name) {
            self.has_more = true;
            return;
        }
        if let Some(first) = name.bytes().next().filter(u8::is_ascii) {
            self.first |= 1 << first;
            self.longest = self.longest.max(name.len());
            self.values.insert(name.to_owned(), value);
        }
    }
}

/// Finds the statements that contain joined, split or reversed strings, and adds the plain form of each to `found`.
/// `has_reversals`: whether the text contains one of [`REVERSALS`].
pub(super) fn join(text: &str, has_reversals: bool, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let has_literals = memchr::memchr3(b'"', b'\'', b'$', bytes).is_some();
    let has_marks = || memchr::memchr3(b'\\', b'^', b'`', bytes).is_some();
    if !has_literals && !has_marks() && memchr::memchr(b'{', bytes).is_none() {
        return;
    }
    let most = found.len() + MAX_FOUND;
    let mut room = MAX_DECODED;
    let mut names = Names::default();
    let mut start = 0;
    while start < text.len() && found.len() < most && room > 0 {
        start = next_start(text, start);
        let end = statement_end(text, start);
        let line = trim_end(&text[start..end]);
        if end - start <= MAX_STATEMENT {
            let signs = Signs::of(line);
            let is_evaluated = signs.is_evaluated || signs.may_use && !names.is_empty();
            let joined = is_evaluated.then(|| evaluate(line, &mut names)).flatten();
            let plain = signs.is_split.then(|| unsplit(line)).flatten();
            let turned = has_reversals.then(|| reversed(line)).flatten();
            for text in [joined, plain, turned].into_iter().flatten() {
                room = room.saturating_sub(text.len());
                found.push(Decoded {
                    span: Span::new(start, start + line.len()),
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
    if start < text.len() || names.has_more {
        // An empty result signals that statements or variables were left out.
        found.push(Decoded {
            span: Span::new(start, start),
            text: String::new(),
            encoding: Encoding::Concatenation,
        });
    }
}

/// Returns the start of the next statement that may contain one of the bytes of [`Signs`]. The text before that
/// statement is nearly always prose and needs no processing.
fn next_start(text: &str, start: usize) -> usize {
    const SIGNS: [u8; 10] = *b"=$\"'\\^`(+{";
    let bytes = text.as_bytes();
    // The compiler vectorizes this loop.
    let has_sign = |chunk: &&[u8]| {
        let is_sign = |byte: &u8| SIGNS.iter().fold(0, |is, sign| is | u8::from(sign == byte));
        chunk.iter().fold(0, |has, byte| has | is_sign(byte)) != 0
    };
    let chunks = bytes[start..].chunks_exact(32);
    let clear = start + 32 * chunks.take_while(|chunk| !has_sign(chunk)).count();
    let sign = bytes[clear..]
        .iter()
        .position(|byte| Signs::OF[usize::from(*byte)] != 0);
    let Some(sign) = sign.map(|at| clear + at) else {
        return bytes.len();
    };
    let line_before = |end: usize| {
        memchr::memrchr(b'\n', &bytes[start..end]).map_or(start, |end| start + end + 1)
    };
    let line = line_before(sign);
    // A line that begins with `+` continues the line before it.
    if line > start && text[line..=sign].trim_start_matches([' ', '\t']) == "+" {
        return line_before(line - 1);
    }
    line
}

/// The kinds of syntax that a statement contains.
struct Signs {
    /// Literals, variables or assignments.
    is_evaluated: bool,
    /// An expression that may use a variable.
    may_use: bool,
    /// Words that a shell would join.
    is_split: bool,
}

impl Signs {
    /// The bits for each byte: 1 for `is_evaluated`, 2 for `is_split`, 4 for `may_use`.
    const OF: [u8; 256] = {
        let mut of = [0; 256];
        of[b'=' as usize] = 1;
        of[b'$' as usize] = 3;
        of[b'"' as usize] = 3;
        of[b'\'' as usize] = 3;
        of[b'\\' as usize] = 2;
        of[b'^' as usize] = 2;
        of[b'`' as usize] = 2;
        of[b'{' as usize] = 2;
        of[b'(' as usize] = 4;
        of[b'+' as usize] = 4;
        of
    };

    fn of(line: &str) -> Self {
        let bytes = line.as_bytes();
        let all = bytes
            .iter()
            .fold(0, |all, byte| all | Self::OF[usize::from(*byte)]);
        let splits = |(at, byte): (usize, &u8)| {
            Self::OF[usize::from(*byte)] & 2 != 0
                && match byte {
                    b'$' | b'`' => may_expand(bytes, at),
                    b'{' => may_list(bytes, at),
                    _ => is_inside(bytes, at) && !is_contraction(bytes, at),
                }
        };
        Self {
            is_evaluated: all & 1 != 0,
            may_use: all & 4 != 0,
            is_split: all & 2 != 0 && bytes.iter().enumerate().any(splits),
        }
    }
}

/// Returns whether the byte at `at` is inside a word.
fn is_inside(bytes: &[u8], at: usize) -> bool {
    at > 0
        && bytes[at - 1].is_ascii_alphabetic()
        && bytes.get(at + 1).is_some_and(|next| {
            next.is_ascii_lowercase() || matches!(next, b'"' | b'\'' | b'$' | b'\\' | b'^' | b'`')
        })
}

/// Returns whether the byte at `at` is the apostrophe of `it's` or `don't`.
fn is_contraction(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at + 1..];
    let ends = |length: usize| {
        let next = rest.get(length).unwrap_or(&b' ');
        matches!(
            next,
            b' ' | b'.' | b',' | b'\n' | b'*' | b')' | b':' | b';' | b'?' | b'!'
        )
    };
    bytes[at] == b'\''
        && match rest {
            [b's' | b't' | b'd' | b'm', ..] => ends(1),
            [b'r' | b'v', b'e', ..] | [b'l', b'l', ..] => ends(2),
            _ => false,
        }
}

/// Returns the end of a statement: the end of the line, unless an operator or an adjacent literal continues the
/// statement on the next line. A statement that is too long to be examined ends early.
fn statement_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut list = OpenList::default();
    while end < text.len() {
        let before = end;
        let rest = &text[end..];
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        end += length;
        if end - start > MAX_STATEMENT && before > start {
            return before;
        }
        let line = trim_end(&rest[..length]);
        let indent = text.as_bytes()[end..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'));
        let next = &text[end + indent.count()..];
        let sign = line.as_bytes().last();
        let is_in_list = matches!(sign, Some(b',' | b'[' | b'(' | b'"' | b'\''))
            && (list.is_open(text, start, end) || line.ends_with("= [") || line.ends_with("(["));
        let goes_on = matches!(sign, Some(b'+' | b'\\'))
            || is_in_list
            || next.starts_with("+ ")
            || matches!(sign, Some(b'"' | b'\''))
                && line.len() > 3
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

/// Whether a statement contains an unclosed list. Each line is searched only once.
#[derive(Default)]
struct OpenList {
    is_opened: bool,
    is_closed: bool,
    /// The end of the lines that have been searched.
    done: usize,
}

impl OpenList {
    /// Returns whether a statement contains an unclosed list. `end`: the end of one of its lines.
    fn is_open(&mut self, text: &str, start: usize, end: usize) -> bool {
        let opened = ["join([", "join((", "= [\n", "([\n"];
        let lines = &text[self.done.max(start)..end];
        self.is_opened |= opened.iter().any(|sign| lines.contains(sign));
        self.is_closed |= lines.contains(']');
        self.done = end;
        self.is_opened && !self.is_closed
    }
}

/// Removes the white space at the end of `text`.
fn trim_end(text: &str) -> &str {
    let bare = text.strip_suffix('\n').unwrap_or(text);
    // Fast path: hardly any line has trailing blanks.
    match bare.as_bytes().last() {
        Some(last) if last.is_ascii_graphic() => bare,
        _ => bare.trim_end(),
    }
}

/// A part of an expression.
enum Operand<'a> {
    Text(Cow<'a, str>),
    Other,
}

/// Joins literals and substitutes known variables in a statement; `None` if nothing changes. Records the values that
/// the statement assigns.
fn evaluate(line: &str, names: &mut Names) -> Option<String> {
    let may_change = !names.is_empty() || may_join(line);
    if !may_change && memchr::memchr(b'=', line.as_bytes()).is_none() {
        return None;
    }
    let mut out = String::new();
    // The offset up to which the line has been written to the output; 0 until a part is replaced.
    let mut copied = 0;
    let mut at = 0;
    for part in parts(line) {
        let (head, name) = assigned(part);
        let source = &part[head..];
        let list = |name: &str| names.lists.get(name).map(String::as_str);
        let joined = || match concatenated(source, list) {
            Some(source) => substitute(&source, names),
            None => substitute(source, names),
        };
        let may_change = may_change || !names.is_empty();
        let value = may_change.then(joined).flatten();
        if let Some(name) = name {
            let text = value.as_deref().unwrap_or(source).trim();
            if text.starts_with('[') && elements(text).is_some() {
                names.set_list(name, text);
            }
            let text = literal(text.trim_end_matches([';', ',']));
            names.set(name, text.filter(|text| text.len() <= MAX_VALUE));
        }
        if let Some(value) = value.filter(|_| out.len() < MAX_RESULT) {
            out.push_str(&line[copied..at + head]);
            out.push_str(&value);
            copied = at + part.len();
        }
        at += part.len();
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&line[copied..]);
    Some(members(&out))
}

/// Returns whether a string may contain literals that [`substitute`] joins even if no variable is known: a quote before
/// an operator, a variable or another quote, possibly after blanks and line ends, or a list that is joined.
fn may_join(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\\');
    let mut quotes = memchr::memchr2_iter(b'"', b'\'', bytes);
    let is_operator = |at: usize| {
        let next = bytes[at + 1..].iter().find(|byte| !is_blank(byte));
        matches!(next, Some(b'"' | b'\'' | b'$' | b'+' | b'&' | b'.'))
    };
    quotes.any(is_operator) || text.contains(".join(")
}

/// Splits a line after each `;` outside quotes, where a shell begins another command.
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
            None if c == ';' => {
                parts.push(&line[start..=at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[start..]);
    parts
}

/// Returns the offset of the value in an assignment, and the name of the variable; 0 and `None` if the part is not an
/// assignment.
fn assigned(part: &str) -> (usize, Option<&str>) {
    if memchr::memchr(b'=', part.as_bytes()).is_none() {
        return (0, None);
    }
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

/// Returns the content of a value that is a single literal or a single shell word.
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

/// Joins the operands in `text`; `None` if nothing was joined or replaced.
fn substitute(text: &str, names: &Names) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() && out.len() < MAX_RESULT {
        let byte = bytes[at];
        let is_word = byte.is_ascii_alphabetic() || byte == b'_';
        if is_word {
            let length = word(&bytes[at..]);
            let is_prefix = length == 1 && matches!(bytes.get(at + 1), Some(b'"' | b'\''));
            if !is_prefix && names.get(&text[at..at + length]).is_none() {
                at += length;
                continue;
            }
        } else if !matches!(byte, b'"' | b'\'' | b'$') {
            at += 1;
            continue;
        }
        let (mut last, operand) = operand(text, at, names);
        let Operand::Text(mut value) = operand else {
            at = last;
            continue;
        };
        let mut count = 1;
        // Another operand may follow, with or without an operator in between.
        while let Some(next) = after_operator(text, last) {
            let (end, Operand::Text(more)) = self::operand(text, next, names) else {
                break;
            };
            value.to_mut().push_str(&more);
            last = end;
            count += 1;
            if value.len() > MAX_STATEMENT {
                break;
            }
        }
        // A single literal, with or without a prefix, is kept unchanged.
        let is_same = count == 1 && byte != b'$' && {
            let signs = ['"', '\''];
            let opened = text[at..last]
                .find(signs)
                .map(|open| &text[at + open..last]);
            opened.is_some_and(|whole| whole.trim_matches(signs) == value.trim_matches(signs))
        };
        if !is_same {
            let quote = if byte == b'$' { "" } else { "\"" };
            out.push_str(&text[copied..at]);
            out.push_str(quote);
            out.push_str(&value);
            out.push_str(quote);
            copied = last;
        }
        at = last;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// Parses a possible operand. Returns its end, and its value if that is known.
fn operand<'a>(text: &'a str, at: usize, names: &'a Names) -> (usize, Operand<'a>) {
    let rest = &text[at..];
    let bytes = rest.as_bytes();
    match bytes[0] {
        quote @ (b'"' | b'\'') if bytes.starts_with(&[quote; 3]) => {
            let Some(length) = memchr::memmem::find(&bytes[3..], &[quote; 3]) else {
                return (text.len(), Operand::Other);
            };
            let inner = &rest[3..3 + length];
            (at + 6 + length, Operand::Text(Cow::Borrowed(inner)))
        }
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
                _ => Cow::Borrowed(inner),
            };
            (at + end + 1, Operand::Text(value))
        }
        b'$' => match variable(rest) {
            Some((length, name)) => match names.get(name) {
                Some(value) => (at + length, Operand::Text(Cow::Borrowed(value))),
                None => (at + length, Operand::Other),
            },
            None => (at + 1, Operand::Other),
        },
        _ => {
            let length = word(bytes);
            let name = &rest[..length];
            // A string with a prefix: f"…", b'…', r"…".
            if length == 1
                && matches!(bytes.get(1), Some(b'"' | b'\''))
                && matches!(bytes[0], b'f' | b'b' | b'r' | b'F')
            {
                let (end, inner) = operand(text, at + 1, names);
                return match inner {
                    Operand::Text(inner) if bytes[0].eq_ignore_ascii_case(&b'f') => {
                        (end, Operand::Text(braces(inner, names)))
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
                Some(value) => (at + length, Operand::Text(Cow::Borrowed(value))),
                None => (at + length.max(1), Operand::Other),
            }
        }
    }
}

/// Returns the length of the name at the start of the bytes.
fn word(bytes: &[u8]) -> usize {
    let others = |b: &u8| !(b.is_ascii_alphanumeric() || *b == b'_');
    bytes.iter().position(others).unwrap_or(bytes.len())
}

/// Returns the length and the name of a variable at the start of `text`: `$name` or `${name}`.
fn variable(text: &str) -> Option<(usize, &str)> {
    let rest = text.strip_prefix('$')?;
    let inner = rest.strip_prefix('{').unwrap_or(rest);
    let length = word(inner.as_bytes());
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

/// Substitutes the variables in a string.
fn expand<'a>(text: &'a str, names: &Names) -> Cow<'a, str> {
    if names.is_empty() || !text.contains('$') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, value) = match variable(rest) {
            Some((length, name)) => (length, names.get(name).unwrap_or(&rest[..length])),
            None => (1, "$"),
        };
        out.push_str(value);
        rest = &rest[length..];
        if out.len() > MAX_STATEMENT {
            break;
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Substitutes each `{name}` in a string.
fn braces<'a>(text: Cow<'a, str>, names: &Names) -> Cow<'a, str> {
    if names.is_empty() || !text.contains('{') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(open) = rest.find('{') {
        let inner = &rest[open + 1..];
        let close = inner.find('}').unwrap_or(inner.len());
        let value = names.get(&inner[..close]).filter(|_| close < inner.len());
        if let Some(value) = value.filter(|_| out.len() < MAX_STATEMENT) {
            out.push_str(&rest[..open]);
            out.push_str(value);
            rest = &inner[close + 1..];
        } else {
            out.push_str(&rest[..=open]);
            rest = inner;
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the offset of the next operand: after an operator that concatenates strings, or directly after another
/// operand.
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
        // Python joins adjacent literals, even across lines.
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

/// Rewrites member access by a string as direct access: `a["b"]` becomes `a.b`.
fn members(text: &str) -> String {
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"((?-u:\w)|[)\]])\[["']([A-Za-z_](?-u:\w){1,40})["']\]"#).expect("a pattern")
    });
    MEMBER.replace_all(text, "$1.$2").into_owned()
}

/// Reverses the longest literal in a line that reverses a string.
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
