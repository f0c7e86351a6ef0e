//! The search index of one catalog: the word counts of its skills.
//!
//! The first search builds the index, and all later searches use it. A new catalog reuses the counts of unchanged
//! skills.
//!
//! Design: limits-catalog, catalog-freshness.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::fields::{CountTable, Counts, OnDemand};
use super::model::Model;
use super::words::Splitter;
use crate::entry::CatalogEntry;

/// The number of skills whose words are counted in one task. The skills of a task share a cache of stems.
const CHUNK: usize = 1024;

/// The word counts of the skills, in the order of the catalog.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// Names and descriptions.
    heads: CountTable,
    on_demand: Vec<Arc<OnDemand>>,
}

impl Index {
    pub(crate) fn new(entries: &[CatalogEntry]) -> Self {
        Self::reusing(entries, |_| None)
    }

    /// Builds the index of a new catalog from this index. Only the words of changed skills are counted again. `before`:
    /// the skills of this index. `entries`, `model`: the skills and the model of the new catalog.
    pub(crate) fn update(
        &self,
        before: &[CatalogEntry],
        entries: &[CatalogEntry],
        model: Option<&Arc<Model>>,
    ) -> Self {
        let before = before.iter().enumerate();
        let before: HashMap<&str, (usize, &CatalogEntry)> = before
            .map(|(at, entry)| (entry.path.as_str(), (at, entry)))
            .collect();
        Self::reusing(entries, |entry| {
            let (at, old) = before.get(entry.path.as_str())?;
            let on_demand = &self.on_demand[*at];
            let is_same = (&old.name, &old.description) == (&entry.name, &entry.description)
                && on_demand.is_from(model)
                && on_demand.is_current(&entry.path);
            is_same.then(|| (self.heads.counts(*at), on_demand))
        })
    }

    /// `unchanged`: returns what an earlier index contains about a skill, if it is still correct.
    fn reusing<'a>(
        entries: &[CatalogEntry],
        unchanged: impl Fn(&CatalogEntry) -> Option<(Counts<'a>, &'a Arc<OnDemand>)> + Sync,
    ) -> Self {
        let parts = entries.par_chunks(CHUNK).map(|entries| {
            let (mut part, mut splitter) = (Self::default(), Splitter::new());
            for entry in entries {
                if let Some((head, on_demand)) = unchanged(entry) {
                    part.heads.push(head);
                    part.on_demand.push(Arc::clone(on_demand));
                } else {
                    part.heads.push_head(entry, &mut splitter);
                    part.on_demand.push(Arc::default());
                }
            }
            part
        });
        let mut index = Self::default();
        for part in parts.collect::<Vec<_>>() {
            index.heads.append(&part.heads);
            index.on_demand.extend(part.on_demand);
        }
        index
    }

    /// Returns the word counts of all names and descriptions.
    pub(super) fn heads(&self) -> &CountTable {
        &self.heads
    }

    /// Returns what is computed on demand about the skill at a position in the catalog.
    pub(super) fn on_demand(&self, at: usize) -> &OnDemand {
        &self.on_demand[at]
    }
}
