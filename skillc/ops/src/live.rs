//! The files of a skill as they are now, and the hash of what they hold.
//!
//! Every file and directory is looked at each time. What was read before is only used again if each of them has the stamp
//! that it had then, and had it so long before the build that a later change cannot have left the same.
//!
//! Source: LEDGER D-STALE, RULINGS R21.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillc_core::hash::Sha;
use skillc_core::source::Stamp;
use skillc_core::{Result, SourceTree};
use skillc_storage::Freshness;
use skillc_storage::freshness::{Fate, live_hash};

use crate::kept::stamp_of;
use crate::pool::Pool;

/// The most files of a skill that is kept.
const MAX_KEPT_FILES: usize = 20_000;

/// What was seen.
#[derive(Debug)]
pub(crate) struct LiveFiles {
    pub(crate) tree: SourceTree,
    /// What they were when they were indexed, if that is known.
    pub(crate) known: Option<Freshness>,
    /// The source hash; `None` if a file went away meanwhile.
    pub(crate) hash: Option<Sha>,
    /// Every directory and file, if whatever changes shows in one of their stamps.
    watched: Option<Vec<(PathBuf, Stamp)>>,
}

impl LiveFiles {
    /// Looks at a skill. `table`: its freshness table.
    ///
    /// # Errors
    /// E999 if something cannot be read.
    pub(crate) fn look(pool: &Pool<Arc<Self>>, root: &Path, table: &Path) -> Result<Arc<Self>> {
        let stamp = stamp_of(table);
        let kept = stamp.and_then(|stamp| pool.take(table, stamp));
        // It is back in the pool while it is compared.
        let kept = kept.map(|lent| Arc::clone(&lent));
        if let Some(files) = kept.filter(|files| files.tree.root == root && files.are_unchanged()) {
            return Ok(files);
        }
        let tree = SourceTree::read(root)?;
        let known = Freshness::read(table);
        let hash = live_hash(&tree, known.as_ref())?;
        let watched = known.as_ref().and_then(|known| watched(&tree, known));
        let new = Arc::new(Self {
            tree,
            known,
            hash,
            watched,
        });
        if let Some(stamp) = stamp.filter(|_| new.watched.is_some()) {
            pool.put(table.to_path_buf(), stamp, Arc::clone(&new));
        }
        Ok(new)
    }

    /// Looks at a directory and reads all files. `table`: what is known of a copy of it.
    ///
    /// # Errors
    /// As [`look`](Self::look).
    pub(crate) fn read(root: &Path, table: &Path) -> Result<Arc<Self>> {
        let tree = SourceTree::read(root)?;
        Ok(Arc::new(Self {
            hash: live_hash(&tree, None)?,
            known: Freshness::read(table),
            watched: None,
            tree,
        }))
    }

    fn are_unchanged(&self) -> bool {
        let is_same = |(path, stamp): &(PathBuf, Stamp)| {
            let now = path.symlink_metadata();
            now.is_ok_and(|now| Stamp::of(&now) == *stamp)
        };
        let mut watched = self.watched.iter().flatten();
        self.watched.is_some() && watched.all(is_same)
    }
}

/// Returns what has to be looked at to tell that nothing has changed; `None` if that would not tell.
fn watched(tree: &SourceTree, known: &Freshness) -> Option<Vec<(PathBuf, Stamp)>> {
    let is_known = |entry| matches!(known.fate(entry), Fate::Same(_));
    if tree.entries.len() > MAX_KEPT_FILES || !tree.entries.iter().all(is_known) {
        return None;
    }
    let dir = |path: &PathBuf| {
        let now = path.symlink_metadata().ok()?;
        let stamp = Some(Stamp::of(&now)).filter(|stamp| known.is_settled(*stamp))?;
        now.is_dir().then(|| (path.clone(), stamp))
    };
    let dirs = tree.dirs.as_ref()?.iter().map(dir);
    let entries = tree.entries.iter();
    let files = entries.map(|entry| Some((entry.path.under(&tree.root), entry.stamp)));
    dirs.chain(files).collect()
}
