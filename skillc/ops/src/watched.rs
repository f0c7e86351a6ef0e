//! What an answer depends on, and whether it has changed: for commands that answer again after each edit.
//!
//! Files are looked at, not listened to: that works on every disk, sees what is newly there, and takes no notice of reading.
//! Contents are not read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use skillc_core::layout::{SKILL_FILE, SKILLC_DIR, canonical};
use skillc_core::resolve::main_file;
use skillc_core::source::Stamp;

use crate::staged::PREFIX;

/// The most entries that are looked at.
const MAX_ENTRIES: usize = 200_000;

/// The deepest that directories may lie in each other.
const MAX_DEPTH: usize = 64;

/// What is made, fetched or kept by other programs.
const PASSED_OVER: [&str; 1] = ["node_modules"];

/// What a directory has that can be made again.
const CACHE_TAG: &str = "CACHEDIR.TAG";

/// What an answer depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Directories with all below them, except what is hidden.
    pub trees: Vec<PathBuf>,
    /// Single files, there or not.
    pub files: Vec<PathBuf>,
    /// Names of hidden directories that are not passed over.
    pub folders: BTreeSet<String>,
}

/// The files of a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, Stamp>);

impl Watched {
    /// Looks at everything.
    pub fn look(&self) -> Snapshot {
        let mut looking = Looking {
            folders: &self.folders,
            seen: BTreeMap::new(),
            linked: BTreeSet::new(),
        };
        for tree in &self.trees {
            looking.tree(&canonical(tree));
        }
        let mut seen = looking.seen;
        for file in &self.files {
            if let Ok(metadata) = file.metadata() {
                seen.insert(canonical(file), Stamp::of(&metadata));
            }
        }
        Snapshot(seen)
    }
}

impl Snapshot {
    /// Says whether it differs from an earlier one by more than these files.
    ///
    /// `own`: canonical.
    pub fn has_changed_since(&self, before: &Self, own: &BTreeSet<PathBuf>) -> bool {
        let differs = |one: &Self, other: &Self| {
            let mut files = one.0.iter();
            files.any(|(path, stamp)| other.0.get(path) != Some(stamp) && !own.contains(path))
        };
        differs(self, before) || differs(before, self)
    }
}

struct Looking<'a> {
    folders: &'a BTreeSet<String>,
    seen: BTreeMap<PathBuf, Stamp>,
    /// What links lead to, canonical.
    linked: BTreeSet<PathBuf>,
}

impl Looking<'_> {
    fn tree(&mut self, root: &Path) {
        let mut ahead = vec![(root.to_path_buf(), 0)];
        while let Some((dir, depth)) = ahead.pop() {
            if depth > 0 && dir.join(CACHE_TAG).exists() {
                continue;
            }
            // What cannot be read is not there.
            for entry in dir.read_dir().into_iter().flatten().flatten() {
                if self.seen.len() >= MAX_ENTRIES {
                    return;
                }
                let below = self.entry(&entry);
                if depth < MAX_DEPTH {
                    ahead.extend(below.map(|dir| (dir, depth + 1)));
                }
            }
        }
    }

    /// Notes a file; returns a directory that is to be looked at.
    fn entry(&mut self, entry: &DirEntry) -> Option<PathBuf> {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let kind = entry.file_type().ok()?;
        if PASSED_OVER.contains(&&*name) || name.starts_with(PREFIX) {
            return None;
        }
        if kind.is_symlink() {
            let target = path.canonicalize().ok()?;
            let metadata = target.metadata().ok()?;
            if metadata.is_dir() {
                // A link to a skill is one.
                let is_skill = main_file(&target).is_some();
                return (is_skill && self.linked.insert(target.clone())).then_some(target);
            }
            self.seen.insert(path, Stamp::of(&metadata));
            return None;
        }
        let is_hidden = name.starts_with('.');
        if kind.is_dir() {
            return if name == SKILLC_DIR {
                let skills = path.join("skills");
                skills.is_dir().then_some(skills)
            } else {
                (!is_hidden || self.folders.contains(&*name)).then_some(path)
            };
        }
        if !is_hidden || name == skillc_core::lint::config::FILE {
            self.seen.insert(path, Stamp::of(&entry.metadata().ok()?));
        }
        None
    }
}

/// Returns the directory of a skill that is named by its main file, else what is named.
pub(crate) fn folder_of(path: &Path) -> &Path {
    let name = path.file_name().unwrap_or_default();
    let is_main = name.eq_ignore_ascii_case(SKILL_FILE) && !path.is_dir();
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
                (".git/index", "x"),
                (".claude/skills/b/SKILL.md", "x"),
            ],
        );
        let watched = Watched {
            trees: vec![root.join("tree")],
            files: vec![root.join("settings.toml")],
            folders: BTreeSet::from([".claude".to_owned()]),
        };
        (dir, watched)
    }

    fn changes(watched: &Watched, root: &Path, edit: &[(&str, &str)]) -> bool {
        let before = watched.look();
        write_files(root, edit);
        watched.look().has_changed_since(&before, &BTreeSet::new())
    }

    #[test]
    fn edits_new_skills_and_settings_count_and_what_is_hidden_does_not() {
        let (dir, watched) = world();
        let changes = |path| changes(&watched, dir.path(), &[(path, "more")]);
        for path in [
            "tree/a/SKILL.md",
            "tree/new/SKILL.md",
            "tree/.claude/skills/b/SKILL.md",
            "tree/.skillc/skills/c/SKILL.md",
            "tree/a/.skilllint.toml",
            "settings.toml",
        ] {
            assert!(changes(path), "{path}");
        }
        for path in [
            "tree/.git/index",
            "tree/.skillc/logs/x",
            "tree/node_modules/x/SKILL.md",
            "tree/a/.SKILL.md.swp",
            "other.toml",
        ] {
            assert!(!changes(path), "{path}");
        }
    }

    #[test]
    fn a_file_that_is_gone_counts_and_one_of_our_own_does_not() {
        let (dir, watched) = world();
        let before = watched.look();
        let file = dir.path().canonicalize().unwrap().join("tree/a/SKILL.md");
        fs::remove_file(&file).unwrap();
        let now = watched.look();
        assert!(now.has_changed_since(&before, &BTreeSet::new()));
        assert!(!now.has_changed_since(&before, &BTreeSet::from([file])));
    }
}
