//! Detects changes to the files that a command's answer depends on, for watch mode.
//!
//! Polls file metadata instead of using OS notifications: polling works on network file systems, sees new files, and
//! ignores reads. The contents of files are not read. In a skill, only changes to Markdown files and to the names of
//! other files are detected. Outside skills, only the configuration files of lint, scripts and [`Watched::files`] are
//! watched, because a file that a build or the command itself writes beside a skill is not an edit.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use skillc_core::layout::{SKILL_FILE, SKILLC_DIR, canonical};
use skillc_core::resolve::main_file;
use skillc_core::source::Stamp;
use skillc_lint::config::FILE;

use crate::plugins::find;
use crate::skill_walk::{CACHE_TAG, PACKAGES};
use crate::staged::PREFIX;

/// The maximum number of directory entries to visit.
const MAX_ENTRIES: usize = 200_000;

/// The maximum directory depth to visit.
const MAX_DEPTH: usize = 64;

/// The files and directories that an answer depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Directories, each of which is watched with all skills below it. Hidden directories are skipped, except for those
    /// named in `folders` and for the sources in `.skillc`.
    pub trees: Vec<PathBuf>,
    /// Single files and directories, which need not exist. A directory's content is ignored.
    pub files: Vec<PathBuf>,
    /// Scripts and folders of scripts, which need not exist.
    pub plugins: Vec<PathBuf>,
    /// The names of hidden directories that are not skipped.
    pub folders: BTreeSet<String>,
    /// Files that are ignored everywhere: the output of the command.
    pub passed_over: BTreeSet<FileId>,
}

/// The identity of a file, which is independent of the file's name: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(u64, u64);

impl FileId {
    /// Returns the identity of a regular file; `None` for other entries, and on systems where files have no identity.
    #[cfg(unix)]
    pub fn from_metadata(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let is_file = metadata.is_file();
        is_file.then(|| Self(metadata.dev(), metadata.ino()))
    }

    /// Returns the identity of a regular file; `None` for other entries, and on systems where files have no identity.
    #[cfg(not(unix))]
    pub fn from_metadata(_metadata: &Metadata) -> Option<Self> {
        None
    }
}

/// A snapshot of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The stamp of each entry; `None` if only the existence of the entry matters.
    seen: BTreeMap<PathBuf, Option<Stamp>>,
    /// Whether a limit was exceeded.
    pub is_cut: bool,
}

impl Watched {
    /// Takes a snapshot.
    pub fn look(&self) -> Snapshot {
        self.look_at(MAX_ENTRIES)
    }

    fn look_at(&self, max_entries: usize) -> Snapshot {
        let mut looking = Looking {
            watched: self,
            entries_left: max_entries,
            seen: Snapshot::default(),
            linked: BTreeSet::new(),
        };
        for tree in &self.trees {
            looking.tree(&canonical(tree));
        }
        for (path, stamp) in find::files_of(&self.plugins) {
            looking.seen.seen.insert(path, Some(stamp));
        }
        for file in &self.files {
            if let Ok(metadata) = file.metadata() {
                looking.note(canonical(file), &metadata, !metadata.is_dir());
            }
        }
        looking.seen
    }
}

impl Snapshot {
    /// Returns whether the snapshot differs from an earlier one.
    pub fn has_changed_since(&self, before: &Self) -> bool {
        self.seen != before.seen
    }

    /// Replaces the recorded stamp of a file, if the snapshot contains a stamp for it.
    ///
    /// `path`: a canonical path.
    pub fn set(&mut self, path: &Path, stamp: Stamp) {
        if let Some(Some(seen)) = self.seen.get_mut(path) {
            *seen = stamp;
        }
    }

    pub(crate) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Path> {
        let paths = self.seen.keys().map(PathBuf::as_path);
        paths.filter(move |path| path.file_name() == Some(OsStr::new(name)))
    }
}

struct Looking<'a> {
    watched: &'a Watched,
    entries_left: usize,
    seen: Snapshot,
    /// The canonical targets of the followed symlinks to skills.
    linked: BTreeSet<PathBuf>,
}

/// A directory still to be read.
struct Ahead {
    dir: PathBuf,
    depth: usize,
    /// Whether the directory belongs to a skill.
    is_within: bool,
}

impl Looking<'_> {
    fn tree(&mut self, root: &Path) {
        let mut ahead = vec![Ahead {
            dir: root.to_path_buf(),
            depth: 0,
            is_within: false,
        }];
        while let Some(Ahead {
            dir,
            depth,
            is_within,
        }) = ahead.pop()
        {
            // Treat unreadable directories as missing.
            let mut entries = Vec::new();
            for entry in dir.read_dir().into_iter().flatten().flatten() {
                if self.entries_left == 0 {
                    self.seen.is_cut = true;
                    return;
                }
                self.entries_left -= 1;
                entries.push((entry.path(), entry.file_name()));
            }
            if depth > 0 && entries.iter().any(|(_, name)| name == CACHE_TAG) {
                continue;
            }
            let is_within = is_within || entries.iter().any(|(_, name)| is_main(name));
            for (path, name) in entries {
                let below = self.entry(path, &name.to_string_lossy(), is_within);
                let Some(dir) = below else {
                    continue;
                };
                if depth == MAX_DEPTH {
                    self.seen.is_cut = true;
                    continue;
                }
                ahead.push(Ahead {
                    dir,
                    depth: depth + 1,
                    is_within,
                });
            }
        }
    }

    /// Records an entry. If the entry is a directory to descend into, returns the directory's path.
    fn entry(&mut self, path: PathBuf, name: &str, is_within: bool) -> Option<PathBuf> {
        if name == PACKAGES || name.starts_with(PREFIX) {
            return None;
        }
        let found = path.symlink_metadata().ok()?;
        if found.is_symlink() {
            let target = path.canonicalize().ok()?;
            let metadata = target.metadata().ok()?;
            // A symlink to a skill is treated as a skill.
            if metadata.is_dir() && main_file(&target).is_some() {
                return self.linked.insert(target.clone()).then_some(target);
            }
            self.file(path, name, &metadata, is_within);
            return None;
        }
        if !found.is_dir() {
            self.file(path, name, &found, is_within);
            return None;
        }
        if name == SKILLC_DIR {
            let skills = path.join("skills");
            return skills.is_dir().then_some(skills);
        }
        let is_shown = !name.starts_with('.');
        if is_shown && is_within {
            self.note(path.clone(), &found, false);
        }
        (is_shown || self.watched.folders.contains(name)).then_some(path)
    }

    /// Records an entry that is not a directory.
    fn file(&mut self, path: PathBuf, name: &str, metadata: &Metadata, is_within: bool) {
        let extension = path.extension().unwrap_or_default();
        let is_text = is_within && extension.eq_ignore_ascii_case("md");
        let is_hidden = name.starts_with('.');
        if name == FILE || (is_text && !is_hidden) {
            self.note(path, metadata, true);
        } else if is_within && !is_hidden {
            self.note(path, metadata, false);
        }
    }

    /// Records an entry. `has_stamp`: whether changes to the entry matter, in addition to its existence.
    fn note(&mut self, path: PathBuf, metadata: &Metadata, has_stamp: bool) {
        let is_ours = |id| self.watched.passed_over.contains(&id);
        if !FileId::from_metadata(metadata).is_some_and(is_ours) {
            let stamp = has_stamp.then(|| Stamp::from_metadata(metadata));
            self.seen.seen.insert(path, stamp);
        }
    }
}

fn is_main(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(SKILL_FILE)
}

/// Returns the directory of a skill if `path` is the skill's main file, otherwise the path itself.
pub(crate) fn folder_of(path: &Path) -> &Path {
    let is_main = path.file_name().is_some_and(is_main) && !path.is_dir();
    path.parent().filter(|_| is_main).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;

    use skillc_core::testkit::write_files;

    fn world() -> (tempfile::TempDir, Watched) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        write_files(
            &root.join("tree"),
            &[
                ("a/SKILL.md", "x"),
                ("a/data/table.csv", "x"),
                ("build.log", "x"),
                ("README.md", "x"),
                (".git/index", "x"),
                (".claude/skills/b/SKILL.md", "x"),
            ],
        );
        let watched = Watched {
            trees: vec![root.join("tree")],
            files: vec![root.join("settings.toml"), root.join("folder")],
            plugins: vec![root.join("plugins")],
            folders: BTreeSet::from([".claude".to_owned()]),
            passed_over: BTreeSet::new(),
        };
        (dir, watched)
    }

    fn changes(watched: &Watched, root: &Path, edit: &[(&str, &str)]) -> bool {
        let before = watched.look();
        write_files(root, edit);
        watched.look().has_changed_since(&before)
    }

    #[test]
    fn only_changes_to_files_that_lint_reads_count() {
        let (dir, watched) = world();
        let changes = |path| changes(&watched, dir.path(), &[(path, "more")]);
        for path in [
            "tree/a/SKILL.md",
            "tree/a/references/new.md",
            "tree/a/references/new.md.txt",
            "tree/new/skill.md",
            "tree/.claude/skills/b/SKILL.md",
            "tree/.skillc/skills/c/SKILL.md",
            "tree/a/.skilllint.toml",
            "tree/.skilllint.toml",
            "settings.toml",
            "folder/file",
            "plugins/new.rhai",
            "plugins/pack/pack.toml",
            "plugins/pack/new.rhai",
        ] {
            assert!(changes(path), "{path}");
        }
        for path in [
            "tree/.git/index",
            "tree/.skillc/logs/x",
            "tree/node_modules/x/SKILL.md",
            "tree/a/.SKILL.md.swp",
            "tree/a/data/table.csv",
            "tree/build.log",
            "tree/new.log",
            "tree/README.md",
            "folder/file",
            "other.toml",
            "plugins/README.md",
            "plugins/.hidden/new.rhai",
        ] {
            assert!(!changes(path), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_output_file_does_not_count_wherever_it_is() {
        let (dir, mut watched) = world();
        let path = dir.path().join("tree/a/out.md");
        fs::write(&path, "x").unwrap();
        watched.passed_over = FileId::from_metadata(&path.metadata().unwrap())
            .into_iter()
            .collect();
        let before = watched.look();
        fs::write(&path, "more").unwrap();
        assert!(!watched.look().has_changed_since(&before));
        fs::rename(&path, dir.path().join("tree/a/SKILL.md")).unwrap();
        assert!(watched.look().has_changed_since(&before), "one was removed");
    }

    #[test]
    fn removed_files_count_and_files_with_an_expected_stamp_do_not() {
        let (dir, watched) = world();
        let file = dir.path().canonicalize().unwrap().join("tree/a/SKILL.md");
        let mut before = watched.look();
        fs::write(&file, "ours").unwrap();
        before.set(&file, Stamp::from_metadata(&file.metadata().unwrap()));
        assert!(!watched.look().has_changed_since(&before));
        fs::write(&file, "the user's").unwrap();
        assert!(watched.look().has_changed_since(&before));
        let before = watched.look();
        fs::remove_file(&file).unwrap();
        assert!(watched.look().has_changed_since(&before));
    }

    #[test]
    fn too_many_files_to_watch_are_reported() {
        let (_dir, watched) = world();
        assert!(watched.look_at(3).is_cut);
        assert!(!watched.look().is_cut);
    }
}
