//! Ranks skills by the words they share with a query: BM25F over name, description, headings, and the rest of the body.
//!
//! The names and descriptions of all skills are compared with the query first. Then the bodies of the best skills so
//! far are compared. The rarity of words in bodies is estimated from a sample of the skills. Therefore a search reads
//! few files even if there are thousands of skills, and its result does not depend on which files earlier searches have
//! read.
//!
//! Design: R27.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use super::fields::Counts;
use super::index::{Index, Part, place};
use super::rows::Rows;
use super::words::{Splitter, Word};
use crate::entry::CatalogEntry;

/// Name and description.
const HEAD: Fields = Fields {
    weights: [2.0, 1.0],
    lengths: [0.5, 0.75],
    most: f64::INFINITY,
};

/// Headings, and all other lines of the body. A word adds less in the body than in the description, even if the body
/// repeats the word often.
const TEXT: Fields = Fields {
    weights: [0.25, 0.2],
    lengths: [0.5, 0.9],
    most: 1.0,
};

/// *k1* of BM25: the weight at which a word adds half of its maximum to a score.
const HALF: f64 = 2.0;

/// The number of skills whose bodies are compared: those that fit best by name and description.
const COMPARED: usize = 384;

/// The number of skills in the sample from which the rarity of words is estimated.
const SAMPLE: usize = 128;

/// The maximum number of query words that are compared. If a query has more words, only the rarest are compared.
const MAX_WORDS: usize = 128;

/// A query word that no skill contains lowers the fit of every skill. This is the weight of such a word, relative to a
/// query word that only one skill contains.
const UNKNOWN: f64 = 0.6;

/// Like [`UNKNOWN`], but for a pair of characters. In text without spaces, about half of all pairs span the boundary
/// between two words.
const UNKNOWN_PAIR: f64 = 0.3;

/// The minimum fit of a convincing result is this factor times the fourth root of the average combined length of name
/// and description.
const CONVINCING: f64 = 0.1;

/// The range to which the average length in [`CONVINCING`] is clamped, in words.
const LENGTHS: RangeInclusive<f64> = 8.0..=64.0;

/// The minimum number of skills whose scores are computed in one task.
const CHUNK: usize = 512;

/// The size of the filter for a query's words, in bits.
const FILTER_BITS: usize = 1 << 16;

/// The weights of two fields of a skill.
struct Fields {
    /// The weight of a word in each field, if the field has average length.
    weights: [f64; 2],
    /// *b* of BM25: how much the length of each field reduces the weight of its words, from 0 (not at all) to 1 (in
    /// proportion).
    lengths: [f64; 2],
    /// The limit that the weight of a repeated word approaches.
    most: f64,
}

/// The distinct words of a query.
pub(super) struct QueryWords {
    /// The hash of each word, and how much the word lowers a fit if no skill contains the word. Sorted by hash.
    words: Vec<(u32, f64)>,
    /// A filter with a bit for each word, to skip nearly all other words quickly.
    filter: Box<[u64; FILTER_BITS / 64]>,
}

/// A skill to be ranked.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The position in the catalog.
    pub(super) at: usize,
    pub(super) entry: &'a CatalogEntry,
}

/// How well skills fit a query.
#[derive(Debug, Default)]
pub(super) struct Fits {
    /// The fit of each skill; 0 if the skill shares no word with the query.
    ///
    /// Fits can be compared across queries: a fit is a score divided by the geometric mean of the maximum score for the
    /// whole query and the maximum score for one word. Dividing by the maximum for the whole query would give a high
    /// fit only to skills that contain every word of a long query.
    pub(super) all: Vec<f64>,
    /// The minimum fit of a convincing result.
    pub(super) convincing: f64,
}

/// A query word that occurs in a skill: its index in the query, and its weight in two of the skill's fields. Lists of
/// shared words are sorted by index.
type Shared = (usize, f64);

/// The state of a ranking: the skills, and the words that they share with the query.
struct Ranking<'a> {
    query: &'a QueryWords,
    index: &'a Index,
    skills: &'a [Candidate<'a>],
    /// The shared words of the heads of all skills in the catalog, by part of the index.
    heads: Vec<Rows<Shared>>,
    /// The shared words of each skill's body, if the body has been compared.
    texts: Vec<Option<Box<[Shared]>>>,
    of_heads: Averages,
    /// The number of skills that contain each word of the query; an estimate if the word occurs in bodies.
    with: Vec<f64>,
}

/// Returns how well each skill fits a query.
pub(super) fn fits(query: &QueryWords, index: &Index, skills: &[Candidate<'_>]) -> Fits {
    if query.words.is_empty() || skills.is_empty() {
        let all = vec![0.0; skills.len()];
        return Fits {
            all,
            convincing: 0.0,
        };
    }
    let mut ranking = Ranking::by_heads(query, index, skills);
    let rarities = ranking.rarities();
    let by_head = ranking.scores(&rarities);
    ranking.read_texts(&by_head);
    let rarities = ranking.rarities();
    let scale = ranking.scale(&rarities);
    let scores = ranking.scores(&rarities).into_iter();
    Fits {
        all: scores.map(|score| score / scale).collect(),
        convincing: ranking.convincing(),
    }
}

impl<'a> Ranking<'a> {
    /// Compares the names and descriptions of the skills with the query.
    fn by_heads(query: &'a QueryWords, index: &'a Index, skills: &'a [Candidate<'a>]) -> Self {
        let of_heads = Averages::new(skills.iter().map(|skill| index.head_lengths(skill.at)));
        let parts = index.parts().par_iter();
        let heads = parts.map(|part| query.shared_heads(part, of_heads));
        let mut ranking = Self {
            query,
            index,
            skills,
            heads: heads.collect(),
            texts: vec![None; skills.len()],
            of_heads,
            with: Vec::new(),
        };
        let mut with = vec![0.0; query.words.len()];
        for (word, _) in (0..skills.len()).flat_map(|at| ranking.head(at)) {
            with[*word] += 1.0;
        }
        ranking.with = with;
        ranking
    }

    /// Returns the shared words of a skill's head.
    fn head(&self, at: usize) -> &[Shared] {
        let (part, at) = place(self.skills[at].at);
        self.heads[part].row(at)
    }

    /// Compares the bodies of the best skills and of the sample with the query. `scores`: the scores by name and
    /// description.
    fn read_texts(&mut self, scores: &[f64]) {
        let (sample, read) = to_read(scores);
        let text = |splitter: &mut Splitter, at: &usize| {
            let skill = self.skills[*at];
            let on_demand = self.index.on_demand(skill.at);
            on_demand.text(&skill.entry.path, splitter)
        };
        // Each body is read only once; the second call of `text` returns the same counts.
        let lengths = sample
            .par_iter()
            .map_init(Splitter::new, |splitter, at| text(splitter, at).lengths);
        let of_texts = Averages::new(lengths.collect::<Vec<_>>().into_iter());
        let state = || (Splitter::new(), Vec::new());
        let texts = read.par_iter().map_init(state, |(splitter, shared), at| {
            shared.clear();
            shared.extend(self.query.shared_text(text(splitter, at), of_texts));
            (*at, Box::from(shared.as_slice()))
        });
        for (at, text) in texts.collect::<Vec<_>>() {
            self.texts[at] = Some(text);
        }
        let each = number(self.skills.len()) / number(sample.len());
        for at in sample {
            let (part, head) = place(self.skills[at].at);
            let head = self.heads[part].row(head);
            for (word, _) in self.texts[at].iter().flatten() {
                if head.binary_search_by_key(word, |(word, _)| *word).is_err() {
                    self.with[*word] += each;
                }
            }
        }
    }

    /// Returns the inverse document frequency of each word of the query; 0 for words that were found in no skill, and
    /// for all but the [`MAX_WORDS`] rarest.
    fn rarities(&self) -> Vec<f64> {
        let mut is_shared: Vec<bool> = self.with.iter().map(|with| *with > 0.0).collect();
        for (word, _) in self.texts.iter().flatten().flatten() {
            is_shared[*word] = true;
        }
        let words = self.with.iter().zip(is_shared);
        // A word that occurs only in compared bodies outside the sample is assumed to occur in one skill.
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

    /// Returns the inverse document frequency of a word. `with`: the number of skills that contain the word.
    fn rarity(&self, with: f64) -> f64 {
        let total = number(self.skills.len());
        ((total + 1.0) / (with + 0.5)).ln().max(0.0)
    }

    /// Returns the number by which scores are divided; see [`Fits::all`].
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

    /// Returns [`Fits::convincing`]. The value is lower if names and descriptions are short, because short descriptions
    /// share fewer words with a query.
    fn convincing(&self) -> f64 {
        let length: f64 = self.of_heads.0.iter().sum();
        CONVINCING * length.clamp(*LENGTHS.start(), *LENGTHS.end()).powf(0.25)
    }

    /// Returns the score of each skill.
    fn scores(&self, rarities: &[f64]) -> Vec<f64> {
        let skills = (0..self.skills.len()).into_par_iter().with_min_len(CHUNK);
        let scores = skills.map(|at| {
            let text = self.texts[at].as_deref().unwrap_or_default();
            score(self.head(at), text, rarities)
        });
        scores.collect()
    }
}

/// Returns the score of a skill. `head`, `text`: the shared words.
fn score(head: &[Shared], text: &[Shared], rarities: &[f64]) -> f64 {
    let of_word = |word: usize, gain: f64| rarities[word] * gain / (HALF + gain);
    let mut text = text.iter().copied().peekable();
    let mut sum = 0.0;
    for (word, gain) in head {
        while let Some((before, gain)) = text.next_if(|(other, _)| other < word) {
            sum += of_word(before, gain);
        }
        let same = text.next_if(|(other, _)| other == word);
        sum += of_word(*word, gain + same.map_or(0.0, |(_, gain)| gain));
    }
    sum + text.map(|(word, gain)| of_word(word, gain)).sum::<f64>()
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

    /// Returns the words that the head of each skill of a part shares with the query.
    fn shared_heads(&self, part: &Part, averages: Averages) -> Rows<Shared> {
        let lengths = part.heads.lengths().iter();
        let factors = lengths.map(|lengths| HEAD.factors(*lengths, averages));
        let factors: Vec<[f64; 2]> = factors.collect();
        let mut shared = Vec::new();
        for (word, (hash, _)) in self.words.iter().enumerate() {
            shared.extend(part.postings.of(*hash).map(|posting| {
                let at = posting.at as usize;
                (at, (word, HEAD.weight(posting.times, factors[at])))
            }));
        }
        Rows::grouped(factors.len(), shared.iter().copied())
    }

    /// Returns the words that the body of a skill shares with the query.
    fn shared_text(&self, counts: Counts<'_>, averages: Averages) -> impl Iterator<Item = Shared> {
        let factors = TEXT.factors(counts.lengths, averages);
        let words = counts.words.iter().zip(counts.times);
        words.filter_map(move |(hash, times)| {
            let (at, bit) = filter_bit(*hash);
            if self.filter[at] & bit == 0 {
                return None;
            }
            let found = self.words.binary_search_by_key(hash, |(hash, _)| *hash);
            Some((found.ok()?, TEXT.weight(*times, factors)))
        })
    }
}

/// Returns the position of a hash in the filter: the index of the element, and the mask of the bit.
fn filter_bit(hash: u32) -> (usize, u64) {
    let bit = hash as usize % FILTER_BITS;
    (bit / 64, 1 << (bit % 64))
}

/// The average lengths of two fields.
#[derive(Debug, Clone, Copy, Default)]
struct Averages([f64; 2]);

impl Averages {
    fn new(all: impl ExactSizeIterator<Item = [u32; 2]>) -> Self {
        let count = number(all.len());
        let mut sums = [0.0; 2];
        for lengths in all {
            for (sum, length) in sums.iter_mut().zip(lengths) {
                *sum += f64::from(length);
            }
        }
        Self(sums.map(|sum| sum / count))
    }
}

impl Fields {
    /// Returns how much one occurrence of a word adds to the word's weight, for each field. `lengths`: the lengths of
    /// the fields.
    fn factors(&self, lengths: [u32; 2], averages: Averages) -> [f64; 2] {
        [0, 1].map(|field| {
            let average = averages.0[field].max(f64::MIN_POSITIVE);
            let length = f64::from(lengths[field]) / average;
            self.weights[field] / (1.0 - self.lengths[field] + self.lengths[field] * length)
        })
    }

    /// Returns the weight of a word. `times`: how often it occurs in each field.
    fn weight(&self, times: [u16; 2], factors: [f64; 2]) -> f64 {
        let weight = f64::from(times[0]) * factors[0] + f64::from(times[1]) * factors[1];
        weight / (1.0 + weight / self.most)
    }
}

/// Returns the skills of the sample, and all skills whose bodies are read: the sample and the best skills.
fn to_read(scores: &[f64]) -> (Vec<usize>, Vec<usize>) {
    let count = scores.len();
    if count <= COMPARED + SAMPLE {
        let all: Vec<usize> = (0..count).collect();
        return (all.clone(), all);
    }
    let sample: Vec<usize> = (0..SAMPLE).map(|at| at * count / SAMPLE).collect();
    let mut read: Vec<usize> = (0..count).filter(|at| scores[*at] > 0.0).collect();
    if read.len() > COMPARED {
        read.select_nth_unstable_by(COMPARED, |a, b| {
            scores[*b].total_cmp(&scores[*a]).then(a.cmp(b))
        });
        read.truncate(COMPARED);
    }
    read.extend(&sample);
    read.sort_unstable();
    read.dedup();
    (sample, read)
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
fn number(count: usize) -> f64 {
    count as f64
}
