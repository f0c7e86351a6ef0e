//! Finds the extent of a command line: all lines that `\`, an operator or a compound command joins, even across blank
//! lines and comments. The extent is limited in bytes rather than lines, because an attacker can easily add lines.

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::compounds::Compounds;
use super::programs;

/// The maximum number of bytes of a command line that are read before and after one of its
/// [`WORDS`](super::shell::WORDS).
const MAX_BEFORE: usize = 4000;
pub(super) const MAX_AFTER: usize = 16 << 10;

/// If a line is too long to be read in full, it is read again from the first word that is at least this many bytes
/// after the previous start.
const NEXT: usize = 8 << 10;

/// The maximum number of bytes before a line that are searched for the start of a list or here-document around the
/// line.
const MAX_LEAD: usize = 1500;

/// Returns the command line around a position, and an offset. Words before this offset need not be read again.
pub(super) fn command_line(text: &str, at: usize, compounds: &Compounds) -> (Span, usize) {
    let bytes = text.as_bytes();
    let whole = compounds.around(at).unwrap_or(Span::new(at, at));
    let low = char_floor(text, whole.start.saturating_sub(MAX_BEFORE));
    let high = char_floor(text, whole.end.max(at + MAX_AFTER).min(text.len()));
    let start_of = |end: usize| {
        let before = memchr::memrchr(b'\n', &bytes[low..end]);
        before.map_or(low, |line| low + line + 1)
    };
    let mut start = start_of(whole.start);
    let is_own = !is_comment(&bytes[start..high]);
    // The start of the blank lines and comments above the command.
    let mut top = start;
    while top > low {
        let before = bytes[low..top - 1].trim_ascii_end();
        let end = low + before.len();
        top = start_of(end);
        let line = &bytes[top..end];
        if is_own && is_comment(line) {
            continue;
        }
        if !goes_on(line) {
            break;
        }
        start = top;
    }
    let mut end = whole.end;
    let mut last = start_of(end).max(start);
    loop {
        let rest = memchr::memchr(b'\n', &bytes[end..high]);
        end = rest.map_or(high, |line| end + line);
        if end == high {
            break;
        }
        if goes_on(&bytes[last..end]) {
            last = skip_comments(bytes, end, high);
        } else {
            let rest = bytes[end..high].trim_ascii_start();
            if !rest.starts_with(b")") {
                break;
            }
            last = high - rest.len();
        }
        end = last;
    }
    let is_cut = end == high && high < text.len();
    let next = if is_cut { at + NEXT } else { end };
    (Span::new(start, end), next)
}

/// Returns whether a line is a comment.
fn is_comment(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"#")
}

/// Skips blanks, line ends and comment lines, and returns the offset of the text after them. A comment in the last line
/// is not skipped.
pub(super) fn skip_comments(text: &[u8], from: usize, end: usize) -> usize {
    let mut at = from;
    loop {
        let blanks = text[at..end]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        at += blanks.count();
        if !text[at..end].starts_with(b"#") {
            return at;
        }
        let Some(line) = memchr::memchr(b'\n', &text[at..end]) else {
            return at;
        };
        at += line;
    }
}

/// Returns whether a command continues after a line, even if the line ends with a comment.
fn goes_on(line: &[u8]) -> bool {
    let last = line.trim_ascii_end().last();
    let may_comment = |at: usize| {
        let code = &line[..at];
        let is_word = code.last().is_some_and(|byte| b" \t|&".contains(byte));
        is_word && matches!(code.trim_ascii_end().last(), Some(b'|' | b'&'))
    };
    matches!(last, Some(b'\\' | b'|' | b'&' | b'(' | b'{'))
        || memchr::memchr_iter(b'#', line).any(may_comment)
}

/// Returns whether a line contains a pipe or substitutes the output of a command.
pub(super) fn may_run(line: &[u8]) -> bool {
    memchr::memchr2(b'|', b'`', line).is_some()
        || memchr::memchr_iter(b'(', line).any(|at| {
            let before = at.checked_sub(1).map(|before| line[before]);
            matches!(before, Some(b'$' | b'<' | b'>'))
        })
}

/// Returns whether the text after `before` is a command. Text is not a command if it is part of a list, a call or a
/// value, or in a here-document that is not passed to a shell.
pub(super) fn is_command(before: &str) -> bool {
    let before = &before[char_floor(before, before.len().saturating_sub(MAX_LEAD))..];
    if before.trim_end().ends_with(['(', '[', '"', '\'', '=', ',']) {
        return false;
    }
    let Some(open) = before.rfind("<<") else {
        return true;
    };
    let (head, rest) = (&before[..open], &before[open + 2..]);
    let rest = rest.trim_start_matches(['-', ' ', '"', '\'', '\\']);
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let length = rest.find(is_other).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(length);
    let (line, body) = rest.split_once('\n').unwrap_or((rest, ""));
    if name.is_empty() || head.ends_with('<') || body.lines().any(|line| line.trim() == name) {
        return true;
    }
    let head = &head[head.rfind('\n').map_or(0, |end| end + 1)..];
    let mut words = head.split(is_other).chain(line.split(is_other));
    words.any(programs::is_shell)
}
