//! Searches several skills and merges their results.
//!
//! BM25 scores of different indexes are not comparable, so results are merged by reciprocal rank fusion: a section's score is
//! the reciprocal of its rank in its skill, plus the reciprocal of the skill's rank for the same query.
//!
//! Design: R27, C-LIST, catalog-policy.

use std::collections::HashMap;

use skillc_catalog::ranking;
use skillc_core::{Error, Pattern, Result, SkillRef};

use super::{SearchResult, SectionSearch, name_in_calls, result};
use crate::catalog::{Look, refusal};
use crate::indexed;
use crate::list::everywhere;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The constant `k` of reciprocal rank fusion: the usual value.
const RANK_OFFSET: f64 = 60.0;

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
    let (mut found, mut not_searched) = (Vec::<(SearchResult, &SkillRef)>::new(), Vec::new());
    for (at, rank) in &skills {
        work.advance()?;
        // Drops the warnings of each skill: there may be hundreds of skills.
        let checked = indexed::open(toolkit, at, &mut Notes::default());
        let Ok(checked) = checked else {
            not_searched.push(at.name.clone());
            continue;
        };
        let skill_score = rank.map_or(0.0, reciprocal);
        let last = found.get(limit.wrapping_sub(1));
        if last.is_some_and(|(last, _)| last.score >= skill_score + reciprocal(0)) {
            // Even its first section would be cut off by the limit. Lower-ranked skills are still checked for
            // freshness.
            continue;
        }
        let hits = match query.hits(toolkit, at, &checked, limit) {
            Err(Error::IndexUnusable { .. }) => {
                not_searched.push(at.name.clone());
                continue;
            }
            hits => hits?,
        };
        for (rank, hit) in hits.into_iter().enumerate() {
            let mut result = result(&at.name, hit);
            result.skill = Some(at.name.clone());
            result.score = skill_score + reciprocal(rank);
            found.push((result, at));
        }
        // A stable sort: ties keep the order of the skills.
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

/// Returns the skills that the caller may search, and their ranks for the query, from 0. Skills that match the query
/// come first, by rank, then the others in the order of `skc list`, without a rank.
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
