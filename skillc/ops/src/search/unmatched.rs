//! Explains a search without results: query words that no section contains, and similar words in the index.
//!
//! Design: C-QUERY-SYNTAX.

use std::collections::BTreeSet;

use serde::Serialize;
use skillc_core::Stop;
use skillc_core::did_you_mean::near;
use skillc_storage::{SearchIndex, Unusable};

/// The maximum number of words to explain.
const MAX_WORDS: usize = 8;

/// The maximum number of similar words for each word.
const MAX_SIMILAR: usize = 3;

/// A word of the query that no section contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnmatchedWord {
    /// Word, as in the query
    pub word: String,
    /// Similar words
    pub similar: Vec<String>,
}

/// Returns the words of a query that no section contains. There are none if every word occurs in some section, but no
/// section contains all words. `stop`: ends the search for similar words.
pub(super) fn words(
    index: &SearchIndex,
    query: &str,
    stop: &Stop,
) -> Result<Vec<UnmatchedWord>, Unusable> {
    let mut unknown = index.unknown_words(query)?;
    unknown.truncate(MAX_WORDS);
    if unknown.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    index.each_term(|word| {
        // Do not suggest numbers: one number is not a useful replacement for another.
        if word.chars().any(char::is_alphabetic) {
            all.push(word);
        }
    })?;
    let unmatched = unknown.into_iter().map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let mut seen = BTreeSet::new();
        let mut similar = Vec::new();
        let compared = all.iter().take_while(|_| !stop.is_raised());
        for stored in near(bare, compared).into_iter().take(MAX_SIMILAR) {
            let spelling = index.spelling(stored)?.unwrap_or_else(|| stored.clone());
            if seen.insert(spelling.clone()) {
                similar.push(spelling);
            }
        }
        Ok(UnmatchedWord {
            word: word.to_owned(),
            similar,
        })
    });
    unmatched.collect()
}
