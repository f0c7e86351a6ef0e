//! Splits text into the words by which skills are compared: runs of letters and digits, in lower case, stemmed by the
//! rules for English.
//!
//! Stop words, which say nothing about a subject, are left out. In scripts without spaces between words, every two
//! adjacent characters form a word. The index stores only hashes of words, because words are only compared for
//! equality.
//!
//! Design: CAT-SEARCH.3, CAT-SEARCH.4, R27.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rust_stemmers::{Algorithm, Stemmer};
use skillc_core::cjk::is_cjk;

/// The maximum number of cached words, so that text with random words cannot exhaust memory.
const MAX_KNOWN: usize = 1 << 16;

/// The maximum size of a word that is stemmed, in bytes. Longer strings are not words of a natural language.
const MAX_STEMMED: usize = 40;

/// Stop words, sorted: English function words, parts of contractions, and words that occur in nearly every request.
const STOP_WORDS: [&str; 136] = [
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as",
    "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "could", "d", "did", "do", "does", "doesn", "doing", "don", "down", "during", "each",
    "few", "for", "from", "further", "get", "had", "has", "have", "having", "he", "her", "here",
    "hers", "him", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself",
    "just", "let", "like", "ll", "m", "me", "more", "most", "my", "need", "no", "nor", "not",
    "now", "of", "off", "on", "once", "only", "or", "other", "our", "out", "over", "own", "please",
    "re", "s", "same", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under",
    "until", "up", "us", "use", "used", "using", "ve", "very", "want", "was", "we", "were", "what",
    "when", "where", "which", "while", "who", "whom", "why", "will", "with", "would", "you",
    "your",
];

/// A word, represented by its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    /// The hash of a stemmed word.
    Stem(u32),
    /// The hash of two adjacent characters of a script without spaces, or of a single such character that stands alone.
    Pair(u32),
    /// The hash of one of several adjacent characters of such a script. It matches only a query in which that character
    /// stands alone.
    Character(u32),
}

/// Splits text into words. Caches the stems of words, because stemming takes longer than a lookup.
pub(super) struct Splitter {
    stemmer: Stemmer,
    /// The hash of the stem of each lower-case word; `None` for stop words.
    known: HashMap<Box<str>, Option<u32>>,
    word: String,
}

impl Splitter {
    pub(super) fn new() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            known: HashMap::new(),
            word: String::new(),
        }
    }

    /// Calls a function with each word of `text`.
    pub(super) fn each_word(&mut self, text: &str, mut of: impl FnMut(Word)) {
        let runs = text.split(|c: char| !c.is_alphanumeric());
        for run in runs.filter(|run| !run.is_empty()) {
            self.word.clear();
            if run.is_ascii() {
                self.word.push_str(run);
                self.word.make_ascii_lowercase();
                self.stem(&mut of);
            } else {
                self.mixed(&run.to_lowercase(), &mut of);
            }
        }
    }

    /// Splits a run of letters and digits, some of which may belong to a script without spaces.
    fn mixed(&mut self, run: &str, of: &mut impl FnMut(Word)) {
        let chars: Vec<char> = run.chars().collect();
        for run in chars.chunk_by(|a, b| is_cjk(*a) == is_cjk(*b)) {
            if !is_cjk(run[0]) {
                self.word.clear();
                self.word.extend(run);
                self.stem(of);
            } else if let [only] = run {
                of(Word::Pair(hash(only)));
            } else {
                let pairs = run.windows(2).map(|pair| Word::Pair(hash(pair)));
                let characters = run.iter().map(|one| Word::Character(hash(one)));
                pairs.chain(characters).for_each(&mut *of);
            }
        }
    }

    /// Calls `of` with the stem of the current word, unless the word is a stop word.
    fn stem(&mut self, of: &mut impl FnMut(Word)) {
        let word = self.word.as_str();
        let known = self.known.get(word).copied();
        let stem = known.unwrap_or_else(|| {
            let is_ignored = STOP_WORDS.binary_search(&word).is_ok();
            let stem = (!is_ignored).then(|| {
                if word.len() > MAX_STEMMED {
                    return hash(word);
                }
                hash(&*self.stemmer.stem(word))
            });
            if self.known.len() < MAX_KNOWN {
                self.known.insert(word.into(), stem);
            }
            stem
        });
        stem.map(Word::Stem).into_iter().for_each(of);
    }
}

fn hash(word: &(impl Hash + ?Sized)) -> u32 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    u32::try_from(hasher.finish() >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of a string and, separately, the single characters of longer runs.
    fn split(text: &str) -> (Vec<Word>, Vec<Word>) {
        let mut words = Vec::new();
        Splitter::new().each_word(text, |word| words.push(word));
        let is_character = |word: &Word| matches!(word, Word::Character(_));
        words.into_iter().partition(|word| !is_character(word))
    }

    fn words(text: &str) -> Vec<Word> {
        split(text).0
    }

    fn stems(stems: &[&str]) -> Vec<Word> {
        stems.iter().map(|stem| Word::Stem(hash(*stem))).collect()
    }

    #[test]
    fn ignored_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted_by(|a, b| a < b));
        assert!(words("Please help me, I don't want to do THIS").len() == 1);
    }

    /// CAT-SEARCH.3.
    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(words("Draft v2-notes!"), stems(&["draft", "v2", "note"]));
        assert_eq!(words("ÜBERBLICK_Straße"), stems(&["überblick", "straße"]));
        assert!(words(" ...、🦀").is_empty());
    }

    /// R27.
    #[test]
    fn forms_of_a_word_are_the_same() {
        assert_eq!(words("deploying"), words("deployed"));
        assert_eq!(words("analysis skies"), words("Analysis SKY"));
        let long = "x".repeat(1_000);
        assert_eq!(words(&long), stems(&[&long]));
    }

    /// CAT-SEARCH.3: in scripts without spaces between words, adjacent characters form words.
    #[test]
    fn adjacent_characters_are_words_in_scripts_without_spaces() {
        let pair = |text: &str| Word::Pair(hash(&*text.chars().collect::<Vec<_>>()));
        let one = |c: char| hash(&c);
        let (pairs, characters) = split("PR代码审查");
        let mut expected = stems(&["pr"]);
        expected.extend(["代码", "码审", "审查"].map(pair));
        assert_eq!(pairs, expected);
        assert_eq!(characters.len(), 4);
        assert_eq!(characters[0], Word::Character(one('代')));
        assert_eq!(split("能"), (vec![Word::Pair(one('能'))], Vec::new()));
        assert_eq!(words("회의를 정리"), ["회의", "의를", "정리"].map(pair));
    }
}
