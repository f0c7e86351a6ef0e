//! Splits text into the tokens of BERT's vocabularies (`WordPiece`).
//!
//! Words are separated by spaces and punctuation, and each Chinese character is a word of its own. Words are converted
//! to lower case and stripped of accents if the tokenizer's file requires this. A word is split from the left into the
//! longest tokens of the vocabulary. A word that cannot be split completely has no tokens.
//!
//! Design: R42.

use std::collections::HashMap;

use serde::Deserialize;
use unicode_general_category::{GeneralCategory, get_general_category};

/// The prefix of tokens within a word, if the tokenizer's file does not specify one.
const WITHIN: &str = "##";

/// The maximum length of a word in characters; a longer word has no tokens.
const MAX_WORD: usize = 100;

/// Letters, each with its accented variants.
const ACCENTED: [(char, &str); 63] = [
    ('a', "àáâãäåāăąǎȁȃȧạảấầẩẫậắằẳẵặ"),
    ('b', "ḃḅḇ"),
    ('c', "çćĉċčḉ"),
    ('d', "ďḋḍḏḑḓ"),
    ('e', "èéêëēĕėęěȅȇȩẹẻẽếềểễệ"),
    ('f', "ḟ"),
    ('g', "ĝğġģǧǵḡ"),
    ('h', "ĥȟḣḥḧḩḫẖ"),
    ('i', "ìíîïĩīĭįǐȉȋḭḯỉị"),
    ('j', "ĵǰ"),
    ('k', "ķǩḱḳḵ"),
    ('l', "ĺļľḷḹḻḽ"),
    ('m', "ḿṁṃ"),
    ('n', "ñńņňǹṅṇṉṋ"),
    ('o', "òóôõöōŏőơǒǫȍȏȯọỏốồổỗộớờởỡợ"),
    ('p', "ṕṗ"),
    ('r', "ŕŗřȑȓṙṛṝṟ"),
    ('s', "śŝşšșṡṣṥṧṩ"),
    ('t', "ţťțṫṭṯṱẗ"),
    ('u', "ùúûüũūŭůűųưǔȕȗụủứừửữự"),
    ('v', "ṽṿ"),
    ('w', "ŵẁẃẅẇẉẘ"),
    ('x', "ẋẍ"),
    ('y', "ýÿŷȳẏẙỳỵỷỹ"),
    ('z', "źżžẑẓẕ"),
    ('α', "άὰά"),
    ('ε', "έὲέ"),
    ('η', "ήὴή"),
    ('ι', "ίϊΐὶί"),
    ('ο', "όὸό"),
    ('υ', "ύϋΰὺύ"),
    ('ω', "ώὼώ"),
    ('г', "ѓ"),
    ('е', "ѐё"),
    ('и', "йѝ"),
    ('і', "ї"),
    ('к', "ќ"),
    ('у', "ў"),
    ('か', "が"),
    ('き', "ぎ"),
    ('く', "ぐ"),
    ('け', "げ"),
    ('こ', "ご"),
    ('さ', "ざ"),
    ('し', "じ"),
    ('す', "ず"),
    ('せ', "ぜ"),
    ('そ', "ぞ"),
    ('た', "だ"),
    ('ち', "ぢ"),
    ('つ', "づ"),
    ('て', "で"),
    ('と', "ど"),
    ('は', "ばぱ"),
    ('ひ', "びぴ"),
    ('ふ', "ぶぷ"),
    ('へ', "べぺ"),
    ('ほ', "ぼぽ"),
    ('う', "ゔ"),
    ('ハ', "バパ"),
    ('ヒ', "ビピ"),
    ('フ', "ブプ"),
    ('ホ', "ボポ"),
];

/// The part of the tokenizer's file that this module reads.
#[derive(Deserialize)]
pub(super) struct WordPieceFile {
    normalizer: Option<Normalizer>,
    model: Vocabulary,
}

/// How text is changed before it is split.
#[derive(Deserialize)]
struct Normalizer {
    #[serde(default = "yes")]
    lowercase: bool,
    /// By default, the same as `lowercase`.
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Vocabulary {
    vocab: HashMap<String, u32>,
    continuing_subword_prefix: Option<String>,
    unk_token: Option<String>,
}

/// A tokenizer.
pub(super) struct WordPiece {
    /// The tokens at the start of a word.
    starts: HashMap<String, u32>,
    /// The tokens within a word, without their prefix.
    continuations: HashMap<String, u32>,
    /// The length of the longest token, in bytes.
    longest: usize,
    accents: HashMap<char, char>,
    is_lower_case: bool,
    has_chinese_words: bool,
}

impl WordPiece {
    pub(super) fn new(file: WordPieceFile) -> Self {
        let Vocabulary {
            mut vocab,
            continuing_subword_prefix,
            unk_token,
        } = file.model;
        let prefix = continuing_subword_prefix.as_deref().unwrap_or(WITHIN);
        if let Some(unknown) = unk_token {
            vocab.remove(&unknown);
        }
        let continuations = vocab.iter().filter_map(|(token, id)| {
            let rest = token.strip_prefix(prefix)?;
            Some((rest.to_owned(), *id))
        });
        let continuations = continuations.collect();
        let normalizer = file.normalizer;
        let is_lower_case = normalizer.as_ref().is_some_and(|found| found.lowercase);
        let has_chinese_words = normalizer
            .as_ref()
            .is_some_and(|found| found.handle_chinese_chars);
        let is_stripped = normalizer.and_then(|found| found.strip_accents);
        let is_stripped = is_stripped.unwrap_or(is_lower_case);
        let accented = ACCENTED.iter().filter(|_| is_stripped);
        let accented = accented.flat_map(|(base, all)| all.chars().map(|c| (c, *base)));
        Self {
            longest: vocab.keys().map(String::len).max().unwrap_or_default(),
            starts: vocab,
            continuations,
            accents: accented.collect(),
            is_lower_case,
            has_chinese_words,
        }
    }

    /// Calls a function with each token of `text`.
    pub(super) fn each_token(&self, text: &str, mut of: impl FnMut(u32)) {
        let mut word = String::new();
        let mut tokens = Vec::new();
        let mut end = |word: &mut String| {
            if self.split(word, &mut tokens) {
                tokens.iter().copied().for_each(&mut of);
            }
            word.clear();
        };
        for c in text.chars() {
            if is_invisible(c) {
                continue;
            }
            if c.is_whitespace() {
                end(&mut word);
            } else if is_punctuation(c) || self.has_chinese_words && is_chinese(c) {
                end(&mut word);
                word.push(c);
                end(&mut word);
            } else if self.is_lower_case {
                c.to_lowercase().for_each(|c| self.push(c, &mut word));
            } else {
                self.push(c, &mut word);
            }
        }
        end(&mut word);
    }

    /// Appends a character to a word, without its accents if the tokenizer removes accents.
    fn push(&self, c: char, word: &mut String) {
        if c.is_ascii() || self.accents.is_empty() {
            word.push(c);
        } else if let Some(base) = self.accents.get(&c) {
            word.push(*base);
        } else if let Some(parts) = parts_of_hangul(c) {
            word.extend(parts.into_iter().flatten());
        } else if get_general_category(c) != GeneralCategory::NonspacingMark {
            word.push(c);
        }
    }

    /// Splits a word. Returns whether the whole word consists of tokens of the vocabulary.
    fn split(&self, word: &str, tokens: &mut Vec<u32>) -> bool {
        tokens.clear();
        if word.chars().count() > MAX_WORD {
            return false;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let known = if rest.len() == word.len() {
                &self.starts
            } else {
                &self.continuations
            };
            let mut ends = (1..=rest.len().min(self.longest)).rev();
            let found = ends.find_map(|end| {
                let token = rest.get(..end)?;
                Some((end, *known.get(token)?))
            });
            let Some((end, token)) = found else {
                return false;
            };
            tokens.push(token);
            rest = &rest[end..];
        }
        true
    }
}

/// Returns the letters of a Korean syllable. Accents are removed by decomposing characters (NFD), which also splits
/// syllables into letters.
fn parts_of_hangul(c: char) -> Option<[Option<char>; 3]> {
    let at = u32::from(c).checked_sub(0xac00).filter(|at| *at < 11_172)?;
    let last = (at % 28 > 0).then_some(0x11a7 + at % 28);
    let parts = [Some(0x1100 + at / 588), Some(0x1161 + at % 588 / 28), last];
    Some(parts.map(|part| part.and_then(char::from_u32)))
}

/// Returns whether a character is ignored: a control or format character other than a tab or line end, or an unassigned
/// character.
fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r');
    }
    c == '\u{fffd}'
        || matches!(
            get_general_category(c),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::Unassigned
                | GeneralCategory::PrivateUse
        )
}

/// Returns whether a character is a word of its own: any ASCII symbol, or any non-ASCII punctuation character.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    matches!(
        get_general_category(c),
        GeneralCategory::ConnectorPunctuation
            | GeneralCategory::DashPunctuation
            | GeneralCategory::OpenPunctuation
            | GeneralCategory::ClosePunctuation
            | GeneralCategory::InitialPunctuation
            | GeneralCategory::FinalPunctuation
            | GeneralCategory::OtherPunctuation
    )
}

/// Returns whether BERT's tokenizers treat a character as Chinese. This includes Han characters, but not Kana or
/// Hangul.
fn is_chinese(c: char) -> bool {
    matches!(
        u32::from(c),
        0x3400..=0x4dbf
            | 0x4e00..=0x9fff
            | 0xf900..=0xfaff
            | 0x20000..=0x2a6df
            | 0x2a700..=0x2b73f
            | 0x2b740..=0x2b81f
            | 0x2b920..=0x2ceaf
            | 0x2f800..=0x2fa1f
    )
}
