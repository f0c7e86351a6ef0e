//! What this user's builds in projects wrote, kept in the user's own `.skillc`.
//!
//! A repository can come with a `.skillc/runtime` in which every hash fits and the text is an attacker's. So nothing in a
//! project's runtime directory vouches for itself: a build leaves a record outside the repository, and a manifest or an index
//! that is not the recorded one is made again from the source, and not read until then. Builds in the user's own `.skillc`
//! need no record.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillc_core::Context;
use skillc_core::hash::{Sha, path_hash16};
use skillc_core::layout::{RuntimeDir, Store, canonical};
use skillc_core::source::read_start;
use skillc_storage::freshness::IndexStamp;

use crate::runtime::manifest::Manifest;
use crate::staged::temporary_name;

/// The largest record that is read: some hundred skills of one name.
const MAX_RECORD_BYTES: u64 = 64 << 10;

/// What the last builds into one runtime directory wrote. A build is recorded before its files take their places, and with it
/// what is there until then: killed in between, it has left one or the other.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct BuildRecord {
    /// The runtime directory, canonical. The file's name is a hash of it.
    runtime: String,
    /// The digests of the manifests, each of which has that of its stub. Fields of other programs do not count.
    manifests: Vec<String>,
    /// The search indexes, by the hash of their source's path.
    indexes: BTreeMap<String, Vec<IndexStamp>>,
}

/// What is known of the files in a runtime directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    /// All: it is in the user's own `.skillc`.
    Users,
    /// What the record says; nothing without one.
    Recorded(BuildRecord),
}

impl Known {
    /// Reads what is known of a runtime directory.
    pub(crate) fn of(context: &Context, runtime: &RuntimeDir) -> Self {
        let users = Store::global(context).runtimes();
        let real = canonical(&runtime.0);
        if runtime.0.starts_with(&users) || real.starts_with(canonical(&users)) {
            return Self::Users;
        }
        let real = real.to_string_lossy();
        let record = BuildRecord::read(&path(context, runtime));
        let record = record.filter(|record| record.runtime == real);
        Self::Recorded(record.unwrap_or_default())
    }

    /// Says whether the search index with this stamp is the very file that was built.
    ///
    /// Its content is not hashed: that would take longer than building after an edit does.
    pub(crate) fn has_index(&self, hash16: &str, stamp: IndexStamp) -> bool {
        match self {
            Self::Users => true,
            Self::Recorded(record) => {
                let recorded = record.indexes.get(hash16);
                recorded.is_some_and(|recorded| recorded.contains(&stamp))
            }
        }
    }

    /// Says whether the manifest in a runtime directory is the one that was written.
    pub(crate) fn has_manifest(&self, runtime: &RuntimeDir) -> bool {
        let Self::Recorded(record) = self else {
            return true;
        };
        let there = Manifest::read(&runtime.manifest());
        there.is_some_and(|manifest| record.manifests.contains(&digest(&manifest)))
    }

    /// Returns the text of the record for a build; `None` if it is as it was, or none is needed.
    ///
    /// `stamp`: of the index that will be there; `manifest`: the new one, `None` if the old one stays.
    pub(crate) fn after(
        self,
        runtime: &RuntimeDir,
        (hash16, stamp): (&str, IndexStamp),
        manifest: Option<&Manifest>,
    ) -> Option<Vec<u8>> {
        let Self::Recorded(old) = self else {
            return None;
        };
        let mut new = old.clone();
        new.runtime = canonical(&runtime.0).to_string_lossy().into_owned();
        let there = IndexStamp::of(&runtime.index(hash16)).ok();
        let indexes = new.indexes.entry(hash16.to_owned()).or_default();
        add(indexes, stamp, there.as_ref());
        if let Some(manifest) = manifest {
            let there = Manifest::read(&runtime.manifest()).as_ref().map(digest);
            add(&mut new.manifests, digest(manifest), there.as_ref());
        }
        if new == old {
            return None;
        }
        serde_json::to_vec(&new).ok()
    }
}

impl BuildRecord {
    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&read(path)?).ok()
    }
}

/// Adds what will be there. What was there once, and is no longer, goes.
fn add<T: PartialEq>(recorded: &mut Vec<T>, new: T, there: Option<&T>) {
    if there == Some(&new) && recorded.contains(&new) {
        return;
    }
    recorded.retain(|old| Some(old) == there && *old != new);
    recorded.push(new);
}

fn digest(manifest: &Manifest) -> String {
    Sha::of(&manifest.to_json()).to_string()
}

/// Returns where the record of a runtime directory is.
pub(crate) fn path(context: &Context, runtime: &RuntimeDir) -> PathBuf {
    let name = path_hash16(&canonical(&runtime.0));
    Store::global(context).builds().join(format!("{name}.json"))
}

/// Removes what a build that was killed left beside the record. The caller holds the lock of the runtime directory.
pub(crate) fn clear_leftover(context: &Context, runtime: &RuntimeDir) {
    fs::remove_file(temporary_name(&path(context, runtime))).unwrap_or_default();
}

/// Removes the record of a runtime directory that is about to be removed. One that stays is of no harm.
pub(crate) fn forget(context: &Context, runtime: &RuntimeDir) {
    fs::remove_file(path(context, runtime)).unwrap_or_default();
}

/// Removes the records of builds that are gone, with their project or by hand.
pub(crate) fn forget_gone(context: &Context) {
    let entries = Store::global(context).builds().read_dir();
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(record) = BuildRecord::read(&path) else {
            continue;
        };
        // What cannot be looked at may be on a disk that is away.
        if matches!(Path::new(&record.runtime).try_exists(), Ok(false)) {
            fs::remove_file(path).unwrap_or_default();
        }
    }
}

/// Reads a small file; `None` if it is none.
fn read(path: &Path) -> Option<Vec<u8>> {
    let bytes = read_start(path, MAX_RECORD_BYTES + 1).ok()?;
    (bytes.len() as u64 <= MAX_RECORD_BYTES).then_some(bytes)
}
