//! The order that decides which of several skills with the same name takes precedence.
//!
//! Design: catalog-rank, CAT-DISC.23.

use std::cmp::Ordering;

use crate::entry::CatalogEntry;

/// Compares skills of the same name; the skill that sorts first takes precedence. Project skills precede user skills.
/// Within a scope, these criteria apply in order: the nearest directory first, the kind of root with the highest rank
/// first, sources before builds, and then the order of the paths.
pub fn by_precedence(a: &CatalogEntry, b: &CatalogEntry) -> Ordering {
    let key = |entry: &CatalogEntry| {
        let place = entry.place;
        (entry.scope, place.distance, place.order, entry.compiled)
    };
    key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
}

/// Compares skills in catalog order: scope, name, path.
pub fn catalog_order(a: &CatalogEntry, b: &CatalogEntry) -> Ordering {
    let key = |entry: &CatalogEntry| entry.scope;
    key(a)
        .cmp(&key(b))
        .then_with(|| a.name.cmp(&b.name))
        .then_with(|| a.path.cmp(&b.path))
}
