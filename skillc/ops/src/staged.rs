//! Atomic file creation and replacement, for one file or several together.
//!
//! Each file is written under a temporary name in its target's directory, and then renamed. [`clear_leftovers`] removes
//! the temporary files that killed processes left behind; it recognizes them by [`PREFIX`].
//!
//! Design: R21, C-DEPLOYMENT.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cap_std::fs::{Dir, OpenOptions};
use skillc_core::contained::hold_dir;
use skillc_core::hash::path_hash16;
use skillc_core::layout::{TEMPORARY, is_temporary};
use skillc_core::{Context, Error, Result};

use crate::trash::Trash;

/// The prefix of temporary files and directories.
pub(crate) const PREFIX: &str = TEMPORARY;

/// The age from which a temporary file is assumed to belong to a killed process.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);

/// The maximum length of a file name on common file systems, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// Whether to sync to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Sync, so that all completed changes survive a power failure.
    Synced,
    /// Do not sync: for benchmarks, and disposable disks.
    Unsynced,
}

impl Durability {
    /// Reads the environment variable that disables syncing.
    pub(crate) fn from_context(context: &Context) -> Self {
        if context.env("SKC_NO_FSYNC").is_some() {
            Self::Unsynced
        } else {
            Self::Synced
        }
    }
}

/// Copies owner and group from another file.
#[cfg(unix)]
pub(crate) fn give(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let of_file = file.metadata()?;
    if (of_file.uid(), of_file.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    fchown(file, Some(like.uid()), Some(like.gid()))
}

/// Removes old temporary files that killed processes left in a directory that no lock protects.
pub(crate) fn clear_stale(dir: &Dir) {
    for entry in dir.entries().into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !is_temporary(&name) {
            continue;
        }
        let found = entry.metadata().ok().filter(cap_std::fs::Metadata::is_file);
        let changed = found.and_then(|found| found.modified().ok());
        let age = changed.and_then(|changed| changed.into_std().elapsed().ok());
        if age.is_some_and(|age| age > STALE_AFTER) {
            dir.remove_file(name).unwrap_or_default();
        }
    }
}

pub(crate) fn temporary_name(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or(OsStr::new("file"));
    let name = name.to_string_lossy();
    parent(target).join(format!("{PREFIX}{name}"))
}

/// Files to be renamed into place together. Their directories are held open, so that if a directory is replaced in the
/// meantime (a race), nothing is written to the replacement.
pub(crate) struct Staged<'a> {
    /// The directory that holds the user's `.skillc`.
    home: &'a Path,
    durability: Durability,
    dirs: Vec<(PathBuf, Dir)>,
    files: Vec<StagedFile>,
}

/// A file under its temporary name.
struct StagedFile {
    target: PathBuf,
    /// The index of its directory in [`Staged::dirs`].
    dir: usize,
    name: OsString,
    temporary: OsString,
}

impl<'a> Staged<'a> {
    pub(crate) const fn new(home: &'a Path, durability: Durability) -> Self {
        Self {
            home,
            durability,
            dirs: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Creates an empty temporary file, which the caller fills before [`Staged::commit`]. Returns its path.
    pub(crate) fn place(&mut self, target: &Path) -> Result<PathBuf> {
        self.make(target, b"")?;
        Ok(temporary_name(target))
    }

    /// Removes a staged file, so that its target is left unchanged.
    pub(crate) fn forget(&mut self, target: &Path) {
        if let Some(at) = self.files.iter().position(|file| file.target == target) {
            let file = self.files.remove(at);
            remove_in(&self.dirs[file.dir].1, &file.temporary);
        }
    }

    /// Writes a file's new content under its temporary name, replacing any content that was staged for the file before.
    /// Returns the temporary file's metadata.
    pub(crate) fn write(&mut self, target: &Path, bytes: &[u8]) -> Result<Metadata> {
        self.forget(target);
        self.make(target, bytes)
    }

    fn make(&mut self, target: &Path, bytes: &[u8]) -> Result<Metadata> {
        let dir = self.dir_of(target)?;
        let held = &self.dirs[dir].1;
        let temporary = temporary_name(target);
        let temporary = temporary.file_name().unwrap_or_default();
        remove_in(held, temporary);
        let written = create_new(held, temporary).and_then(|mut file| {
            file.write_all(bytes)?;
            file.metadata()
        });
        let file = StagedFile {
            target: target.to_path_buf(),
            dir,
            name: target.file_name().unwrap_or_default().to_owned(),
            temporary: temporary.to_owned(),
        };
        self.files.push(file);
        written.map_err(|e| Error::io("writing", target, &e))
    }

    /// Removes the temporary files that killed processes left beside a target. The caller holds the lock of the
    /// target's directory.
    pub(crate) fn clear_leftovers_beside(&mut self, target: &Path) -> Result<()> {
        let dir = self.dir_of(target)?;
        clear_leftovers(&self.dirs[dir].1);
        Ok(())
    }

    fn dir_of(&mut self, target: &Path) -> Result<usize> {
        let path = parent(target);
        if let Some(at) = self.dirs.iter().position(|(other, _)| other == path) {
            return Ok(at);
        }
        let held = hold_dir(self.home, path)?;
        self.dirs.push((path.to_path_buf(), held));
        Ok(self.dirs.len() - 1)
    }

    /// Renames all files in the order in which they were added. If syncing is enabled, syncs the files before the
    /// renames, and their directories after the renames.
    ///
    /// If this fails, the files that were not renamed are removed when `self` is dropped.
    pub(crate) fn commit(self) -> Result<()> {
        let is_synced = self.durability == Durability::Synced;
        if is_synced {
            for file in &self.files {
                let written = self.dirs[file.dir].1.open(&file.temporary);
                let synced = written.and_then(|written| written.sync_all());
                synced.map_err(|e| Error::io("writing", &file.target, &e))?;
            }
        }
        for file in &self.files {
            let dir = &self.dirs[file.dir].1;
            // The old file gets the temporary name and is removed when `self` is dropped. Renaming over the old file
            // would work as well, but makes some file systems sync, regardless of the requested durability.
            if exchange(dir, &file.temporary, &file.name).is_err() {
                rename_over(dir, &file.temporary, &file.name)
                    .map_err(|e| Error::io("writing", &file.target, &e))?;
            }
        }
        if is_synced {
            for (_, dir) in &self.dirs {
                sync(dir);
            }
        }
        Ok(())
    }
}

/// Removes the temporary files that were not renamed, and the old files that were replaced.
impl Drop for Staged<'_> {
    fn drop(&mut self) {
        for file in &self.files {
            remove_in(&self.dirs[file.dir].1, &file.temporary);
        }
    }
}

/// Creates a new file for writing, with default permissions; fails if it exists.
pub(crate) fn create_new(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    Ok(dir.open_with(name, &options)?.into_std())
}

/// Syncs the entries of a directory. Errors are ignored, because some file systems do not support this, and the renames
/// have taken effect anyway.
pub(crate) fn sync(dir: &Dir) {
    let again = dir.try_clone().map(Dir::into_std_file);
    again.and_then(|dir| dir.sync_all()).unwrap_or_default();
}

/// Removes an entry, recursively if it is a directory. Errors are ignored.
pub(crate) fn remove_in(dir: &Dir, name: &OsStr) {
    if dir.remove_file(name).is_err() && is_dir(dir, name) {
        dir.remove_dir_all(name).unwrap_or_default();
    }
}

fn rename_over(dir: &Dir, new: &OsStr, target: &OsStr) -> io::Result<()> {
    if is_dir(dir, target) {
        dir.remove_dir_all(target)?;
    }
    dir.rename(new, dir, target)
}

/// Returns the path of a temporary sibling of `target`. `role`: `new` for the replacement of `target`, `old` for the
/// replaced entry.
pub(crate) fn sibling(target: &Path, role: &str) -> PathBuf {
    let name = target
        .file_name()
        .unwrap_or(OsStr::new("entry"))
        .to_string_lossy();
    let sibling = format!("{PREFIX}{role}-{name}");
    if sibling.len() <= MAX_NAME_BYTES {
        parent(target).join(sibling)
    } else {
        parent(target).join(format!("{PREFIX}{role}-{}", path_hash16(target)))
    }
}

/// The identity of a directory entry, to detect that another process has replaced the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryId([u64; 2]);

impl EntryId {
    #[cfg(unix)]
    pub(crate) fn new(found: &cap_std::fs::Metadata) -> Self {
        use cap_std::fs::MetadataExt;
        Self([found.dev(), found.ino()])
    }

    /// Returns the same identity for all entries, because it cannot be determined on these systems.
    #[cfg(not(unix))]
    pub(crate) const fn new(_: &cap_std::fs::Metadata) -> Self {
        Self([0; 2])
    }

    /// Returns the identity of the entry with this name; a symlink is not followed.
    pub(crate) fn of(dir: &Dir, name: &OsStr) -> Option<Self> {
        let found = dir.symlink_metadata(name);
        found.ok().map(|found| Self::new(&found))
    }
}

/// Returns the error for an entry that was replaced between its check and its removal.
pub(crate) fn replaced_meanwhile() -> io::Error {
    io::Error::other("another program has replaced it in the meantime")
}

/// Whether to keep a replaced entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Old<'a> {
    /// Move the entry to the trash.
    Kept(&'a Trash),
    /// Remove the entry. A directory is removed only if it still has this identity, which an earlier check determined;
    /// `None` if the check found no entry.
    Removed(Option<EntryId>),
}

/// Replaces `target` with the finished file, directory or symlink `new`. Both are entries of `dir`, which is held open;
/// `target` can be an entry of any kind. Symlinks are not followed.
///
/// `target` exists at all times on systems that can exchange two names atomically. If the old entry is moved to the
/// trash, returns its new path. If the old entry is to be removed, but cannot be removed completely, the rest is
/// removed at the next replacement.
///
/// # Errors
/// Returns I/O errors, and an error if the old entry is to be removed, but is a directory that was not checked. After
/// an error, `target` is unchanged.
pub(crate) fn replace_in(
    dir: &Dir,
    new: &OsStr,
    target: &Path,
    old: Old<'_>,
) -> io::Result<Option<PathBuf>> {
    let name = entry(target);
    let is_there = dir.symlink_metadata(name).is_ok();
    let is_removed = matches!(old, Old::Removed(_));
    if !is_there || is_removed && !is_dir(dir, new) && !is_dir(dir, name) {
        return dir.rename(new, dir, name).map(|()| None);
    }
    let aside = sibling(target, "old");
    let aside = if exchange(dir, new, name).is_ok() {
        new
    } else {
        let aside = entry(&aside);
        remove_in(dir, aside);
        dir.rename(name, dir, aside)?;
        if let Err(error) = dir.rename(new, dir, name) {
            return dir.rename(aside, dir, name).and(Err(error));
        }
        aside
    };
    let taken = match old {
        Old::Kept(trash) => trash.take(dir, aside.as_ref(), target).map(Some),
        Old::Removed(seen) if EntryId::of(dir, aside) == seen => {
            remove_in(dir, aside);
            Ok(None)
        }
        Old::Removed(_) => Err(replaced_meanwhile()),
    };
    taken.or_else(|error| {
        // Roll back.
        let back = exchange(dir, aside, name).or_else(|_| {
            remove_in(dir, name);
            dir.rename(aside, dir, name)
        });
        back.and(Err(error))
    })
}

/// Returns the last component of a path: the entry's name in its directory.
pub(crate) fn entry(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

fn is_dir(dir: &Dir, name: &OsStr) -> bool {
    let found = dir.symlink_metadata(name);
    found.is_ok_and(|found| found.is_dir())
}

/// Removes the leftovers of a process that was killed while it replaced `target`. The caller holds the lock of
/// `target`.
pub(crate) fn clear_replacement(dir: &Dir, target: &Path) -> io::Result<()> {
    let [new, old] = ["new", "old"].map(|role| sibling(target, role));
    remove_entry(dir, entry(&new)).and(remove_entry(dir, entry(&old)))
}

/// Removes a file, a symlink or a whole directory from an open directory; succeeds if nothing exists.
pub(crate) fn remove_entry(dir: &Dir, name: &OsStr) -> io::Result<()> {
    let removed = match dir.symlink_metadata(name) {
        Ok(metadata) if metadata.is_dir() => dir.remove_dir_all(name),
        Ok(_) => dir.remove_file(name),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes the temporary files that killed processes left in a directory. The caller holds the directory's lock.
pub(crate) fn clear_leftovers(dir: &Dir) {
    for entry in dir.entries().into_iter().flatten().flatten() {
        let name = entry.file_name();
        if is_temporary(&name) {
            remove_in(dir, &name);
        }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Exchanges two entries atomically.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    let exchanged = renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE);
    Ok(exchanged?)
}

/// Not supported on this system.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Dir, _: &OsStr, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
