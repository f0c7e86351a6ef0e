//! Words: runs of letters and digits, in lower case.
//!
//! Source: CATALOG CAT-SEARCH.3, CAT-SEARCH.4.

use std::collections::HashMap;

use crate::entry::Entry;

/// Lengths of words in bytes: a bit for each, the last for all that are longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lengths(u64);

impl Lengths {
    /// All there are.
    pub(super) const ALL: Self = Self(u64::MAX);

    const fn bit(length: usize) -> u64 {
        1 << if length < 63 { length } else { 63 }
    }

    const fn has(self, length: usize) -> bool {
        self.0 & Self::bit(length) != 0
    }
}

/// Calls a function with each word of a text that has one of these lengths, in lower case. `room`: to put words in.
pub(super) fn each_word(text: &str, lengths: Lengths, room: &mut String, mut of: impl FnMut(&str)) {
    if !text.is_ascii() {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).for_each(|word| of(&word));
        return;
    }
    let mut start = 0;
    let ends = text.bytes().chain([b' ']).enumerate();
    for (end, _) in ends.filter(|(_, byte)| !byte.is_ascii_alphanumeric()) {
        if end > start && lengths.has(end - start) {
            room.clear();
            room.push_str(&text[start..end]);
            room.make_ascii_lowercase();
            of(room);
        }
        start = end + 1;
    }
}

/// The distinct words of a query.
pub(super) struct Words {
    numbers: HashMap<String, usize>,
    lengths: Lengths,
}

/// Room for counting the words of one skill.
#[derive(Default)]
pub(super) struct Room {
    is_found: Vec<bool>,
    word: String,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut words = Self {
            numbers: HashMap::new(),
            lengths: Lengths(0),
        };
        each_word(text, Lengths::ALL, &mut String::new(), |word| {
            words.lengths.0 |= Lengths::bit(word.len());
            let next = words.numbers.len();
            words.numbers.entry(word.to_owned()).or_insert(next);
        });
        words
    }

    /// Returns the words, each once.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }

    /// Returns how many of the words are in a skill's name or description, each counted once.
    pub(super) fn count_in(&self, entry: &Entry, room: &mut Room) -> u32 {
        let Room { is_found, word } = room;
        is_found.clear();
        is_found.resize(self.numbers.len(), false);
        let mut count = 0;
        for text in [&entry.name, &entry.description] {
            each_word(text, self.lengths, word, |word| {
                if let Some(number) = self.numbers.get(word) {
                    count += u32::from(!std::mem::replace(&mut is_found[*number], true));
                }
            });
        }
        count
    }
}
