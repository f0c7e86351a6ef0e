//! Searches several skills, or all that are found here.
//!
//! Scores of different indexes cannot be compared, ranks can: a section's score is the reciprocal of its rank in its skill,
//! plus the reciprocal of the skill's rank among all skills for the same query.
//!
//! Design: R27, C-LIST, catalog-policy.

use std::collections::HashMap;

use skillc_catalog::ranking;
use skillc_core::{Error, Pattern, Result, SkillRef};

use super::{Asked, SearchResult, name_in_calls, result};
use crate::catalog::{Look, refusal};
use crate::indexed;
use crate::list::everywhere;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// Added to each rank, so that the first ranks do not outweigh all others: the usual value.
const RANK_OFFSET: f64 = 60.0;

/// Returns the best sections of the skills with a matching name, and the names of those that cannot be searched.
pub(super) fn search(
    toolkit: &Toolkit,
    wanted: &Pattern,
    asked: &Asked<'_>,
    limit: usize,
    notes: &mut Notes,
) -> Result<(Vec<SearchResult>, Vec<String>)> {
    let mut skills = visible(toolkit, asked.text, notes);
    skills.retain(|(at, _)| wanted.matches_name(&at.name));
    let work = toolkit.work("Searching skills", skills.len());
    let (mut found, mut not_searched) = (Vec::<(SearchResult, &SkillRef)>::new(), Vec::new());
    for (at, rank) in &skills {
        work.advance()?;
        // Warnings about each of many skills are not about this search.
        let checked = indexed::open(toolkit, at, &mut Notes::default());
        let Ok(checked) = checked else {
            not_searched.push(at.name.clone());
            continue;
        };
        let of_skill = rank.map_or(0.0, reciprocal);
        let last = found.get(limit.wrapping_sub(1));
        if last.is_some_and(|(last, _)| last.score >= of_skill + reciprocal(0)) {
            // None of its sections can be among the best, nor can one of the skills that fit less.
            continue;
        }
        let hits = match asked.hits(toolkit, at, &checked, limit) {
            Err(Error::IndexUnusable { .. }) => {
                not_searched.push(at.name.clone());
                continue;
            }
            hits => hits?,
        };
        for (rank, hit) in hits.into_iter().enumerate() {
            let mut result = result(&at.name, hit);
            result.skill = Some(at.name.clone());
            result.score = of_skill + reciprocal(rank);
            found.push((result, at));
        }
        // Stable: equal scores stay in the order of the skills.
        found.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score));
        found.truncate(limit);
    }
    not_searched.sort();
    let results = found.into_iter().map(|(mut result, at)| {
        result.read.arguments.skill = name_in_calls(toolkit, at);
        result
    });
    Ok((results.collect(), not_searched))
}

/// Returns the skills that may be searched for the caller, those that fit the query best first, with their ranks from 0. The
/// others follow in the order of `skc list`.
fn visible(toolkit: &Toolkit, text: &str, notes: &mut Notes) -> Vec<(SkillRef, Option<usize>)> {
    let mut skills = everywhere(&toolkit.context, toolkit.audience, notes);
    if let Some(policy) = toolkit.closing_policy() {
        skills.retain(|at| refusal(&policy, at, None).is_none());
    }
    let catalog = toolkit.catalog(Look::IfDue, notes);
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
