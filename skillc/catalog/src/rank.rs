//! Which of several skills goes first.
//!
//! Source: CATALOG §3.3, CAT-DISC.23.

use std::cmp::Ordering;

use crate::entry::Entry;

/// Compares skills of one name by rank, the one that wins being the least: the project's before the user's, the nearest
/// first, then by the order of the kinds of roots, what was written before what was built, and by path.
pub fn rank(a: &Entry, b: &Entry) -> Ordering {
    let key = |entry: &Entry| {
        let place = entry.place;
        (entry.scope, place.distance, place.order, entry.compiled)
    };
    key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
}

/// Compares skills by the order of the catalog: scope, name, path.
pub fn catalog_order(a: &Entry, b: &Entry) -> Ordering {
    let key = |entry: &Entry| entry.scope;
    key(a)
        .cmp(&key(b))
        .then_with(|| a.name.cmp(&b.name))
        .then_with(|| a.path.cmp(&b.path))
}
