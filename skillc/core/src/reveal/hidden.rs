//! The hidden files of a skill. An agent can read hidden files like any other files, so they may contain a payload.
//!
//! Symlinks are not followed. If the target of a symlink is within the skill, the target is read at its own path. A
//! symlink that leads out of the skill is only listed.

use std::io;
use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use crate::path::RelPath;
use crate::source::{Located, SourceTree, locate, unusual_target};

use super::git;

/// The maximum number of a skill's hidden files that are read, and of the unusual targets of hidden symlinks.
const MAX_FILES: usize = 1000;

/// The maximum number of hidden files, and of entries in hidden folders, that are examined.
const MAX_ENTRIES: usize = 20_000;

/// The maximum length of each list of paths that are not read.
const MAX_LISTED: usize = 20;

/// Folders that contain copies of published code. They are listed, but not read.
const COPIES: [&str; 4] = [".hg", ".svn", ".venv", ".tox"];

/// The hidden files of a skill.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    /// The files, each with its size, in the order of the walk.
    pub(super) files: Vec<(RelPath, u64)>,
    /// The paths of symlinks that lead out of the skill, relative to the skill's root.
    pub(super) escaping: Vec<String>,
    /// The symlinks that stay in the skill, each with the path where it leads.
    pub(super) linked: Vec<(RelPath, RelPath)>,
    /// The symlinks with unusual targets, each with the target, in the order of the walk.
    pub(super) unusual: Vec<(RelPath, String)>,
    /// The paths of folders and files that were not read, relative to the root.
    pub(super) unread: Vec<String>,
    /// Whether a limit was reached, in which case hidden files may be missing from `files` or `unread`.
    pub(super) has_more: bool,
}

impl Hidden {
    pub(super) fn of(tree: &SourceTree) -> Self {
        let mut hidden = Self {
            has_more: tree.hidden.len() >= MAX_FILES,
            ..Self::default()
        };
        if let Some(files) = tree.hidden_in_memory() {
            hidden.files.extend(files.take(MAX_FILES));
            hidden.has_more = hidden.files.len() == MAX_FILES;
            return hidden;
        }
        let mut seen = 0;
        for top in &tree.hidden {
            let mut copies = Vec::new();
            let mut skipped = 0;
            let is_read = |entry: &DirEntry| {
                let name = entry.file_name();
                if entry.file_type().is_dir() && COPIES.iter().any(|copy| name == *copy) {
                    copies.push(entry.path().to_path_buf());
                    return false;
                }
                let is_skipped = skipped < MAX_ENTRIES && git::is_data(&tree.root, entry);
                skipped += usize::from(is_skipped);
                !is_skipped
            };
            let walk = WalkDir::new(top)
                .follow_root_links(false)
                .sort_by_file_name();
            for entry in walk.into_iter().filter_entry(is_read) {
                seen += 1;
                if seen > MAX_ENTRIES || hidden.files.len() == MAX_FILES {
                    hidden.has_more = true;
                    break;
                }
                match entry {
                    Ok(entry) => hidden.add(tree, &entry),
                    Err(error) if error.io_error().is_some_and(was_removed) => {}
                    // The path may be too long, or the folder may be unreadable.
                    Err(error) => hidden.leave(&tree.root, error.path().unwrap_or(top)),
                }
            }
            for copy in copies {
                hidden.leave(&tree.root, &copy);
            }
        }
        hidden
    }

    fn add(&mut self, tree: &SourceTree, entry: &DirEntry) {
        let kind = entry.file_type();
        if kind.is_dir() {
            return;
        }
        let Some(path) = RelPath::below(&tree.root, entry.path()) else {
            self.leave(&tree.root, entry.path());
            return;
        };
        if kind.is_symlink() {
            if locate(&tree.root, &path) == Located::Outside && self.escaping.len() < MAX_LISTED {
                self.escaping.push(path.as_str().to_owned());
            }
            if let Some(target) = unusual_target(entry.path()) {
                if self.unusual.len() < MAX_FILES {
                    self.unusual.push((path.clone(), target));
                } else {
                    self.has_more = true;
                }
            }
            let end = entry.path().canonicalize().ok();
            let end = end.and_then(|end| RelPath::below(&tree.root, &end));
            self.linked.extend(end.map(|end| (path, end)));
            return;
        }
        match entry.metadata() {
            Ok(metadata) if kind.is_file() => self.files.push((path, metadata.len())),
            _ => self.leave(&tree.root, entry.path()),
        }
    }

    fn leave(&mut self, root: &Path, path: &Path) {
        if self.unread.len() < MAX_LISTED {
            let path = path.strip_prefix(root).unwrap_or(path);
            self.unread.push(path.to_string_lossy().into_owned());
        } else {
            self.has_more = true;
        }
    }
}

/// Returns whether an error means that an entry was removed during the walk.
fn was_removed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    use std::iter;

    use cap_std::ambient_authority;
    use cap_std::fs::Dir;

    /// A program can reach a file whose path is too long by changing the working directory on the way.
    #[test]
    fn entries_with_too_long_paths_are_listed() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap();
        for top in ["a", ".b"] {
            let mut dir = Dir::open_ambient_dir(&root, ambient_authority()).unwrap();
            let below = iter::repeat_n("d".repeat(240), 20);
            for name in iter::once(top.to_owned()).chain(below) {
                dir.create_dir(&name).unwrap();
                dir = dir.open_dir(&name).unwrap();
            }
            dir.write("a.sh", "echo a\n").unwrap();
        }
        let tree = SourceTree::read(&root).unwrap();
        assert!(tree.unread[0].starts_with("a/ddd"), "{:?}", tree.unread);
        let hidden = Hidden::of(&tree);
        assert!(hidden.unread[0].starts_with(".b/ddd"), "{hidden:?}");
    }
}
