//! The hidden files of a skill. An agent can read hidden files like any other files, so they may contain a payload.
//!
//! Symlinks are not followed. The target of a symlink within the skill is read at its own path. A symlink that leads
//! out of the skill is only listed.

use std::ffi::OsStr;

use walkdir::{DirEntry, WalkDir};

use crate::path::RelPath;
use crate::source::{Located, SourceTree, locate};

/// The maximum number of hidden files of a skill that are read.
const MAX_FILES: usize = 1000;

/// The maximum number of hidden files, and of entries in hidden folders, that are examined.
const MAX_ENTRIES: usize = 20_000;

/// The maximum length of each list of paths that are not read.
const MAX_LISTED: usize = 20;

/// Folders that contain copies of published code. They are listed, but not read.
const COPIES: [&str; 4] = [".hg", ".svn", ".venv", ".tox"];

/// Entries of `.git` in a form that no agent reads or runs: they are skipped. All other entries are read: settings,
/// hooks, and files that do not belong to Git.
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
    /// The files, each with its size, in the order of the walk.
    pub(super) files: Vec<(RelPath, u64)>,
    /// Symlinks that lead out of the skill, relative to its root.
    pub(super) escaping: Vec<String>,
    /// Folders and files that were not read, relative to the root.
    pub(super) unread: Vec<String>,
    /// Whether a limit was reached, so that hidden files may be missing from `files` or `unread`.
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

/// Returns whether an entry is one of [`OF_GIT`] in `.git`, or a sample hook.
fn is_of_git(entry: &DirEntry) -> bool {
    let parent = entry.path().parent();
    let is_below = |name: &str| parent.and_then(|dir| dir.file_name()) == Some(OsStr::new(name));
    let name = entry.file_name();
    is_below(".git") && OF_GIT.iter().any(|known| name == *known)
        || is_below("hooks") && name.as_encoded_bytes().ends_with(b".sample")
}
