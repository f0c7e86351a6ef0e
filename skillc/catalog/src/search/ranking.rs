//! Ranks skills by the words they share with a query: BM25F over name, description, headings and text.
//!
//! Names and descriptions of all skills are compared, and the texts of the best of these. How rare a word is in texts is
//! estimated from a sample. So a search reads few files even among thousands of skills, and its result does not depend on
//! what earlier searches have read.
//!
//! Design: R27.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use rayon::prelude::*;

use super::fields::{Counts, SkillWords};
use super::words::{Splitter, Word};

/// Name and description.
const HEAD: Fields = Fields {
    weights: [2.0, 1.0],
    lengths: [0.5, 0.75],
    most: f64::INFINITY,
};

/// Headings, and all other lines. A word that a text repeats adds less than one in the description.
const TEXT: Fields = Fields {
    weights: [0.25, 0.2],
    lengths: [0.5, 0.9],
    most: 1.0,
};

/// The weight at which a word adds half of the most it can add to a score.
const HALF: f64 = 2.0;

/// The number of skills whose texts are compared, and of those whose texts are the sample.
const COMPARED: usize = 384;
const SAMPLE: usize = 128;

/// The number of words of a query that are compared: the rarest.
const MAX_WORDS: usize = 128;

/// How much a word that is in no skill counts against a fit, relative to the rarest word that is in one.
const UNKNOWN: f64 = 0.6;

/// The same for two characters: of a text without spaces, half of all pairs are the end of a word and the beginning of the
/// next.
const UNKNOWN_PAIR: f64 = 0.3;

/// How well the best skill should fit: this, times the fourth root of the average length of names and descriptions together,
/// in words within this range.
const CONVINCING: f64 = 0.1;
const LENGTHS: RangeInclusive<f64> = 8.0..=64.0;

/// The number of skills that one thread compares at once.
const CHUNK: usize = 512;

/// The size of the filter of a query's words, in bits.
const FILTER_BITS: usize = 1 << 16;

/// Two fields of a skill, and what their words weigh.
struct Fields {
    /// The weight of a word in each of them, where it is as long as the average.
    weights: [f64; 2],
    /// How much the length of a field reduces the weight of its words: 0 not at all, 1 in proportion.
    lengths: [f64; 2],
    /// What the weight of a repeated word approaches.
    most: f64,
}

/// The distinct words of a query.
pub(super) struct QueryWords {
    /// Sorted by hash; with how much each counts against a fit if it is in no skill.
    words: Vec<(u64, f64)>,
    /// Has a bit for each word, to skip nearly all other words quickly.
    filter: Box<[u64; FILTER_BITS / 64]>,
}

/// A skill to be ranked.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) words: &'a SkillWords,
    /// Its `SKILL.md`.
    pub(super) path: &'a str,
}

/// How well skills fit a query.
#[derive(Debug, Default)]
pub(super) struct Fits {
    /// One for each skill; 0 if it shares no word with the query.
    ///
    /// Fits of different queries can be compared: they are scores, divided by the square root of the most that a skill
    /// could score. Dividing by the most itself would expect a skill to have every word of a long query.
    pub(super) all: Vec<f64>,
    /// How well a skill that is meant should fit.
    pub(super) convincing: f64,
}

/// The words of two fields of a skill that the query has, too.
struct Shared<'a> {
    counts: &'a Counts,
    /// The number of the query's word, and how often it is in each field, sorted.
    words: Vec<(usize, [u16; 2])>,
}

/// The skills that are ranked, and what is known of them.
struct Ranking<'a> {
    query: &'a QueryWords,
    heads: Vec<Shared<'a>>,
    /// By the number of the skill, for those whose texts have been read.
    texts: BTreeMap<usize, Shared<'a>>,
    of_heads: Averages,
    of_texts: Averages,
    /// For each word of the query, how many skills have it; an estimate where it is in texts.
    with: Vec<f64>,
}

/// Returns how well each skill fits a query.
pub(super) fn fits(query: &QueryWords, skills: &[Candidate<'_>]) -> Fits {
    if query.words.is_empty() || skills.is_empty() {
        let all = vec![0.0; skills.len()];
        return Fits {
            all,
            convincing: 0.0,
        };
    }
    let mut ranking = Ranking::by_heads(query, skills);
    let rarities = ranking.rarities();
    let by_head: Vec<f64> = (0..skills.len())
        .map(|at| ranking.score(at, &rarities))
        .collect();
    ranking.read_texts(skills, &by_head);
    let rarities = ranking.rarities();
    let scale = ranking.scale(&rarities);
    let all = (0..skills.len()).map(|at| ranking.score(at, &rarities) / scale);
    Fits {
        all: all.collect(),
        convincing: ranking.convincing(),
    }
}

impl<'a> Ranking<'a> {
    /// Compares names and descriptions.
    fn by_heads(query: &'a QueryWords, skills: &[Candidate<'a>]) -> Self {
        let heads = skills.par_iter().with_min_len(CHUNK);
        let heads: Vec<Shared<'_>> = heads.map(|skill| query.shared(&skill.words.head)).collect();
        let mut with = vec![0.0; query.words.len()];
        for (word, _) in heads.iter().flat_map(|head| &head.words) {
            with[*word] += 1.0;
        }
        Self {
            query,
            of_heads: Averages::new(heads.iter()),
            of_texts: Averages::default(),
            heads,
            texts: BTreeMap::new(),
            with,
        }
    }

    /// Compares texts: of the best skills, and of the sample. `scores`: those by name and description.
    fn read_texts(&mut self, skills: &[Candidate<'a>], scores: &[f64]) {
        let (sample, read) = to_read(scores);
        let texts = read.par_iter().map_init(Splitter::new, |splitter, at| {
            let skill = skills[*at];
            let text = skill.words.text(skill.path, splitter);
            (*at, self.query.shared(text))
        });
        self.texts = texts.collect();
        self.of_texts = Averages::new(sample.iter().map(|at| &self.texts[at]));
        let each = number(skills.len()) / number(sample.len());
        for at in &sample {
            for (word, _) in &self.texts[at].words {
                if !self.heads[*at].has(*word) {
                    self.with[*word] += each;
                }
            }
        }
    }

    /// Returns how much each word of the query tells: the fewer skills have it, the more. 0 for words that no skill has, and
    /// for all but the rarest of many.
    fn rarities(&self) -> Vec<f64> {
        let mut is_shared = vec![false; self.with.len()];
        let all = self.heads.iter().chain(self.texts.values());
        for (word, _) in all.flat_map(|shared| &shared.words) {
            is_shared[*word] = true;
        }
        let words = self.with.iter().zip(is_shared);
        // A word of a compared text that is in no text of the sample is as rare as can be.
        let rarities = words.map(|(with, is_shared)| {
            if is_shared {
                self.rarity(with.max(1.0))
            } else {
                0.0
            }
        });
        let mut rarities: Vec<f64> = rarities.collect();
        let mut order: Vec<usize> = (0..rarities.len()).collect();
        order.sort_by(|a, b| rarities[*b].total_cmp(&rarities[*a]));
        for word in order.into_iter().skip(MAX_WORDS) {
            rarities[word] = 0.0;
        }
        rarities
    }

    /// Returns how much a word tells that so many skills have.
    fn rarity(&self, with: f64) -> f64 {
        let total = number(self.heads.len());
        ((total + 1.0) / (with + 0.5)).ln().max(0.0)
    }

    /// Returns by what scores are divided.
    fn scale(&self, rarities: &[f64]) -> f64 {
        let words = self.with.iter().zip(rarities);
        let known = words.filter(|(with, _)| **with > 0.0);
        let known: f64 = known.map(|(_, rarity)| rarity).sum();
        let words = self.with.iter().zip(&self.query.words);
        let unknown = words.filter(|(with, _)| **with == 0.0);
        let unknown: f64 = unknown.map(|(_, (_, weight))| weight).sum();
        let most = self.rarity(1.0);
        (most * (known + most * unknown.min(number(MAX_WORDS)))).sqrt()
    }

    /// Returns how well a skill that is meant should fit: less where names and descriptions are short and say little.
    fn convincing(&self) -> f64 {
        let length: f64 = self.of_heads.0.iter().sum();
        CONVINCING * length.clamp(*LENGTHS.start(), *LENGTHS.end()).powf(0.25)
    }

    /// Returns the score of a skill.
    fn score(&self, at: usize, rarities: &[f64]) -> f64 {
        let head = HEAD.gains(&self.heads[at], self.of_heads);
        let text = self.texts.get(&at).into_iter();
        let text = text.flat_map(|text| TEXT.gains(text, self.of_texts));
        let mut gains: Vec<(usize, f64)> = head.chain(text).collect();
        gains.sort_unstable_by_key(|(word, _)| *word);
        let words = gains.chunk_by(|a, b| a.0 == b.0).map(|same| {
            let gain: f64 = same.iter().map(|(_, gain)| gain).sum();
            rarities[same[0].0] * gain / (HALF + gain)
        });
        words.sum()
    }
}

impl QueryWords {
    pub(super) fn new(text: &str) -> Self {
        let mut words = Vec::new();
        Splitter::new().each_word(text, |word| match word {
            Word::Stem(hash) => words.push((hash, UNKNOWN)),
            Word::Pair(hash) => words.push((hash, UNKNOWN_PAIR)),
            Word::Character(_) => {}
        });
        words.sort_unstable_by_key(|(hash, _)| *hash);
        words.dedup_by_key(|(hash, _)| *hash);
        let mut filter = Box::new([0; FILTER_BITS / 64]);
        for (hash, _) in &words {
            let (at, bit) = filter_bit(*hash);
            filter[at] |= bit;
        }
        Self { words, filter }
    }

    fn shared<'a>(&self, counts: &'a Counts) -> Shared<'a> {
        let words = counts.words.iter().filter_map(|(hash, times)| {
            let (at, bit) = filter_bit(*hash);
            if self.filter[at] & bit == 0 {
                return None;
            }
            let found = self.words.binary_search_by_key(hash, |(hash, _)| *hash);
            Some((found.ok()?, *times))
        });
        Shared {
            words: words.collect(),
            counts,
        }
    }
}

/// Returns where a hash is in the filter: the index, and the bit.
fn filter_bit(hash: u64) -> (usize, u64) {
    let bit = usize::try_from(hash % FILTER_BITS as u64).unwrap_or_default();
    (bit / 64, 1 << (bit % 64))
}

impl Shared<'_> {
    fn has(&self, word: usize) -> bool {
        let found = self.words.binary_search_by_key(&word, |(word, _)| *word);
        found.is_ok()
    }
}

/// The average lengths of two fields.
#[derive(Debug, Clone, Copy, Default)]
struct Averages([f64; 2]);

impl Averages {
    fn new<'a>(all: impl ExactSizeIterator<Item = &'a Shared<'a>>) -> Self {
        let count = number(all.len());
        let mut sums = [0.0; 2];
        for shared in all {
            for (sum, length) in sums.iter_mut().zip(shared.counts.lengths) {
                *sum += f64::from(length);
            }
        }
        Self(sums.map(|sum| sum / count))
    }
}

impl Fields {
    /// Returns what the shared words of a skill weigh.
    fn gains(&self, shared: &Shared<'_>, averages: Averages) -> impl Iterator<Item = (usize, f64)> {
        let [first, second] = [0, 1].map(|field| {
            let average = averages.0[field].max(f64::MIN_POSITIVE);
            let length = f64::from(shared.counts.lengths[field]) / average;
            self.weights[field] / (1.0 - self.lengths[field] + self.lengths[field] * length)
        });
        shared.words.iter().map(move |(word, times)| {
            let gain = f64::from(times[0]) * first + f64::from(times[1]) * second;
            (*word, gain / (1.0 + gain / self.most))
        })
    }
}

/// Returns the skills whose texts are the sample, and all whose texts are compared: the sample and the best.
fn to_read(scores: &[f64]) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let count = scores.len();
    if count <= COMPARED + SAMPLE {
        let all: BTreeSet<usize> = (0..count).collect();
        return (all.clone(), all);
    }
    let sample: BTreeSet<usize> = (0..SAMPLE).map(|at| at * count / SAMPLE).collect();
    let mut best: Vec<usize> = (0..count).filter(|at| scores[*at] > 0.0).collect();
    best.sort_unstable_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    best.truncate(COMPARED);
    let read = sample.iter().copied().chain(best).collect();
    (sample, read)
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
fn number(count: usize) -> f64 {
    count as f64
}
