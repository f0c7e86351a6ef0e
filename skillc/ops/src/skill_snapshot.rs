//! The current files of a skill, and their hash.
//!
//! Every file and directory is checked on each call. A cached value is reused only if the stamp is unchanged and was
//! old enough when the file was read: any later change must then have altered the stamp.
//!
//! Design: D-STALE, R21.

use std::collections::BTreeMap;
use std::ffi::OsString;
#[cfg(unix)]
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(unix)]
use rustix::fs::{Mode, OFlags};
use skillc_core::hash::Sha;
use skillc_core::source::{Stamp, WalkedFile};
use skillc_core::{Result, SourceTree};
use skillc_storage::Freshness;
use skillc_storage::freshness::{Fate, live_hash};

use crate::cache::{Settled, stamp_of};
use crate::pool::Pool;
use crate::toolkit::Toolkit;

/// The maximum number of files in a cached skill.
const MAX_KEPT_FILES: usize = 20_000;

/// The files of a skill at the time of reading.
#[derive(Debug)]
pub(crate) struct SkillSnapshot {
    pub(crate) tree: SourceTree,
    /// The stamps at indexing time, if known.
    pub(crate) known: Option<Freshness>,
    /// The source hash; `None` if a file disappeared in the meantime.
    pub(crate) hash: Option<Sha>,
    /// The directories and files to check for changes; `None` if the snapshot is not cached.
    watched: Option<Vec<WatchedDir>>,
}

impl SkillSnapshot {
    /// Returns the current state of a skill: from the cache if nothing has changed, otherwise from disk. `table`: the
    /// skill's freshness table.
    ///
    /// # Errors
    /// Returns E999 if a file or directory cannot be read.
    pub(crate) fn look(toolkit: &Toolkit, root: &Path, table: &Path) -> Result<Arc<Self>> {
        let is_shared = toolkit.kept.is_shared();
        let pool = is_shared.then(|| toolkit.kept.get::<Pool<Arc<Self>>>());
        let stamped = pool.and_then(|pool| Some((pool, stamp_of(table)?)));
        let kept = stamped.and_then(|(pool, stamp)| pool.take(table, stamp));
        // Clone the `Arc`, so that the lent reference returns to the pool at once.
        let kept = kept.map(|lent| Arc::clone(&lent));
        if let Some(files) = kept.filter(|files| files.tree.root == root && files.are_unchanged()) {
            return Ok(files);
        }
        let settled = Settled::before(&toolkit.context);
        let tree = SourceTree::read(root)?;
        let known = Freshness::read(table);
        let hash = live_hash(&tree, known.as_ref(), &toolkit.stop)?;
        let watched = stamped.and_then(|_| watched(&tree, known.as_ref(), settled));
        let new = Arc::new(Self {
            tree,
            known,
            hash,
            watched,
        });
        if let Some((pool, stamp)) = stamped.filter(|_| new.watched.is_some()) {
            pool.put(table.to_path_buf(), stamp, Arc::clone(&new));
        }
        Ok(new)
    }

    /// Reads a directory and all its files. `table`: the freshness table of the directory's copy in a store.
    ///
    /// # Errors
    /// Returns the errors of [`look`](Self::look).
    pub(crate) fn read(toolkit: &Toolkit, root: &Path, table: &Path) -> Result<Arc<Self>> {
        let tree = SourceTree::read(root)?;
        Ok(Arc::new(Self {
            hash: live_hash(&tree, None, &toolkit.stop)?,
            known: Freshness::read(table),
            watched: None,
            tree,
        }))
    }

    fn are_unchanged(&self) -> bool {
        let watched = self.watched.as_ref();
        watched.is_some_and(|dirs| dirs.iter().all(WatchedDir::is_unchanged))
    }
}

/// A directory and its files at the time of reading.
#[derive(Debug)]
struct WatchedDir {
    path: PathBuf,
    stamp: Stamp,
    files: Vec<(OsString, Stamp)>,
}

impl WatchedDir {
    #[cfg(unix)]
    fn is_unchanged(&self) -> bool {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(dir) = rustix::fs::open(&self.path, flags, Mode::empty()) else {
            return false;
        };
        // Resolve the directory once, not for each file.
        let dir = File::from(dir);
        let is_same = |(name, stamp): &(OsString, Stamp)| Stamp::in_dir(&dir, name) == Some(*stamp);
        let now = dir.metadata().ok();
        now.is_some_and(|now| Stamp::from_metadata(&now) == self.stamp)
            && self.files.iter().all(is_same)
    }

    #[cfg(not(unix))]
    fn is_unchanged(&self) -> bool {
        let is_same = |path: &Path, stamp: Stamp| {
            let now = path.symlink_metadata();
            now.is_ok_and(|now| Stamp::from_metadata(&now) == stamp)
        };
        let mut files = self.files.iter();
        is_same(&self.path, self.stamp)
            && files.all(|(name, stamp)| is_same(&self.path.join(name), *stamp))
    }
}

/// Returns the directories and files to check for changes; `None` if there are too many files, or if a change might not
/// alter a stamp.
///
/// `settled`: determined before the files were read.
fn watched(
    tree: &SourceTree,
    known: Option<&Freshness>,
    settled: Settled,
) -> Option<Vec<WatchedDir>> {
    if tree.entries.len() > MAX_KEPT_FILES {
        return None;
    }
    let is_settled = |stamp| settled.holds(stamp);
    let is_known =
        |entry: &WalkedFile| known.is_some_and(|of| matches!(of.fate(entry), Fate::Same(_)));
    let mut watched = BTreeMap::new();
    for path in tree.dirs.as_ref()? {
        let now = path.symlink_metadata().ok()?;
        let stamp = Stamp::from_metadata(&now);
        if !now.is_dir() || !(is_settled(stamp) || known.is_some_and(|of| of.is_settled(stamp))) {
            return None;
        }
        let (path, files) = (path.clone(), Vec::new());
        watched.insert(path.clone(), WatchedDir { path, stamp, files });
    }
    for entry in &tree.entries {
        if !is_settled(entry.stamp) && !is_known(entry) {
            return None;
        }
        let path = entry.path.under(&tree.root);
        let dir = watched.get_mut(path.parent()?)?;
        let name = path.file_name()?.to_owned();
        dir.files.push((name, entry.stamp));
    }
    Some(watched.into_values().collect())
}
