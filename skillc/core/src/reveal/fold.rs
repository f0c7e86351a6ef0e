//! Removes invisible characters from Unicode text, and replaces letters that only look Latin with Latin letters.

use std::sync::LazyLock;

use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// At most this many runs of invisible characters are kept.
const MAX_RUNS: usize = 10_000;

/// The minimum length of a hidden message, in bytes.
const MIN_CARRIERS: usize = 8;

/// A run of invisible characters of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invisible {
    /// The position of the run, in bytes of the file.
    pub span: Span,
    /// The number of characters.
    pub count: usize,
    /// The kind of the characters.
    pub kind: InvisibleKind,
}

/// A kind of invisible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InvisibleKind {
    /// Tag characters, U+E0000 to U+E007F: an invisible copy of ASCII.
    Tag,
    /// Zero-width spaces, joiners and similar characters.
    ZeroWidth,
    /// Marks that change the direction of the text after them.
    Direction,
    /// Variation selectors, which are common after emoji.
    Variation,
}

/// The result of folding a string.
pub(super) struct Folded {
    /// `None` if folding changes nothing.
    pub(super) text: Option<String>,
    /// Pairs of an offset in the folded text and the corresponding offset in the original text. From each pair to the
    /// next folded character, the two texts are equal.
    pub(super) shifts: Vec<(usize, usize)>,
    pub(super) invisible: Vec<Invisible>,
    /// Messages encoded in invisible characters.
    pub(super) hidden: Vec<Decoded>,
}

pub(super) fn fold(text: &str) -> Folded {
    let mut folded = Folded {
        text: None,
        shifts: Vec::new(),
        invisible: Vec::new(),
        hidden: Vec::new(),
    };
    if text.is_ascii() {
        return folded;
    }
    let bytes = text.as_bytes();
    let mut out = String::new();
    // The offset up to which the text has been written to the output; 0 until a character is folded.
    let mut copied = 0;
    let mut carriers = Carriers::default();
    let mut word = Word::default();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_ascii() {
            // Skip ASCII characters, which are never folded.
            let rest = &bytes[at..];
            at += rest
                .iter()
                .position(|b| !b.is_ascii())
                .unwrap_or(rest.len());
            continue;
        }
        let end = at + c.len_utf8();
        if is_asian(c) {
            at = end;
            continue;
        }
        let new = match invisible(c) {
            Some(kind) => {
                note(&mut folded.invisible, at, c, kind);
                carriers.add(at, c);
                None
            }
            None => shown(c, || word.is_disguised(text, at)),
        };
        if new != Some(c) {
            out.push_str(&text[copied..at]);
            out.extend(new);
            copied = end;
            folded.shifts.push((out.len(), end));
        }
        at = end;
    }
    folded.hidden = carriers.read();
    if !folded.shifts.is_empty() {
        out.push_str(&text[copied..]);
        folded.text = Some(out);
    }
    folded
}

/// Returns whether a character is common in Chinese, Japanese or Korean text. Such characters are never folded.
fn is_asian(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{3163}' | '\u{3165}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// The result for the word that was examined last.
#[derive(Default)]
struct Word {
    end: usize,
    is_disguised: bool,
}

impl Word {
    /// The maximum length of a word, in bytes: longer text without blanks is not a word.
    const LONGEST: usize = 400;

    /// Returns whether the word at an offset mixes Latin letters with letters of other scripts that look like Latin
    /// letters.
    fn is_disguised(&mut self, text: &str, at: usize) -> bool {
        if at < self.end {
            return self.is_disguised;
        }
        let is_part = |c: &char| {
            !is_asian(*c)
                && (c.is_alphanumeric() || matches!(c, '_' | '-') || invisible(*c).is_some())
        };
        let before = text[self.end..at].chars().rev().take_while(is_part);
        let before = before.take(Self::LONGEST);
        let mut has_latin = before.into_iter().any(|c| c.is_ascii_alphabetic());
        let mut has_other = false;
        let mut end = at;
        for c in text[at..].chars().take_while(is_part) {
            has_latin |= c.is_ascii_alphabetic();
            has_other |= !c.is_ascii() && twin(c).is_some();
            end += c.len_utf8();
            if end - at > Self::LONGEST {
                break;
            }
        }
        self.end = end.max(at + 1);
        while !text.is_char_boundary(self.end) {
            self.end += 1;
        }
        self.is_disguised = has_latin && has_other;
        self.is_disguised
    }
}

fn note(runs: &mut Vec<Invisible>, at: usize, c: char, kind: InvisibleKind) {
    let end = at + c.len_utf8();
    let is_full = runs.len() >= MAX_RUNS;
    match runs.last_mut() {
        Some(last) if last.span.end == at && last.kind == kind => {
            last.span.end = end;
            last.count += 1;
        }
        _ if !is_full => runs.push(Invisible {
            span: Span::new(at, end),
            count: 1,
            kind,
        }),
        _ => {}
    }
}

fn invisible(c: char) -> Option<InvisibleKind> {
    Some(match c {
        '\u{e0000}'..='\u{e007f}' => InvisibleKind::Tag,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
            InvisibleKind::Direction
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' => {
            InvisibleKind::Variation
        }
        '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{3164}'
        | '\u{ffa0}' => InvisibleKind::ZeroWidth,
        _ => return None,
    })
}

/// Returns the character that a visible character is folded to; `None` for a combining mark, which is removed.
fn shown(c: char, is_disguised: impl FnOnce() -> bool) -> Option<char> {
    Some(match c {
        '\u{300}'..='\u{36f}' => return None,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2013}' | '\u{2212}' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{1d400}'..='\u{1d7ff}' => mathematical(c).unwrap_or(c),
        '\u{24b6}'..='\u{24cf}' => letter(u32::from(c) - 0x24b6, 'A'),
        '\u{24d0}'..='\u{24e9}' => letter(u32::from(c) - 0x24d0, 'a'),
        '\u{1f130}'..='\u{1f149}' => letter(u32::from(c) - 0x1f130, 'A'),
        '\u{c0}'..='\u{17f}' => unaccented(c),
        _ => twin(c).filter(|_| is_disguised()).unwrap_or(c),
    })
}

fn letter(at: u32, first: char) -> char {
    char::from_u32(u32::from(first) + at).unwrap_or(first)
}

/// Returns the plain letter or digit for a character of a mathematical alphabet.
fn mathematical(c: char) -> Option<char> {
    let at = u32::from(c);
    if at >= 0x1d7ce {
        return char::from_u32(u32::from('0') + (at - 0x1d7ce) % 10);
    }
    if at >= 0x1d6a4 {
        return None;
    }
    let at = (at - 0x1d400) % 52;
    Some(if at < 26 {
        letter(at, 'A')
    } else {
        letter(at - 26, 'a')
    })
}

/// Returns a Latin letter without its accent.
fn unaccented(c: char) -> char {
    const BASES: &str = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuytyAaAaAaCcCcCcCcDdDdEeEeEeEeEe\
        GgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
    let at = (u32::from(c) - 0xc0) as usize;
    BASES.as_bytes().get(at).map_or(c, |byte| char::from(*byte))
}

/// Pairs of a letter of another script and the Latin letter that it looks like.
const TWINS: &str = "аaвbсcеeнhіiјjкkмmоoрpтtуyхxѕsԁdһhԛqԝwАAВBСCЕEНHІIЈJКKМMОOРPТTУYХXЅSԌG\
        αaοoνvρpτtιiκkυuΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXɡgıiƖlցgոnսuօoհhաwզqᴀaᴄcᴅdᴇeɪiᴊjᴋkᴏoᴘpᴛtᴜuᴠvᴡwᴢzʏyʀrɴnᴍmʟlʜhɢgʙbꜱsꜰf";

/// The pairs of [`TWINS`], sorted by the letter of the other script.
static PAIRS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let letters: Vec<char> = TWINS.chars().collect();
    let mut pairs: Vec<(char, char)> = letters
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    pairs.sort_by_key(|(other, _)| *other);
    pairs.dedup_by_key(|(other, _)| *other);
    pairs
});

/// Returns the Latin letter that a letter of another script looks like.
fn twin(c: char) -> Option<char> {
    if !matches!(c, '\u{196}' | '\u{251}'..='\u{58f}' | '\u{1d00}'..='\u{1d7f}' | '\u{a730}' | '\u{a731}')
    {
        return None;
    }
    let at = PAIRS.binary_search_by_key(&c, |(other, _)| *other).ok()?;
    Some(PAIRS[at].1)
}

/// Collects invisible characters that may encode a message.
#[derive(Default)]
struct Carriers {
    tags: Carrier<String>,
    bits: Carrier<Vec<char>>,
    bytes: Carrier<Vec<u8>>,
}

/// The collected characters, and their span.
#[derive(Default)]
struct Carrier<T> {
    span: Option<Span>,
    value: T,
}

impl<T> Carrier<T> {
    fn at(&mut self, at: usize, c: char) -> &mut T {
        let end = at + c.len_utf8();
        let span = self.span.get_or_insert(Span::new(at, end));
        span.end = end;
        &mut self.value
    }
}

impl Carriers {
    fn add(&mut self, at: usize, c: char) {
        match c {
            '\u{e0020}'..='\u{e007e}' => {
                let shown = char::from_u32(u32::from(c) - 0xe0000).unwrap_or(c);
                self.tags.at(at, c).push(shown);
            }
            '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => self.bits.at(at, c).push(c),
            '\u{fe00}'..='\u{fe0e}' => {
                let byte = u32::from(c) - 0xfe00;
                self.bytes.at(at, c).extend(u8::try_from(byte));
            }
            '\u{e0100}'..='\u{e01ef}' => {
                let byte = u32::from(c) - 0xe0100 + 16;
                self.bytes.at(at, c).extend(u8::try_from(byte));
            }
            _ => {}
        }
    }

    fn read(self) -> Vec<Decoded> {
        let mut found = Vec::new();
        if let Some(span) = self
            .tags
            .span
            .filter(|_| self.tags.value.len() >= MIN_CARRIERS)
        {
            found.push(Decoded {
                span,
                text: self.tags.value,
                encoding: Encoding::Tags,
            });
        }
        let bits = self
            .bits
            .span
            .and_then(|span| Some((span, text_of_bits(&self.bits.value)?)));
        let bytes = self
            .bytes
            .span
            .filter(|_| self.bytes.value.len() >= MIN_CARRIERS);
        let bytes = bytes.and_then(|span| Some((span, printable(self.bytes.value)?)));
        for (span, text) in bits.into_iter().chain(bytes) {
            found.push(Decoded {
                span,
                text,
                encoding: Encoding::InvisibleBits,
            });
        }
        found
    }
}

/// Decodes a sequence of two different characters as bits, eight per byte.
fn text_of_bits(carriers: &[char]) -> Option<String> {
    let zero = *carriers.first()?;
    let one = *carriers.iter().find(|c| **c != zero)?;
    let two = carriers.iter().all(|c| *c == zero || *c == one);
    if !two || carriers.len() < 8 * MIN_CARRIERS {
        return None;
    }
    // Try both assignments, because the author may use either character for 1.
    [one, zero].into_iter().find_map(|one| {
        let byte = |bits: &[char]| {
            let bits = bits.iter().map(|c| u8::from(*c == one));
            bits.fold(0, |byte, bit| byte << 1 | bit)
        };
        printable(carriers.chunks_exact(8).map(byte).collect())
    })
}

fn printable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let is_shown = |c: char| !c.is_control() || c.is_whitespace();
    text.chars().all(is_shown).then_some(text)
}
