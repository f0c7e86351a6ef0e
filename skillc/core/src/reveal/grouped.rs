//! Decodes digits in groups: hex digits split by blanks, line ends or another separator; hex dumps; and octal and
//! binary character codes.

use super::decode::{MAX_PART, as_text, digit};
use super::packed::more;
use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// The minimum number of groups in a run, and the minimum number of characters that the run encodes.
const MIN_GROUPS: usize = 2;
const MIN_CHARS: usize = 8;

/// The maximum number of bytes between two groups.
const MAX_GAP: usize = 40;

/// The maximum number of bytes in a line of a dump.
const MAX_IN_LINE: usize = 64;

/// A run of hex digits that is a whole word.
#[derive(Clone, Copy)]
struct Group<'a> {
    digits: &'a [u8],
    start: usize,
}

impl<'a> Group<'a> {
    /// Returns the group that begins at an offset, if a word begins there.
    fn at(bytes: &'a [u8], start: usize) -> Option<Self> {
        let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        let rest = &bytes[start..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_hexdigit());
        let digits = &rest[..length.count()];
        let is_group = !digits.is_empty() && !is_word(before) && !is_word(rest.get(digits.len()));
        is_group.then_some(Self { digits, start })
    }

    fn end(&self) -> usize {
        self.start + self.digits.len()
    }

    /// Returns whether the group can be part of a sequence of groups.
    fn is_part(&self) -> bool {
        let length = self.digits.len();
        length == 3 || length.is_multiple_of(2)
    }
}

/// Adds the text that groups of digits encode.
pub(super) fn grouped(text: &str, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(first) = next_group(bytes, at) {
        if !first.is_part() {
            at = first.end();
            continue;
        }
        let mut groups = vec![first];
        let mut length = first.digits.len();
        let mut sign = None;
        let mut last = first;
        while let Some(next) = gap_end(bytes, last.end(), &mut sign)
            && let Some(group) = Group::at(bytes, next).filter(Group::is_part)
            && length < MAX_PART
        {
            length += group.digits.len();
            groups.push(group);
            last = group;
        }
        at = last.end();
        if groups.len() < MIN_GROUPS {
            continue;
        }
        let span = Span::new(first.start, last.end());
        for text in texts(&groups) {
            found.push(Decoded {
                span,
                text,
                encoding: Encoding::Hex,
            });
        }
        if length >= MAX_PART {
            found.push(more(at, Encoding::Hex));
        }
    }
}

/// For each byte, whether it is in a word, and whether it is a hex digit, as bits.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            byte if byte.is_ascii_hexdigit() => IN_WORD | DIGIT,
            byte if byte.is_ascii_alphanumeric() => IN_WORD,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};
const IN_WORD: u8 = 1;
const DIGIT: u8 = 2;

/// Returns the next word that consists of hex digits.
fn next_group(bytes: &[u8], from: usize) -> Option<Group<'_>> {
    let kind = |at: usize| bytes.get(at).map_or(0, |byte| KINDS[usize::from(*byte)]);
    let mut at = from;
    while at < bytes.len() {
        let start = at;
        while kind(at) & DIGIT != 0 {
            at += 1;
        }
        if at > start && kind(at) & IN_WORD == 0 {
            let digits = &bytes[start..at];
            return Some(Group { digits, start });
        }
        while kind(at) & IN_WORD != 0 {
            at += 1;
        }
        at += 1;
    }
    None
}

/// Returns the end of the gap between two groups. A gap consists of blanks, line ends, quotes, markers at the start of
/// a line, and at most one other separator, which must be the same in all gaps.
fn gap_end(bytes: &[u8], from: usize, sign: &mut Option<u8>) -> Option<usize> {
    let mut has_sign = false;
    for (at, byte) in bytes.iter().enumerate().skip(from).take(MAX_GAP) {
        match *byte {
            b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'>' | b'#' | b'*' | b'+' => {}
            byte @ (b':' | b'-' | b',' | b'.' | b'_' | b';' | b'|' | b'/')
                if !has_sign && sign.is_none_or(|known| known == byte) =>
            {
                has_sign = true;
                *sign = Some(byte);
            }
            byte if byte.is_ascii_hexdigit() => return (at > from).then_some(at),
            _ => return None,
        }
    }
    None
}

/// Returns the parts of the decoded groups that look like prose or code.
fn texts(groups: &[Group<'_>]) -> Vec<String> {
    let are = |length: usize, is: fn(&u8) -> bool| {
        let mut all = groups.iter();
        all.all(|group| group.digits.len() == length && group.digits.iter().all(is))
    };
    let coded = |radix: u32| -> Vec<u8> {
        let codes = groups.iter().map(|group| {
            let digits = std::str::from_utf8(group.digits).unwrap_or_default();
            u8::from_str_radix(digits, radix).unwrap_or_default()
        });
        codes.collect()
    };
    if are(8, |byte| matches!(byte, b'0' | b'1')) {
        return shown(&coded(2));
    }
    if are(3, |byte| matches!(byte, b'0'..=b'7')) {
        return shown(&coded(8));
    }
    let even = groups.iter().filter(|group| group.digits.len() != 3);
    let digits: Vec<u8> = even.flat_map(|group| group.digits).copied().collect();
    // Without hex letters, the groups may be the two-digit numbers of a table: the hex form of nearly all text contains
    // letters.
    if !digits.iter().any(u8::is_ascii_alphabetic) {
        return Vec::new();
    }
    shown(&pairs(&digits))
}

/// Returns the bytes that pairs of hex digits encode.
fn pairs(digits: &[u8]) -> Vec<u8> {
    let pairs = digits.chunks_exact(2);
    pairs
        .filter_map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?))
        .collect()
}

/// Returns the parts of decoded bytes that look like prose or code. Control characters separate the parts, because
/// numbers before the encoded text may have been decoded together with it.
fn shown(bytes: &[u8]) -> Vec<String> {
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let parts = bytes.split(is_control);
    let long = parts.filter(|part| part.len() >= MIN_CHARS);
    long.filter_map(|part| as_text(part.to_vec(), MIN_CHARS).filter(|text| has_words(text)))
        .collect()
}

/// Returns whether the share of letters in `text` is as high as in a command or a sentence.
fn has_words(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters * 5 >= text.chars().count() * 2
}

/// Adds the text of each hex dump. Each line of a dump has an offset, groups of hex digits, and perhaps the same bytes
/// as text.
pub(super) fn dumps(text: &str, found: &mut Vec<Decoded>) {
    let mut at = 0;
    let mut dump: Option<Dump> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        // Fast path: hardly any line begins with hex digits.
        let read = has_offset(line.as_bytes())
            .then(|| dump_line(line.trim_end().as_bytes()))
            .flatten();
        let goes_on = read.as_ref().is_some_and(|(offset, _)| {
            let known = dump.as_ref();
            known.is_some_and(|dump| dump.next == *offset && dump.bytes.len() < MAX_PART)
        });
        if !goes_on && let Some(dump) = dump.take() {
            dump.add_to(found);
        }
        if let Some((offset, bytes)) = read {
            let dump = dump.get_or_insert_with(|| Dump::new(start, offset));
            dump.next += bytes.len();
            dump.bytes.extend(bytes);
            dump.span.end = start + line.trim_end().len();
            dump.lines += 1;
        }
    }
    if let Some(dump) = dump {
        dump.add_to(found);
    }
}

/// Consecutive lines of a dump.
struct Dump {
    bytes: Vec<u8>,
    span: Span,
    /// The offset of the next line.
    next: usize,
    lines: usize,
}

impl Dump {
    fn new(start: usize, offset: usize) -> Self {
        Self {
            bytes: Vec::new(),
            span: Span::new(start, start),
            next: offset,
            lines: 0,
        }
    }

    /// Adds the text twice: unchanged, and with the two bytes of each group swapped, because some tools swap them.
    fn add_to(self, found: &mut Vec<Decoded>) {
        if self.lines < 2 {
            return;
        }
        let exchanged: Vec<u8> = (self.bytes.chunks_exact(2))
            .flat_map(|pair| [pair[1], pair[0]])
            .collect();
        for text in [shown(&self.bytes), shown(&exchanged)].concat() {
            found.push(Decoded {
                span: self.span,
                text,
                encoding: Encoding::Hex,
            });
        }
    }
}

/// Returns whether a byte can precede the offset of a line.
const fn is_mark(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'>' | b'#' | b'*')
}

/// Returns whether a line begins with at least four hex digits.
fn has_offset(line: &[u8]) -> bool {
    let start = line.iter().position(|byte| !is_mark(*byte));
    let digits = start.and_then(|start| line.get(start..start + 4));
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Returns the offset and the bytes of a line of a dump.
fn dump_line(line: &[u8]) -> Option<(usize, Vec<u8>)> {
    let start = line.iter().position(|byte| !is_mark(*byte))?;
    let offset = Group::at(line, start).filter(|group| (4..=10).contains(&group.digits.len()))?;
    let number = std::str::from_utf8(offset.digits).ok()?;
    let number = usize::from_str_radix(number, 16).ok()?;
    let mut at = offset.end();
    at += usize::from(line.get(at) == Some(&b':'));
    let mut digits: Vec<u8> = Vec::new();
    loop {
        let rest = &line[at.min(line.len())..];
        let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
        // Two blanks separate the two halves of a line of pairs, and separate the digits from the text column.
        let is_middle = digits.is_empty() || digits.len() == 16;
        if blanks == 0 || blanks > 2 || blanks == 2 && !is_middle {
            break;
        }
        let group = Group::at(line, at + blanks);
        let group = group.filter(|group| matches!(group.digits.len(), 2 | 4 | 8));
        let Some(group) = group.filter(|_| digits.len() < 2 * MAX_IN_LINE) else {
            break;
        };
        digits.extend(group.digits);
        at = group.end();
    }
    let bytes = pairs(&digits);
    (!bytes.is_empty()).then_some((number, bytes))
}
