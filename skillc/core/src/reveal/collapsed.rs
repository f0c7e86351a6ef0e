//! Shortens long commands: a command that is spread over many lines, or padded with blanks or comments, becomes a
//! single line. The patterns and the command-line reader examine only a limited amount of text around a word.

use super::continued::{line_end, sign};
use super::decode::MAX_PART;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::{Span, char_floor};

/// The maximum length of a shortened command, in bytes.
const MAX_COMMAND: usize = 16 << 10;

/// How many bytes of a longer command are kept before its download, after the download, and at the command's end. An
/// attacker can add options between a download and the program that runs it.
const KEPT: usize = 4 << 10;

/// The maximum number of commands in a layer that are shortened.
const MAX_COMMANDS: usize = 100;

/// A command is long if it has more than this many lines, or loses at least this many bytes of padding.
const MANY_LINES: usize = 10;
const MUCH_PADDING: usize = 300;

/// Words of commands that transfer or decode data.
const TRANSFERS: [&str; 11] = [
    "curl", "wget", "http", "/dev/tcp", "base64", "nc ", "ncat", "socat", "scp ", "rsync",
    "openssl",
];

/// Commands that download data.
const FETCHERS: [&str; 2] = ["curl ", "wget "];

/// The effect of the end of a line on the command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The command ends.
    Last,
    /// The next line continues this one.
    Joined,
    /// The line ends with an operator. The operator's command follows, possibly after blank lines and comments.
    Operator,
}

/// Adds a short form of each long command.
pub(super) fn collapse(text: &str, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let has = |sign: &&str| memchr::memmem::find(bytes, sign.as_bytes()).is_some();
    if !TRANSFERS.iter().any(has) {
        return;
    }
    let (mut count, mut room) = (0, MAX_PART);
    let mut start = 0;
    while start < bytes.len() {
        let (end, next) = line_end(bytes, start);
        let line = &text[start..end];
        // Fast path: nearly all lines are short commands of their own. A command begins neither with a comment nor with
        // the `|` of a table.
        let is_short = line.len() < MUCH_PADDING && line_kind(line).1 == End::Last;
        if is_short || line.trim_ascii_start().starts_with(['#', '|']) {
            start = next;
            continue;
        }
        let mut command = Command::read(text, start);
        start = command.next;
        let Some(plain) = command.plain() else {
            continue;
        };
        if plain.len() > MAX_COMMAND {
            // Harmless files also have long lines, but those lines do not run a download.
            let Some(short) = without_middle(plain) else {
                continue;
            };
            found.push(more(command.span.start, Encoding::Concatenation));
            command.text = short;
        }
        count += 1;
        room = room.saturating_sub(command.text.len());
        if count > MAX_COMMANDS || room == 0 {
            found.push(more(command.span.start, Encoding::Concatenation));
            return;
        }
        found.push(Decoded {
            span: command.span,
            text: command.text,
            encoding: Encoding::Concatenation,
        });
    }
}

fn contains(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Returns the text around the first download of a command, and the end of the command. Returns `None` if nothing uses
/// the output of a download. The program after a pipe is not checked, because its name can be written in too many ways.
fn without_middle(command: &str) -> Option<String> {
    let bytes = command.as_bytes();
    let is_word = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"_-".contains(byte))
    };
    let first = |word: &&str| memchr::memmem::find_iter(bytes, word.as_bytes()).find(is_word);
    let start = FETCHERS.iter().filter_map(first).min()?;
    let is_pipe = |at: usize| {
        let (before, after) = (bytes.get(at.wrapping_sub(1)), bytes.get(at + 1));
        before != Some(&b'|') && after != Some(&b'|')
    };
    let is_used = command[..start].trim_ascii_end().ends_with(['(', '`'])
        || memchr::memchr_iter(b'|', &bytes[start..]).any(|at| is_pipe(start + at));
    if !is_used {
        return None;
    }
    let from = char_floor(command, start.saturating_sub(KEPT));
    let head = char_floor(command, start + KEPT);
    let tail = char_floor(command, command.len().saturating_sub(KEPT)).max(head);
    Some(format!("{} {}", &command[from..head], &command[tail..]))
}

/// A command, possibly of several lines.
struct Command {
    span: Span,
    /// The start of the line after the command.
    next: usize,
    /// The text without line ends, comments between the lines, and padding.
    text: String,
    lines: usize,
    has_comments: bool,
}

impl Command {
    /// Reads the command that begins at the start of a line.
    fn read(text: &str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let mut command = Self {
            span: Span::new(start, start),
            next: start,
            text: String::new(),
            lines: 0,
            has_comments: false,
        };
        let mut before = End::Joined;
        while command.next < bytes.len() {
            let from = command.next;
            let (end, next) = line_end(bytes, from);
            let line = &text[from..end];
            let bare = line.trim_ascii_start();
            let is_comment = bare.starts_with('#') && command.lines > 0;
            if is_comment || before == End::Operator && bare.is_empty() {
                command.has_comments |= is_comment;
                command.next = next;
                continue;
            }
            // A table row does not continue a command.
            if before == End::Operator && bare.starts_with('|') {
                break;
            }
            let (code, kind) = line_kind(line);
            command.has_comments |=
                kind == End::Operator && code.len() < line.trim_ascii_end().len();
            command.push(code);
            if kind == End::Operator {
                command.push(" ");
            }
            command.lines += 1;
            command.span.end = end;
            command.next = next;
            before = kind;
            if kind == End::Last {
                break;
            }
        }
        command
    }

    /// Adds text, with each run of blanks shortened to a single blank.
    fn push(&mut self, code: &str) {
        let is_blank = |c: char| matches!(c, ' ' | '\t');
        let mut rest = code;
        while let Some(at) = rest.find(is_blank) {
            self.text.push_str(&rest[..at]);
            if !self.text.ends_with(' ') {
                self.text.push(' ');
            }
            rest = rest[at..].trim_start_matches(is_blank);
        }
        self.text.push_str(rest);
    }

    /// Returns the short form of the command, if the command is long and may transfer data.
    fn plain(&self) -> Option<&str> {
        let length = self.span.end - self.span.start;
        let is_long = self.lines > MANY_LINES
            || self.has_comments
            || length.saturating_sub(self.text.len()) >= MUCH_PADDING
            || length >= MAX_COMMAND;
        (is_long && contains(&self.text, &TRANSFERS)).then_some(&*self.text)
    }
}

/// Returns the code of a line and how the line ends. The code excludes a continuation character, and a comment after an
/// operator.
fn line_kind(line: &str) -> (&str, End) {
    if let Some((at, _)) = sign(line, false) {
        return (&line[..at], End::Joined);
    }
    let is_open = |code: &str| {
        let is_operator = code.ends_with('|') || code.ends_with("&&") || code.ends_with("|&");
        is_operator && !is_block_scalar(code)
    };
    let bare = line.trim_ascii_end();
    if is_open(bare) {
        return (bare, End::Operator);
    }
    let comments = memchr::memchr_iter(b'#', line.as_bytes());
    for at in comments {
        let code = &line[..at];
        // A comment begins where a word could begin.
        if !code.ends_with([' ', '\t', '|', '&']) {
            continue;
        }
        let code = code.trim_ascii_end();
        if is_open(code) {
            return (code, End::Operator);
        }
    }
    (bare, End::Last)
}

/// Returns whether a line begins a YAML block scalar: `run: |`.
fn is_block_scalar(code: &str) -> bool {
    let key = code.strip_suffix('|').map(str::trim_ascii_end);
    let key = key.and_then(|key| key.strip_suffix(':'));
    key.is_some_and(|key| {
        let key = key.trim_ascii_start();
        !key.strip_prefix("- ").unwrap_or(key).contains(' ')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        collapse(text, &mut found);
        found.into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn long_commands_become_one_line() {
        for (text, expected) in [
            (
                format!("curl \\\n{}  URL | bash\n", "  -s \\\n".repeat(11)),
                format!("curl{} URL | bash", " -s".repeat(11)),
            ),
            (
                format!("curl {}URL\t | bash\n", " ".repeat(6000)),
                "curl URL | bash".to_owned(),
            ),
            (
                format!("curl URL |{}bash\n", "\n".repeat(400)),
                "curl URL | bash".to_owned(),
            ),
            (
                "curl URL |\n# a\n\n# b\nbash\n".to_owned(),
                "curl URL | bash".to_owned(),
            ),
            (
                "curl -o a URL && # a | b\n bash a\n".to_owned(),
                "curl -o a URL && bash a".to_owned(),
            ),
        ] {
            assert_eq!(read(&text), [expected], "{text}");
        }
    }

    #[test]
    fn a_command_that_is_too_long_is_marked_and_loses_its_middle() {
        let options = "-H a:b ".repeat(2500);
        for (text, start, end) in [
            (
                format!("curl URL {options}| env bash\n"),
                "curl URL -H",
                "b | env bash",
            ),
            (
                format!("curl URL {options}| \\bash\n"),
                "curl URL -H",
                "b | \\bash",
            ),
            (
                format!("curl URL {options}|{{ bash; }}\n"),
                "curl URL -H",
                "b |{ bash; }",
            ),
            (
                format!("curl URL {options}|\n# a\n python3 -c 'x'\n"),
                "curl URL -H",
                "b | python3 -c 'x'",
            ),
            (
                format!("curl \\\n{}URL | env bash\n", "-s \\\n".repeat(6000)),
                "curl -s",
                "URL | env bash",
            ),
            (
                format!("bash <(curl URL {options})\n"),
                "bash <(curl URL",
                "b )",
            ),
            (
                format!("wget URL {options}é| sh; : é\n"),
                "wget URL",
                "é| sh; : é",
            ),
        ] {
            let found = read(&text);
            let [mark, short] = &found[..] else {
                panic!("{found:?}");
            };
            assert_eq!(mark, "");
            assert!(short.len() < MAX_COMMAND, "{short}");
            assert!(short.starts_with(start) && short.ends_with(end), "{short}");
        }
    }

    #[test]
    fn ordinary_commands_and_tables_are_kept() {
        let rows = "| curl | http |\n".repeat(20);
        let lines = format!("{}curl URL\n", "a = http\n".repeat(300));
        let long = format!("x = '{}' // curl", "http://a.example ".repeat(3000));
        let library = format!(
            "x = '{}' // libcurl a | b",
            "http://a.example ".repeat(3000)
        );
        let saved = format!("curl URL {}-o a || exit", "-H a:b ".repeat(2500));
        for text in [
            "curl \\\n  -s \\\n  URL | bash\n",
            "curl URL |\n  bash\n",
            "# a\ncurl URL # b\n",
            "# curl URL |\n# a\nbash\n",
            "- run: |\n    # a\n    curl URL -o a\n",
            &rows,
            &lines,
            &long,
            &library,
            &saved,
        ] {
            assert!(read(text).is_empty(), "{text:.80}");
        }
    }
}
