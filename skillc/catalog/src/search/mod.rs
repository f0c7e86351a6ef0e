//! Searches skills in four tiers of matches that never overtake each other.
//!
//! It reads only the catalog, except for resolving a query that is a path.
//!
//! Design: CAT-SEARCH, D4, D6, R20.

mod index;
mod words;

use std::cmp::Ordering;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::{Error, Result};

use crate::catalog::Catalog;
use crate::entry::CatalogEntry;
use crate::invocation::Audience;
use crate::roots::Scope;
use words::{Room, Words};

pub(crate) use index::Index;

/// The longest query. Design: R20.
const MAX_QUERY_BYTES: usize = 4 << 10;

/// The base score of a hit by words; each word found adds 1.
const BY_WORDS: u32 = 100;

/// The highest score of a hit by words.
const MOST_BY_WORDS: u32 = 699;

/// A search request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// A path, a name, a prefix of a name, or words.
    pub text: String,
    /// The most hits, at least 1; `None` for the default of the settings.
    pub limit: Option<usize>,
    /// The scope to search; `None` for all.
    pub scope: Option<Scope>,
    /// The audience of the results.
    pub audience: Audience,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchResults {
    /// The query
    pub query: String,
    /// How many results are returned
    pub count: usize,
    /// Whether more skills matched
    pub truncated: bool,
    /// The skills that match, the best first
    pub results: Vec<Hit>,
}

/// A skill that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hit {
    /// The first 16 hex digits of the hash of the path
    pub id: String,
    /// Name of the skill
    pub name: String,
    /// What it does, and when to use it
    pub description: String,
    /// Its SKILL.md
    pub path: String,
    /// Whose it is
    pub scope: Scope,
    /// Why it matches
    pub reason: Reason,
    /// Score of the match
    pub score: u32,
}

/// Why a skill matches, the best reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The query is its path.
    ExactPath,
    /// The query is its name.
    ExactName,
    /// Its name begins with the query.
    Prefix,
    /// Words of the query are in its name or description.
    TokenOverlap,
}

/// Searches the skills that are listed for the query's audience.
///
/// Returns: the best hits, by score, then project skills before user skills, then by path.
///
/// # Errors
/// E065 if skills are disabled, E004 if the query is blank, E100 if it is longer than 4 KiB or the limit is 0.
pub fn search(catalog: &Catalog, query: &Query) -> Result<SearchResults> {
    if !catalog.settings.enabled {
        return Err(Error::SkillsDisabled {});
    }
    let wanted = Wanted::parse(&query.text, &catalog.chain.working_dir)?;
    let limits = &catalog.settings.search;
    let limit = query.limit.unwrap_or(limits.default_limit);
    if limit == 0 {
        return Err(Error::invalid_option("limit: must be at least 1"));
    }
    let limit = limit.min(limits.max_limit);
    let mut hits = wanted.hits(catalog, query);
    let truncated = hits.len() > limit;
    if truncated {
        hits.select_nth_unstable_by(limit, Scored::order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(Scored::order);
    Ok(SearchResults {
        query: query.text.clone(),
        count: hits.len(),
        truncated,
        results: hits.iter().map(Scored::hit).collect(),
    })
}

/// A skill with its score.
struct Scored<'a> {
    entry: &'a CatalogEntry,
    reason: Reason,
    score: u32,
    /// Its position by scope and path; 0 if unknown.
    place: u32,
}

impl Scored<'_> {
    fn order(a: &Self, b: &Self) -> Ordering {
        let best_first = b.score.cmp(&a.score);
        best_first
            .then_with(|| a.place.cmp(&b.place))
            .then_with(|| a.entry.scope.cmp(&b.entry.scope))
            .then_with(|| a.entry.path.cmp(&b.entry.path))
    }

    fn hit(&self) -> Hit {
        let entry = self.entry;
        Hit {
            id: entry.id.clone(),
            name: entry.name.clone(),
            description: entry.description.clone(),
            path: entry.path.clone(),
            scope: entry.scope,
            reason: self.reason,
            score: self.score,
        }
    }
}

/// A parsed query.
struct Wanted {
    /// The paths it may mean, without trailing separators.
    paths: Vec<String>,
    /// The text in lower case.
    name: String,
    words: Words,
}

impl Wanted {
    fn parse(text: &str, working_dir: &Path) -> Result<Self> {
        if text.len() > MAX_QUERY_BYTES {
            return Err(Error::invalid_option("query: longer than 4 KiB"));
        }
        let text = text.trim();
        let name = text.strip_prefix('$').unwrap_or(text).trim().to_lowercase();
        if name.is_empty() {
            return Err(Error::EmptyQuery {});
        }
        Ok(Self {
            paths: paths(text, working_dir),
            words: Words::parse(&name),
            name,
        })
    }

    /// Returns the matching skills in no particular order. Counts words in the index if there is one, else in the skills.
    fn hits<'a>(&self, catalog: &'a Catalog, query: &Query) -> Vec<Scored<'a>> {
        let index = catalog.index();
        let counts = index.map(|index| index.counts(&self.words));
        let mut room = Room::default();
        let mut hits = Vec::new();
        for (at, entry) in catalog.visible_at(query.audience) {
            if query.scope.is_some_and(|scope| entry.scope != scope) {
                continue;
            }
            let words = || match &counts {
                Some(counts) => counts[at],
                None => self.words.count_in(entry, &mut room),
            };
            if let Some((reason, score)) = self.score(entry, words) {
                hits.push(Scored {
                    entry,
                    reason,
                    score,
                    place: index.map_or(0, |index| index.place(at)),
                });
            }
        }
        hits
    }

    /// Returns why and how well a skill matches. `words`: how many of the query's words it has.
    fn score(&self, entry: &CatalogEntry, words: impl FnOnce() -> u32) -> Option<(Reason, u32)> {
        let is_path = |path: &String| {
            path.eq_ignore_ascii_case(&entry.path) || path.eq_ignore_ascii_case(&entry.dir)
        };
        if self.paths.iter().any(is_path) {
            return Some((Reason::ExactPath, 1_000));
        }
        if entry.name == self.name {
            return Some((Reason::ExactName, 900));
        }
        if entry.name.starts_with(&self.name) {
            return Some((Reason::Prefix, 700));
        }
        let words = words();
        let score = (BY_WORDS + words).min(MOST_BY_WORDS);
        (words > 0).then_some((Reason::TokenOverlap, score))
    }
}

/// Returns the paths that a query may mean: as written, relative to the working directory, and the canonical path of that.
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
