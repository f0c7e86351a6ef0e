//! Joins words that continue on the next line. Shells, make, Docker and the strings of many languages remove a `\` and
//! the line end after it; batch files remove a `^`.

use super::decode::MAX_PART;
use super::markup::reveals;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// The maximum number of commands in a layer whose words are joined.
const MAX_COMMANDS: usize = 100;

/// The instruction that makes a backtick continue the lines of a Dockerfile.
const ESCAPE: &str = "escape=`";

/// Adds the commands in which a word continues on the next line. `is_markdown`: whether the text is Markdown, in which
/// a `\` at the end of a line of prose is a line break.
pub(super) fn join(text: &str, is_markdown: bool, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let is_docker = !is_markdown && memchr::memmem::find(bytes, ESCAPE.as_bytes()).is_some();
    if !is_docker && memchr::memchr2(b'\\', b'^', bytes).is_none() {
        return;
    }
    let (mut count, mut room) = (0, MAX_PART);
    let mut is_code = !is_markdown;
    let mut start = 0;
    while start < bytes.len() {
        let mut end = line_end(bytes, start);
        is_code ^= is_markdown && is_fence(&text[start..end]);
        let is_escape = is_docker && text[start..end].trim_end().ends_with(ESCAPE);
        let Some(first) = sign(bytes, end, is_docker).filter(|_| !is_escape) else {
            start = end + 1;
            continue;
        };
        let mut joined = text[start..first].to_owned();
        // The same text without the blanks at the start of the lines, which some languages remove.
        let mut narrow = joined.clone();
        let mut is_split = false;
        let was_code = is_code;
        loop {
            let next = end + 1;
            is_split |= is_inside_word(&joined, &bytes[next.min(bytes.len())..]);
            let skipped = usize::from(bytes.get(next) == Some(&b'\t'));
            let from = (next + skipped).min(bytes.len());
            end = line_end(bytes, from);
            is_code ^= is_markdown && is_fence(&text[from..end]);
            let sign = sign(bytes, end, is_docker);
            let line = &text[from..sign.unwrap_or(end).max(from)];
            joined.push_str(line);
            narrow.push_str(line.trim_start_matches([' ', '\t']));
            if sign.is_none() || end >= bytes.len() {
                break;
            }
        }
        let raw = &text[start..end];
        let is_strict = is_split && (was_code || reveals(raw, &joined));
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
        start = end + 1;
    }
}

/// Returns the offset of the line end at or after a position, or the length of the text.
fn line_end(bytes: &[u8], from: usize) -> usize {
    memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at)
}

fn is_fence(line: &str) -> bool {
    let bare = line.trim_start_matches([' ', '\t', '>', '-', '*']);
    bare.starts_with("```") || bare.starts_with("~~~")
}

/// Returns the offset of the sign that continues the line that ends at `end`; `None` if the line does not continue. Two
/// of these signs are an escaped sign.
fn sign(bytes: &[u8], end: usize, is_docker: bool) -> Option<usize> {
    if end >= bytes.len() {
        return None;
    }
    let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
    let last = *line.last()?;
    let is_mark = matches!(last, b'\\' | b'^') || is_docker && last == b'`';
    if !is_mark {
        return None;
    }
    let count = line.iter().rev().take_while(|byte| **byte == last).count();
    (count % 2 == 1).then(|| line.len() - 1)
}

/// Returns whether a line end is inside a word. `before`: the text before the sign that continues the line; `after`:
/// the text after the line end.
fn is_inside_word(before: &str, after: &[u8]) -> bool {
    let after = after.strip_prefix(b"\t").unwrap_or(after);
    let is_word = |byte: &u8| !byte.is_ascii_whitespace() && !b";,|&(){}".contains(byte);
    before.as_bytes().last().is_some_and(is_word) && after.first().is_some_and(is_word)
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
            ("c^\r\nurl a\r\n", "curl a\r"),
            ("# escape=`\nRUN cu`\nrl a\n", "RUN curl a"),
        ] {
            let mut found = Vec::new();
            join(text, false, &mut found);
            let found: Vec<String> = found.into_iter().map(|part| part.text).collect();
            assert_eq!(found, [expected], "{text}");
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
        ] {
            let mut found = Vec::new();
            join(text, is_markdown, &mut found);
            assert!(found.is_empty(), "{text}");
        }
    }
}
