//! The hidden files of a skill: an agent reads them as any others, and a payload may be there.
//!
//! No symlink is followed. One that leads to a file of the skill names what is read under its own name; one that leads out is
//! listed, and nothing behind it is looked at.

use std::ffi::OsStr;

use walkdir::{DirEntry, WalkDir};

use crate::path::RelPath;
use crate::source::{Located, SourceTree, locate};

/// The most hidden files of a skill that are read.
const MAX_FILES: usize = 1000;

/// The most entries of hidden folders that are looked at, read or not.
const MAX_ENTRIES: usize = 20_000;

/// The most paths that are listed of those that are not read.
const MAX_LISTED: usize = 20;

/// Folders that hold copies of what others publish: they are named, not read.
const COPIES: [&str; 4] = [".hg", ".svn", ".venv", ".tox"];

/// What version control keeps in its folder in a form that no agent reads or runs. Everything else there is read: settings, hooks,
/// and files that do not belong there.
const OF_GIT: [&str; 21] = [
    "HEAD",
    "FETCH_HEAD",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "MERGE_MSG",
    "COMMIT_EDITMSG",
    "branches",
    "description",
    "gc.log",
    "gc.pid",
    "index",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "packed-refs",
    "refs",
    "shallow",
    "worktrees",
    "rr-cache",
];

/// The hidden files of a skill.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    /// Each with its size, in the order of the walk.
    pub(super) files: Vec<(RelPath, u64)>,
    /// Symlinks out of the skill, relative to its root.
    pub(super) escaping: Vec<String>,
    /// Folders and files that were not read, relative to the root.
    pub(super) unread: Vec<String>,
    /// Whether there are more than were listed or read.
    pub(super) has_more: bool,
}

impl Hidden {
    pub(super) fn of(tree: &SourceTree) -> Self {
        let mut hidden = Self {
            has_more: tree.hidden.len() >= MAX_FILES,
            ..Self::default()
        };
        let mut seen = 0;
        for top in &tree.hidden {
            let mut copies = Vec::new();
            let is_read = |entry: &DirEntry| {
                let name = entry.file_name();
                if entry.file_type().is_dir() && COPIES.iter().any(|copy| name == *copy) {
                    copies.push(entry.path().to_path_buf());
                    return false;
                }
                !is_of_git(entry)
            };
            let walk = WalkDir::new(top)
                .follow_root_links(false)
                .sort_by_file_name();
            for entry in walk.into_iter().filter_entry(is_read).flatten() {
                seen += 1;
                if seen > MAX_ENTRIES || hidden.files.len() == MAX_FILES {
                    hidden.has_more = true;
                    break;
                }
                hidden.add(tree, &entry);
            }
            for copy in copies {
                let path = copy.strip_prefix(&tree.root).unwrap_or(&copy);
                hidden.leave(path.to_string_lossy().into_owned());
            }
        }
        hidden
    }

    fn add(&mut self, tree: &SourceTree, entry: &DirEntry) {
        let kind = entry.file_type();
        if kind.is_dir() {
            return;
        }
        let shown = entry
            .path()
            .strip_prefix(&tree.root)
            .unwrap_or(entry.path());
        let shown = || shown.to_string_lossy().into_owned();
        let Some(path) = RelPath::below(&tree.root, entry.path()) else {
            self.leave(shown());
            return;
        };
        if kind.is_symlink() {
            if locate(&tree.root, &path) == Located::Outside && self.escaping.len() < MAX_LISTED {
                self.escaping.push(shown());
            }
            return;
        }
        match entry.metadata() {
            Ok(metadata) if kind.is_file() => self.files.push((path, metadata.len())),
            _ => self.leave(shown()),
        }
    }

    fn leave(&mut self, path: String) {
        if self.unread.len() < MAX_LISTED {
            self.unread.push(path);
        } else {
            self.has_more = true;
        }
    }
}

/// Says whether an entry is one that version control keeps for itself.
fn is_of_git(entry: &DirEntry) -> bool {
    let parent = entry.path().parent();
    let is_below = |name: &str| parent.and_then(|dir| dir.file_name()) == Some(OsStr::new(name));
    let name = entry.file_name();
    is_below(".git") && OF_GIT.iter().any(|known| name == *known)
        || is_below("hooks") && name.as_encoded_bytes().ends_with(b".sample")
}
