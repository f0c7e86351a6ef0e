//! Searches several skills and merges their results.
//!
//! BM25 scores of different indexes are not comparable, so results are merged by reciprocal rank fusion: a section's
//! score is the reciprocal of its rank in its skill, plus the reciprocal of the skill's rank for the same query.
//!
//! Design: R27, C-LIST, catalog-policy.

use std::collections::HashMap;

use rayon::prelude::*;
use skillc_catalog::ranking;
use skillc_core::{Error, Pattern, Result, SkillRef, Warning};
use skillc_storage::{Hit, Marking, SearchFault, Unusable};

use super::{SearchResult, SectionSearch, context, error_of, name_in_calls, result};
use crate::catalog::{Look, refusal};
use crate::indexed;
use crate::list::everywhere;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The constant `k` of reciprocal rank fusion: the customary value.
const RANK_OFFSET: f64 = 60.0;

/// The minimum number of marking steps that each skill may use, as long as that many are left: enough to mark several
/// long passages.
const LEAST_SHARE: u64 = 20_000_000;

/// The number of skills that are searched at a time, on several threads. After each batch, skills whose sections cannot
/// be among the best results are no longer searched.
const BATCH: usize = 32;

/// Returns the best sections of the skills whose names match, and the names of skills without a usable index.
pub(super) fn search(
    toolkit: &Toolkit,
    names: &Pattern,
    query: &SectionSearch<'_>,
    limit: usize,
    notes: &mut Notes,
) -> Result<(Vec<SearchResult>, Vec<String>)> {
    let mut skills = visible(toolkit, query.text, notes);
    skills.retain(|(at, _)| names.matches_name(&at.name));
    let work = toolkit.work("Searching skills", skills.len());
    let (mut found, mut not_searched) = (Vec::<(SearchResult, SkillRef)>::new(), Vec::new());
    let marking = Marking::default();
    for batch in skills.chunks(BATCH) {
        // Each skill of a batch has the same share of the work, so that the results do not depend on thread scheduling.
        let left = marking.left();
        let share = (left / batch.len() as u64).max(left.min(LEAST_SHARE));
        let worst = last(&found, limit).map_or(0.0, |(worst, _)| worst.score);
        let hits = batch.par_iter().map(|(at, rank)| {
            // If the limit would cut off even the first section of this skill, only check whether its index is up to
            // date.
            let is_cut_off = worst >= score(*rank, 0);
            let limit = if is_cut_off { 0 } else { limit };
            let marking = Marking::new(share);
            let hits = hits(toolkit, at.clone(), query, limit, &marking);
            (hits, share - marking.left())
        });
        let hits: Vec<(Result<_>, u64)> = hits.collect();
        for ((hits, steps), (at, rank)) in hits.into_iter().zip(batch) {
            work.advance()?;
            marking.spend(steps);
            let (built, hits) = match hits? {
                Ok(found) => found,
                Err(skipped) => {
                    if skipped == Skipped::TooSlow {
                        notes.warn(Warning::SkillSkipped {
                            skill: at.name.clone(),
                            reason: "the query takes too much time or memory".to_owned(),
                        });
                    }
                    not_searched.push(at.name.clone());
                    continue;
                }
            };
            for (place, hit) in hits.into_iter().enumerate() {
                let mut result = result(&at.name, hit);
                result.skill = Some(at.name.clone());
                result.score = score(*rank, place);
                found.push((result, built.clone()));
            }
        }
        // A stable sort: ties keep the order of the skills.
        found.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score));
        found.truncate(limit);
    }
    not_searched.sort();
    let mut results = Vec::with_capacity(found.len());
    for (at, (mut result, skill)) in found.into_iter().enumerate() {
        if at < context::MAX_RESULTS {
            result.context = query.context(&skill, &result);
        }
        result.read.arguments.skill = name_in_calls(toolkit, &skill);
        results.push(result);
    }
    Ok((results, not_searched))
}

/// Why a skill was not searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skipped {
    /// The skill has no usable index.
    Unusable,
    /// The search took too much time or memory.
    TooSlow,
}

/// Returns the hits in a skill, and the skill itself. With a limit of 0, only the index is checked. `marking`: the
/// budget for marking words in the hits.
fn hits(
    toolkit: &Toolkit,
    at: SkillRef,
    query: &SectionSearch<'_>,
    limit: usize,
    marking: &Marking,
) -> Result<Result<(SkillRef, Vec<Hit>), Skipped>> {
    // Opening an index takes much longer than comparing the files with the last build.
    if limit == 0 && indexed::is_current(toolkit, &at) {
        return Ok(Ok((at, Vec::new())));
    }
    // Drop the warnings of each skill: there may be hundreds of skills.
    let Ok((at, checked)) = query.open(toolkit, at, &mut Notes::default()) else {
        toolkit.stop.check()?;
        return Ok(Err(Skipped::Unusable));
    };
    if limit == 0 {
        return Ok(Ok((at, Vec::new())));
    }
    match query.hits(&checked, limit, marking) {
        Ok(hits) => Ok(Ok((at, hits))),
        Err(SearchFault::Unusable(Unusable::Interrupted)) => {
            toolkit.stop.check()?;
            Ok(Err(Skipped::TooSlow))
        }
        Err(fault) => match error_of(fault, toolkit, &at, &checked) {
            Error::IndexUnusable { .. } => Ok(Err(Skipped::Unusable)),
            error => Err(error),
        },
    }
}

/// Returns the last result within the limit, if there are that many results.
fn last<T>(found: &[T], limit: usize) -> Option<&T> {
    found.get(limit.checked_sub(1)?)
}

/// Returns the score of a section. `rank`: the rank of its skill, if the skill matches the query; `place`: the rank of
/// the section in its skill.
fn score(rank: Option<usize>, place: usize) -> f64 {
    rank.map_or(0.0, reciprocal) + reciprocal(place)
}

/// Returns the skills that the caller may search: first the skills that match the query, with their ranks from 0, then
/// the other skills in the order of `skc list`.
fn visible(toolkit: &Toolkit, text: &str, notes: &mut Notes) -> Vec<(SkillRef, Option<usize>)> {
    let mut skills = everywhere(&toolkit.context, toolkit.audience, notes);
    if let Some(policy) = toolkit.closing_policy() {
        skills.retain(|at| refusal(&policy, at, None).is_none());
    }
    let catalog = toolkit.catalog(Look::IfDue, notes);
    notes.notices.extend(catalog.model_warning());
    let mut ranks = HashMap::new();
    for (rank, entry) in ranking(&catalog, text, toolkit.audience)
        .into_iter()
        .enumerate()
    {
        ranks.entry(entry.name.as_str()).or_insert(rank);
    }
    let rank = |at: &SkillRef| ranks.get(at.name.as_str()).copied();
    let mut skills: Vec<_> = skills.into_iter().map(|at| (rank(&at), at)).collect();
    skills.sort_by_key(|(rank, _)| rank.unwrap_or(usize::MAX));
    skills.into_iter().map(|(rank, at)| (at, rank)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
fn reciprocal(rank: usize) -> f64 {
    1.0 / (RANK_OFFSET + rank as f64 + 1.0)
}
