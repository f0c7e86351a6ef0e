//! Searches skills by path, by name, by prefix of the name, and by words. Each kind of match ranks above the next.
//!
//! A query can be a complete task description. Matches by words are ranked by the words that a skill shares with the
//! query. If the user has configured a model, the similarity of vectors also affects their rank.
//!
//! Design: CAT-SEARCH, D4, D6, R20, R27, R42.

mod fields;
mod fusion;
mod index;
mod model;
mod ranking;
mod rows;
mod words;

use std::cmp::Ordering;
use std::ops::RangeInclusive;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::{Error, Result};

use crate::catalog::Catalog;
use crate::entry::CatalogEntry;
use crate::invocation::Audience;
use crate::roots::Scope;
use fusion::{joint_scores, similarities};
use ranking::{Candidate, Fits, QueryWords, fits};

pub(crate) use index::Index;
pub use model::FILES as MODEL_FILES;
pub(crate) use model::Model;

/// The maximum size of a query, in bytes; the rest is ignored. Design: R20.
const MAX_QUERY_BYTES: usize = 1 << 20;

/// The maximum size of the query as repeated in the response, in bytes. The agent knows its own query, so repeating
/// more would be useless.
const MAX_REPEATED_BYTES: usize = 1 << 10;

/// The lowest and the highest score of a match by words.
const BY_WORDS: RangeInclusive<u32> = 100..=699;

/// If a model is used, this many matches receive different scores even if they share no word with the query.
const DISTINCT: u32 = 50;

/// A search request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// A path, a name, a prefix of a name, or words.
    pub text: String,
    /// The maximum number of hits, at least 1; `None` for the default in the settings.
    pub limit: Option<usize>,
    /// The scope to search; `None` for all.
    pub scope: Option<Scope>,
    /// The audience of the results.
    pub audience: Audience,
}

/// The results of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchResults {
    /// The query, truncated if it is long
    pub query: String,
    /// How many results are returned
    pub count: usize,
    /// Whether more skills matched
    pub truncated: bool,
    /// Whether the first result fits well; if not, probably no skill does
    pub confident: bool,
    /// The skills that match, best first
    pub results: Vec<Hit>,
}

/// A skill that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hit {
    /// The first 16 hex digits of the hash of the path
    pub id: String,
    /// The skill's name
    pub name: String,
    /// What the skill is for, and when to use it
    pub description: String,
    /// The skill's SKILL.md
    pub path: String,
    /// Where the skill applies: in the project, or for the user
    pub scope: Scope,
    /// Why the skill matches
    pub reason: Reason,
    /// How well the skill matches
    pub score: u32,
}

/// Why a skill matches, strongest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The query is the skill's path.
    ExactPath,
    /// The query is the skill's name.
    ExactName,
    /// The skill's name begins with the query.
    Prefix,
    /// The skill shares words with the query.
    TokenOverlap,
    /// The skill shares no word with the query, but the user's model finds them similar.
    SimilarMeaning,
}

/// Searches the skills that are listed for the query's audience.
///
/// Returns the best hits, sorted by score; hits with the same score are sorted by scope (the project before the user),
/// then by path.
///
/// # Errors
/// E065 if skills are disabled, E004 if the query is blank, E100 if the limit is 0.
pub fn search(catalog: &Catalog, query: &Query) -> Result<SearchResults> {
    if !catalog.settings.enabled {
        return Err(Error::SkillsDisabled {});
    }
    let text = start_of(&query.text, MAX_QUERY_BYTES);
    let wanted = Wanted::new(text, &catalog.chain.working_dir)?;
    let limits = &catalog.settings.search;
    let limit = query.limit.unwrap_or(limits.default_limit);
    if limit == 0 {
        return Err(Error::invalid_option("limit: must be at least 1"));
    }
    let limit = limit.min(limits.max_limit);
    let Hits {
        all: mut hits,
        convincing,
        is_fused,
    } = wanted.hits(catalog, query);
    let fits = is_fused.then(|| sorted_fits(&hits));
    let truncated = hits.len() > limit;
    if truncated {
        hits.select_nth_unstable_by(limit, Scored::order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(Scored::order);
    if let Some(fits) = fits {
        // The model determines only the order. The scores still measure how well words fit: the first hit receives the
        // best fit by words, the second hit the second best, and so on.
        let ranked = hits.iter_mut().filter(|hit| hit.is_ranked());
        for (hit, fit) in ranked.zip(fits) {
            hit.fit = fit;
        }
    }
    let results = results(&hits, if is_fused { DISTINCT } else { 0 });
    let is_convincing =
        |best: &Scored<'_>| !best.is_ranked() || best.fit > 0.0 && best.fit >= convincing;
    let repeated = start_of(&query.text, MAX_REPEATED_BYTES);
    let cut = if repeated.len() < query.text.len() {
        "…"
    } else {
        ""
    };
    Ok(SearchResults {
        query: format!("{repeated}{cut}"),
        count: hits.len(),
        truncated,
        confident: hits.first().is_some_and(is_convincing),
        results,
    })
}

/// Returns all skills that match a string, best first, ranked as in [`search`]. Returns no skills for a blank query.
pub fn ranking<'a>(catalog: &'a Catalog, text: &str, audience: Audience) -> Vec<&'a CatalogEntry> {
    let text = start_of(text, MAX_QUERY_BYTES);
    let Ok(wanted) = Wanted::new(text, &catalog.chain.working_dir) else {
        return Vec::new();
    };
    let query = Query {
        audience,
        ..Query::default()
    };
    let mut hits = wanted.hits(catalog, &query).all;
    hits.sort_unstable_by(Scored::order);
    hits.into_iter().map(|hit| hit.entry).collect()
}

/// Truncates a string to at most `bytes` bytes.
fn start_of(text: &str, bytes: usize) -> &str {
    let mut ends = (0..=bytes.min(text.len())).rev();
    let end = ends.find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// A skill that matches.
struct Scored<'a> {
    entry: &'a CatalogEntry,
    reason: Reason,
    /// How well the skill's words fit the query; 0 for other kinds of matches.
    fit: f64,
    /// The value by which matches of the last tier are ranked: the fit, or, with a model, the joint score.
    value: f64,
}

/// The skills that match, in no particular order.
struct Hits<'a> {
    all: Vec<Scored<'a>>,
    /// See [`Fits::convincing`].
    convincing: f64,
    /// Whether a model is used.
    is_fused: bool,
}

impl Scored<'_> {
    fn order(a: &Self, b: &Self) -> Ordering {
        let best_first = a.tier().cmp(&b.tier());
        best_first
            .then_with(|| b.value.total_cmp(&a.value))
            .then_with(|| a.entry.scope.cmp(&b.entry.scope))
            .then_with(|| a.entry.path.cmp(&b.entry.path))
    }

    /// Returns the first reason of the skill's tier. Matches by words and matches by a model are in the same tier.
    fn tier(&self) -> Reason {
        self.reason.min(Reason::TokenOverlap)
    }

    /// Returns whether the skill is in the last tier.
    fn is_ranked(&self) -> bool {
        self.tier() == Reason::TokenOverlap
    }

    fn hit(&self, score: u32) -> Hit {
        let entry = self.entry;
        Hit {
            id: entry.id.clone(),
            name: entry.name.clone(),
            description: entry.description.clone(),
            path: entry.path.clone(),
            scope: entry.scope,
            reason: self.reason,
            score,
        }
    }
}

/// Returns the results for sorted hits. The scores of matches by words can be compared across queries. A hit with a
/// lower fit than the previous hit also receives a lower score, even if the difference is small. `distinct`: the number
/// of hits that receive different scores even if their words do not fit at all.
fn results(hits: &[Scored<'_>], distinct: u32) -> Vec<Hit> {
    let mut before: Option<(f64, u32)> = None;
    let floors = (0..distinct).rev().map(|above| BY_WORDS.start() + above);
    let floors = floors.chain(std::iter::repeat(*BY_WORDS.start()));
    let results = hits.iter().zip(floors).map(|(hit, floor)| {
        let score = match hit.reason {
            Reason::ExactPath => 1_000,
            Reason::ExactName => 900,
            Reason::Prefix => 700,
            Reason::TokenOverlap | Reason::SimilarMeaning => {
                let own = score_of_fit(hit.fit).max(floor);
                let score = match before {
                    Some((value, score)) if hit.value.total_cmp(&value).is_eq() => score,
                    Some((_, score)) => own.min(score - 1),
                    None => own,
                };
                let score = score.max(*BY_WORDS.start());
                before = Some((hit.value, score));
                score
            }
        };
        hit.hit(score)
    });
    let mut results: Vec<Hit> = results.collect();
    // Hits that fit differently have different scores, except for hits with the lowest score, which are sorted by scope
    // and path.
    results.sort_by(|a, b| (b.score, a.scope, &a.path).cmp(&(a.score, b.scope, &b.path)));
    results
}

/// Returns the fits of the last tier, best first.
fn sorted_fits(hits: &[Scored<'_>]) -> Vec<f64> {
    let ranked = hits.iter().filter(|hit| hit.is_ranked());
    let mut fits: Vec<f64> = ranked.map(|hit| hit.fit).collect();
    fits.sort_unstable_by(|a, b| b.total_cmp(a));
    fits
}

/// Returns the score of a match by words. `fit`: at least 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "within the range"
)]
fn score_of_fit(fit: f64) -> u32 {
    let (least, most) = (*BY_WORDS.start(), *BY_WORDS.end());
    least + (f64::from(most - least) * fit / (1.0 + fit)) as u32
}

/// A parsed query.
struct Wanted<'a> {
    /// The text, trimmed.
    text: &'a str,
    /// The paths that the text may refer to, without trailing separators.
    paths: Vec<String>,
    /// The text as a name: trimmed, without a leading `$`, in lower case.
    name: String,
    words: QueryWords,
}

impl<'q> Wanted<'q> {
    fn new(text: &'q str, working_dir: &Path) -> Result<Self> {
        let text = text.trim();
        let name = text.strip_prefix('$').unwrap_or(text).trim().to_lowercase();
        if name.is_empty() {
            return Err(Error::EmptyQuery {});
        }
        Ok(Self {
            text,
            paths: paths(text, working_dir),
            words: QueryWords::new(&name),
            name,
        })
    }

    /// Returns the skills that match.
    fn hits<'a>(&self, catalog: &'a Catalog, query: &Query) -> Hits<'a> {
        let visible = catalog.visible_at(query.audience);
        let visible =
            visible.filter(|(_, entry)| query.scope.is_none_or(|scope| entry.scope == scope));
        let index = catalog.index();
        let candidates = visible.map(|(at, entry)| Candidate { at, entry });
        let candidates: Vec<Candidate<'a>> = candidates.collect();
        let Fits { all, convincing } = fits(&self.words, index, &candidates);
        let model = catalog.model();
        let joint = model.map(|model| {
            let similarities = similarities(model, self.text, index, &candidates);
            joint_scores(&all, &similarities)
        });
        let by_fit = |fit: &f64| (*fit > 0.0).then_some(*fit);
        let values = joint.unwrap_or_else(|| all.iter().map(by_fit).collect());
        let skills = candidates.iter().zip(all.iter().zip(values));
        let hits = skills.filter_map(|(skill, (fit, value))| {
            let entry = skill.entry;
            let (reason, fit, value) = match (self.whole_match(entry), value) {
                (Some(reason), _) => (reason, 0.0, 0.0),
                (None, Some(value)) if *fit > 0.0 => (Reason::TokenOverlap, *fit, value),
                (None, Some(value)) => (Reason::SimilarMeaning, *fit, value),
                (None, None) => return None,
            };
            Some(Scored {
                entry,
                reason,
                fit,
                value,
            })
        });
        Hits {
            all: hits.collect(),
            convincing,
            is_fused: model.is_some(),
        }
    }

    /// Returns the reason for a match if the whole query is the skill's path, its name or the start of its name.
    fn whole_match(&self, entry: &CatalogEntry) -> Option<Reason> {
        let is_path = |path: &String| {
            path.eq_ignore_ascii_case(&entry.path) || path.eq_ignore_ascii_case(&entry.dir)
        };
        if self.paths.iter().any(is_path) {
            Some(Reason::ExactPath)
        } else if entry.name == self.name {
            Some(Reason::ExactName)
        } else {
            let is_start = entry.name.starts_with(&self.name);
            is_start.then_some(Reason::Prefix)
        }
    }
}

/// Returns the paths that a query may refer to: the text as written, the text resolved against the working directory,
/// and the canonical path of the latter.
fn paths(text: &str, working_dir: &Path) -> Vec<String> {
    let below = working_dir.join(text);
    let real = below.canonicalize().ok();
    let all = [Some(Path::new(text)), Some(&below), real.as_deref()];
    let all = all.into_iter().flatten().filter_map(Path::to_str);
    let trimmed = all.map(|path| path.trim_end_matches(std::path::is_separator).to_owned());
    let mut paths: Vec<String> = trimmed.filter(|path| !path.is_empty()).collect();
    paths.dedup();
    paths
}
