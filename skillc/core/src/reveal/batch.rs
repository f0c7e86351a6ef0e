//! Expands the variables of batch files, and removes the escape character `^`, as the command processor does.

use std::collections::BTreeMap;

use super::decode::MAX_PART;
use super::interpreted::Part;
use super::markup::reveals;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::{Span, char_floor};

/// The values of at most this many variables are recorded for each batch file.
const MAX_VARIABLES: usize = 1000;

/// The maximum length of a variable's value, in bytes.
const LONGEST_VALUE: usize = 2000;

/// How many bytes of values may be examined for each byte of a batch file, in addition to [`FREE_WORK`]. The limit is
/// needed because the expansion of a few bytes can search a long value and produce nothing.
const WORK_PER_BYTE: usize = 16;

/// The number of bytes of values that may be examined in any batch file, however small.
const FREE_WORK: usize = 64 << 10;

/// Variables that every Windows system has, with their usual values. Attackers build words from letters of these
/// values.
const SYSTEM: [(&str, &str); 10] = [
    ("comspec", r"C:\WINDOWS\system32\cmd.exe"),
    ("systemroot", r"C:\WINDOWS"),
    ("windir", r"C:\WINDOWS"),
    ("systemdrive", "C:"),
    ("os", "Windows_NT"),
    ("programfiles", r"C:\Program Files"),
    ("programdata", r"C:\ProgramData"),
    ("commonprogramfiles", r"C:\Program Files\Common Files"),
    ("public", r"C:\Users\Public"),
    (
        "pathext",
        ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC",
    ),
];

/// Variables whose values differ between systems.
const UNKNOWN: [&str; 22] = [
    "allusersprofile",
    "appdata",
    "cd",
    "computername",
    "date",
    "errorlevel",
    "homedrive",
    "homepath",
    "localappdata",
    "logonserver",
    "number_of_processors",
    "path",
    "processor_architecture",
    "programfiles(x86)",
    "programw6432",
    "random",
    "temp",
    "time",
    "tmp",
    "userdomain",
    "username",
    "userprofile",
];

/// Words of PowerShell, and programs of Windows that load other programs, in lower case.
const WORDS: [&str; 14] = [
    "bitsadmin",
    "certutil",
    "cscript",
    "downloadfile",
    "downloadstring",
    "iex",
    "invoke-expression",
    "invoke-restmethod",
    "invoke-webrequest",
    "irm",
    "iwr",
    "mshta",
    "regsvr32",
    "rundll32",
];

/// Adds the text of a batch file with its variables expanded and without `^`, if this reveals a command.
pub(super) fn batch(text: &str, found: &mut Vec<Part>) {
    if memchr::memchr3(b'^', b'%', b'!', text.as_bytes()).is_none() {
        return;
    }
    let mut variables = Variables::new(text.len());
    let most = (4 * text.len()).min(MAX_PART);
    let mut out = String::new();
    let mut places = Vec::new();
    let (mut at, mut start) = (0, 0);
    let mut line = String::new();
    for part in text.split_inclusive('\n') {
        at += part.len();
        let bare = part.trim_end_matches(['\r', '\n']);
        line.push_str(bare.strip_suffix('^').unwrap_or(bare));
        if bare.ends_with('^') && at < text.len() {
            continue;
        }
        if out.len() > most || variables.work == 0 {
            found.push(Part::new(more(start, Encoding::Concatenation)));
            break;
        }
        let expanded = variables.expanded(&line.replace('^', ""), most);
        for statement in statements(&expanded) {
            variables.assign(statement);
        }
        places.push((out.len(), Span::new(start, at)));
        out.push_str(&expanded);
        out.push('\n');
        line.clear();
        start = at;
    }
    if variables.is_full {
        found.push(Part::new(more(start, Encoding::Concatenation)));
    }
    if reveals(text, &out) || words(&out) > words(text) {
        found.push(Part {
            decoded: Decoded {
                span: Span::new(0, text.len()),
                text: out,
                encoding: Encoding::Concatenation,
            },
            places,
        });
    }
}

/// Returns how many words of a string are in [`WORDS`].
fn words(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| WORDS.contains(word)).count()
}

/// Splits a line at each `&` outside quotes, where another command begins.
fn statements(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    line.split(move |c: char| {
        is_quoted ^= c == '"';
        c == '&' && !is_quoted
    })
}

/// The replacement for a reference to a variable.
enum Value {
    Text(String),
    /// Nothing, because the variable has no value.
    Unset,
    /// A value that differs between systems.
    Unknown,
}

/// The variables whose values are known so far.
struct Variables {
    /// Values by the name in lower case; `None` if the variable has a value that is not known.
    values: BTreeMap<String, Option<String>>,
    /// How many bytes of values may still be examined.
    work: usize,
    /// Whether a variable was left out because of the limit.
    is_full: bool,
}

impl Variables {
    /// Creates a table of the system's variables. `size`: the size of the batch file in bytes.
    fn new(size: usize) -> Self {
        let known = SYSTEM
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned())));
        let unknown = UNKNOWN.iter().map(|name| ((*name).to_owned(), None));
        Self {
            values: known.chain(unknown).collect(),
            work: WORK_PER_BYTE * size + FREE_WORK,
            is_full: false,
        }
    }

    /// Records the variable that a statement sets.
    fn assign(&mut self, statement: &str) {
        let Some((name, value)) = assigned(statement) else {
            return;
        };
        let is_room = self.values.len() < MAX_VARIABLES || self.values.contains_key(&name);
        self.is_full |= !is_room;
        if is_room {
            let value = value.filter(|value| value.len() <= LONGEST_VALUE);
            self.values.insert(name, value);
        }
    }

    /// Expands the variables of a line: `%A%`, `!A!`, `%A:~1,2%` and `%A:b=c%`. In the middle of a word, arguments
    /// (`%1`) and variables without a value are removed: a batch file that uses them to hide a word is called without
    /// arguments. Once the result has `most` bytes, the rest of the line is kept unchanged.
    fn expanded(&mut self, line: &str, most: usize) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find(['%', '!']).filter(|_| out.len() < most) {
            out.push_str(&rest[..at]);
            let sign = &rest[at..=at];
            let inner = &rest[at + 1..];
            let argument = argument(inner).filter(|_| sign == "%");
            let close = inner.find(sign);
            let (value, after) = if let Some(length) = argument {
                (Some(Value::Unset), &inner[length..])
            } else if let Some(close) = close {
                (self.value(&inner[..close]), &inner[close + 1..])
            } else {
                (None, inner)
            };
            let raw = &rest[at..rest.len() - after.len()];
            rest = after;
            match value {
                Some(Value::Text(value)) => out.push_str(&value),
                Some(Value::Unset) if is_inside_word(&out, after) => {}
                Some(_) => out.push_str(raw),
                None => {
                    out.push_str(sign);
                    rest = inner;
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// Returns the value of a reference. `reference`: the text between its `%` or `!`. Returns `None` if the text is
    /// not a reference.
    fn value(&mut self, reference: &str) -> Option<Value> {
        let (name, change) = reference.split_once(':').unwrap_or((reference, ""));
        let is_name = |c: char| c.is_alphanumeric() || "_-.()#$@[]{}+~`".contains(c);
        if name.is_empty() || self.work == 0 {
            return None;
        }
        match self.values.get(&name.to_ascii_lowercase()) {
            Some(Some(value)) => {
                self.work = self.work.saturating_sub(value.len());
                Some(changed(value, change).map_or(Value::Unknown, Value::Text))
            }
            Some(None) => Some(Value::Unknown),
            None => name.chars().all(is_name).then_some(Value::Unset),
        }
    }
}

/// Applies the modifier of a reference to a value: `~1,2` selects a substring, `b=c` replaces text, and an empty
/// modifier changes nothing.
fn changed(value: &str, change: &str) -> Option<String> {
    if change.is_empty() {
        return Some(value.to_owned());
    }
    if let Some(range) = change.strip_prefix('~') {
        let (start, length) = range.split_once(',').unwrap_or((range, ""));
        return Some(slice(value, number(start)?, number(length)));
    }
    let (from, to) = change.split_once('=')?;
    if let Some(from) = from.strip_prefix('*') {
        // `*b=c` replaces everything up to and including the first match.
        let at = value.to_ascii_lowercase().find(&from.to_ascii_lowercase());
        let rest = at.map(|at| [to, &value[at + from.len()..]].concat());
        return rest.filter(|rest| rest.len() <= LONGEST_VALUE);
    }
    let is_small = !from.is_empty() && to.len() * value.len() <= 10 * LONGEST_VALUE;
    is_small.then(|| {
        let mut value = replaced(value, from, to);
        value.truncate(char_floor(&value, LONGEST_VALUE));
        value
    })
}

/// Replaces text, ignoring case as the command processor does.
fn replaced(value: &str, from: &str, to: &str) -> String {
    let (lower, from) = (value.to_ascii_lowercase(), from.to_ascii_lowercase());
    let mut out = String::with_capacity(value.len());
    let mut last = 0;
    for (at, part) in lower.match_indices(&from) {
        out.push_str(&value[last..at]);
        out.push_str(to);
        last = at + part.len();
    }
    out.push_str(&value[last..]);
    out
}

/// Returns the length of an argument such as `1`, `*` or `~dp0`, without the `%` before it.
fn argument(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('~').unwrap_or(text);
    let marks = if rest.len() < text.len() {
        let is_mark = |byte: &u8| b"fdpnxsatzFDPNXSATZ".contains(byte);
        rest.bytes().take(12).take_while(is_mark).count()
    } else {
        0
    };
    let last = *rest.as_bytes().get(marks)?;
    let is_number = last.is_ascii_digit() || last == b'*';
    is_number.then_some(text.len() - rest.len() + marks + 1)
}

/// Returns whether a reference is in the middle of a word. `before`, `after`: the text around it.
fn is_inside_word(before: &str, after: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '-' | '_' | '@');
    before.ends_with(is_word) && after.starts_with(|c: char| is_word(c) || matches!(c, '%' | '!'))
}

/// Returns the name, in lower case, and the value of the variable that a statement sets; the value is `None` if it is
/// not known.
fn assigned(statement: &str) -> Option<(String, Option<String>)> {
    let lower = statement.to_ascii_lowercase();
    let is_start = |at: &usize| !lower[..*at].ends_with(|c: char| c.is_alphanumeric());
    let at = lower
        .match_indices("set ")
        .map(|(at, _)| at)
        .find(is_start)?;
    let rest = statement[at + 4..].trim_start();
    let (name, value) = rest.split_once('=')?;
    let name = name.trim_start_matches('"').to_ascii_lowercase();
    for option in ["/p", "/a"] {
        if let Some(name) = name.strip_prefix(option) {
            return Some((name.trim_start_matches([' ', '"']).to_owned(), None));
        }
    }
    let value = value.trim_end_matches(['\r', '"', ' ', ')']);
    Some((name, Some(value.to_owned())))
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

    fn read(text: &str) -> Vec<Part> {
        let mut found = Vec::new();
        batch(text, &mut found);
        found
    }

    #[test]
    fn a_batch_file_is_read_with_its_variables() {
        for (text, expected) in [
            ("c^u^r^l http://a", "curl http://a"),
            ("c^\r\nurl http://a", "curl http://a"),
            ("set a=cu\nset \"b=rl\"\n%a%%b% a", "curl a"),
            ("set \"a=cu\" & set b=rl& rem\n%a%%b% a", "curl a"),
            ("if 1==1 (set a=cu)\n%a%rl a", "curl a"),
            ("set \"a=x & y\" & set \"b=cu\"\n%b%rl a", "curl a"),
            ("set x=lruc\n%x:~3,1%%x:~2,1%%X:~1,-2%%x:~-4,1% a", "curl a"),
            ("set x=cuQQrl\n!x:QQ=! a", "curl a"),
            ("set x=cuqqrl\n%x:QQ=% a", "curl a"),
            ("set x=aaQQcurl\n%x:*qq=% a", "curl a"),
            ("cu%NOPE%rl a", "curl a"),
            ("cu!NOPE!rl a", "curl a"),
            ("cu%a%%b:~1%rl a", "curl a"),
            ("cur%1l a", "curl a"),
            ("cu%*rl a", "curl a"),
            ("cu%~dp1rl a", "curl a"),
            (
                "powershell \"i%NOPE%wr http://a | i%NOPE%ex\"",
                "iwr http://a | iex",
            ),
            (
                "set a=zexz\nset a=%a:z=%\npowershell i%a%",
                "powershell iex",
            ),
        ] {
            let found = read(text);
            let has = |part: &Part| part.decoded.text.contains(expected);
            assert!(found.iter().any(has), "{text}");
        }
    }

    #[test]
    fn ordinary_references_are_kept() {
        for text in [
            "echo %A%curl%B%\n",
            "set d=%~dp0\ncd %d%\necho 100%\n",
            "rmdir /s /q \"%BUILD%\\out\"\ndel %1\n",
            "set /p NAME=Name: \nco%NAME%py a\n",
            "for %%i in (a b) do echo %%i\n",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
        let mut variables = Variables::new(100);
        for line in [
            "rmdir \"%BUILD%\\%1\" & %JAVA% -jar %~dp0a.jar 100%",
            "for %%i in (%PATH%) do a-%USERNAME%-b",
        ] {
            assert_eq!(variables.expanded(line, 1000), line);
        }
        assert_eq!(slice("abc", -9, Some(-9)), "");
        assert_eq!(slice("abc", 1, Some(isize::MIN)), "");
    }

    #[test]
    fn places_are_those_of_the_lines() {
        let text = "echo a\nc^\nurl b\ncu%c%rl d\n";
        let found = read(text);
        let shown: Vec<&str> = found[0]
            .places
            .iter()
            .map(|(_, span)| &text[span.start..span.end])
            .collect();
        assert_eq!(shown, ["echo a\n", "c^\nurl b\n", "cu%c%rl d\n"]);
    }

    #[test]
    fn long_values_that_become_empty_take_bounded_time() {
        let value = "x".repeat(LONGEST_VALUE - 10);
        let text = format!("set a={value}\n{}", "%a:x=%\n".repeat(100_000));
        let found = read(&text);
        assert!(found.iter().any(|part| part.decoded.text.is_empty()));
    }
}
