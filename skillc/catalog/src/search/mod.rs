//! Searches skills by path, by name, by prefix of the name, and by words. Each kind of match ranks above the next.
//!
//! A query may be a whole description of a task. Matches by words are ranked by the words that a skill shares with the
//! query.
//!
//! Design: CAT-SEARCH, D4, D6, R20, R27.

mod fields;
mod index;
mod ranking;
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
use ranking::{Candidate, Fits, QueryWords, fits};

pub(crate) use index::Index;

/// The maximum number of bytes of a query that are compared. Design: R20.
const MAX_QUERY_BYTES: usize = 1 << 20;

/// The maximum number of bytes of a query that the response repeats. A longer text would be useless, because the agent
/// knows its query.
const MAX_REPEATED_BYTES: usize = 1 << 10;

/// The lowest and the highest score of a match by words.
const BY_WORDS: RangeInclusive<u32> = 100..=699;

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
    let (mut hits, convincing) = wanted.hits(catalog, query);
    let truncated = hits.len() > limit;
    if truncated {
        hits.select_nth_unstable_by(limit, Scored::order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(Scored::order);
    let results = results(&hits);
    let is_convincing =
        |best: &Scored<'_>| best.reason != Reason::TokenOverlap || best.fit >= convincing;
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

/// Returns all skills that match a text, best first, ranked as in [`search`]. Returns no skills for a blank query.
pub fn ranking<'a>(catalog: &'a Catalog, text: &str, audience: Audience) -> Vec<&'a CatalogEntry> {
    let text = start_of(text, MAX_QUERY_BYTES);
    let Ok(wanted) = Wanted::new(text, &catalog.chain.working_dir) else {
        return Vec::new();
    };
    let query = Query {
        audience,
        ..Query::default()
    };
    let (mut hits, _) = wanted.hits(catalog, &query);
    hits.sort_unstable_by(Scored::order);
    hits.into_iter().map(|hit| hit.entry).collect()
}

/// Returns the start of a text, at most `bytes` bytes.
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
}

impl Scored<'_> {
    fn order(a: &Self, b: &Self) -> Ordering {
        let best_first = a.reason.cmp(&b.reason);
        best_first
            .then_with(|| b.fit.total_cmp(&a.fit))
            .then_with(|| a.entry.scope.cmp(&b.entry.scope))
            .then_with(|| a.entry.path.cmp(&b.entry.path))
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

/// Returns the results for sorted hits. The scores of matches by words can be compared between queries. A hit that fits
/// less well than the hit before it gets a lower score, however small the difference.
fn results(hits: &[Scored<'_>]) -> Vec<Hit> {
    let mut before: Option<(f64, u32)> = None;
    let results = hits.iter().map(|hit| {
        let score = match hit.reason {
            Reason::ExactPath => 1_000,
            Reason::ExactName => 900,
            Reason::Prefix => 700,
            Reason::TokenOverlap => {
                let score = match before {
                    Some((fit, score)) if hit.fit.total_cmp(&fit).is_eq() => score,
                    Some((_, score)) => score_of_fit(hit.fit).min(score - 1),
                    None => score_of_fit(hit.fit),
                };
                let score = score.max(*BY_WORDS.start());
                before = Some((hit.fit, score));
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

/// Returns the score of a match by words. `fit`: greater than 0.
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
struct Wanted {
    /// The paths that the text may mean, without trailing separators.
    paths: Vec<String>,
    /// The text as a name: trimmed, without a leading `$`, in lower case.
    name: String,
    words: QueryWords,
}

impl Wanted {
    fn new(text: &str, working_dir: &Path) -> Result<Self> {
        let text = text.trim();
        let name = text.strip_prefix('$').unwrap_or(text).trim().to_lowercase();
        if name.is_empty() {
            return Err(Error::EmptyQuery {});
        }
        Ok(Self {
            paths: paths(text, working_dir),
            words: QueryWords::new(&name),
            name,
        })
    }

    /// Returns the matching skills in no particular order, and [`Fits::convincing`].
    fn hits<'a>(&self, catalog: &'a Catalog, query: &Query) -> (Vec<Scored<'a>>, f64) {
        let visible = catalog.visible_at(query.audience);
        let visible =
            visible.filter(|(_, entry)| query.scope.is_none_or(|scope| entry.scope == scope));
        let visible: Vec<(usize, &CatalogEntry)> = visible.collect();
        let index = catalog.index();
        let candidates = visible.iter().map(|(at, entry)| Candidate {
            words: index.words(*at),
            path: &entry.path,
        });
        let Fits { all, convincing } = fits(&self.words, &candidates.collect::<Vec<_>>());
        let hits = visible
            .into_iter()
            .zip(all)
            .filter_map(|((_, entry), fit)| {
                let reason = self.whole_match(entry);
                let reason = reason.or_else(|| (fit > 0.0).then_some(Reason::TokenOverlap))?;
                let fit = if reason == Reason::TokenOverlap {
                    fit
                } else {
                    0.0
                };
                Some(Scored { entry, reason, fit })
            });
        (hits.collect(), convincing)
    }

    /// Returns why a skill matches if the whole query is its path, its name or the start of its name.
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

/// Returns the paths that a query may mean: the text as written, the text resolved against the working directory, and
/// the canonical path of the latter.
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
