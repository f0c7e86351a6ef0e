//! Resolves shell syntax that splits or hides words: quotes and escapes inside a word, expansions that are empty or
//! have a default value, and braces: `c""url`, `cu${x}rl`, `${x:-curl}`, `` cu`:`rl ``, `{curl,-s}`.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::escapes::escape;

/// The maximum length of an expansion, and of a word with braces, in bytes.
const MAX_EXPANSION: usize = 400;

/// The maximum number of words to which one word with braces may expand.
const MAX_WORDS: usize = 16;

/// Commands that an attacker has a reason to hide.
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

/// Programs that an attacker has a reason to hide, and that are found only as whole words.
const PROGRAMS: [&str; 17] = [
    "curl", "wget", "sh", "bash", "zsh", "dash", "ksh", "python", "python3", "perl", "ruby",
    "node", "php", "nc", "ncat", "eval", "source",
];

/// Characters that a shell removes inside a word.
const SIGNS: [char; 5] = ['"', '\'', '\\', '^', '`'];

/// Finds any of [`COMMANDS`].
static ANY_COMMAND: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(COMMANDS).expect("a few short words"));

/// Returns whether [`unsplit`] may remove the `$` or the backtick at an offset.
pub(super) fn may_expand(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
    if bytes[at] == b'`' {
        let is_inside = before.is_ascii_alphabetic() && next.is_ascii_lowercase();
        return is_inside || b":#`".contains(&next) || b":#".contains(&before);
    }
    before.is_ascii_alphabetic() || matches!(next, b'1'..=b'9') || b"I{@*!(\"'".contains(&next)
}

/// Returns whether the `{` at an offset may begin a list of words: `{a,b}`, `{a..b}`.
pub(super) fn may_list(bytes: &[u8], at: usize) -> bool {
    let end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'}';
    let inner = &bytes[at + 1..bytes.len().min(at + MAX_EXPANSION)];
    let length = inner.iter().position(end).unwrap_or_default();
    let inner = &inner[..length];
    let is_list = || inner.contains(&b',') || memchr::memmem::find(inner, b"..").is_some();
    let is_own = at == 0 || bytes[at - 1] != b'$';
    is_own && is_list() && bytes[at + 1 + length] == b'}'
}

/// Resolves the shell syntax inside the words of a line; `None` if this reveals no command.
pub(super) fn unsplit(line: &str) -> Option<String> {
    // The value may depend on whether a variable is set: `${x:+curl}`.
    let plain = [false, true].into_iter().find_map(|is_set| {
        if is_set && !line.contains('+') {
            return None;
        }
        let plain = unquoted(&listed(&expanded(line, is_set)));
        reveals(line, &plain).then_some(plain)
    });
    plain.filter(|plain| plain != line)
}

/// Returns whether a line contains a command that its original form does not contain.
fn reveals(raw: &str, plain: &str) -> bool {
    // This single pass rejects nearly all lines.
    let mut named = ANY_COMMAND.find_overlapping_iter(plain);
    if named.any(|found| !raw.contains(COMMANDS[found.pattern().as_usize()])) {
        return true;
    }
    programs(plain) > programs(raw)
}

/// Returns how many words of a line name one of [`PROGRAMS`], not counting words that are only printed or compared.
fn programs(line: &str) -> usize {
    let commands = line.split([';', '|', '&']);
    let words = commands
        .filter(|command| !only_shows(command))
        .flat_map(str::split_whitespace)
        .map(|word| word.trim_matches(['"', '\'']));
    words.filter(|word| PROGRAMS.contains(word)).count()
}

/// Returns whether a command prints or compares its arguments, and runs none of them. Scripts often do so with default
/// values such as `${1:-node}`, which then hide nothing.
fn only_shows(command: &str) -> bool {
    const BEFORE: [&str; 8] = ["if", "elif", "then", "else", "while", "until", "do", "!"];
    const SHOWS: [&str; 5] = ["echo", "printf", "[", "[[", "test"];
    let mut words = command.split_whitespace();
    let first = words.find(|word| !BEFORE.contains(word));
    first.is_some_and(|first| SHOWS.contains(&first))
        && !command.contains(['`', '>', '<'])
        && !command.contains("$(")
}

/// Removes quotes and escapes inside words.
fn unquoted(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut before = ' ';
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let is_next =
            |next: &char| next.is_ascii_lowercase() || *next == '$' || SIGNS.contains(next);
        let is_inside = before.is_ascii_alphabetic() && rest.peek().is_some_and(is_next);
        if !(is_inside && SIGNS.contains(&c)) {
            plain.push(c);
            before = c;
        }
    }
    plain
}

/// Substitutes the expansions of a line whose values are known. Inside a word, removes expansions that are probably
/// empty. `is_set`: whether to treat variables as set.
fn expanded(line: &str, is_set: bool) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['$', '`']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some((length, value)) = expansion(rest, is_set) else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
            continue;
        };
        let is_letter = |c: char| c.is_ascii_alphanumeric();
        let is_before = out.trim_end_matches(['"', '\'']).ends_with(is_letter);
        let after = rest[length..].trim_start_matches(['"', '\'']);
        let is_after = after.starts_with(is_letter);
        let length = match value {
            Value::Known(value) if !value.is_empty() || is_before || is_after => {
                out.push_str(&value);
                length
            }
            Value::Unknown if is_before && is_after => length,
            // Do not expand the text inside again: nested expansions would take exponential time.
            Value::Known(_) => {
                out.push_str(&rest[..length]);
                length
            }
            Value::Unknown => {
                out.push_str(&rest[..1]);
                1
            }
        };
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The value of an expansion.
enum Value {
    /// The value, which is empty for a variable that is not set.
    Known(String),
    /// The output of a command, which may be empty.
    Unknown,
}

/// Returns the length and the value of the expansion at the start of `text`.
fn expansion(text: &str, is_set: bool) -> Option<(usize, Value)> {
    let known = |length: usize, value: &str| Some((length, Value::Known(value.to_owned())));
    let near = MAX_EXPANSION.min(text.len());
    let closed = |open: u8, close: u8| closing(&text.as_bytes()[..near], open, close);
    let bytes = text.as_bytes();
    if bytes[0] == b'`' {
        let length = bytes[1..near].iter().position(|byte| *byte == b'`')?;
        return Some((length + 2, output(&text[1..=length])));
    }
    match bytes.get(1)? {
        b'{' => {
            let end = closed(b'{', b'}')?;
            Some((end + 1, Value::Known(parameter(&text[2..end], is_set)?)))
        }
        b'(' if bytes.get(2) != Some(&b'(') => {
            let end = closed(b'(', b')')?;
            Some((end + 1, output(&text[2..end])))
        }
        b'@' | b'*' | b'!' | b'1'..=b'9' => known(2, ""),
        // `$"…"` is a string that the shell translates.
        b'"' => known(1, ""),
        b'\'' => {
            let end = 2 + bytes[2..near].iter().position(|byte| *byte == b'\'')?;
            known(end + 1, &unescaped(&text[2..end]))
        }
        first if first.is_ascii_alphabetic() || *first == b'_' => {
            let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let length = bytes[1..].iter().take_while(is_part).count();
            let value = if &text[1..=length] == "IFS" { " " } else { "" };
            known(length + 1, value)
        }
        _ => None,
    }
}

/// Returns the offset of the bracket that closes the first opening bracket.
fn closing(bytes: &[u8], open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    bytes.iter().position(|byte| {
        depth += usize::from(*byte == open);
        let is_close = *byte == close && depth > 0;
        depth -= usize::from(is_close);
        is_close && depth == 0
    })
}

/// Returns the value of `${…}`, given the text in the braces.
fn parameter(inner: &str, is_set: bool) -> Option<String> {
    if inner.starts_with("IFS") {
        return Some(" ".to_owned());
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest = inner.strip_prefix(['@', '*', '!']).unwrap_or(inner);
    let rest = rest.trim_start_matches(is_name);
    if rest.len() == inner.len() {
        return None;
    }
    let index = rest
        .strip_prefix('[')
        .and_then(|index| index.split_once(']'));
    let rest = index.map_or(rest, |(_, rest)| rest);
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let word = match rest.chars().next() {
        Some('-' | '=') if !is_set => &rest[1..],
        Some('+') if is_set => &rest[1..],
        _ => "",
    };
    // The word is shorter than `inner`, so the recursion ends.
    Some(expanded(word.trim_matches(['"', '\'']), is_set))
}

/// Returns the output of a command substitution.
fn output(command: &str) -> Value {
    let words: Vec<&str> = command.split_ascii_whitespace().collect();
    match words[..] {
        [] | [":" | "true" | "false"] => Value::Known(String::new()),
        [first, ..] if first.starts_with('#') => Value::Known(String::new()),
        ["echo" | "printf", .., word] if !word.starts_with('-') => {
            Value::Known(word.trim_matches(['"', '\'']).to_owned())
        }
        _ => Value::Unknown,
    }
}

/// Decodes the escapes of `$'…'`.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, c) = escape(rest).unwrap_or((1, '\\'));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// Applies brace expansion to the words of a line.
fn listed(line: &str) -> String {
    if !line.contains('{') {
        return line.to_owned();
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&');
    let mut out = String::with_capacity(line.len());
    for part in line.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        match alternatives(word) {
            Some(words) => out.push_str(&words.join(" ")),
            None => out.push_str(word),
        }
        out.push_str(&part[word.len()..]);
    }
    out
}

/// Returns the words to which a word with braces expands.
fn alternatives(word: &str) -> Option<Vec<String>> {
    if word.len() > MAX_EXPANSION {
        return None;
    }
    let mut words = first_alternatives(word)?;
    // Each step expands one pair of braces.
    for _ in 0..MAX_WORDS {
        let next = words
            .iter()
            .enumerate()
            .find_map(|(at, word)| Some((at, first_alternatives(word)?)));
        let Some((at, more)) = next.filter(|(_, more)| words.len() + more.len() <= MAX_WORDS)
        else {
            break;
        };
        words.splice(at..=at, more);
    }
    Some(words)
}

/// Expands the first pair of braces of a word.
fn first_alternatives(word: &str) -> Option<Vec<String>> {
    let bytes = word.as_bytes();
    let mut opens = memchr::memchr_iter(b'{', bytes);
    let open = opens.find(|at| *at == 0 || bytes[at - 1] != b'$')?;
    let close = open + closing(&bytes[open..], b'{', b'}')?;
    let (before, inner, after) = (&word[..open], &word[open + 1..close], &word[close + 1..]);
    let mut depth = 0_usize;
    let is_comma = |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    let mut parts: Vec<String> = inner.split(is_comma).map(str::to_owned).collect();
    if let [only] = &parts[..] {
        let (first, last) = only.split_once("..")?;
        let (first, last) = (first.parse::<char>().ok()?, last.parse::<char>().ok()?);
        parts = (first..=last).take(MAX_WORDS).map(String::from).collect();
    }
    let words = parts
        .iter()
        .take(MAX_WORDS)
        .map(|part| [before, part, after].concat());
    Some(words.filter(|word| !word.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_a_shell_reads_them() {
        for (line, expected) in [
            ("c\"\"url a", "curl a"),
            ("cu\\rl a", "curl a"),
            ("cu${1}rl a | ba${1}sh", "curl a | bash"),
            ("cu$*rl a | ba$1sh", "curl a | bash"),
            ("cu$(:)rl a | ba`:`sh", "curl a | bash"),
            ("cu$(cd .)rl a", "curl a"),
            ("cu${x:+y}rl a", "curl a"),
            ("cu${x[@]}rl a", "curl a"),
            ("cu\"${x-}\"rl a", "curl a"),
            ("cu\"$x\"rl a", "curl a"),
            ("cu$!rl a", "curl a"),
            ("cu$()rl a", "curl a"),
            ("c$\"\"url a", "curl a"),
            ("c$''url a", "curl a"),
            ("c$'\\165'rl a", "curl a"),
            ("cu$(echo r)l a", "curl a"),
            ("${x:-curl} a", "curl a"),
            ("${HOME:+curl} a", "curl a"),
            ("${x:-${y-cu}rl} a", "curl a"),
            ("wget a | $(:)bash", "wget a | bash"),
            ("echo a | ${1:-sh}", "echo a | sh"),
            ("[ -n a ] && ${1:-node} a", "[ -n a ] && node a"),
            ("{curl,a}|{bash,}", "curl a|bash"),
            ("c{u,}rl a", "curl crl a"),
            ("c{u..u}rl a", "curl a"),
            ("curl$IFS-s${IFS}a|ba''sh", "curl -s a|bash"),
        ] {
            assert_eq!(unsplit(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn ordinary_lines_are_kept() {
        for line in [
            "it's a `curl` command",
            "echo \"$x\" | curl -d @- a",
            "\"$HOME/bin/bash\"",
            "if [ -n \"${2:-node}\" ]; then",
            "  echo \"our apps: ${2:-node}\"",
            "import {a, b} from 'c'",
            "{\"a\":1,\"b\":[2,3]}",
            "cp a.{js,ts} $(pwd)",
            "`curl`s and `bash`es",
            "$(",
            "${",
            "`",
            "{",
            "$'",
            "é${é}é{é,é}",
            &"${a-".repeat(60),
            &format!("{}{}", "${a-".repeat(25), "}".repeat(25)),
        ] {
            assert_eq!(unsplit(line), None, "{line}");
            let bytes = line.as_bytes();
            for (at, byte) in bytes.iter().enumerate() {
                let _ = match byte {
                    b'{' => may_list(bytes, at),
                    b'$' | b'`' => may_expand(bytes, at),
                    _ => false,
                };
            }
        }
    }
}
