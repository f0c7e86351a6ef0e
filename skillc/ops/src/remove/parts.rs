//! Deletes the files that builds made. The order of deletion lets the next run recognize the remaining files if this
//! run is killed.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::contained::hold_there;
use skillc_core::layout::{RuntimeDir, SKILLC_DIR, is_temporary};
use skillc_core::{Context, Error, Result};

use crate::runtime::record;
use crate::staged::{EntryId, clear_replacement, entry, remove_entry, replaced_meanwhile, sibling};

/// The result of a removal, or the plan in a dry run.
#[derive(Debug, Default)]
pub(crate) struct Removal {
    /// The directory that contains the user's `.skillc`.
    pub(crate) home: PathBuf,
    pub(crate) is_dry: bool,
    pub(crate) removed: Vec<RemovedPath>,
    pub(crate) kept: Vec<KeptPath>,
}

/// Something that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemovedPath {
    /// Its path
    pub path: String,
    /// Its kind
    pub kind: RemovedKind,
}

/// Kind of a removed entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RemovedKind {
    /// A link in an agent's folder
    Link,
    /// A copy in an agent's folder
    Copy,
    /// A runtime directory
    Runtime,
    /// A skill's source
    Source,
    /// Unfinished files of a run that was killed
    Leftover,
}

impl RemovedKind {
    /// Returns the kind as text: `link`, `copy` …
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Copy => "copy",
            Self::Runtime => "runtime",
            Self::Source => "source",
            Self::Leftover => "leftover",
        }
    }
}

/// Something that was found and kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptPath {
    /// Its path
    pub path: String,
    /// Why it was kept
    pub reason: String,
}

impl Removal {
    /// Removes a link, a file or a directory; in a dry run, only lists it. A directory is renamed first, so that it is
    /// never incomplete under its own name.
    pub(crate) fn remove(&mut self, path: &Path, kind: RemovedKind) -> Result<()> {
        if !self.is_dry {
            take_away(&self.dir_of(path)?, path, None)?;
        }
        self.note(path, kind);
        Ok(())
    }

    /// Removes an entry of a folder that is held open.
    ///
    /// `checked`: the identity of the entry that was checked; another entry is not removed.
    pub(crate) fn remove_in(
        &mut self,
        dir: &Dir,
        path: &Path,
        checked: Option<EntryId>,
        kind: RemovedKind,
    ) -> Result<()> {
        if !self.is_dry {
            take_away(dir, path, checked)?;
        }
        self.note(path, kind);
        Ok(())
    }

    /// Opens the parent directory of a path below a `.skillc`. If another process replaces the directory (a race),
    /// nothing is removed from the replacement. An agent's folder is opened by [`AgentFolder::hold`].
    ///
    /// [`AgentFolder::hold`]: super::AgentFolder::hold
    fn dir_of(&self, path: &Path) -> Result<Dir> {
        hold_there(&self.home, path.parent().unwrap_or(path))
    }

    fn note(&mut self, path: &Path, kind: RemovedKind) {
        let path = path.display().to_string();
        self.removed.push(RemovedPath { path, kind });
    }

    pub(crate) fn keep(&mut self, path: &Path, reason: impl Into<String>) {
        let (path, reason) = (path.display().to_string(), reason.into());
        self.kept.push(KeptPath { path, reason });
    }

    /// Removes the files that killed runs left under the temporary names of `target`.
    pub(crate) fn clear_place(&self, target: &Path) -> Result<()> {
        if self.is_dry || !target.parent().is_some_and(Path::is_dir) {
            return Ok(());
        }
        self.clear_place_in(&self.dir_of(target)?, target)
    }

    /// Like [`clear_place`](Self::clear_place), in a folder that is held open.
    pub(crate) fn clear_place_in(&self, dir: &Dir, target: &Path) -> Result<()> {
        if self.is_dry {
            return Ok(());
        }
        clear_replacement(dir, target).map_err(|e| Error::io("removing", target, &e))
    }

    /// Removes all temporary files in a directory.
    pub(crate) fn clear_leftovers(&mut self, dir: &Path) -> Result<()> {
        for path in leftovers(dir) {
            self.remove(&path, RemovedKind::Leftover)?;
        }
        Ok(())
    }

    /// Removes all temporary files in a folder that is held open. `path`: the folder's path.
    pub(crate) fn clear_leftovers_in(&mut self, dir: &Dir, path: &Path) -> Result<()> {
        for name in names_in(dir).iter().filter(|name| is_temporary(name)) {
            self.remove_in(dir, &path.join(name), None, RemovedKind::Leftover)?;
        }
        Ok(())
    }

    /// Removes the files that builds made in a runtime directory. Foreign files beside the stub stay, and so do logs
    /// unless `logs` is set. The caller holds the lock, which is deleted last.
    pub(crate) fn remove_runtime(
        &mut self,
        context: &Context,
        runtime: &RuntimeDir,
        logs: bool,
    ) -> Result<()> {
        if runtime.0.is_symlink() {
            return self.remove(&runtime.0, RemovedKind::Runtime);
        }
        let (ours, log) = parts_of(runtime, logs);
        if log {
            self.keep(&runtime.logs(), "usage log; use --logs to delete it");
        }
        if ours.is_empty() {
            return Ok(());
        }
        if !self.is_dry {
            record::forget(context, runtime);
            for path in &ours {
                remove_entry(&self.dir_of(path)?, entry(path))
                    .map_err(|e| Error::io("removing", path, &e))?;
            }
            for path in [runtime.meta(), runtime.0.clone()] {
                // This fails if the directory is not empty: it then contains logs or foreign files.
                if let Ok(dir) = self.dir_of(&path) {
                    dir.remove_dir(entry(&path)).unwrap_or_default();
                }
            }
        }
        self.note(&runtime.0, RemovedKind::Runtime);
        Ok(())
    }
}

/// Removes an entry of a directory that is held open.
///
/// `checked`: the identity of the entry that may be removed; `None` for any.
fn take_away(dir: &Dir, path: &Path, checked: Option<EntryId>) -> Result<()> {
    let fail = |e: io::Error| Error::io("removing", path, &e);
    let name = entry(path);
    let metadata = dir.symlink_metadata(name).map_err(fail)?;
    let is_other = |found: Option<EntryId>| checked.is_some() && found != checked;
    if is_other(Some(EntryId::new(&metadata))) {
        return Err(fail(replaced_meanwhile()));
    }
    if metadata.is_symlink() {
        // On Windows, a junction must be removed like a directory.
        let removed = dir.remove_file(name);
        return removed
            .or_else(|error| dir.remove_dir(name).map_err(|_| error))
            .map_err(fail);
    }
    if !metadata.is_dir() || is_temporary(name) {
        return remove_entry(dir, name).map_err(fail);
    }
    let old = sibling(path, "old");
    let old = entry(&old);
    remove_entry(dir, old)
        .and_then(|()| dir.rename(name, dir, old))
        .map_err(fail)?;
    // Another process may have replaced the entry after the first check: check the entry that was moved.
    if is_other(EntryId::of(dir, old)) {
        dir.rename(old, dir, name).map_err(fail)?;
        return Err(fail(replaced_meanwhile()));
    }
    remove_entry(dir, old).map_err(fail)
}

/// Returns whether a runtime directory, or skillc's own folder in it, is a symlink: if so, no lock can be taken in it.
pub(crate) fn is_linked(runtime: &RuntimeDir) -> bool {
    runtime.0.is_symlink() || runtime.meta().is_symlink()
}

/// Returns whether a runtime directory contains anything to remove besides logs. An empty directory also counts,
/// because a killed removal can leave one.
pub(crate) fn has_parts(runtime: &RuntimeDir) -> bool {
    let is_empty = |dir: &Path| {
        dir.read_dir()
            .is_ok_and(|mut entries| entries.next().is_none())
    };
    runtime.0.is_symlink()
        || !parts_of(runtime, false).0.is_empty()
        || is_empty(&runtime.meta())
        || is_empty(&runtime.0)
}

/// Returns the paths that a removal deletes from a runtime directory, and whether a log stays. The manifest comes
/// first, because the other files are not valid without it. The lock comes last.
fn parts_of(runtime: &RuntimeDir, logs: bool) -> (Vec<PathBuf>, bool) {
    let mut ours = vec![runtime.stub(), runtime.0.join(SKILLC_DIR)];
    ours.extend(leftovers(&runtime.0));
    let mut has_log = false;
    let meta = runtime.meta();
    if is_linked(runtime) {
        // The symlink can point anywhere: only the symlink itself is ours.
        ours.push(meta);
    } else {
        ours.insert(0, runtime.manifest());
        let lock = runtime.build_lock();
        let entries = meta.read_dir().into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("logs.db") && !logs {
                has_log = true;
            } else if path != lock {
                ours.push(path);
            }
        }
        ours.push(lock);
    }
    ours.retain(|path| path.symlink_metadata().is_ok());
    (ours, has_log)
}

/// Returns the names in a directory that is held open, sorted.
pub(crate) fn names_in(dir: &Dir) -> Vec<OsString> {
    let entries = dir.entries().into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

/// Returns the temporary files and directories in a directory, sorted by name.
pub(crate) fn leftovers(dir: &Path) -> Vec<PathBuf> {
    let entries = dir.read_dir().into_iter().flatten().flatten();
    let unfinished = entries.filter(|entry| is_temporary(&entry.file_name()));
    let mut paths: Vec<PathBuf> = unfinished.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Another process replaces the directory that was checked.
    #[test]
    fn only_the_checked_entry_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("a");
        fs::create_dir(&place).unwrap();
        let dir = skillc_core::contained::hold_folder(root.path(), None).unwrap();
        let checked = EntryId::of(&dir, entry(&place));
        fs::rename(&place, root.path().join("moved")).unwrap();
        fs::create_dir(&place).unwrap();
        fs::write(place.join("mine"), "x").unwrap();
        let mut removal = Removal::default();
        let removed = removal.remove_in(&dir, &place, checked, RemovedKind::Copy);
        assert!(removed.is_err() && place.join("mine").is_file());
        let now = EntryId::of(&dir, entry(&place));
        removal
            .remove_in(&dir, &place, now, RemovedKind::Copy)
            .unwrap();
        assert_eq!(names_in(&dir), ["moved"]);
    }

    /// A path checked earlier is removed from the real directory, never through a symlink.
    #[test]
    fn nothing_is_removed_through_a_symlink_that_replaced_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let [home, project, outside] =
            ["home", "project", "outside"].map(|at| root.path().join(at));
        fs::create_dir_all(&home).unwrap();
        for dir in [project.join(".skillc/skills/a"), outside.join("a")] {
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("SKILL.md"), "x").unwrap();
        }
        let mut removal = Removal {
            home,
            ..Removal::default()
        };
        let skills = project.join(".skillc/skills");
        fs::rename(&skills, project.join("moved")).unwrap();
        symlink(&outside, &skills).unwrap();
        let refused = removal.remove(&skills.join("a"), RemovedKind::Source);
        assert!(refused.unwrap_err().to_string().contains("outside"));
        assert!(outside.join("a/SKILL.md").is_file());

        fs::remove_file(&skills).unwrap();
        fs::rename(project.join("moved"), &skills).unwrap();
        removal
            .remove(&skills.join("a"), RemovedKind::Source)
            .unwrap();
        assert_eq!(skills.read_dir().unwrap().count(), 0);
        assert_eq!(removal.removed.len(), 1);
    }
}
