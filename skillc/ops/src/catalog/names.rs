//! Tracks changes in the names of the skills that an agent sees, for clients that subscribe to such changes.
//!
//! The disk is not watched: a change is noticed when a call reads the catalog.
//!
//! Design: catalog-freshness.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use skillc_catalog::{Audience, Catalog};

/// The names in the most recently read catalog.
#[derive(Default)]
pub(crate) struct Names(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    catalog: Weak<Catalog>,
    digest: Option<u64>,
    changes: u64,
}

impl Names {
    /// Compares the names in a newly read catalog with the previous names, and counts a change.
    pub(crate) fn saw(&self, catalog: &Arc<Catalog>) {
        let mut seen = self.0.lock();
        if seen.catalog.as_ptr() == Arc::as_ptr(catalog) {
            return;
        }
        let digest = digest(catalog);
        let before = seen.digest.replace(digest);
        seen.catalog = Arc::downgrade(catalog);
        if before.is_some_and(|before| before != digest) {
            seen.changes += 1;
        }
    }

    /// Returns how many times the names have changed.
    pub(crate) fn changes(&self) -> u64 {
        self.0.lock().changes
    }
}

/// Returns a fingerprint of the names of the skills that an agent sees.
fn digest(catalog: &Catalog) -> u64 {
    let mut hasher = DefaultHasher::new();
    for entry in catalog.visible(Audience::Model) {
        (&entry.id, &entry.name).hash(&mut hasher);
    }
    hasher.finish()
}
