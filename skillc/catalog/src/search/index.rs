//! The search index of one catalog: the word counts of its skills.
//!
//! The first search builds the index, and all later searches use it. A new catalog reuses the counts of unchanged
//! skills.
//!
//! Design: limits-catalog, catalog-freshness.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::fields::SkillWords;
use super::model::Model;
use super::words::Splitter;
use crate::entry::CatalogEntry;

/// The number of skills whose words are counted in one task. The skills of a task share a cache of stems.
const CHUNK: usize = 1024;

/// The word counts of each skill, in the order of the catalog.
#[derive(Debug, Clone)]
pub(crate) struct Index(Vec<Arc<SkillWords>>);

impl Index {
    pub(crate) fn new(entries: &[CatalogEntry]) -> Self {
        Self::reusing(entries, &HashMap::new(), None)
    }

    /// Builds the index of a new catalog from this index. Only the words of changed skills are counted again. `before`:
    /// the skills of this index. `entries`, `model`: the skills and the model of the new catalog.
    pub(crate) fn update(
        &self,
        before: &[CatalogEntry],
        entries: &[CatalogEntry],
        model: Option<&Arc<Model>>,
    ) -> Self {
        let before = before.iter().zip(&self.0);
        let before = before.map(|(entry, words)| (entry.path.as_str(), (entry, words)));
        Self::reusing(entries, &before.collect(), model)
    }

    fn reusing(
        entries: &[CatalogEntry],
        before: &HashMap<&str, (&CatalogEntry, &Arc<SkillWords>)>,
        model: Option<&Arc<Model>>,
    ) -> Self {
        let unchanged = |entry: &CatalogEntry| {
            let (old, words) = before.get(entry.path.as_str())?;
            let is_same = (&old.name, &old.description) == (&entry.name, &entry.description);
            let is_same = is_same && words.is_from(model) && words.is_current(&entry.path);
            is_same.then(|| Arc::clone(words))
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

    /// Returns the word counts of the skill at a position in the catalog.
    pub(super) fn words(&self, at: usize) -> &SkillWords {
        &self.0[at]
    }
}
