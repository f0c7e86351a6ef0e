//! The search index of a skill, opened only if it is true of the files as they are now.
//!
//! Source: RFC-0004 C-INDEX (selection and staleness), LEDGER D-STALE, D-GLOBAL-LOOKUP.

use skillc_core::{Error, Result, SkillRef, SourceTree};
use skillc_storage::freshness::live_hash;
use skillc_storage::{Freshness, SearchIndex, Unusable};

use crate::build::manifest::Manifest;
use crate::operation::{Notes, Toolkit};

/// An index that was checked against the files.
pub(crate) struct CheckedIndex {
    pub(crate) index: SearchIndex,
    pub(crate) tree: SourceTree,
    /// What the files were when they were indexed, if that is known.
    pub(crate) known: Option<Freshness>,
}

/// Opens a skill's index.
///
/// # Errors
/// E002 if it is missing, damaged or older than the files; E003 if it belongs to another directory.
pub(crate) fn open(toolkit: &Toolkit, at: &SkillRef, notes: &mut Notes) -> Result<CheckedIndex> {
    let hash16 = at.hash16();
    let runtime = at.indexed_runtime();
    let path = runtime.index(&hash16);
    notes.detail(format!("index   {}", path.display()));

    let index = SearchIndex::open(&path).map_err(|reason| unusable(at, notes, why(reason)))?;
    if index.meta().skill_path != at.canonical.to_string_lossy() {
        return Err(Error::IndexCollision { hash16 });
    }
    let Some(manifest) = Manifest::read(&runtime.manifest()) else {
        return Err(unusable(at, notes, "there is no manifest"));
    };
    if index.meta().source_hash != manifest.source_hash {
        return Err(unusable(at, notes, "the manifest is of another build"));
    }
    let tree = SourceTree::read(&at.canonical)?;
    let known = Freshness::read(&runtime.stamps(&hash16));
    let is_current = live_hash(&tree, known.as_ref())?
        .is_some_and(|live| index.meta().is_current(live, toolkit.config.tokenizer));
    if !is_current {
        return Err(unusable(
            at,
            notes,
            "the files, the tokenizer or the schema have changed since the build",
        ));
    }
    if !index.has_our_tables() {
        return Err(unusable(at, notes, "its tables are not ours"));
    }
    Ok(CheckedIndex { index, tree, known })
}

/// Makes an E002; the reason is for `--verbose`.
pub(crate) fn unusable(at: &SkillRef, notes: &mut Notes, reason: &str) -> Error {
    notes.detail(format!("unusable: {reason}"));
    Error::IndexUnusable {
        skill: at.asked.clone(),
    }
}

const fn why(reason: Unusable) -> &'static str {
    match reason {
        Unusable::Missing => "there is no index",
        Unusable::Corrupt => "the index cannot be read",
    }
}
