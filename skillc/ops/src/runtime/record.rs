//! Records of this user's builds in projects, kept in the user's own `.skillc`.
//!
//! A repository can contain a `.skillc/runtime` in which all hashes match, but the text was written by an attacker. The
//! files in a project's runtime directory therefore cannot prove their own origin: a build leaves a record outside the
//! repository, and a manifest or index that does not match the record is not read, but rebuilt from source. Builds in
//! the user's own `.skillc` need no record.

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

/// The size limit for reading a record: enough for a few hundred skills of the same name.
const MAX_RECORD_BYTES: u64 = 64 << 10;

/// The files that the last builds wrote into one runtime directory. The record is written before the files are renamed
/// into place, and still lists the old files: if the build is killed in between, either version on disk is valid.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct BuildRecord {
    /// The canonical path of the runtime directory. The record's file name is the hash of this path.
    runtime: String,
    /// The digests of the manifests, each of which contains the digest of its stub. Fields that other programs add to a
    /// manifest are not included.
    manifests: Vec<String>,
    /// The search indexes, by the hash of their source's path.
    indexes: BTreeMap<String, Vec<IndexStamp>>,
}

/// Which files in a runtime directory are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    /// All files: the directory is in the user's own `.skillc`.
    Users,
    /// The files in the record; none if there is no record.
    Recorded(BuildRecord),
}

impl Known {
    pub(crate) fn read(context: &Context, runtime: &RuntimeDir) -> Self {
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

    /// Returns whether the search index with this stamp is the file that a build of this user wrote.
    ///
    /// The index is not hashed, because hashing would take longer than an incremental build.
    pub(crate) fn has_index(&self, hash16: &str, stamp: IndexStamp) -> bool {
        match self {
            Self::Users => true,
            Self::Recorded(record) => {
                let recorded = record.indexes.get(hash16);
                recorded.is_some_and(|recorded| recorded.contains(&stamp))
            }
        }
    }

    /// Returns whether a build of this user wrote the manifest in a runtime directory.
    pub(crate) fn has_manifest(&self, runtime: &RuntimeDir) -> bool {
        let Self::Recorded(record) = self else {
            return true;
        };
        let there = Manifest::read(&runtime.manifest());
        there.is_some_and(|manifest| record.manifests.contains(&digest(&manifest)))
    }

    /// Returns the new text of the record; `None` if it is unchanged or no record is needed.
    ///
    /// `stamp`: the stamp of the new index. `manifest`: the new manifest; `None` if the old one stays.
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
        let there = IndexStamp::read(&runtime.index(hash16)).ok();
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

/// Adds the new value, keeps the value that is currently on disk, and drops all other values.
fn add<T: PartialEq>(recorded: &mut Vec<T>, new: T, there: Option<&T>) {
    if there == Some(&new) && recorded.contains(&new) {
        return;
    }
    recorded.retain(|old| Some(old) == there && *old != new);
    recorded.push(new);
}

fn digest(manifest: &Manifest) -> String {
    Sha::digest(&manifest.to_json()).to_string()
}

/// Returns the path of a runtime directory's record.
pub(crate) fn path(context: &Context, runtime: &RuntimeDir) -> PathBuf {
    let name = path_hash16(&canonical(&runtime.0));
    Store::global(context).builds().join(format!("{name}.json"))
}

/// Removes the temporary file of a killed build. The caller holds the lock of the runtime directory.
pub(crate) fn clear_leftover(context: &Context, runtime: &RuntimeDir) {
    fs::remove_file(temporary_name(&path(context, runtime))).unwrap_or_default();
}

/// Removes the record of a runtime directory that is about to be removed. A record that cannot be removed does no harm.
pub(crate) fn forget(context: &Context, runtime: &RuntimeDir) {
    fs::remove_file(path(context, runtime)).unwrap_or_default();
}

/// Removes the records of builds that no longer exist.
pub(crate) fn forget_gone(context: &Context) {
    let entries = Store::global(context).builds().read_dir();
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(record) = BuildRecord::read(&path) else {
            continue;
        };
        // Keep the record on an error: the disk may be temporarily unavailable.
        if matches!(Path::new(&record.runtime).try_exists(), Ok(false)) {
            fs::remove_file(path).unwrap_or_default();
        }
    }
}

/// Reads a small file; `None` if it is missing or too large.
fn read(path: &Path) -> Option<Vec<u8>> {
    let bytes = read_start(path, MAX_RECORD_BYTES + 1).ok()?;
    (bytes.len() as u64 <= MAX_RECORD_BYTES).then_some(bytes)
}
