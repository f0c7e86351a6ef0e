//! Undoes markup that splits words: entities, escaped punctuation, comments and empty elements between letters, and
//! line ends in code spans. A rendered page does not show this markup, and an agent ignores it.
//!
//! Such markup is common, so a line is decoded only if the markup hides a word or an address in that line.

use super::decode::MAX_PART;
use super::escapes::{escapes, short};
use super::fences::Fences;
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::{Span, char_floor};

/// The maximum length, in bytes, of the parts into which a line is split before it is examined.
const MAX_LINE: usize = 4000;

/// The maximum number of lines that are decoded in a layer.
const MAX_LINES: usize = 60;

/// The maximum length of a multi-line code span, in bytes.
const MAX_SPAN: usize = 1000;

/// The maximum length of an element or a comment between two letters, in bytes.
const MAX_ELEMENT: usize = 200;

/// Words and other signs of instructions and commands, in lower case.
const SIGNS: [&str; 33] = [
    "curl",
    "wget",
    "http",
    "://",
    "|sh",
    "| sh",
    "|bash",
    "| bash",
    "bash",
    ".ssh",
    ".aws",
    ".env",
    "id_rsa",
    "id_ed25519",
    "credential",
    "password",
    "secret",
    "token",
    "api key",
    "instruction",
    "previous",
    "ignore",
    "disregard",
    "send ",
    "read ",
    "upload",
    "user",
    "eval",
    "exec",
    "base64",
    "python",
    "powershell",
    "run ",
];

/// Named entities for the punctuation and blanks in commands and addresses, and for two invisible characters.
const NAMED: [(&str, char); 26] = [
    ("colon", ':'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("period", '.'),
    ("comma", ','),
    ("vert", '|'),
    ("verbar", '|'),
    ("VerticalLine", '|'),
    ("lowbar", '_'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("commat", '@'),
    ("dollar", '$'),
    ("num", '#'),
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("lpar", '('),
    ("rpar", ')'),
    ("Tab", ' '),
    ("NewLine", ' '),
    ("nbsp", ' '),
    ("shy", '\u{ad}'),
    ("ZeroWidthSpace", '\u{200b}'),
];

/// Signs of commands in multi-line code spans, in lower case.
const COMMANDS: [&str; 8] = [
    "curl", "wget", "| sh", "|sh", "| bash", "base64", "/dev/tcp", "nc ",
];

/// Words in programs, in lower case, that escapes in a string may hide. They contain no punctuation, because it is
/// often escaped in patterns and in Markdown for other reasons.
const PROGRAMS: [&str; 11] = [
    "system",
    "spawn",
    "popen",
    "subprocess",
    "require",
    "import",
    "socket",
    "ncat",
    "chmod",
    "sudo",
    "crontab",
];

/// Adds the lines whose markup hides a word or an address. `is_file`: whether the text is the file itself; other text
/// is read as code.
pub(super) fn split_words(text: &str, is_file: bool, found: &mut Vec<Decoded>) {
    if !is_file && memchr::memchr(b'\\', text.as_bytes()).is_none() {
        return;
    }
    let mut at = 0;
    let mut count = 0;
    let mut fences = Fences::default();
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if is_file && fences.read(line) {
            continue;
        }
        let is_code = !is_file || fences.is_code();
        if memchr::memchr3(b'&', b'\\', b'<', line.as_bytes()).is_none() {
            continue;
        }
        for (from, part) in parts(line.trim_end()) {
            // Lua reads the digits of an escape as a decimal number, other languages as an octal number.
            let has_digits = |part: &str| {
                let mut pairs = part.as_bytes().windows(2);
                pairs.any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit())
            };
            let plain = [8, 10].into_iter().find_map(|radix| {
                if radix == 10 && !has_digits(part) {
                    return None;
                }
                let plain = Plain::of(part, is_code, radix)?;
                plain.reveals(part).then_some(plain)
            });
            let Some(plain) = plain else {
                continue;
            };
            let Span { start: first, end } = plain.changed;
            let from = start + from;
            found.push(Decoded {
                span: Span::new(from + first, from + end),
                text: plain.text,
                encoding: Encoding::Markup,
            });
            count += 1;
            if count == MAX_LINES {
                found.push(more(at, Encoding::Markup));
                return;
            }
        }
    }
}

/// Splits a line into parts of at most [`MAX_LINE`] bytes, each with its offset.
fn parts(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at = char_floor(line, (start + MAX_LINE).min(line.len()));
        (start < at).then(|| (start, &line[start..at]))
    })
}

/// Text from which the markup was removed.
struct Plain {
    text: String,
    /// The span from the first to the last place where markup was removed.
    changed: Span,
}

impl Plain {
    /// Returns the text with its markup removed; `None` if the text has no markup. In code spans and code blocks, only
    /// character escapes are undone. `is_code`: whether the text is in a code block. `radix`: the radix of escapes that
    /// consist of digits.
    fn of(text: &str, is_code: bool, radix: u32) -> Option<Self> {
        let bytes = text.as_bytes();
        if !has_markup(bytes, is_code) {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut changed: Option<Span> = None;
        let mut at = 0;
        // The end of the code span that is being read.
        let mut code_end = 0;
        while at < bytes.len() {
            let rest = &text[at..];
            let is_code = is_code || at < code_end;
            let mut left_out = None;
            match bytes[at] {
                b'`' if !is_code => code_end = at + span_length(rest),
                b'&' if !is_code => {
                    left_out = entity(rest).map(|(length, c)| (length, c.into_iter().collect()));
                }
                b'\\' => left_out = escaped(rest, is_code, radix),
                b'<' if !is_code && out.ends_with(|c: char| c.is_alphanumeric()) => {
                    let element = element(rest);
                    let is_inside = |length: &usize| {
                        text[at + length..].starts_with(|c: char| c.is_alphanumeric())
                    };
                    left_out = element
                        .filter(is_inside)
                        .map(|length| (length, String::new()));
                }
                _ => {}
            }
            if let Some((length, shown)) = left_out {
                out.push_str(&shown);
                let start = changed.map_or(at, |changed| changed.start);
                at += length;
                changed = Some(Span::new(start, at));
            } else {
                let c = rest.chars().next()?;
                out.push(c);
                at += c.len_utf8();
            }
        }
        changed.map(|changed| Self { text: out, changed })
    }

    /// Returns whether the text contains a word that the markup hides, or the original text contains an address with
    /// markup in its host. `raw`: the original text.
    fn reveals(&self, raw: &str) -> bool {
        reveals(raw, &self.text)
            || raw.contains("\\://")
            || has_split_host(raw)
            || counts_more(raw, &self.text, &PROGRAMS)
    }
}

/// Returns whether `plain` contains a sign of an instruction or a command more often than `raw`, its original form.
pub(super) fn reveals(raw: &str, plain: &str) -> bool {
    counts_more(raw, plain, &SIGNS)
}

/// Returns whether `plain` contains one of the words more often than `raw`, its original form.
fn counts_more(raw: &str, plain: &str, words: &[&str]) -> bool {
    let (raw, plain) = (raw.to_ascii_lowercase(), plain.to_ascii_lowercase());
    let count = |text: &str, word: &str| text.matches(word).count();
    let is_new = |word: &&str| plain.contains(word) && count(&plain, word) > count(&raw, word);
    words.iter().any(is_new)
}

/// Returns whether a string may contain markup that [`Plain::of`] removes. This check already rejects nearly every `<`,
/// `&` and `\` that is not markup.
fn has_markup(bytes: &[u8], is_code: bool) -> bool {
    let mut signs = memchr::memchr3_iter(b'\\', b'&', b'<', bytes);
    signs.any(|at| {
        let before = at.checked_sub(1).map_or(0, |before| bytes[before]);
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        match bytes[at] {
            b'\\' => {
                next.is_ascii_punctuation() || next.is_ascii_digit() || b"xuUoNz".contains(&next)
            }
            b'&' => !is_code && (next == b'#' || next.is_ascii_alphabetic()),
            _ => !is_code && (before.is_ascii_alphanumeric() || !before.is_ascii()),
        }
    })
}

/// Returns whether an address has markup in its host.
fn has_split_host(text: &str) -> bool {
    text.match_indices("://").any(|(at, sign)| {
        let rest = &text[at + sign.len()..];
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`'));
        let host = &rest[..end.unwrap_or(rest.len())];
        let is_escape = |at: usize| {
            let next = host.as_bytes().get(at + 1);
            next.is_none_or(|byte| matches!(byte, b'.' | b'-' | b'_' | b':' | b'/'))
        };
        let has_entity = host
            .find('&')
            .is_some_and(|at| entity(&host[at..]).is_some());
        has_entity || host.match_indices('\\').any(|(at, _)| is_escape(at))
    })
}

/// Returns the length of the code span at the start of `text`. If the code span is not closed, returns the length of
/// the opening backticks.
fn span_length(text: &str) -> usize {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    let close = text[ticks..].find(&text[..ticks]);
    ticks + close.map_or(0, |close| close + ticks)
}

/// Returns the length of the entity at the start of `text`, and the character that the entity represents.
fn entity(text: &str) -> Option<(usize, Option<char>)> {
    let rest = text.strip_prefix('&')?;
    if let Some(number) = rest.strip_prefix('#') {
        let (length, c) = numbered(number)?;
        return Some((2 + length, Some(c)));
    }
    let length = rest.bytes().take(20).position(|byte| byte == b';')?;
    let named = NAMED.iter().find(|(name, _)| *name == &rest[..length]);
    named.map(|(_, c)| (length + 2, Some(*c)))
}

/// Returns the length of an entity's number, including the `;` that may follow, and the character that the entity
/// represents. `text`: the text after `&#`.
pub(super) fn numbered(text: &str) -> Option<(usize, char)> {
    let (digits, radix, prefix) = match text.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 1),
        None => (text, 10, 0),
    };
    let is_digit = |byte: &u8| char::from(*byte).is_digit(radix);
    let length = digits.bytes().take(7).take_while(is_digit).count();
    let c = u32::from_str_radix(&digits[..length], radix).ok();
    let c = c.and_then(char::from_u32)?;
    let end = usize::from(digits[length..].starts_with(';'));
    Some((prefix + length + end, c))
}

/// Returns the length of the escape at the start of `text`, and the text that the escape represents. `radix`: the radix
/// of an escape that consists of digits.
fn escaped(text: &str, is_code: bool, radix: u32) -> Option<(usize, String)> {
    let next = text[1..].chars().next()?;
    if next.is_ascii_alphanumeric() {
        // Lua skips all blanks after `\z`.
        if let Some(rest) = text.strip_prefix("\\z") {
            let blanks = rest.len() - rest.trim_start().len();
            return (blanks > 0).then(|| (2 + blanks, String::new()));
        }
        let read = if next.is_ascii_digit() {
            short(text, radix).map(|(length, c)| (length, c.to_string()))
        } else {
            escapes(text)
        };
        return read.filter(|(_, shown)| shown.bytes().all(|byte| matches!(byte, b' '..=b'~')));
    }
    // In code, a `\` is removed only before one of these characters: before any other character, the `\` is part of the
    // code.
    let is_sign = |c: char| matches!(c, ':' | '/' | '.' | '-' | '_' | '~' | '@' | '=');
    let is_escape = if is_code {
        is_sign(next)
    } else {
        next.is_ascii_punctuation()
    };
    is_escape.then(|| (2, next.to_string()))
}

/// Returns the length of a comment, a `<wbr>`, or an element without content at the start of `text`.
fn element(text: &str) -> Option<usize> {
    let near = &text[..char_floor(text, text.len().min(MAX_ELEMENT))];
    if near.starts_with("<!--") {
        return near.find("-->").map(|end| end + 3);
    }
    let close = near.find('>')? + 1;
    let tag = near[1..close - 1].trim_end_matches(['/', ' ']);
    if tag.eq_ignore_ascii_case("wbr") {
        return Some(close);
    }
    let name = tag.split(' ').next().filter(|name| !name.is_empty())?;
    let end = near[close..].strip_prefix("</")?.strip_prefix(name)?;
    end.starts_with('>').then(|| close + name.len() + 3)
}

/// Adds the multi-line code spans that may contain commands. A rendered page shows a blank for each line end.
pub(super) fn wrapped_spans(text: &str, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut room = MAX_PART;
    while let Some(tick) = memchr::memchr(b'`', &bytes[at..]) {
        let start = at + tick;
        let ticks = bytes[start..].iter().take_while(|byte| **byte == b'`');
        let ticks = ticks.count();
        let open = start + ticks;
        at = open;
        // Three backticks begin a block.
        if ticks > 2 {
            continue;
        }
        let rest = &text[open..char_floor(text, (open + MAX_SPAN).min(text.len()))];
        let Some(close) = rest.find(&text[start..open]) else {
            continue;
        };
        let span = &rest[..close];
        at = open + close + ticks;
        let lines = span.matches('\n').count();
        if lines == 0 {
            continue;
        }
        let lower = span.to_ascii_lowercase();
        let is_one = !span.contains("\n\n") && lines < 8;
        if !is_one || !COMMANDS.iter().any(|sign| lower.contains(sign)) {
            // The first backtick may be ordinary text.
            at = open;
            continue;
        }
        let joined: Vec<&str> = span.lines().map(str::trim).collect();
        let joined = joined.join(" ");
        room = room.saturating_sub(joined.len());
        if room == 0 {
            found.push(more(start, Encoding::Markup));
            return;
        }
        found.push(Decoded {
            span: Span::new(start, at),
            text: joined,
            encoding: Encoding::Markup,
        });
    }
}
