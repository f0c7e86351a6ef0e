//! Joins the ranking by words with a ranking by the vectors of a model: reciprocal rank fusion.
//!
//! A skill gains 1 / (60 + rank) from each ranking in which it occurs. Ranks are used because fits and similarities have
//! no common scale, and because similarities have another scale for each model.
//!
//! Design: R42.

use std::sync::Arc;

use rayon::prelude::*;

use super::model::{Model, dot};
use super::ranking::Candidate;

/// The offset of ranks, which makes the first ranks less different.
const OFFSET: f64 = 60.0;

/// How much the ranking by vectors counts, compared with the ranking by words.
const WEIGHT: f64 = 1.0;

/// The number of skills in the ranking by vectors.
const NEAREST: usize = 50;

/// The minimum number of skills that one thread compares.
const CHUNK: usize = 128;

/// The values of a ranking, highest first.
struct Ranks(Vec<f64>);

/// Returns how similar the name and description of each skill are to a query: from -1 to 1.
pub(super) fn similarities(model: &Arc<Model>, query: &str, skills: &[Candidate<'_>]) -> Vec<f32> {
    let query = model.vector(query);
    let skills = skills.par_iter().with_min_len(CHUNK);
    let similarities = skills.map(|skill| {
        let vector = skill.words.vector(skill.entry, model);
        vector.map_or(0.0, |vector| dot(&query, vector))
    });
    similarities.collect()
}

/// Returns the joint score of each skill; 0 if the skill is in neither ranking. `fits`: how well the words of each skill
/// fit; 0 if they do not.
pub(super) fn fused(fits: &[f64], similarities: &[f32]) -> Vec<f64> {
    let by_words = Ranks::new(fits.iter().copied());
    let by_vectors = Ranks::new(similarities.iter().copied().map(f64::from));
    let skills = fits.iter().zip(similarities);
    let scores = skills.map(|(fit, similarity)| {
        let by_vectors = by_vectors.gain(f64::from(*similarity), NEAREST);
        by_words.gain(*fit, usize::MAX) + WEIGHT * by_vectors
    });
    scores.collect()
}

impl Ranks {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.filter(|value| *value > 0.0).collect();
        values.sort_unstable_by(|a, b| b.total_cmp(a));
        Self(values)
    }

    /// Returns the gain of a skill with a given value. Skills with equal values have the same rank. `most`: the number
    /// of ranks.
    fn gain(&self, value: f64, most: usize) -> f64 {
        if value <= 0.0 {
            return 0.0;
        }
        let rank = self.0.partition_point(|other| *other > value);
        if rank < most { reciprocal(rank) } else { 0.0 }
    }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
fn reciprocal(rank: usize) -> f64 {
    1.0 / (OFFSET + rank as f64 + 1.0)
}
