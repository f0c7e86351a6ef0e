//! Data flow that only shells know: code in quotes and groups, functions whose output is used, open descriptors, and
//! files that a shell reads as its input.

use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::expression::Expression;
use super::flow::{compiled, text_of, used};

/// The name of the input of the whole script.
pub(super) const INPUT: &str = "&0";

/// How much of the code before a quote is examined to find out whether the string is run, in bytes.
const LEAD: usize = 160;

/// How deeply the parts of a statement that are read on their own may be nested.
pub(super) const MAX_NESTED: usize = 12;

/// Every statement with [`pieces`] contains at least one of these bytes.
const PIECES: &[u8] = b"\"'`(;&|\n";

/// The end of the code before a string that a shell runs.
static CODE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?i-u)(?:(?:^|[\s;&|(/])(?:(?:ba|z|da|k|fi|a)?sh|su|cmd|pwsh|powershell)(?:\.exe)?(?:\s+[-/+][\w-]+(?:\s+\w+)?){0,6}\s+[-/]\w*c(?:ommand)?\s*",
        r"|(?:^|[\s;&|(])eval\s+|\bssh\s[^;|&\n]{1,100}\s|[-/]c[\x22']\s*,\s*\[?\s*",
        r"|\b(?:system|popen\d?|exec(?:sync)?|spawnsync|shell_exec|passthru|getoutput|getstatusoutput|check_output|check_call|subprocess\.(?:run|call|popen))\s*\(?\s*[fbr]{0,2}",
        r")\$?$"
    ))
    .expect("a pattern")
});

/// A shell or an interpreter whose input is a file or a descriptor, which it runs: `sh < a`, `bash -s -- b <&3`.
static READS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?x)(?:(?:^|[\s;&|({/"'`])(?:(?:ba|z|da|k)?sh|python[\d.]*|perl|ruby|node|php|source)|(?:^|[\n;&|({"'`])\s*\.)(?:\s+(?:-[\w-]*|/dev/stdin))*(?:\s+--(?:\s+[^\s<>|;&]{1,60}){0,8})?\s*
            (?:0?<\s*(?P<sign>&?)\s*["']?\$?\{?(?P<name>[\w./~-]+)|(?:/dev|/proc/self)/fd/(?P<fd>\d{1,3}))"#,
    )
});

/// The same without a file, if the input of the whole script has been replaced.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^\s*(?:exec\s+)?(?:[\w./]*/)?(?:(?:ba|z|da|k)?sh|python[\d.]*|perl|ruby|node)(?:\s+-[\w-]*)*\s*$",
    )
});

/// A pipe to a shell or an interpreter that runs its input. A quote after most options begins their value: `-c"…"`.
static PIPED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?x)\|&?\s*(?:(?:sudo|exec|env|command|nohup|time)\s+(?:-\w+\s+)*)*(?:[\w./]*/)?(?:(?:ba|z|da|k)?sh|python[\d.]*|perl|ruby|node|php)
            (?:(?:\s+-\w*)*(?:\s+--\s[^|;&\n]{0,80})?\s*(?:$|[;&|)}\n])|(?:\s+-[lsux]*)*["'`])"#,
    )
});

/// A program or a shell word that runs the output of a command: `eval "$(`, `source <(`.
static EVALUATED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?:(?:^|[\s;&|({"'`])(?:eval|source|(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*-\w*c)|(?:^|[\n;&|({"'`])\s*\.)\s+["']?(?:\$\(|`|<\()(?P<inner>[^)`\n]{1,300})"#,
    )
});

/// A reference to an open descriptor as input.
static DESCRIPTOR: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"<\s*&\s*["']?(?P<a>\d{1,3})|/(?:dev|proc/self)/fd/(?P<b>\d{1,3})|\s-u\s*(?P<c>\d{1,3})"#,
    )
});

/// A statement that opens a descriptor for the statements after it: `exec 3< <(…)`, `exec {fd}< a`, `exec < a`.
static OPENED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?:^|[\n;&|({]|\b(?:then|do|else|if|while|until|command|builtin)\s)\s*exec\s+(?:(?P<number>\d{1,3})|\{(?P<name>\w+)\})?<>?\s*[^\s]",
    )
});

/// A coprocess, with its name.
static COPROCESS: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?:^|[\s;{(])coproc\s+(?:(?P<name>[A-Za-z_]\w*)\s*[({])?"));

/// The beginning of a shell function, and the code after its bracket.
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^\s*(?:function\s+(?P<a>[A-Za-z_][\w-]*)\s*(?:\(\s*\))?|(?P<b>[A-Za-z_][\w-]*)\s*\(\s*\))\s*(?P<open>[({]?)",
    )
});

/// Programs whose output is data that they read: a function that starts one of them prints the data.
const PRINTERS: [&str; 26] = [
    "curl", "wget", "aria2c", "http", "https", "xh", "fetch", "lynx", "w3m", "nc", "ncat", "socat",
    "openssl", "base64", "xxd", "cat", "echo", "printf", "tr", "rev", "gunzip", "zcat", "sed",
    "awk", "command", "sudo",
];

/// Returns the parts of a statement that are commands of their own, in order: those in quoted code and those between
/// separators; without any of these, those in groups and substitutions. Empty if the statement is a single command.
pub(super) fn pieces(part: &str) -> Vec<Span> {
    if !part.bytes().any(|byte| PIECES.contains(&byte)) {
        return Vec::new();
    }
    let mut found = commands(part);
    if found.is_empty() {
        found = groups(part.as_bytes());
    }
    found.retain(|piece| piece.end - piece.start > 1);
    found
}

/// Returns the commands in quoted code and between separators.
fn commands(part: &str) -> Vec<Span> {
    let bytes = part.as_bytes();
    let mut found = Vec::new();
    let (mut start, mut at, mut depth) = (0, 0, 0_usize);
    let mut is_ticked = false;
    // Whether the text follows quoted code: it continues the command before the code.
    let mut is_rest = false;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'\\' => at += 1,
            b'"' | b'\'' => {
                let end = closing_quote(bytes, at);
                if is_code(part, at) {
                    found.extend((!is_rest).then(|| Span::new(start, at)));
                    found.push(Span::new(at + 1, end));
                    (start, is_rest) = (bytes.len().min(end + 1), true);
                }
                at = end;
            }
            b'`' => is_ticked = !is_ticked,
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && !is_ticked && is_separator(bytes, at) => {
                found.extend((!is_rest).then(|| Span::new(start, at)));
                // `&&` and `||`
                at += usize::from(bytes.get(at + 1) == Some(&byte));
                (start, is_rest) = (at + 1, false);
            }
            _ => {}
        }
        at += 1;
    }
    if start > 0 && !is_rest {
        found.push(Span::new(start, bytes.len()));
    }
    found
}

/// Returns the contents of groups and substitutions: `( … )`, `$( … )`, `<( … )` and backticks.
fn groups(bytes: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let end = match byte {
            b'\\' => at + 1,
            b'\'' => closing_quote(bytes, at),
            b'`' => {
                let length = memchr::memchr(b'`', &bytes[at + 1..]);
                length.map_or(bytes.len(), |length| at + 1 + length)
            }
            b'(' if before.is_none_or(|before| b"$<> \t\n;&|(".contains(&before)) => {
                closing_bracket(bytes, at)
            }
            _ => at,
        };
        if end > at && matches!(byte, b'(' | b'`') {
            found.push(Span::new(at + 1, end));
        }
        at = end + 1;
    }
    found
}

/// Returns the position of the quote that ends the string which begins at `at`; the length of the text without one.
fn closing_quote(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut is_escaped = false;
    let length = bytes[at + 1..].iter().position(|byte| {
        let is_end = *byte == quote && !is_escaped;
        is_escaped = quote == b'"' && *byte == b'\\' && !is_escaped;
        is_end
    });
    length.map_or(bytes.len(), |length| at + 1 + length)
}

/// Returns the position of the bracket that closes the one at `at`; the length of the text without one.
fn closing_bracket(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let length = bytes[at..].iter().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    length.map_or(bytes.len(), |length| at + length)
}

/// Returns whether a byte ends a command, and is neither part of a redirection nor of an address.
fn is_separator(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    let next = bytes.get(at + 1).copied();
    match bytes[at] {
        b';' | b'\n' => true,
        b'&' if matches!(before, Some(b'>' | b'<')) || next == Some(b'>') => false,
        b'&' => next.is_none_or(|next| next == b'&' || next.is_ascii_whitespace()),
        b'|' => next == Some(b'|'),
        _ => false,
    }
}

/// Returns whether the string that begins at `at` is code for a shell.
fn is_code(part: &str, at: usize) -> bool {
    let before = &part.as_bytes()[char_floor(part, at.saturating_sub(LEAD))..at];
    let last = before.last().copied();
    // Most strings are arguments or values of other programs.
    let may_be = last.is_some_and(|last| b" \t(,$=cCfbr".contains(&last));
    may_be && CODE.is_match(before)
}

/// Returns whether a statement runs data as the input of a shell, or the output of a command that prints data.
/// `is_held`: whether a name stands for such data; the name of a descriptor is its number after a `&`.
pub(super) fn runs_input(part: &str, is_held: &dyn Fn(&str) -> bool) -> bool {
    let bytes = part.as_bytes();
    let holds = |code: &str| used(code).any(|(_, name)| is_held(name)) || reads_held(code, is_held);
    let reads = || {
        READS.captures_iter(bytes).any(|found| {
            let text = |group: &str| found.name(group).map(|of| text_of(part, of));
            match (text("sign"), text("name"), text("fd")) {
                (_, _, Some(number)) => is_held(&format!("&{number}")),
                (Some("&"), Some(name), _) => is_held(name) || is_held(&format!("&{name}")),
                (_, Some(name), _) => is_held(name),
                _ => false,
            }
        })
    };
    // All names before a pipe are also before the last one.
    let pipes = || {
        let last = PIPED.find_iter(bytes).last();
        last.is_some_and(|found| holds(&part[..char_floor(part, found.start())]))
    };
    let evaluates = || {
        let mut evaluated = EVALUATED.captures_iter(bytes);
        evaluated.any(|found| {
            found
                .name("inner")
                .is_some_and(|of| holds(text_of(part, of)))
        })
    };
    (part.contains('<') || part.contains("/fd/")) && reads()
        || part.contains('|') && pipes()
        || part.contains(['(', '`']) && evaluates()
        || is_held(INPUT) && BARE.is_match(bytes)
}

fn reads_held(code: &str, is_held: &dyn Fn(&str) -> bool) -> bool {
    descriptors(code).any(|name| is_held(&name))
}

/// Returns the names of the descriptors that a statement reads.
pub(super) fn descriptors(part: &str) -> impl Iterator<Item = String> {
    let has_sign = part.contains('<') || part.contains("/fd/") || part.contains("-u");
    let found = has_sign.then(|| DESCRIPTOR.captures_iter(part.as_bytes()));
    found.into_iter().flatten().filter_map(|found| {
        let number = ["a", "b", "c"].iter().find_map(|group| found.name(group))?;
        Some(format!("&{}", text_of(part, number)))
    })
}

/// Returns the name under which a statement makes data available to later statements: a descriptor or a coprocess.
pub(super) fn opened(part: &str) -> Option<String> {
    if part.contains("exec")
        && let Some(found) = OPENED.captures(part.as_bytes())
    {
        let name = found.name("name").map(|name| text_of(part, name));
        let number = found
            .name("number")
            .map_or("0", |number| text_of(part, number));
        return Some(name.map_or_else(|| format!("&{number}"), str::to_owned));
    }
    if !part.contains("coproc") {
        return None;
    }
    let found = COPROCESS.captures(part.as_bytes())?;
    let name = found.name("name").map(|name| text_of(part, name));
    Some(name.unwrap_or("COPROC").to_owned())
}

/// A shell function whose body is being read.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) name: String,
    /// The number of open braces.
    depth: usize,
    /// Whether the body has begun.
    is_open: bool,
}

impl Body {
    /// Returns the function that contains a statement, or whose definition begins in it. `last`: the function that
    /// contains the statement before.
    pub(super) fn at(part: &str, last: Option<Self>) -> Option<Self> {
        // Without a bracket, it is a call in another language: `main()`.
        let opens = || part.trim_start().starts_with(['{', '(']);
        let mut body = last.filter(|last| last.depth > 0 || !last.is_open && opens());
        let may_begin = part.contains("()") || part.contains("function ") || part.contains("( )");
        let found = may_begin
            .then(|| FUNCTION.captures(part.as_bytes()))
            .flatten();
        if let Some(found) = found {
            let name = found.name("a").or_else(|| found.name("b"))?;
            let is_group = found
                .name("open")
                .is_some_and(|open| open.as_bytes() == b"(");
            body = Some(Self {
                name: text_of(part, name).to_owned(),
                depth: 0,
                is_open: is_group,
            });
        }
        if let Some(body) = &mut body {
            for word in part.split_whitespace() {
                if word == "{" || word.ends_with("){") {
                    body.depth += 1;
                    body.is_open = true;
                } else if word.starts_with('}') {
                    body.depth = body.depth.saturating_sub(1);
                }
            }
        }
        body
    }
}

/// Returns whether a statement in a shell function prints the data that it reads. `is_held`: whether a name stands for
/// data, such as another function.
pub(super) fn prints(part: &str, is_held: impl Fn(&str) -> bool) -> bool {
    let begin = FUNCTION
        .find(part.as_bytes())
        .map_or(0, |found| found.end());
    let code = part.get(begin..).unwrap_or_default();
    let mut words = code.split_whitespace().skip_while(|word| *word == "{");
    let first = words.next();
    // In other languages, this is an assignment.
    let is_set = words.next() == Some("=");
    first.is_some_and(|first| {
        let name = first.trim_start_matches('(').rsplit('/').next();
        name.is_some_and(|name| PRINTERS.contains(&name) || !is_set && is_held(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [
            &READS,
            &BARE,
            &PIPED,
            &EVALUATED,
            &DESCRIPTOR,
            &OPENED,
            &COPROCESS,
            &FUNCTION,
        ] {
            assert!(!pattern.as_str().is_empty());
        }
        LazyLock::force(&CODE);
    }

    #[test]
    fn commands_in_code_and_groups_are_parts_of_a_statement() {
        for (part, expected) in [
            (
                "bash -c 'abc -o d && efg d' x",
                "bash -c |abc -o d && efg d",
            ),
            ("eval \"abc; efg\"", "eval |abc; efg"),
            ("os.system(\"abc && efg\")", "os.system(|abc && efg"),
            (
                "run(['sh', '-c', 'abc; efg'])",
                "run(['sh', '-c', |abc; efg",
            ),
            ("(abc; efg)", "abc; efg"),
            ("x=$(abc; efg)", "abc; efg"),
            ("x=\"`abc; efg`\"", "abc; efg"),
            ("x=$(abc) && eval \"$x\"", "x=$(abc) | eval |$x"),
            ("abc & efg 2>&1", "abc | efg 2>&1"),
            ("cat $(abc)/efg hij; klm", "cat $(abc)/efg hij| klm"),
            ("cat $(abc)/efg hij", "abc"),
            (
                "bash -euo pipefail -c \"abc; efg\"",
                "bash -euo pipefail -c |abc; efg",
            ),
            (
                "pwsh -ep bypass -Command 'abc'",
                "pwsh -ep bypass -Command |abc",
            ),
            ("bash -lc 'abc'", "bash -lc |abc"),
            ("cmd /C \"abc\"", "cmd /C |abc"),
            ("abc &&efg", "abc |efg"),
            ("abc || ./efg", "abc | ./efg"),
            ("abc\nefg", "abc|efg"),
            ("abc | efg", ""),
            ("grep -c 'abc; efg' hij", ""),
            ("echo 'abc; efg'", ""),
            ("curl 'https://a/b?c&d'", ""),
        ] {
            let found = pieces(part);
            let found: Vec<&str> = found.iter().map(|of| &part[of.start..of.end]).collect();
            assert_eq!(found.join("|"), expected, "{part}");
        }
    }

    #[test]
    fn a_shell_runs_its_input() {
        for (part, expected) in [
            ("bash < x.sh", true),
            ("bash -s -- a b < \"$x\"", true),
            ("python3 - <x.sh", true),
            ("source /dev/stdin <&3", true),
            ("bash <&3", true),
            (". /dev/fd/3", true),
            ("cat x.sh | sudo bash -s", true),
            ("cat <&3 | bash", true),
            ("a | bash | cat x.sh | bash", true),
            ("eval \"cat x.sh | bash -s\"", true),
            ("eval 'cat x.sh | bash'", true),
            ("eval \"$(cat x.sh)\"", true),
            ("source <(cat x.sh)", true),
            ("bash -c \"`cat x.sh`\"", true),
            ("bash <&4", false),
            ("jq . <&3", false),
            ("jq . <(cat x.sh)", false),
            ("python3 run.py < x.sh", false),
            ("cat x.sh | python3 -m json.tool", false),
            ("cat x.sh | python3 -c \"import json\"", false),
            ("cat x.sh | python3 -c\"import json\"", false),
            ("cat x.sh | perl -pe's/a/b/'", false),
            ("cat x.sh | node -e'a'", false),
            ("cat x.sh | bash run.sh", false),
            ("echo \"$(cat x.sh)\"", false),
            ("bash <<< x.sh", false),
        ] {
            let is_held = |name: &str| ["x", "x.sh", "&3"].contains(&name);
            assert_eq!(runs_input(part, &is_held), expected, "{part}");
        }
    }

    #[test]
    fn descriptors_and_coprocesses_are_opened() {
        for (part, expected) in [
            ("exec 3< <(abc)", Some("&3")),
            ("exec {in}<abc", Some("in")),
            ("exec < <(abc)", Some("&0")),
            ("coproc { abc", Some("COPROC")),
            ("coproc web { abc", Some("web")),
            ("coproc abc d", Some("COPROC")),
            ("if a; then exec 3< abc", Some("&3")),
            ("{ exec 3<abc", Some("&3")),
            ("docker exec <container> curl a", None),
            ("exec 3> abc", None),
            ("exec abc", None),
        ] {
            assert_eq!(opened(part).as_deref(), expected, "{part}");
        }
        let read: Vec<String> = descriptors("read -u 3 x <&4 < /dev/fd/5").collect();
        assert_eq!(read, ["&3", "&4", "&5"]);
    }

    #[test]
    fn a_function_ends_at_its_brace() {
        let mut body = None;
        for (part, expected) in [
            ("a", None),
            ("f() {", Some("f")),
            ("a || {", Some("f")),
            ("b", Some("f")),
            ("}", Some("f")),
            ("}", Some("f")),
            ("a", None),
            ("function g", Some("g")),
            ("{", Some("g")),
            ("}", Some("g")),
            ("h() ( a )", Some("h")),
            ("a", None),
            ("main()", Some("main")),
            ("a = b()", None),
        ] {
            body = Body::at(part, body);
            assert_eq!(body.as_ref().map(|body| &*body.name), expected, "{part}");
        }
        assert!(prints("f() { curl a", |_| false));
        assert!(prints("g b", |name| name == "g"));
        assert!(!prints("local a=b", |_| false));
        assert!(!prints("g = b", |name| name == "g"));
    }
}
