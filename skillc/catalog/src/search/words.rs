//! Splits texts into words: runs of letters and digits, in lower case.
//!
//! In scripts without spaces between words, every two adjacent characters form a word. A text also has its single characters
//! as words, for queries of one character.
//!
//! Design: CAT-SEARCH.3, CAT-SEARCH.4.

use std::collections::HashMap;

use skillc_core::cjk::is_cjk;

use crate::entry::CatalogEntry;

/// A set of word lengths in bytes: one bit each, the last one for all longer words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lengths(u64);

impl Lengths {
    /// All lengths.
    pub(super) const ALL: Self = Self(u64::MAX);

    const fn bit(length: usize) -> u64 {
        1 << if length < 63 { length } else { 63 }
    }

    const fn has(self, length: usize) -> bool {
        self.0 & Self::bit(length) != 0
    }
}

/// Calls a function with each word of a text that has one of these lengths, in lower case. `room`: a reusable buffer.
pub(super) fn each_word(text: &str, lengths: Lengths, room: &mut String, mut of: impl FnMut(&str)) {
    if !text.is_ascii() {
        each_run(text, |run| {
            if is_dense(run) {
                runs_of(run, 1).for_each(&mut of);
                runs_of(run, 2).for_each(&mut of);
            } else {
                of(run);
            }
        });
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

/// Calls a function with each word of a query.
fn each_asked(text: &str, mut of: impl FnMut(&str)) {
    each_run(text, |run| {
        let is_pair = run.chars().nth(1).is_some();
        if is_dense(run) && is_pair {
            runs_of(run, 2).for_each(&mut of);
        } else {
            of(run);
        }
    });
}

/// Calls a function with each run of letters and digits of one script type, in lower case.
fn each_run(text: &str, mut of: impl FnMut(&str)) {
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let chars: Vec<char> = word.chars().collect();
        for run in chars.chunk_by(|a, b| is_cjk(*a) == is_cjk(*b)) {
            of(&run.iter().collect::<String>());
        }
    }
}

/// Returns whether a run is of a script without spaces between words.
fn is_dense(run: &str) -> bool {
    run.starts_with(is_cjk)
}

/// Returns all substrings of `count` adjacent characters of a run.
fn runs_of(run: &str, count: usize) -> impl Iterator<Item = &str> {
    let ends = run.char_indices().map(|(at, _)| at).chain([run.len()]);
    let starts = run.char_indices().map(|(at, _)| at);
    starts
        .zip(ends.skip(count))
        .map(|(start, end)| &run[start..end])
}

/// The distinct words of a query.
pub(super) struct Words {
    numbers: HashMap<String, usize>,
    lengths: Lengths,
}

/// Reusable buffers for counting the words of one skill.
#[derive(Default)]
pub(super) struct Room {
    is_found: Vec<bool>,
    word: String,
}

impl Words {
    pub(super) fn parse(text: &str) -> Self {
        let mut words = Self {
            numbers: HashMap::new(),
            lengths: Lengths(0),
        };
        each_asked(text, |word| {
            words.lengths.0 |= Lengths::bit(word.len());
            let next = words.numbers.len();
            words.numbers.entry(word.to_owned()).or_insert(next);
        });
        words
    }

    /// Returns the words, without duplicates.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }

    /// Returns how many of the distinct words are in a skill's name or description.
    pub(super) fn count_in(&self, entry: &CatalogEntry, room: &mut Room) -> u32 {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_asked(text, |word| words.push(word.to_owned()));
        words
    }

    fn told(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut room = String::new();
        each_word(text, Lengths::ALL, &mut room, |word| {
            words.push(word.to_owned());
        });
        words
    }

    /// CAT-SEARCH.3: whole words, in scripts with word boundaries.
    #[test]
    fn words_are_runs_of_letters_and_digits() {
        for words in [asked, told] {
            assert_eq!(words("Draft v2-notes!"), ["draft", "v2", "notes"]);
            assert_eq!(
                words("Überblick für Straße"),
                ["überblick", "für", "straße"]
            );
            assert!(words(" ...、").is_empty());
        }
    }

    /// CAT-SEARCH.3: in scripts without spaces, adjacent characters.
    #[test]
    fn adjacent_characters_are_words_in_scripts_without_spaces() {
        assert_eq!(asked("功能"), ["功能"]);
        assert_eq!(asked("能"), ["能"]);
        assert_eq!(asked("PR代码审查"), ["pr", "代码", "码审", "审查"]);
        assert_eq!(told("建功能, v2"), ["建", "功", "能", "建功", "功能", "v2"]);
        assert_eq!(asked("회의를 정리"), ["회의", "의를", "정리"]);
    }
}
