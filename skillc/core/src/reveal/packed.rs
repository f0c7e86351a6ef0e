//! Decodes base64, base32 and hex. A base64 value may be wrapped over several lines, or split into words.

use super::decode::{MAX_PART, as_text, digit};
use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// The minimum length of a run of base64 characters that is examined.
const MIN_BASE64: usize = 20;

/// After this many wrapped values on adjacent lines that are not text, these lines are decoded one by one.
const MAX_FAILURES: usize = 32;

/// For each byte, whether it is a base64 character.
const SEXTETS: [bool; 256] = {
    let mut is = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        is[byte as usize] = sextet(byte).is_some();
        byte += 1;
    }
    is
};

/// Returns the runs of base64 characters that are long enough to be examined. Hex digits are base64 characters too.
///
/// The search reads each window of [`MIN_BASE64`] bytes backwards and stops at the first byte that is not a base64
/// character, so it skips most bytes of ordinary text.
pub(super) fn long_runs(bytes: &[u8]) -> Vec<Span> {
    let mut runs = Vec::new();
    let mut start = 0;
    while let Some(window) = bytes.get(start..start + MIN_BASE64) {
        let other = window.iter().rposition(|byte| !SEXTETS[usize::from(*byte)]);
        if let Some(other) = other {
            start += other + 1;
        } else {
            let end = run_end(bytes, start);
            runs.push(Span::new(start, end));
            start = end;
        }
    }
    runs
}

pub(super) fn base64(text: &str, runs: &[Span], found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let (mut done, mut failures, mut failed) = (0, 0, 0);
    for run in runs {
        let (start, at) = (run.start, run.end);
        if start < done {
            continue;
        }
        // Consecutive lines of equal length, with a last line that may be shorter, are one value.
        let width = at - start;
        if start >= failed {
            failures = 0;
        }
        let alone = &bytes[start..at.min(start + MAX_PART)];
        let may_go_on = failures < MAX_FAILURES && kind(alone).is_some();
        let mut end = at;
        let mut letters: Vec<u8> = alone.to_vec();
        while may_go_on && letters.len() < MAX_PART {
            let Some(next) = next_line(bytes, end) else {
                break;
            };
            let stop = run_end(bytes, next);
            if stop - next > width || stop - next < 4 {
                break;
            }
            letters.extend(&bytes[next..stop]);
            end = stop;
            if stop - next < width {
                break;
            }
        }
        let mut decoded = unpack(&letters);
        if decoded.is_none() && end > at {
            decoded = unpack(alone);
            failed = failed.max(end);
            end = at;
            failures += 1;
        }
        if let Some(text) = decoded {
            done = end;
            let end = end
                + bytes[end..]
                    .iter()
                    .take(2)
                    .take_while(|byte| **byte == b'=')
                    .count();
            found.push(Decoded {
                span: Span::new(start, end),
                text,
                encoding: Encoding::Base64,
            });
            if letters.len() >= MAX_PART {
                found.push(more(end, Encoding::Base64));
            }
        }
    }
}

/// Returns an empty result, which signals that only the beginning of a value was decoded.
pub(super) const fn more(at: usize, encoding: Encoding) -> Decoded {
    Decoded {
        span: Span::new(at, at),
        text: String::new(),
        encoding,
    }
}

fn run_end(bytes: &[u8], from: usize) -> usize {
    let length = bytes[from..]
        .iter()
        .take_while(|byte| SEXTETS[usize::from(**byte)])
        .count();
    from + length
}

/// Returns the offset at which a value continues on the next line, after blanks, quotes, `+`, `\` and comment markers.
fn next_line(bytes: &[u8], end: usize) -> Option<usize> {
    let skip = |from: usize, signs: &[u8]| {
        from + bytes[from..]
            .iter()
            .take(40)
            .take_while(|byte| signs.contains(byte))
            .count()
    };
    let line_end = skip(end, b" \t\r\\\"'+,");
    (bytes.get(line_end) == Some(&b'\n')).then(|| skip(line_end + 1, b" \t>#*/\"'+"))
}

const fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// The encoding of decoded characters.
#[derive(Clone, Copy)]
enum Kind {
    Utf8,
    /// UTF-16 with the low byte first.
    Little,
    /// UTF-16 with the high byte first.
    Big,
}

/// Returns the encoding of the characters at the beginning of a value; `None` if they are not text. The first bytes are
/// nearly always enough to rule out binary data.
fn kind(letters: &[u8]) -> Option<Kind> {
    const FIRST: usize = 16;
    let start = unpacked(&letters[..FIRST.min(letters.len())]);
    let has_zeros = |at: usize| {
        let mut pairs = start.chunks(2);
        start.len() >= 8 && pairs.all(|pair| pair.get(at).is_none_or(|byte| *byte == 0))
    };
    if has_zeros(1) {
        return Some(Kind::Little);
    }
    if has_zeros(0) {
        return Some(Kind::Big);
    }
    let is_shown = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t' | 0x80..);
    start.iter().all(is_shown).then_some(Kind::Utf8)
}

/// Decodes base64 characters; `None` if the result is not text.
fn unpack(letters: &[u8]) -> Option<String> {
    let kind = kind(letters)?;
    let bytes = unpacked(letters);
    let bytes = match kind {
        Kind::Utf8 => bytes,
        Kind::Little => bytes.into_iter().step_by(2).collect(),
        Kind::Big => bytes.into_iter().skip(1).step_by(2).collect(),
    };
    as_text(bytes, 10)
}

fn unpacked(letters: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(letters.len() * 3 / 4);
    for four in letters.chunks(4) {
        let mut bits = 0_u32;
        for letter in four {
            bits = bits << 6 | u32::from(sextet(*letter).unwrap_or_default());
        }
        bits <<= 6 * (4 - four.len());
        let [_, bits @ ..] = bits.to_be_bytes();
        bytes.extend(&bits[..four.len() * 3 / 4]);
    }
    bytes
}

pub(super) fn hex(text: &str, runs: &[Span], found: &mut Vec<Decoded>) {
    const MIN_DIGITS: usize = 20;
    let bytes = text.as_bytes();
    let is_other = |byte: &u8| !byte.is_ascii_hexdigit();
    for run in runs {
        let mut at = run.start;
        while at < run.end {
            let rest = &bytes[at..run.end];
            let start = at;
            at += rest.iter().position(is_other).unwrap_or(rest.len());
            let length = (at - start).min(MAX_PART);
            // Hex digits next to other letters or digits are part of base64 text or of a word. An `x` before them is
            // allowed: `0x`.
            let is_word = bytes.get(at).is_some_and(u8::is_ascii_alphanumeric)
                || start > 0
                    && bytes[start - 1].is_ascii_alphanumeric()
                    && bytes[start - 1] != b'x';
            at += usize::from(at == start);
            if length < MIN_DIGITS || length % 2 == 1 || is_word {
                continue;
            }
            let pairs = bytes[start..start + length].chunks_exact(2);
            let decoded = pairs.filter_map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?));
            if let Some(text) = as_text(decoded.collect(), 8) {
                found.push(Decoded {
                    span: Span::new(start, start + length),
                    text,
                    encoding: Encoding::Hex,
                });
                if length == MAX_PART {
                    found.push(more(at, Encoding::Hex));
                }
            }
        }
    }
}

/// Decodes values of base32, whose characters are base64 characters too.
pub(super) fn base32(text: &str, runs: &[Span], found: &mut Vec<Decoded>) {
    const MIN_BASE32: usize = 24;
    let bytes = text.as_bytes();
    for run in runs {
        let end = run.end.min(run.start + MAX_PART);
        let letters = &bytes[run.start..end];
        let has = |is: fn(&u8) -> bool| letters.iter().any(is);
        // A run with letters of both cases is base64, not base32.
        if has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) {
            continue;
        }
        let letters: Vec<u8> = letters
            .iter()
            .filter(|byte| **byte != b'-')
            .map(u8::to_ascii_uppercase)
            .collect();
        let is_letter = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'2'..=b'7');
        if letters.len() < MIN_BASE32 || !letters.iter().all(is_letter) {
            continue;
        }
        let (mut bits, mut count) = (0_u32, 0);
        let mut decoded = Vec::with_capacity(letters.len() * 5 / 8);
        for letter in letters {
            let value = if letter.is_ascii_digit() {
                letter - b'2' + 26
            } else {
                letter - b'A'
            };
            bits = (bits & 0xff) << 5 | u32::from(value);
            count += 5;
            if count >= 8 {
                count -= 8;
                let [.., byte] = (bits >> count).to_be_bytes();
                decoded.push(byte);
            }
        }
        if let Some(text) = as_text(decoded, 10) {
            found.push(Decoded {
                span: Span::new(run.start, end),
                text,
                encoding: Encoding::Base32,
            });
        }
    }
}

/// The minimum length of the words into which one value is split, and the minimum number of such words.
const MIN_WORD: usize = 8;
const MIN_WORDS: usize = 3;

/// The minimum number of words that are each a separate value.
const MIN_VALUES: usize = 4;

/// A word of base64 characters.
#[derive(Clone, Copy)]
struct Word {
    start: usize,
    /// The end of the base64 characters, before the padding.
    end: usize,
    /// The number of padding characters (`=`).
    fill: usize,
}

impl Word {
    fn length(&self) -> usize {
        self.end - self.start
    }

    /// Returns whether a word of this length can be the first part of a value, or a value of its own.
    fn may_begin(&self) -> bool {
        let is_part = self.length() >= MIN_WORD && self.fill == 0;
        is_part || (self.length() + self.fill).is_multiple_of(4)
    }
}

/// Decodes base64 that is split into words: either words of equal length that are parts of one value, or words that are
/// each a value of their own.
pub(super) fn base64_words(text: &str, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut parts: Vec<Word> = Vec::new();
    let mut values: Vec<Word> = Vec::new();
    while let Some(word) = next_base64(bytes, at) {
        let gap = &bytes[at..word.start];
        at = word.end + word.fill;
        // Nearly every word is rejected here.
        if parts.is_empty() && values.is_empty() && !word.may_begin() {
            continue;
        }
        // Only blanks, line ends and markers at the start of a line may separate two words.
        let is_mark = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'#' | b'*');
        let is_next = gap.iter().all(is_mark);
        let is_alone = (bytes.get(at)).is_none_or(u8::is_ascii_whitespace);
        let first = parts.first().map(Word::length);
        // The last part may be shorter.
        let is_last = first.is_some_and(|first| word.length() < first);
        let is_part = first.is_some_and(|first| word.length() <= first && is_next);
        if is_part && is_alone {
            parts.push(word);
        }
        if !is_part || !is_alone || is_last || word.fill > 0 {
            add_parts(bytes, &parts, found);
            parts.clear();
            if word.length() >= MIN_WORD && word.fill == 0 && is_alone && !is_part {
                parts.push(word);
            }
        }
        let is_value = is_alone && is_shown(&bytes[word.start..word.end], word.fill);
        if !(is_next && is_value) {
            add_values(bytes, &values, found);
            values.clear();
        }
        if is_value {
            values.push(word);
        }
    }
    add_parts(bytes, &parts, found);
    add_values(bytes, &values, found);
}

/// Returns the next word of base64 characters.
fn next_base64(bytes: &[u8], from: usize) -> Option<Word> {
    let is_letter = |byte: &u8| SEXTETS[usize::from(*byte)];
    let start = from + bytes[from..].iter().position(is_letter)?;
    let end = run_end(bytes, start);
    let fill = bytes[end..]
        .iter()
        .take(2)
        .take_while(|byte| **byte == b'=');
    Some(Word {
        start,
        end,
        fill: fill.count(),
    })
}

/// Returns whether a word is a value of its own that encodes printable ASCII characters.
fn is_shown(letters: &[u8], fill: usize) -> bool {
    /// If a value begins with an ASCII character, its first base64 letter encodes a number below this one.
    const MAX_FIRST: u8 = 32;
    let is_ascii = |letter: &u8| sextet(*letter).is_some_and(|bits| bits < MAX_FIRST);
    (4..=200).contains(&letters.len())
        && is_ascii(&letters[0])
        && (letters.len() + fill).is_multiple_of(4)
        && unpacked(letters)
            .iter()
            .all(|byte| matches!(byte, b' '..=b'~' | b'\n'))
}

fn add_parts(bytes: &[u8], parts: &[Word], found: &mut Vec<Decoded>) {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return;
    };
    // Longer lines are decoded as a wrapped value by [`base64`].
    if parts.len() < MIN_WORDS || first.length() >= MIN_BASE64 && is_line_end(bytes, first.end) {
        return;
    }
    let mut letters: Vec<u8> = Vec::new();
    for part in parts {
        letters.extend(&bytes[part.start..part.end]);
    }
    letters.truncate(MAX_PART);
    if let Some(text) = unpack(&letters) {
        found.push(Decoded {
            span: Span::new(first.start, last.end),
            text,
            encoding: Encoding::Base64,
        });
    }
    if letters.len() == MAX_PART {
        found.push(more(last.end, Encoding::Base64));
    }
}

fn is_line_end(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), Some(b'\n' | b'\r'))
}

fn add_values(bytes: &[u8], values: &[Word], found: &mut Vec<Decoded>) {
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return;
    };
    // If all values are longer, [`base64`] decodes each of them.
    let is_short = values.iter().any(|word| word.length() < MIN_BASE64);
    if values.len() < MIN_VALUES || !is_short {
        return;
    }
    let texts = values.iter().map(|word| {
        let text = unpacked(&bytes[word.start..word.end]);
        String::from_utf8_lossy(&text).trim().to_owned()
    });
    let text = texts.collect::<Vec<String>>().join(" ");
    found.push(Decoded {
        span: Span::new(first.start, last.end),
        text,
        encoding: Encoding::Base64,
    });
}
