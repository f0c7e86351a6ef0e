//! Splits text into the tokens of Llama's vocabularies: byte-pair encoding with a fallback to bytes.
//!
//! A space is added before the text, each space is replaced with `▁`, and each word includes the spaces before it. Each
//! word is first split into characters. Then, of all pairs of adjacent tokens, the pair that comes first in the
//! vocabulary's list of merges is merged; this is repeated until no pair is in that list. A character that is not in
//! the vocabulary becomes the tokens of its bytes.
//!
//! A word of more than [`MAX_WORD`] characters is split into parts of that size, so that the time is linear in the
//! length of the text. The result may then have one more token per part than in other implementations.
//!
//! Design: R42.

use std::collections::HashMap;

use serde::Deserialize;

/// The character that replaces a space.
const SPACE: char = '▁';

/// The maximum number of initial tokens (characters, or bytes of unknown characters) that are merged as one word.
const MAX_WORD: usize = 128;

/// The part of the tokenizer's file that this module reads.
#[derive(Deserialize)]
pub(super) struct BytePairsFile {
    model: Vocabulary,
}

#[derive(Deserialize)]
struct Vocabulary {
    vocab: HashMap<String, u32>,
    merges: Vec<Merge>,
}

/// Two tokens that become one: `"a b"`, or `["a", "b"]` in newer files.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Joined(String),
    Pair(String, String),
}

/// A tokenizer.
pub(super) struct BytePairs {
    /// The tokens of single characters.
    chars: HashMap<char, u32>,
    /// The tokens of single bytes.
    bytes: Vec<Option<u32>>,
    /// The pairs of tokens that can be merged, each with its position in the list of merges and the merged token.
    merges: HashMap<(u32, u32), (usize, u32)>,
}

impl BytePairs {
    pub(super) fn new(file: BytePairsFile) -> Self {
        let Vocabulary { vocab, merges } = file.model;
        let chars = vocab.iter().filter_map(|(token, id)| {
            let mut chars = token.chars();
            let only = chars.next().filter(|_| chars.next().is_none())?;
            Some((only, *id))
        });
        let bytes = (0..=u8::MAX).map(|byte| vocab.get(&format!("<0x{byte:02X}>")).copied());
        let mut known = HashMap::new();
        for (place, merge) in merges.iter().enumerate() {
            let (first, second) = match merge {
                Merge::Joined(joined) => joined.split_once(' ').unwrap_or_default(),
                Merge::Pair(first, second) => (first.as_str(), second.as_str()),
            };
            let ids = [first, second].map(|token| vocab.get(token));
            if let [Some(first_id), Some(second_id)] = ids
                && let Some(merged) = vocab.get(&format!("{first}{second}"))
            {
                known
                    .entry((*first_id, *second_id))
                    .or_insert((place, *merged));
            }
        }
        Self {
            chars: chars.collect(),
            bytes: bytes.collect(),
            merges: known,
        }
    }

    /// Calls a function with each token of `text`.
    pub(super) fn each_token(&self, text: &str, mut of: impl FnMut(u32)) {
        if text.is_empty() {
            return;
        }
        let mut word = Vec::new();
        let mut before = SPACE;
        self.push(SPACE, &mut word);
        for c in text.chars() {
            let c = if c == ' ' { SPACE } else { c };
            let is_start = c == SPACE && before != SPACE;
            if is_start || word.len() >= MAX_WORD {
                self.merge(&mut word);
                word.drain(..).for_each(&mut of);
            }
            self.push(c, &mut word);
            before = c;
        }
        self.merge(&mut word);
        word.into_iter().for_each(of);
    }

    /// Appends the tokens of one character.
    fn push(&self, c: char, word: &mut Vec<u32>) {
        if let Some(id) = self.chars.get(&c) {
            word.push(*id);
            return;
        }
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).bytes();
        word.extend(bytes.filter_map(|byte| self.bytes[usize::from(byte)]));
    }

    /// Merges the tokens of one word.
    fn merge(&self, word: &mut Vec<u32>) {
        loop {
            let pairs = word.windows(2).enumerate();
            let known = pairs.filter_map(|(at, pair)| {
                let (place, merged) = self.merges.get(&(pair[0], pair[1]))?;
                Some((*place, at, *merged))
            });
            let Some((_, at, merged)) = known.min() else {
                return;
            };
            word[at] = merged;
            word.remove(at + 1);
        }
    }
}
