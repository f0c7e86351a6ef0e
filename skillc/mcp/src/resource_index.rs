//! The skills exposed as resources: those in the catalog that a model may load without confirmation.
//!
//! A resource URI is a [`Reference`], `skill://<id>/<name>/<path>`, in the form that the catalog writes and parses. The
//! path is checked more strictly here: no segment may be `.` or `..`, or contain a separator, even percent-encoded.
//! This prevents path traversal.
//!
//! Design: catalog-roots, catalog-policy, catalog-tools, catalog-paths.

use std::collections::HashMap;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use skillc_core::hash::Sha;
use skillc_core::source::{Stamp, WalkedFile, hash_file};
use skillc_core::{Result, Stop};
use skillc_ops::catalog::model::{Catalog, CatalogEntry};
use skillc_ops::catalog::model::{Reference, SCHEME};

/// The maximum number of cached digests.
const MAX_DIGESTS: usize = 100_000;

/// The minimum age of a file whose digest is cached, in nanoseconds: a younger file can change while its stamp stays
/// the same.
const SETTLED_NS: i64 = 2_000_000_000;

/// Parses a URI; the trailing slash of a skill's directory is optional. Returns `None` if the URI does not refer to a
/// skill, or a segment of its path is not allowed.
pub(crate) fn address(text: &str) -> Option<Reference> {
    let is_part = |part: &str| {
        let part = percent_decode_str(part).decode_utf8();
        part.is_ok_and(|part| !part.contains(['/', '\\', '\0']) && part != ".." && part != ".")
    };
    let mut path = text.strip_prefix(SCHEME)?.split('/').skip(2).peekable();
    if path.peek().is_none() {
        return Reference::parse(&format!("{text}/")).ok();
    }
    let is_path = path.all(is_part);
    is_path.then(|| Reference::parse(text).ok()).flatten()
}

/// Returns whether a model may load a skill without confirmation. It is unknown who reads a resource, so the reader is
/// assumed to be a model.
fn is_open(catalog: &Catalog, skill: &CatalogEntry) -> bool {
    skill.enabled
        && skill.invocation.by_model()
        && catalog.policy.closed_entry(skill).is_none()
        && !catalog.needs_word(skill)
}

/// Returns all exposed skills, in the catalog's order.
pub(crate) fn skills(catalog: &Catalog) -> Vec<&CatalogEntry> {
    let all = catalog.skills().iter();
    all.filter(|skill| is_open(catalog, skill)).collect()
}

/// Returns the skill that a URI refers to; `None` if there is no such skill, or if the skill is not exposed.
pub(crate) fn find<'a>(catalog: &'a Catalog, address: &Reference) -> Option<&'a CatalogEntry> {
    let mut all = catalog.skills().iter();
    let skill = all.find(|skill| skill.id == address.id && skill.name == address.name)?;
    is_open(catalog, skill).then_some(skill)
}

/// Returns the directories below `outer` that belong to skills that are not exposed.
pub(crate) fn hidden(catalog: &Catalog, outer: &CatalogEntry) -> Vec<PathBuf> {
    let all = catalog.skills().iter();
    let inner = all.filter(|skill| {
        let below = skill.dir.strip_prefix(&outer.dir);
        below.is_some_and(|below| below.starts_with(MAIN_SEPARATOR))
    });
    let hidden = inner.filter(|skill| !is_open(catalog, skill));
    hidden.map(|skill| PathBuf::from(&skill.dir)).collect()
}

/// A cache of file digests, keyed by path and validated by stamp.
#[derive(Default)]
pub(crate) struct Digests(Mutex<HashMap<PathBuf, (Stamp, Sha)>>);

impl Digests {
    /// Returns a file's digest and size; `None` if the file no longer exists. `now_ns`: nanoseconds since 1970.
    ///
    /// # Errors
    /// E999 if the file cannot be read.
    pub(crate) fn get(
        &self,
        root: &Path,
        entry: &WalkedFile,
        now_ns: i64,
    ) -> Result<Option<(Sha, u64)>> {
        let path = entry.path.under(root);
        let kept = self.with(|kept| kept.get(&path).copied());
        if let Some((_, sha)) = kept.filter(|(stamp, _)| *stamp == entry.stamp) {
            return Ok(Some((sha, entry.stamp.size)));
        }
        let Some((sha, stamp)) = hash_file(root, &entry.path, &Stop::default())? else {
            return Ok(None);
        };
        // Do not cache: a file written just now can change again within the same timestamp.
        if stamp.ctime_ns.max(stamp.mtime_ns) > now_ns - SETTLED_NS {
            return Ok(Some((sha, stamp.size)));
        }
        self.with(|kept| {
            if kept.len() >= MAX_DIGESTS {
                kept.clear();
            }
            kept.insert(path, (stamp, sha));
        });
        Ok(Some((sha, stamp.size)))
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<PathBuf, (Stamp, Sha)>) -> T) -> T {
        change(&mut self.0.lock())
    }
}
