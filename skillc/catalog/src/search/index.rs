//! The words of the skills of one catalog.
//!
//! It is built by the first search and used by all later ones. A new catalog takes over what has not changed.
//!
//! Design: limits-catalog, catalog-freshness.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::fields::SkillWords;
use super::words::Splitter;
use crate::entry::CatalogEntry;

/// The number of skills whose words are counted by one thread: it remembers the words that they share.
const CHUNK: usize = 1024;

/// The words of each skill, in the order of the catalog.
#[derive(Debug, Clone)]
pub(crate) struct Index(Vec<Arc<SkillWords>>);

impl Index {
    pub(crate) fn new(entries: &[CatalogEntry]) -> Self {
        Self::reusing(entries, &HashMap::new())
    }

    /// Builds the index of changed skills, given the skills from before and their index.
    pub(crate) fn update(&self, before: &[CatalogEntry], entries: &[CatalogEntry]) -> Self {
        let before = before.iter().zip(&self.0);
        let before = before.map(|(entry, words)| (entry.path.as_str(), (entry, words)));
        Self::reusing(entries, &before.collect())
    }

    fn reusing(
        entries: &[CatalogEntry],
        before: &HashMap<&str, (&CatalogEntry, &Arc<SkillWords>)>,
    ) -> Self {
        let unchanged = |entry: &CatalogEntry| {
            let (old, words) = before.get(entry.path.as_str())?;
            let is_same = (&old.name, &old.description) == (&entry.name, &entry.description);
            (is_same && words.is_current(&entry.path)).then(|| Arc::clone(words))
        };
        let unchanged = &unchanged;
        let chunks = entries.par_chunks(CHUNK).flat_map_iter(|entries| {
            let mut splitter = Splitter::new();
            entries.iter().map(move |entry| {
                unchanged(entry).unwrap_or_else(|| Arc::new(SkillWords::new(entry, &mut splitter)))
            })
        });
        Self(chunks.collect())
    }

    /// Returns the words of the skill at an index of the catalog.
    pub(super) fn words(&self, at: usize) -> &SkillWords {
        &self.0[at]
    }
}
