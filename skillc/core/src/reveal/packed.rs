//! Decodes base64, base32 and hex. A base64 value may be wrapped over several lines.

use super::decode::{MAX_PART, as_text, digit};
use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// The minimum length of a run of base64 characters that is examined.
const MIN_BASE64: usize = 20;

/// The number of wrapped values that are not text after which the lines of a text are decoded one by one.
const MAX_FAILURES: usize = 64;

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
    let (mut done, mut failures) = (0, 0);
    for run in runs {
        let (start, at) = (run.start, run.end);
        if start < done {
            continue;
        }
        // Consecutive lines of equal length, with a last line that may be shorter, are one value.
        let width = at - start;
        let alone = &bytes[start..at.min(start + MAX_PART)];
        let is_wrapped = width >= 48 || width.is_multiple_of(4);
        let may_go_on = is_wrapped && failures < MAX_FAILURES && kind(alone).is_some();
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

/// Returns an empty result, which marks that only the beginning of a value was decoded.
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

/// Decodes pairs of hex digits with a space between each: `63 75 72 6c`.
pub(super) fn spaced_hex(text: &str, found: &mut Vec<Decoded>) {
    const MIN_PAIRS: usize = 8;
    let bytes = text.as_bytes();
    let pair = |at: usize| {
        let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let value = digit(*bytes.get(at)?)? << 4 | digit(*bytes.get(at + 1)?)?;
        (!is_word(before) && !is_word(bytes.get(at + 2))).then_some(value)
    };
    let mut done = 0;
    while let Some(space) = memchr::memchr(b' ', &bytes[done..]) {
        let space = done + space;
        done = space + 1;
        let Some(first) = space.checked_sub(2).and_then(pair) else {
            continue;
        };
        let mut decoded = vec![first];
        let mut end = space;
        while let Some(value) = pair(end + 1).filter(|_| decoded.len() < MAX_PART)
            && bytes[end] == b' '
        {
            decoded.push(value);
            end += 3;
        }
        done = done.max(end);
        if decoded.len() < MIN_PAIRS {
            continue;
        }
        if let Some(text) = as_text(decoded, MIN_PAIRS) {
            found.push(Decoded {
                span: Span::new(space - 2, end),
                text,
                encoding: Encoding::Hex,
            });
        }
    }
}
