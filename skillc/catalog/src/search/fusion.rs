//! Combines the ranking by words with the similarities that a model finds.
//!
//! The joint score of a skill is the sum of two terms: the skill's fit relative to the best fit, and a fraction of the
//! standard score of the skill's similarity, which is the number of standard deviations above the mean of all skills.
//! Models differ in how similar they find unrelated texts, but the standard score does not depend on this difference.
//! Reciprocal rank fusion, which uses only ranks, gives worse results than ranking by words alone.
//!
//! Design: R42.

use std::sync::Arc;

use rayon::prelude::*;

use super::index::Index;
use super::model::{Model, dot};
use super::ranking::Candidate;

/// The weight of one standard deviation of the similarity, relative to the best fit.
const WEIGHT: f64 = 1.0 / 16.0;

/// This many of the most similar skills are found even if they share no word with the query.
const NEAREST: usize = 10;

/// Similarities that differ by less than this are treated as equal.
const PRECISION: f64 = 1e-6;

/// The minimum number of skills that one thread compares.
const CHUNK: usize = 128;

/// Returns how similar the name and description of each skill are to a query: from -1 to 1.
pub(super) fn similarities(
    model: &Arc<Model>,
    query: &str,
    index: &Index,
    skills: &[Candidate<'_>],
) -> Vec<f32> {
    let query = model.vector(query);
    let skills = skills.par_iter().with_min_len(CHUNK);
    let similarities = skills.map(|skill| {
        let vector = index.on_demand(skill.at).vector(skill.entry, model);
        vector.map_or(0.0, |vector| dot(&query, vector))
    });
    similarities.collect()
}

/// Returns the joint score of each skill; `None` if the skill neither shares a word with the query nor is among the
/// most similar skills. `fits`: how well the words of each skill fit; 0 if the skill shares no word with the query.
pub(super) fn joint_scores(fits: &[f64], similarities: &[f32]) -> Vec<Option<f64>> {
    let best = fits.iter().copied().fold(0.0, f64::max);
    let (mean, deviation) = distribution(similarities);
    let least = nearest(similarities).max(mean - PRECISION);
    let skills = fits.iter().zip(similarities);
    let scores = skills.map(|(fit, similarity)| {
        let similarity = f64::from(*similarity);
        let is_near = similarity > 0.0 && similarity >= least;
        if *fit <= 0.0 && !is_near {
            return None;
        }
        let relative = if best > 0.0 { fit / best } else { 0.0 };
        let standard = if deviation > PRECISION {
            (similarity - mean) / deviation
        } else {
            0.0
        };
        Some(relative + WEIGHT * standard)
    });
    scores.collect()
}

/// Returns the mean and the standard deviation.
fn distribution(similarities: &[f32]) -> (f64, f64) {
    let count = number(similarities.len()).max(1.0);
    let all = || similarities.iter().copied().map(f64::from);
    let mean = all().sum::<f64>() / count;
    let squares: f64 = all().map(|one| (one - mean) * (one - mean)).sum();
    (mean, (squares / count).sqrt())
}

/// Returns the similarity of the [`NEAREST`]th most similar skill; `f64::MIN` if there are fewer skills.
fn nearest(similarities: &[f32]) -> f64 {
    let mut all = similarities.to_vec();
    if all.len() < NEAREST {
        return f64::MIN;
    }
    let (_, last, _) = all.select_nth_unstable_by(NEAREST - 1, |a, b| b.total_cmp(a));
    f64::from(*last)
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_skills_gain_but_the_best_words_decide() {
        let scores = joint_scores(&[0.4, 0.36, 0.0, 0.0], &[0.1, 0.3, 0.5, 0.1]);
        let scores: Vec<f64> = scores.iter().map(|score| score.unwrap_or(-1.0)).collect();
        assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
        assert!(scores[2] > 0.0 && scores[3] < 0.0, "{scores:?}");
        let close = joint_scores(&[0.4, 0.39], &[0.1, 0.3]);
        assert!(close[1] > close[0], "{close:?}");
    }

    #[test]
    fn the_nearest_skills_are_found_without_shared_words() {
        let alike = |count: usize, similarity: f32| {
            let found = joint_scores(&vec![0.0; count], &vec![similarity; count]);
            found.iter().flatten().count()
        };
        assert_eq!((alike(0, 0.5), alike(1, 0.5), alike(3, 0.7)), (0, 1, 3));
        assert_eq!((alike(1, 0.0), alike(3, -0.5)), (0, 0));
        let falling: Vec<f32> = (0_u8..200).map(|at| 1.0 - f32::from(at) / 256.0).collect();
        let found = joint_scores(&[0.0; 200], &falling);
        assert_eq!(found.iter().flatten().count(), NEAREST);
        assert!(found[..NEAREST].is_sorted_by(|a, b| a > b), "{found:?}");
    }
}
