//! Files that appear whole or not at all, and several of them together.
//!
//! Each is written under another name in its own directory and renamed. What a killed process leaves has a name that says
//! so, and [`clear_leftovers`] removes it.
//!
//! Design: R21, C-DEPLOYMENT.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use skillc_core::contained::hold_dir;
use skillc_core::hash::path_hash16;
use skillc_core::layout::{TEMPORARY, is_temporary};
use skillc_core::{Context, Error, Result};
use tempfile::{Builder, NamedTempFile};

use crate::trash::Trash;

/// How the names of unfinished files and directories begin.
pub(crate) const PREFIX: &str = TEMPORARY;

/// When an unfinished file is certainly one that a killed process left.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);

/// The longest file name that common file systems take.
const MAX_NAME_BYTES: usize = 255;

/// Whether to wait until the disk has the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Wait: a power cut loses nothing that was reported as done.
    Synced,
    /// Do not wait: for measurements, and disks that do not matter.
    Unsynced,
}

impl Durability {
    /// Reads the switch that leaves out waiting for the disk.
    pub(crate) fn of(context: &Context) -> Self {
        if context.env("SKC_NO_FSYNC").is_some() {
            Self::Unsynced
        } else {
            Self::Synced
        }
    }
}

/// Gives a file the owner and the group of another one.
#[cfg(unix)]
pub(crate) fn give(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let of_file = file.metadata()?;
    if (of_file.uid(), of_file.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    fchown(file, Some(like.uid()), Some(like.gid()))
}

/// Removes what killed processes left in a directory long ago, where no lock says that another is at work.
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

/// Removes, as [`clear_stale`], what is in the directory at a path.
pub(crate) fn clear_stale_at(path: &Path) {
    if let Ok(dir) = Dir::open_ambient_dir(path, ambient_authority()) {
        clear_stale(&dir);
    }
}

/// Returns the name under which a file is written until it is renamed.
pub(crate) fn temporary_name(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or(OsStr::new("file"));
    let name = name.to_string_lossy();
    parent(target).join(format!("{PREFIX}{name}"))
}

/// Files to be renamed into place together. Their directories are held open: what takes the place of one meanwhile gets
/// nothing.
pub(crate) struct Staged<'a> {
    /// The directory that holds the user's `.skillc`.
    home: &'a Path,
    durability: Durability,
    dirs: Vec<(PathBuf, Dir)>,
    files: Vec<StagedFile>,
}

/// A file that is written under another name.
struct StagedFile {
    target: PathBuf,
    /// Which of the directories it is in.
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

    /// Makes the file that is to be written until [`Staged::commit`], empty. Returns its path.
    pub(crate) fn place(&mut self, target: &Path) -> Result<PathBuf> {
        self.make(target, b"")?;
        Ok(temporary_name(target))
    }

    /// Takes a file out again: the target stays as it is.
    pub(crate) fn forget(&mut self, target: &Path) {
        if let Some(at) = self.files.iter().position(|file| file.target == target) {
            let file = self.files.remove(at);
            remove_in(&self.dirs[file.dir].1, &file.temporary);
        }
    }

    /// Writes a file's new content, also one that has its place already. Returns what the system says of the file.
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

    /// Removes what killed processes left beside a target. The caller holds the lock that guards its directory.
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

    /// Syncs all files, then renames them in the order they were added, then syncs the directories.
    ///
    /// After a failure the files that were not renamed are removed with `self`.
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
            // What was there takes the other name and goes with `self`. A rename over it would do as well, but some file
            // systems then wait for the disk, whatever the durability asked for.
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

/// What was not renamed is not left behind, nor what was replaced.
impl Drop for Staged<'_> {
    fn drop(&mut self) {
        for file in &self.files {
            remove_in(&self.dirs[file.dir].1, &file.temporary);
        }
    }
}

/// Makes a file that must not be there, for writing, with the permissions that new files have.
pub(crate) fn create_new(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    Ok(dir.open_with(name, &options)?.into_std())
}

/// Waits until the disk has the entries of a directory. Some file systems cannot do that; what was renamed is all the same.
pub(crate) fn sync(dir: &Dir) {
    let again = dir.try_clone().map(Dir::into_std_file);
    again.and_then(|dir| dir.sync_all()).unwrap_or_default();
}

/// Removes an entry, a directory with all that is in it, as far as that is possible.
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

/// Makes a file in `dir` that vanishes unless it is persisted, with the permissions that new files have.
pub(crate) fn new_file(dir: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(dir)
}

/// Returns a name in the same directory for what will replace `target`, or for what it replaces.
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

/// Puts a finished file, directory or link in the place of another, whatever that is; a link is not followed. Both are in one
/// directory.
///
/// At no moment is there nothing at `target` on systems that can exchange two names. `trash`: where what was there goes, and
/// then this returns where it is; without one it is removed as far as that is possible, and the rest goes when the place is
/// written again.
pub(crate) fn replace(
    new: &Path,
    target: &Path,
    trash: Option<&Trash>,
) -> io::Result<Option<PathBuf>> {
    let dir = Dir::open_ambient_dir(parent(target), ambient_authority())?;
    replace_in(&dir, entry(new), target, trash)
}

/// Does in an open directory what [`replace`] does.
pub(crate) fn replace_in(
    dir: &Dir,
    new: &OsStr,
    target: &Path,
    trash: Option<&Trash>,
) -> io::Result<Option<PathBuf>> {
    let name = entry(target);
    let is_there = dir.symlink_metadata(name).is_ok();
    if !is_there || trash.is_none() && !is_dir(dir, new) && !is_dir(dir, name) {
        return dir.rename(new, dir, name).map(|()| None);
    }
    let old = sibling(target, "old");
    let old = if exchange(dir, new, name).is_ok() {
        new
    } else {
        let old = entry(&old);
        remove_in(dir, old);
        dir.rename(name, dir, old)?;
        if let Err(error) = dir.rename(new, dir, name) {
            return dir.rename(old, dir, name).and(Err(error));
        }
        old
    };
    let Some(trash) = trash else {
        remove_in(dir, old);
        return Ok(None);
    };
    match trash.take(dir, old.as_ref(), target) {
        Ok(kept) => Ok(Some(kept)),
        Err(error) => {
            // Back to how it was.
            let back = exchange(dir, old, name).or_else(|_| {
                remove_in(dir, name);
                dir.rename(old, dir, name)
            });
            back.and(Err(error))
        }
    }
}

/// Returns the name of an entry in its directory.
pub(crate) fn entry(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

fn is_dir(dir: &Dir, name: &OsStr) -> bool {
    let found = dir.symlink_metadata(name);
    found.is_ok_and(|found| found.is_dir())
}

/// Removes what a killed process left of a replacement of `target`. The caller holds the lock that guards it.
pub(crate) fn clear_replacement(target: &Path) -> io::Result<()> {
    remove(&sibling(target, "new")).and(remove(&sibling(target, "old")))
}

/// Removes a file, a link or a whole directory; nothing there is fine.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes a file, a link or a whole directory of an open one; nothing there is fine.
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

/// Removes what killed processes left in a directory. The caller holds the lock that guards it.
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

/// Exchanges two entries.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    let exchanged = renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE);
    Ok(exchanged?)
}

/// Exchanges two entries, which this system cannot do.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Dir, _: &OsStr, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
