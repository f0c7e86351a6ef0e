//! Warnings about skills missing from a registry, and about duplicate names.
//!
//! Design: REG-LOAD.4, REG-LOAD.15, REG-LOAD.18, catalog-commands, R20.

use std::collections::BTreeMap;

use skillc_catalog::CatalogEntry;
use skillc_catalog::precedence::by_precedence;
use skillc_core::Warning;

use crate::notes::Notes;

/// The limit on warnings of one kind. Beyond it, skipped skills are only counted, and duplicate names are not reported.
const MAX_WARNINGS: usize = 1_000;

/// Reports skipped skills, sorted by path.
pub(super) fn tell_skipped(mut skipped: Vec<(String, String)>, notes: &mut Notes) {
    skipped.sort();
    let more = skipped.len().saturating_sub(MAX_WARNINGS);
    skipped.truncate(MAX_WARNINGS);
    for (path, message) in skipped {
        notes.warn(Warning::CatalogSkipped { path, message });
    }
    if more > 0 {
        notes.warn(Warning::CatalogSkipped {
            path: "…".into(),
            message: format!("{more} more"),
        });
    }
}

/// Determines the winning skill of each name, and reports duplicate names. `entries`: valid skills. Returns for each
/// entry whether it wins.
pub(super) fn winners(entries: &[&CatalogEntry], notes: &mut Notes) -> Vec<bool> {
    let mut names: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let (best, count) = names.entry(&entry.name).or_insert((at, 0));
        *count += 1;
        if by_precedence(entry, entries[*best]).is_lt() {
            *best = at;
        }
    }
    let several = names.iter().filter(|(_, (_, count))| *count > 1);
    for (name, (best, count)) in several.take(MAX_WARNINGS) {
        notes.warn(Warning::ManyDefinitions {
            skill: (*name).to_owned(),
            count: *count,
            path: entries[*best].path.clone(),
        });
    }
    let mut wins = vec![false; entries.len()];
    for (best, _) in names.values() {
        wins[*best] = true;
    }
    wins
}
