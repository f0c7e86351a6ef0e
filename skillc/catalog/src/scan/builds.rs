//! Removes builds from the catalog if their sources are also in the catalog.
//!
//! Design: catalog-roots, D23.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use skillc_core::layout::{RuntimeDir, canonical};
use skillc_core::source::read_start;

use crate::entry::CatalogEntry;
use crate::roots::Scope;

/// The maximum number of bytes read from a manifest.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// A skill that is not a build, but may be the source of a build.
struct Original {
    dir: PathBuf,
    owner: Owner,
}

/// The owner of a skill: its scope, and whether it is in one of the user's roots.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Owner(Scope, bool);

impl From<&CatalogEntry> for Owner {
    fn from(entry: &CatalogEntry) -> Self {
        Self(entry.scope, entry.is_users)
    }
}

/// Removes each build whose source was found as well. The source is the skill in the directory that the build's
/// manifest names.
///
/// If a build is a copy that is committed with its project, its manifest names no directory. Then any skill with the
/// same name and the same owner counts as the source. Skills of other owners do not count: otherwise, a project could
/// hide the user's build with a skill of the same name.
///
/// The source of a user's build is marked as the user's skill. Otherwise, a project could link to the source, so that
/// the build is removed, and then disable the source. The name would then refer to one of the project's own skills.
pub(super) fn drop_builds(found: &mut Vec<(usize, CatalogEntry)>) {
    if found.iter().all(|(_, entry)| !entry.compiled) {
        return;
    }
    let mut originals: HashMap<String, Vec<Original>> = HashMap::new();
    for (_, entry) in found.iter().filter(|(_, entry)| !entry.compiled) {
        let named = originals.entry(entry.name.clone()).or_default();
        named.push(Original {
            dir: PathBuf::from(&entry.dir),
            owner: Owner::from(entry),
        });
    }
    let mut of_user: HashSet<PathBuf> = HashSet::new();
    found.retain(|(_, entry)| {
        if !entry.compiled {
            return true;
        }
        let Some(named) = originals.get(&entry.name) else {
            return true;
        };
        let mut named = named.iter();
        let Some(source) = source(Path::new(&entry.dir)) else {
            return !named.any(|original| original.owner == Owner::from(entry));
        };
        let is_found = named.any(|original| original.dir == source);
        if is_found && entry.is_users {
            of_user.insert(source);
        }
        !is_found
    });
    for (_, entry) in found {
        entry.is_users |= !entry.compiled && of_user.contains(Path::new(&entry.dir));
    }
}

/// Returns the canonical path of the source directory that a build's manifest names, if it names one.
fn source(build: &Path) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Manifest {
        source: String,
    }

    let manifest = RuntimeDir(build.to_path_buf()).manifest();
    let text = read_start(&manifest, MAX_MANIFEST_BYTES).ok()?;
    let Manifest { source } = serde_json::from_slice(&text).ok()?;
    (!source.is_empty()).then(|| canonical(Path::new(&source)))
}
