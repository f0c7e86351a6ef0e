//! The search index of one catalog: the word counts of its skills.
//!
//! The first search builds the index, and all later searches use it. A new catalog reuses the counts of unchanged
//! skills.
//!
//! Design: limits-catalog, catalog-freshness.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::fields::{CountTable, Counts, OnDemand, Postings};
use super::model::Model;
use super::words::Splitter;
use crate::entry::CatalogEntry;

/// The number of skills in a part of the index. A part is built and searched by one thread; its skills share a cache of
/// stems.
const PART: usize = 1024;

/// The word counts of the skills, in the order of the catalog.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    parts: Vec<Part>,
}

/// The word counts of up to [`PART`] skills.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Names and descriptions.
    pub(super) heads: CountTable,
    /// The skills that contain a word in the name or the description.
    pub(super) postings: Postings,
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
            let on_demand = self.on_demand(*at);
            let is_same = (&old.name, &old.description) == (&entry.name, &entry.description)
                && on_demand.is_from(model)
                && on_demand.is_current(&entry.path);
            is_same.then(|| (self.head(*at), on_demand))
        })
    }

    /// Builds an index. `unchanged`: returns a skill's data from an earlier index if the data is still valid.
    fn reusing<'a>(
        entries: &[CatalogEntry],
        unchanged: impl Fn(&CatalogEntry) -> Option<(Counts<'a>, &'a Arc<OnDemand>)> + Sync,
    ) -> Self {
        let parts = entries.par_chunks(PART).map(|entries| {
            let (mut heads, mut splitter) = (CountTable::default(), Splitter::new());
            let mut on_demand = Vec::with_capacity(entries.len());
            for entry in entries {
                if let Some((head, computed)) = unchanged(entry) {
                    heads.push(head);
                    on_demand.push(Arc::clone(computed));
                } else {
                    heads.push_head(entry, &mut splitter);
                    on_demand.push(Arc::default());
                }
            }
            Part {
                postings: Postings::new(&heads),
                heads,
                on_demand,
            }
        });
        Self {
            parts: parts.collect(),
        }
    }

    /// Returns the parts of the index, in the order of the catalog.
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the word counts of the name and description of the skill at a position in the catalog.
    fn head(&self, at: usize) -> Counts<'_> {
        let (part, at) = place(at);
        self.parts[part].heads.counts(at)
    }

    /// Returns the lengths of the name and the description of the skill at a position in the catalog; see
    /// [`Counts::lengths`].
    pub(super) fn head_lengths(&self, at: usize) -> [u32; 2] {
        let (part, at) = place(at);
        self.parts[part].heads.lengths()[at]
    }

    /// Returns the on-demand data of the skill at a position in the catalog.
    pub(super) fn on_demand(&self, at: usize) -> &Arc<OnDemand> {
        let (part, at) = place(at);
        &self.parts[part].on_demand[at]
    }
}

/// Returns the part that contains the skill at a position in the catalog, and the skill's position in the part.
pub(super) fn place(at: usize) -> (usize, usize) {
    (at / PART, at % PART)
}
