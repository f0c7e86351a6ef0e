//! Joins words that continue on the next line. Shells, make, Docker and the strings of many languages remove a `\` and
//! the line end after it; batch files do the same with `^`.

use super::decode::MAX_PART;
use super::fences::{Fences, unquoted};
use super::markup::reveals;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// The maximum number of commands in a layer whose words are joined.
const MAX_COMMANDS: usize = 100;

/// Adds the commands in which a word continues on the next line. `is_markdown`: whether the text is Markdown, in which
/// a `\` at the end of a line of prose is a line break.
pub(super) fn join(text: &str, is_markdown: bool, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let is_docker = !is_markdown && has_docker_escape(text);
    if !is_docker && memchr::memchr2(b'\\', b'^', bytes).is_none() {
        return;
    }
    let (mut count, mut room) = (0, MAX_PART);
    let mut fences = Fences::default();
    let mut start = 0;
    while start < bytes.len() {
        let (mut end, mut next) = line_end(bytes, start);
        let line = &text[start..end];
        if is_markdown {
            fences.read(line);
        }
        let is_directive = is_docker && is_docker_escape(line);
        let first = sign(line, is_docker).filter(|_| next > end && !is_directive);
        let Some((first, mut is_loose)) = first else {
            start = next;
            continue;
        };
        let was_code = !is_markdown || fences.is_code();
        let (quotes, _) = unquoted(line, usize::MAX);
        let mut joined = line[..first].to_owned();
        // The same text without the blanks and quotation markers at the start of the lines, which some languages
        // remove.
        let mut narrow = joined.clone();
        let mut is_split = false;
        while end < next {
            let from = next;
            (end, next) = line_end(bytes, from);
            let line = &text[from..end];
            if is_markdown {
                fences.read(line);
            }
            // Docker removes comments between the lines of a command.
            if line.trim_start().starts_with('#') && end < next {
                is_loose = true;
                continue;
            }
            let (_, line) = unquoted(line, quotes);
            let line = line.strip_prefix('\t').unwrap_or(line);
            is_split |= is_inside_word(&joined, line);
            let sign = sign(line, is_docker);
            let part = &line[..sign.map_or(line.len(), |(sign, _)| sign)];
            joined.push_str(part);
            narrow.push_str(part.trim_start_matches([' ', '\t', '>']));
            let Some((_, has_blanks)) = sign else {
                break;
            };
            is_loose |= has_blanks;
        }
        let raw = &text[start..end];
        let is_strict = is_split && (was_code && !is_loose || reveals(raw, &joined));
        let plain = if is_strict {
            Some(joined)
        } else {
            Some(narrow).filter(|narrow| reveals(raw, narrow))
        };
        if let Some(plain) = plain {
            count += 1;
            room = room.saturating_sub(plain.len());
            if count > MAX_COMMANDS || room == 0 {
                found.push(more(start, Encoding::Concatenation));
                return;
            }
            found.push(Decoded {
                span: Span::new(start, end),
                text: plain,
                encoding: Encoding::Concatenation,
            });
        }
        start = next;
    }
}

/// Returns whether a directive at the beginning of a Dockerfile makes the backtick the line continuation character.
fn has_docker_escape(text: &str) -> bool {
    let is_head = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    text.lines().take_while(is_head).any(is_docker_escape)
}

/// Returns whether a line is the directive that makes the backtick the continuation character. Docker ignores blanks
/// and case.
fn is_docker_escape(line: &str) -> bool {
    let mut signs = line.chars().filter(|c| !c.is_whitespace());
    let is_same = |sign: char| signs.next().is_some_and(|c| c.eq_ignore_ascii_case(&sign));
    "#escape=`".chars().all(is_same) && signs.next().is_none()
}

/// Returns the end of a line, and the start of the next line; in the last line, both are the length of the text.
/// JavaScript treats U+2028 and U+2029 inside strings as line ends, too.
pub(super) fn line_end(bytes: &[u8], from: usize) -> (usize, usize) {
    for sign in memchr::memchr3_iter(b'\n', b'\r', 0xe2, &bytes[from..]) {
        let end = from + sign;
        let width = match &bytes[end..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n' | b'\r', ..] => 1,
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
            _ => continue,
        };
        return (end, end + width);
    }
    (bytes.len(), bytes.len())
}

/// Returns the offset of the character that continues a line, and whether only some languages accept what follows it,
/// such as the blanks that Docker allows. Returns `None` if the line does not continue, for example because the
/// character is doubled and thereby escaped.
pub(super) fn sign(line: &str, is_docker: bool) -> Option<(usize, bool)> {
    let bare = line.trim_ascii_end();
    // Lua skips the line end and all blanks after `\z`.
    let skips = bare
        .strip_suffix('z')
        .filter(|before| before.ends_with('\\'));
    let is_loose = bare.len() < line.len() || skips.is_some();
    let bare = skips.unwrap_or(bare);
    let bytes = bare.as_bytes();
    let last = *bytes.last()?;
    let is_mark = matches!(last, b'\\' | b'^') || is_docker && last == b'`';
    let count = bytes.iter().rev().take_while(|byte| **byte == last).count();
    (is_mark && count % 2 == 1).then(|| (bytes.len() - 1, is_loose))
}

/// Returns whether a line end is inside a word. `before`: the text before the continuation character; `after`: the text
/// after the line end.
fn is_inside_word(before: &str, after: &str) -> bool {
    let is_word = |byte: &u8| !byte.is_ascii_whitespace() && !b";,|&(){}".contains(byte);
    before.as_bytes().last().is_some_and(is_word) && after.as_bytes().first().is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_continue_on_the_next_line_are_joined() {
        for (text, expected) in [
            ("cu\\\nrl a | ba\\\nsh\n", "curl a | bash"),
            (
                "curl ht\\\ntp://a.ex\\\nample/x |\\\n sh\n",
                "curl http://a.example/x | sh",
            ),
            ("a:\n\tcu\\\n\trl a | s\\\n\th\n", "\tcurl a | sh"),
            (
                "a: \"cu\\\n    rl a | ba\\\n    sh\"\n",
                "a: \"curl a | bash\"",
            ),
            ("c^\r\nurl a\r\n", "curl a"),
            ("# escape=`\nRUN cu`\nrl a\n", "RUN curl a"),
            ("#  Escape = ` \nRUN cu`\nrl a\n", "RUN curl a"),
            ("RUN cu\\\n# comment\nrl a\n", "RUN curl a"),
            ("RUN cu\\ \t\nrl a\n", "RUN curl a"),
            ("'cu\\\rrl a'", "'curl a'"),
            ("'cu\\\u{2028}rl a'", "'curl a'"),
            ("'cu\\\u{2029}rl a'", "'curl a'"),
            ("'cu\\z\n   rl a'", "'curl a'"),
            ("> cu\\\n> rl a\n", "> curl a"),
        ] {
            let mut found = Vec::new();
            join(text, false, &mut found);
            let found: Vec<String> = found.into_iter().map(|part| part.text).collect();
            assert_eq!(found, [expected], "{text}");
        }
    }

    #[test]
    fn words_of_a_quoted_block_are_joined() {
        for text in [
            "> ```bash\n> nc\\\n> at a -e b\n> ```\n",
            "```\n~~~\nnc\\\nat a -e b\n```\n",
        ] {
            let mut found = Vec::new();
            join(text, true, &mut found);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].text.contains("ncat a -e b"), "{text}");
        }
    }

    #[test]
    fn ordinary_continued_lines_and_line_breaks_are_not_joined() {
        for (text, is_markdown) in [
            ("curl -fsSL \\\n  https://a \\\n  -o b\n", false),
            ("if a; then \\\n\tb;\\\n\tfi\n", false),
            ("a \\\\\nb\\\\\n", false),
            ("One line\\\nand another one.\\\nThe end.\n", true),
            ("Use `a`\nand `b`\n", true),
            ("a\\", false),
            ("a \\\n", false),
            ("a \\\n# comment\nb\n", false),
            ("```\na\n```\nOne\\\ntwo.\n", true),
        ] {
            let mut found = Vec::new();
            join(text, is_markdown, &mut found);
            assert!(found.is_empty(), "{text}");
        }
    }
}
