//! Finds and decodes the encoded parts of a layer.
//!
//! Each decoder makes one pass over the bytes of its input, and returns only results that look like text. Other results
//! are probably false positives, because paths, hashes and images consist of the same characters as base64.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

use super::escapes::escape;
use super::packed::more;
use super::{Decoded, Encoding, Layer};
use super::{
    aliases, arguments, collapsed, continued, globs, grouped, literals, markup, packed, recipes,
};
use crate::source::lines::{Span, char_floor};
use crate::words::WordSet;

/// The maximum length of one encoded part, in bytes.
pub(super) const MAX_PART: usize = 256 << 10;

/// The maximum number of ROT13 lines that are decoded in a layer. The same limit applies to reversed lines.
const MAX_ROTATED: usize = 50;

/// The ROT13 forms of words that are typical of instructions and commands: ignore, instruction, previous, curl, http,
/// password, secret, system, credential, import. These forms occur in no natural language.
const ROTATED: [&str; 10] = [
    "vtaber",
    "vafgehpgvba",
    "cerivbhf",
    "phey",
    "uggc",
    "cnffjbeq",
    "frperg",
    "flfgrz",
    "perqragvny",
    "vzcbeg",
];

/// The ROT13 forms of more words: the, and, your, user, bash, send, all, key, exec. Each of these forms may occur
/// inside an ordinary word.
const ROTATED_TOO: [&str; 9] = [
    "gur ", "naq ", "lbhe", "hfre", "onfu", "fraq", "nyy ", "xrl", "rkrp",
];

/// The reversed forms of similar words, except those that are words of a natural language.
const REVERSED: [&str; 9] = [
    "erongi",
    "noitcurtsni",
    "suoiverp",
    "lruc",
    "sptth",
    "drowssap",
    "terces",
    "laitnederc",
    "tropmi",
];
/// The reversed plurals. They need entries of their own, because they begin with a different letter (`s`), and
/// [`WordSet`] finds an entry only where a word begins.
const REVERSED_PLURALS: [&str; 4] = ["snoitcurtsni", "sdrowssap", "sterces", "slaitnederc"];
const REVERSED_TOO: [&str; 7] = [" eht", " dna", "resu", "hsab", "dnes", " lla", "cexe"];

/// Markers of defanged addresses.
const DEFANGED: [&str; 5] = ["hxxp", "[.]", "[:]", "(dot)", "[dot]"];

/// The decoders that apply to a layer, as bits.
#[derive(Clone, Copy)]
struct Signs(u8);

impl Signs {
    const ROTATED: Self = Self(1);
    const REVERSED: Self = Self(2);
    const DEFANGED: Self = Self(4);
    const ENTITIES: Self = Self(8);
    const IMPORTS: Self = Self(16);
    const REVERSALS: Self = Self(32);

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn of(layer: &Layer) -> Self {
        let (bytes, lower) = (layer.text.as_bytes(), layer.lower().as_bytes());
        let mut signs = 0;
        // First search for any of the words, even inside other words: this search is the fastest, and nearly always
        // finds nothing.
        if ANY_WORD
            .as_ref()
            .is_none_or(|any| any.find(lower).is_some())
        {
            SIGNS.words.find(lower, |word, _, _| {
                signs |= SIGNS.kinds[word].0;
            });
        }
        if memchr::memmem::find(bytes, b"&#").is_some() {
            signs |= Self::ENTITIES.0;
        }
        let may_rename: [&[u8]; 3] = [b"import ", b"= process.env", b"= os.environ"];
        let has = |sign: &&[u8]| memchr::memmem::find(bytes, sign).is_some();
        if may_rename.iter().any(has) {
            signs |= Self::IMPORTS.0;
        }
        Self(signs)
    }
}

/// The set of [all words](all_words), and the decoders that each word indicates.
struct Words {
    words: WordSet,
    kinds: Vec<Signs>,
}

/// All words that decoders look for, with their decoders.
fn all_words() -> Vec<(&'static str, Signs)> {
    let of = |words: &[&'static str], kind| -> Vec<(&'static str, Signs)> {
        words.iter().map(|word| (*word, kind)).collect()
    };
    [
        of(&ROTATED, Signs::ROTATED),
        of(&REVERSED, Signs::REVERSED),
        of(&REVERSED_PLURALS, Signs::REVERSED),
        of(&DEFANGED, Signs::DEFANGED),
        of(&literals::REVERSALS, Signs::REVERSALS),
    ]
    .concat()
}

static SIGNS: LazyLock<Words> = LazyLock::new(|| {
    let all = all_words();
    Words {
        words: WordSet::new(all.iter().map(|(word, _)| *word)),
        kinds: all.iter().map(|(_, kind)| *kind).collect(),
    }
});

/// Finds any of the words; `None` on a machine without fast instructions for such a search.
static ANY_WORD: LazyLock<Option<Searcher>> =
    LazyLock::new(|| Searcher::new(all_words().iter().map(|(word, _)| *word)));

/// Returns the decoded parts of a layer. `is_markdown`: whether the file is Markdown.
pub(super) fn decode(layer: &Layer, is_markdown: bool) -> Vec<Decoded> {
    let text = &*layer.text;
    let mut found = Vec::new();
    let signs = Signs::of(layer);
    let runs = packed::long_runs(text.as_bytes());
    packed::base64(text, &runs, &mut found);
    packed::base32(text, &runs, &mut found);
    packed::hex(text, &runs, &mut found);
    packed::base64_words(text, &mut found);
    grouped::grouped(text, &mut found);
    grouped::dumps(text, &mut found);
    if memchr::memchr(b'\\', text.as_bytes()).is_some() {
        escapes(text, &mut found);
    }
    if memchr::memchr(b'%', text.as_bytes()).is_some() {
        percent(text, &mut found);
    }
    if signs.has(Signs::ENTITIES) {
        entities(text, &mut found);
    }
    char_codes(text, &mut found);
    if signs.has(Signs::DEFANGED) {
        defanged(text, &mut found);
    }
    if signs.has(Signs::ROTATED) {
        rot13(text, &mut found);
    }
    if signs.has(Signs::REVERSED) {
        reversed(text, &mut found);
    }
    continued::join(text, is_markdown && layer.is_file(), &mut found);
    collapsed::collapse(text, &mut found);
    globs::resolve(text, &mut found);
    recipes::undo(text, &mut found);
    literals::join(text, signs.has(Signs::REVERSALS), &mut found);
    markup::split_words(text, layer.is_file(), &mut found);
    if layer.is_file() {
        if signs.has(Signs::IMPORTS) {
            aliases::undo(text, &mut found);
        }
        spaced(text, &mut found);
        arguments::join(text, &mut found);
        markup::wrapped_spans(text, &mut found);
    }
    found
}

/// Returns bytes as text if they look like prose or code. `least`: the minimum number of characters.
pub(super) fn as_text(bytes: Vec<u8>, least: usize) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let mut readable = 0;
    let mut all = 0;
    for c in text.chars() {
        if c.is_control() && !c.is_whitespace() {
            return None;
        }
        all += 1;
        let is_asian_sign = matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}');
        let is_letter = c.is_alphabetic() && !('\u{80}'..'\u{370}').contains(&c);
        let is_common = c.is_ascii() || is_asian_sign || is_letter;
        readable += usize::from(is_common);
    }
    (all >= least && readable * 10 >= all * 9).then_some(text)
}

/// Returns the value of a hex digit.
pub(super) fn digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// Decodes runs of at least four [escapes](escape).
fn escapes(text: &str, found: &mut Vec<Decoded>) {
    let whole = text;
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        let start = at + next;
        let (mut end, mut count, mut encoding) = (start, 0, Encoding::Hex);
        let mut out = Vec::new();
        // A control character, such as the NUL at the end of a string, ends the run: it is not part of the text.
        let shown =
            |at: usize| escape(&text[at..]).filter(|(_, c)| !c.is_control() || c.is_whitespace());
        while let Some((length, c)) = shown(end) {
            if length >= 6 {
                encoding = Encoding::Escape;
            }
            out.extend(c.encode_utf8(&mut [0; 4]).bytes());
            end += length;
            count += 1;
            // Up to three plain characters may come between two escapes.
            let plain = text[end..].bytes().take(3);
            let plain = plain
                .take_while(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'/' | b'.')
                })
                .count();
            if count >= 2 && shown(end + plain).is_some() {
                out.extend(text[end..end + plain].bytes());
                end += plain;
            }
        }
        at = end.max(start + 1);
        if count >= 4
            && let Some(text) = as_text(out, 4)
        {
            // Include the rest of the line, as in `\x63url http…`.
            found.push(Decoded {
                span: Span::new(start, end),
                text: beside(whole, start, end, &text),
                encoding,
            });
        }
        at = at.min(text.len());
    }
}

/// Returns decoded text together with the surrounding text on the same line.
fn beside(whole: &str, start: usize, end: usize, text: &str) -> String {
    let before = &whole[char_floor(whole, start.saturating_sub(200))..start];
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = &whole[end..char_floor(whole, end + 300)];
    let after = after.split('\n').next().unwrap_or_default();
    [before, text, after].concat()
}

fn percent(text: &str, found: &mut Vec<Decoded>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'%', &bytes[at..]) {
        let start = at + next;
        let (mut end, mut count) = (start, 0);
        let mut out = Vec::new();
        while let Some(byte) = bytes.get(end) {
            let pair = bytes
                .get(end + 1)
                .and_then(|b| digit(*b))
                .zip(bytes.get(end + 2).and_then(|b| digit(*b)));
            match (byte, pair) {
                (b'%', Some((high, low))) => {
                    out.push(high << 4 | low);
                    count += 1;
                    end += 3;
                }
                (
                    b'A'..=b'Z'
                    | b'a'..=b'z'
                    | b'0'..=b'9'
                    | b'-'
                    | b'_'
                    | b'.'
                    | b'~'
                    | b'+'
                    | b'/'
                    | b':',
                    _,
                ) => {
                    out.push(*byte);
                    end += 1;
                }
                _ => break,
            }
        }
        at = end.max(start + 1);
        if out.len() >= MAX_PART {
            found.push(more(end, Encoding::Percent));
        } else if count >= 4
            && let Some(text) = as_text(out, 8)
        {
            found.push(Decoded {
                span: Span::new(start, end),
                text,
                encoding: Encoding::Percent,
            });
        }
    }
}

/// Decodes runs of at least four entities. Blanks and line ends may separate them.
fn entities(text: &str, found: &mut Vec<Decoded>) {
    let mut at = 0;
    while let Some(next) = text[at..].find("&#") {
        let start = at + next;
        let (mut end, mut count) = (start, 0);
        let mut out = String::new();
        let mut rest = &text[start..];
        while let Some((length, c)) = rest.strip_prefix("&#").and_then(markup::numbered) {
            out.push(c);
            count += 1;
            end = text.len() - rest.len() + 2 + length;
            let after = &text[end..];
            let blanks = after.bytes().take(4).take_while(u8::is_ascii_whitespace);
            rest = &after[blanks.count()..];
        }
        at = end.max(start + 2);
        if count >= 4
            && let Some(text) = as_text(out.into_bytes(), 4)
        {
            found.push(Decoded {
                span: Span::new(start, end),
                text,
                encoding: Encoding::Entity,
            });
        }
    }
}

/// Decodes lists of character codes: `[99, 117, 114, 108]`, `chr(99)+chr(117)`, `[char]99`, `99 117 114 108`.
fn char_codes(text: &str, found: &mut Vec<Decoded>) {
    const MIN_CODES: usize = 6;
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut out = Vec::new();
    // Whether some codes are separated only by blanks and line ends.
    let mut is_plain = false;
    let (mut start, mut end) = (0, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            let rest = &bytes[at..];
            // Skip 32 bytes at a time: the compiler vectorizes this loop.
            let has_digit =
                |chunk: &&[u8]| chunk.iter().fold(false, |is, b| is | b.is_ascii_digit());
            at += 32
                * rest
                    .chunks_exact(32)
                    .take_while(|chunk| !has_digit(chunk))
                    .count();
            let rest = &bytes[at..];
            at += rest
                .iter()
                .position(u8::is_ascii_digit)
                .unwrap_or(rest.len());
            continue;
        }
        let from = at;
        while at < bytes.len()
            && (bytes[at].is_ascii_hexdigit() || bytes[at] == b'x')
            && at - from < 8
        {
            at += 1;
        }
        let number = &text[from..at];
        let code = match number.strip_prefix("0x") {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        };
        let code = code.filter(|code: &u8| matches!(code, b' '..=b'~' | b'\n' | b'\t'));
        let has_gap = !out.is_empty() && from - end <= 24;
        let gap = has_gap.then(|| text[char_floor(text, end)..from].trim());
        let is_near = gap.is_some_and(|gap| gap.is_empty() || is_between_codes(gap));
        if !out.is_empty() && (code.is_none() || !is_near) {
            take_codes(
                &mut out,
                Span::new(start, end),
                (MIN_CODES, is_plain),
                found,
            );
        }
        if let Some(code) = code {
            if out.is_empty() {
                start = from;
                is_plain = false;
            } else {
                is_plain |= gap.is_some_and(str::is_empty);
            }
            out.push(code);
            end = at;
        }
    }
    take_codes(
        &mut out,
        Span::new(start, end),
        (MIN_CODES, is_plain),
        found,
    );
}

/// Returns whether `gap` can be the separator between two character codes.
fn is_between_codes(gap: &str) -> bool {
    const NAMES: [&str; 6] = ["chr", "char", "fromCharCode", "String", "Chr", "0x"];
    let mut rest = gap;
    let mut signs = 0;
    while let Some(byte) = rest.bytes().next() {
        if let Some(next) = NAMES.iter().find_map(|name| rest.strip_prefix(name)) {
            rest = next;
            continue;
        }
        if !matches!(
            byte,
            b',' | b'+' | b'(' | b')' | b'[' | b']' | b'.' | b' ' | b'\n' | b'&'
        ) {
            return false;
        }
        signs += 1;
        rest = &rest[1..];
    }
    (1..=8).contains(&signs)
}

/// Decodes a list of character codes and adds the text to `found`. `least`: the minimum number of codes. `is_plain`:
/// whether some codes are separated only by blanks and line ends.
fn take_codes(
    out: &mut Vec<u8>,
    span: Span,
    (least, is_plain): (usize, bool),
    found: &mut Vec<Decoded>,
) {
    /// The minimum number of codes if some are separated only by blanks and line ends.
    const MIN_PLAIN: usize = 20;
    let count = |is: fn(&u8) -> bool| out.iter().filter(|code| is(code)).count();
    let letters = count(u8::is_ascii_alphabetic);
    // A long column of numbers is text only if some of the numbers encode blanks.
    let is_column =
        is_plain && (out.len() < MIN_PLAIN || count(u8::is_ascii_whitespace) * 20 < out.len());
    // The numbers in a table are rarely the codes of letters.
    if out.len() < least || is_column || letters * 10 < out.len() * 6 {
        out.clear();
        return;
    }
    if let Some(text) = as_text(std::mem::take(out), least) {
        found.push(Decoded {
            span,
            text,
            encoding: Encoding::CharCodes,
        });
    }
}

/// Restores defanged addresses such as `hxxps://evil[.]example`, with one result per line.
fn defanged(text: &str, found: &mut Vec<Decoded>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let plain = line
            .replace("hxxp", "http")
            .replace("hXXp", "http")
            .replace("[.]", ".");
        let plain = plain
            .replace("[:]", ":")
            .replace("(dot)", ".")
            .replace("[dot]", ".");
        if plain != line && (plain.contains("http") || line.contains("dot")) && line.len() < 2000 {
            found.push(Decoded {
                span: Span::new(start, start + line.trim_end().len()),
                text: plain,
                encoding: Encoding::Defanged,
            });
        }
    }
}

fn rot13(text: &str, found: &mut Vec<Decoded>) {
    let turn = |c: char| match c {
        'a'..='z' => letter(c, 'a'),
        'A'..='Z' => letter(c, 'A'),
        _ => c,
    };
    let undo = |line: &str| line.chars().map(turn).collect();
    by_words(text, (&ROTATED, &ROTATED_TOO), Encoding::Rot13, undo, found);
}

fn reversed(text: &str, found: &mut Vec<Decoded>) {
    let undo = |line: &str| line.trim_end().chars().rev().collect();
    by_words(
        text,
        (&REVERSED, &REVERSED_TOO),
        Encoding::Reversed,
        undo,
        found,
    );
}

/// Decodes the lines that contain at least two encoded words, of which at least one is rare. `rare`, `common`: the
/// encoded words.
fn by_words(
    text: &str,
    (rare, common): (&[&str], &[&str]),
    encoding: Encoding,
    undo: impl Fn(&str) -> String,
    found: &mut Vec<Decoded>,
) {
    let mut at = 0;
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.len() > 4000 || line.len() < 12 {
            continue;
        }
        let lower = line.to_ascii_lowercase();
        let of = |words: &[&str]| words.iter().filter(|word| lower.contains(**word)).count();
        // Require two words, because a single word may be a name.
        let known = of(rare);
        if known == 0 || known + of(common) < 2 {
            continue;
        }
        found.push(Decoded {
            span: Span::new(start, start + line.trim_end().len()),
            text: undo(line),
            encoding,
        });
        count += 1;
        if count == MAX_ROTATED {
            return;
        }
    }
}

fn letter(c: char, first: char) -> char {
    let at = (u32::from(c) - u32::from(first) + 13) % 26;
    char::from_u32(u32::from(first) + at).unwrap_or(c)
}

/// The role of each byte in a run of separated letters, as a bit.
const SPACED: [u8; 256] = {
    let mut of = [OTHER; 256];
    let mut byte = 0;
    while byte < 128 {
        of[byte as usize] = match byte {
            b' ' | b'-' | b'.' | b'_' | b'*' => SEPARATOR,
            byte if byte.is_ascii_alphanumeric() => LETTER,
            _ => OTHER,
        };
        byte += 1;
    }
    of
};
const LETTER: u8 = 1;
const SEPARATOR: u8 = 2;
const OTHER: u8 = 4;

/// The size of a [block](may_be_spaced), in bytes.
const BLOCK: usize = 8;

/// Returns whether a block of bytes may be inside a run of separated letters: whether it contains letters, but no two
/// adjacent letters. Hardly any block of ordinary text passes this test.
fn may_be_spaced(block: [u8; BLOCK]) -> bool {
    let (mut all, mut pairs, mut before) = (0, 0, 0);
    for byte in block {
        let kind = SPACED[usize::from(byte)];
        all |= kind;
        pairs |= kind & before;
        before = kind;
    }
    pairs & LETTER == 0 && all & (LETTER | OTHER) == LETTER
}

/// Joins single letters that are separated: `i g n o r e`, `i-g-n-o-r-e`.
fn spaced(text: &str, found: &mut Vec<Decoded>) {
    const MIN_LETTERS: usize = 12;
    let bytes = text.as_bytes();
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let mut at = 0;
    for (number, block) in blocks.iter().enumerate() {
        if !may_be_spaced(*block) {
            continue;
        }
        // A run with enough separated letters contains at least one whole block. If this is the first whole block of a
        // run, the run begins at one of the offsets from `at` to `last`.
        let last = number * BLOCK;
        at = at.max((last + 1).saturating_sub(BLOCK));
        while at <= last {
            let sign = bytes[at + 1];
            let is_start = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
            if !(is_start
                && bytes[at].is_ascii_alphabetic()
                && SPACED[usize::from(sign)] == SEPARATOR)
            {
                at += 1;
                continue;
            }
            let start = at;
            let mut out = String::new();
            let mut end = at;
            let mut letters = 0;
            while end < bytes.len() && bytes[end].is_ascii_alphanumeric() {
                out.push(char::from(bytes[end]));
                letters += 1;
                let signs = bytes[end + 1..]
                    .iter()
                    .take(4)
                    .take_while(|byte| **byte == sign || **byte == b' ')
                    .count();
                if signs == 0 {
                    end += 1;
                    break;
                }
                if signs > 1 {
                    out.push(' ');
                }
                end += 1 + signs;
            }
            // The next run may begin with the last letter of this one.
            at = end;
            if letters >= MIN_LETTERS {
                found.push(Decoded {
                    span: Span::new(start, end.min(text.len())),
                    text: out,
                    encoding: Encoding::Spaced,
                });
            }
        }
    }
}
