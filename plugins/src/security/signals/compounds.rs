//! Finds compound commands of several lines that are part of a pipeline: `for … done | sh`, `{ … } | sh`, `… | if
//! … fi`. The command that downloads code and the command that runs the code can be on any of these lines.

use skillc_core::Span;

/// The maximum depth of nested compound commands. If the nesting is deeper, the outermost commands are ignored, because
/// an `if` or `for` in prose is never closed.
const MAX_OPEN: usize = 200;

/// The maximum number of bytes before a compound command that are searched for the start of its pipeline. The same
/// maximum applies to the redirection of its input after it.
const MAX_INPUT: usize = 1000;

/// The number of bytes before the end of a compound command that are always searched for its start. An earlier
/// candidate for the start may only be a word in a string.
const MAX_SEARCHED: usize = 4000;

/// The keywords and brackets that begin and end compound commands.
const PAIRS: [(&[u8], &[u8]); 8] = [
    (b"if", b"fi"),
    (b"for", b"done"),
    (b"while", b"done"),
    (b"until", b"done"),
    (b"select", b"done"),
    (b"case", b"esac"),
    (b"{", b"}"),
    (b"(", b")"),
];

/// Words after which another command begins.
const LEADS: [&[u8]; 5] = [b"then", b"do", b"else", b"elif", b"!"];

/// Returns whether a word begins a compound command that ends with a word, as opposed to a bracket.
pub(super) fn is_opening(word: &[u8]) -> bool {
    PAIRS
        .iter()
        .any(|(open, _)| *open == word && open.len() > 1)
}

/// Returns whether a word ends such a compound command.
pub(super) fn is_closing(word: &[u8]) -> bool {
    PAIRS
        .iter()
        .any(|(_, close)| *close == word && close.len() > 1)
}

/// Returns whether another command begins directly after a word.
pub(super) fn is_lead(word: &[u8]) -> bool {
    LEADS.contains(&word)
}

/// The compound commands in a file that have several lines and are part of a pipeline.
pub(super) struct Compounds {
    /// The compound commands, sorted by position.
    found: Vec<Span>,
    /// Whether a bracket before a pipe may end a compound command that was ignored because of [`MAX_OPEN`].
    pub(super) is_cut: bool,
}

impl Compounds {
    /// Finds the compound commands in a file. `longest`: the maximum length of a compound command, in bytes.
    pub(super) fn of(text: &[u8], longest: usize) -> Self {
        let mut found = Vec::new();
        // For each open compound command, the word that ends it, and the position of its start.
        let mut open: Vec<(&[u8], usize)> = Vec::new();
        let mut is_start = true;
        let (mut is_ignored, mut is_cut) = (false, false);
        let mut at = 0;
        while at < text.len() {
            if text[at] == b'#' && is_word_start(text, at) {
                at += memchr::memchr(b'\n', &text[at..]).unwrap_or(text.len() - at);
                continue;
            }
            let length = word(&text[at..]);
            let token = &text[at..at + length.max(1)];
            let end = at + token.len();
            let is_bracket = matches!(token, b"{" | b"}" | b"(" | b")");
            let pair = PAIRS.iter().find(|(begin, _)| *begin == token);
            if let Some((_, close)) = pair.filter(|_| is_start || is_bracket) {
                if open.len() == MAX_OPEN {
                    open.remove(0);
                    is_ignored = true;
                }
                open.push((*close, at));
            } else if is_bracket || is_start && is_closing(token) {
                let place = open.iter().rposition(|(close, _)| *close == token);
                let span = compound(text, Span::new(at, end), &open, place);
                is_cut |= is_ignored && is_bracket && place.is_none() && is_piped(&text[end..]);
                found.extend(span.filter(|span| span.end - span.start <= longest));
                open.truncate(place.unwrap_or(open.len()));
            }
            is_start = if length > 0 {
                is_start && (is_lead(token) || pair.is_some())
            } else {
                let byte = token[0];
                let is_sign = matches!(
                    byte,
                    b'\n' | b';' | b'|' | b'`' | b'"' | b'\'' | b'&' | b'!'
                );
                is_bracket || is_sign || is_start && byte.is_ascii_whitespace()
            };
            at = end;
        }
        found.sort_unstable_by_key(|span| (span.start, span.end));
        Self { found, is_cut }
    }

    /// Returns the outermost compound command around a position.
    pub(super) fn around(&self, at: usize) -> Option<Span> {
        let before = self.found.partition_point(|span| span.start <= at);
        let near = self.found[before.saturating_sub(MAX_OPEN)..before].iter();
        near.copied().find(|span| at < span.end)
    }
}

/// Returns the compound command that ends with a word or bracket, if it has several lines and is part of a pipeline.
///
/// `last`: the position of the word or bracket. `open`: the open compound commands. `place`: the index of the compound
/// command that seems to end.
fn compound(
    text: &[u8],
    last: Span,
    open: &[(&[u8], usize)],
    place: Option<usize>,
) -> Option<Span> {
    let token = &text[last.start..last.end];
    let near = match place {
        Some(place) => open.get(place)?.1,
        None if is_closing(token) => last.start,
        None => return None,
    };
    let mut from = input_start(text, near);
    let rest = &text[last.end..];
    let mut end = last.end;
    if is_fed(rest) {
        // The redirection of a loop's input follows its end.
        let near = &rest[..rest.len().min(MAX_INPUT)];
        end += memchr::memchr(b'\n', near).unwrap_or(near.len());
    } else if from == near && !is_piped(rest) {
        return None;
    }
    if is_first(text, last.start) {
        let first = open.iter().find(|(close, _)| *close == token);
        let first = first.map_or(0, |(_, first)| *first);
        from = from.min(first.max(last.start.saturating_sub(MAX_SEARCHED)));
    }
    let has_lines = memchr::memchr(b'\n', &text[from..last.end]).is_some();
    has_lines.then(|| Span::new(from, end))
}

/// Returns whether a comment could begin at an offset.
pub(super) fn is_word_start(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    before.is_none_or(|byte| byte.is_ascii_whitespace() || b";|&(".contains(byte))
}

/// Returns whether only blanks precede an offset in its line.
fn is_first(text: &[u8], at: usize) -> bool {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let mut before = text[..at].iter().rev().skip_while(is_blank);
    before.next().is_none_or(|byte| *byte == b'\n')
}

/// Returns the length of the word at the start of the text.
fn word(text: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    text.iter().take_while(is_part).count()
}

/// If a compound command follows a pipe, returns the start of the line with the commands before the pipe; otherwise,
/// the start of the compound command.
fn input_start(text: &[u8], start: usize) -> usize {
    let low = start.saturating_sub(MAX_INPUT);
    let before = text[low..start].trim_ascii_end();
    let Some(before) = before
        .strip_suffix(b"|")
        .filter(|before| !before.ends_with(b"|"))
    else {
        return start;
    };
    memchr::memrchr(b'\n', before).map_or(low, |line| low + line + 1)
}

/// Returns whether a string or the output of another command follows as input. `rest`: the text after a command.
fn is_fed(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    [&b"< <("[..], b"<<<", b"0< <("]
        .iter()
        .any(|sign| rest.starts_with(sign))
}

/// Returns whether a pipe or a process substitution follows. `rest`: the text after a command.
fn is_piped(rest: &[u8]) -> bool {
    let blanks = rest
        .iter()
        .take(80)
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\\' | b'\n' | b'\r'));
    let rest = &rest[blanks.count()..];
    rest.starts_with(b"|") && !rest.starts_with(b"||") || rest.starts_with(b"> >(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compound_commands_before_a_pipe_are_found() {
        for (text, expected) in [
            ("for i in a\ndo\ncurl $i\ndone | sh", Some(0)),
            ("x; if a; then\n b\nfi | sh", Some(3)),
            ("case a in a)\n b ;; esac |& sh", Some(0)),
            ("{\n b\n} | sh", Some(0)),
            ("if a\nfor b\n while :; do\n c; done \\\n | sh", Some(12)),
            ("for i in a; do b; done | sh", None),
            ("for i in a\ndo b; done", None),
            ("for i in a\ndo b; done || sh", None),
            ("curl a | if :\nthen sh\nfi", Some(0)),
            ("if :\nthen\n# ; fi\ncurl a\nfi | sh", Some(0)),
            ("{\ncurl a\necho '{'\n} | sh", Some(0)),
            ("for i in a\ndo\ncurl a\necho '; for'\ndone | sh", Some(0)),
            ("a) | b\nc) | d", None),
            ("done\n| sh", None),
            ("a\ndone | sh", Some(0)),
            ("while :\ndo\n a\ndone < <(curl a)", Some(0)),
        ] {
            let compounds = Compounds::of(text.as_bytes(), 100);
            let place = expected.unwrap_or_default() + 1;
            let found = compounds.around(place).map(|span| span.start);
            assert_eq!(found, expected, "{text}");
        }
    }
}
