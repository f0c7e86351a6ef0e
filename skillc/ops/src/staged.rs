//! Files that appear whole or not at all, and several of them together.
//!
//! Each is written under another name in its own directory and renamed. What a killed process leaves has a name that says
//! so, and [`clear_leftovers`] removes it.
//!
//! Source: RULINGS R21, RFC-0001 C-DEPLOYMENT.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skillc_core::hash::path_hash16;
use skillc_core::layout::TEMPORARY;
use skillc_core::{Context, Error, Result};
use tempfile::{Builder, NamedTempFile};

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

/// Removes what killed processes left in a directory long ago, where no lock says that nobody is at work.
pub(crate) fn clear_stale(dir: &Path) {
    for entry in dir.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let found = entry.metadata().ok().filter(Metadata::is_file);
        let age = found.and_then(|found| found.modified().ok()?.elapsed().ok());
        if age.is_some_and(|age| age > STALE_AFTER) {
            fs::remove_file(entry.path()).unwrap_or_default();
        }
    }
}

/// Returns the name under which a file is written until it is renamed.
pub(crate) fn temporary_name(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or(OsStr::new("file"));
    let name = name.to_string_lossy();
    parent(target).join(format!("{PREFIX}{name}"))
}

/// Files to be renamed into place together.
pub(crate) struct Staged {
    durability: Durability,
    files: Vec<(PathBuf, PathBuf)>,
}

impl Staged {
    pub(crate) const fn new(durability: Durability) -> Self {
        Self {
            durability,
            files: Vec::new(),
        }
    }

    /// Returns the name under which a file is to be written until [`Staged::commit`].
    pub(crate) fn place(&mut self, target: &Path) -> Result<PathBuf> {
        let dir = parent(target);
        fs::create_dir_all(dir).map_err(|e| Error::io("creating", dir, &e))?;
        let temporary = temporary_name(target);
        remove(&temporary).map_err(|e| Error::io("removing", &temporary, &e))?;
        self.files.push((temporary.clone(), target.to_path_buf()));
        Ok(temporary)
    }

    /// Takes a file out again: the target stays as it is.
    pub(crate) fn forget(&mut self, target: &Path) {
        if let Some(at) = self.files.iter().position(|(_, other)| other == target) {
            remove(&self.files.remove(at).0).unwrap_or_default();
        }
    }

    /// Writes a file's new content, also one that has its place already.
    pub(crate) fn write(&mut self, target: &Path, bytes: &[u8]) -> Result<()> {
        let placed = self
            .files
            .iter()
            .find(|(_, other)| other == target)
            .map(|(temporary, _)| temporary.clone());
        let temporary = placed.map_or_else(|| self.place(target), Ok)?;
        fs::write(&temporary, bytes).map_err(|e| Error::io("writing", target, &e))
    }

    /// Syncs all files, then renames them in the order they were added, then syncs the directories.
    ///
    /// After a failure the files that were not renamed are removed with `self`.
    pub(crate) fn commit(self) -> Result<()> {
        if self.durability == Durability::Synced {
            for (temporary, target) in &self.files {
                sync(temporary).map_err(|e| Error::io("writing", target, &e))?;
            }
        }
        for (temporary, target) in &self.files {
            // What was there takes the other name and goes with `self`. A rename over it would do as well, but some file
            // systems then wait for the disk, whatever the durability asked for.
            if exchange(temporary, target).is_err() {
                rename_over(temporary, target).map_err(|e| Error::io("writing", target, &e))?;
            }
        }
        if self.durability == Durability::Synced {
            for (_, target) in &self.files {
                // Some file systems cannot sync a directory; the rename is done all the same.
                sync(parent(target)).unwrap_or_default();
            }
        }
        Ok(())
    }
}

/// What was not renamed is not left behind, nor what was replaced.
impl Drop for Staged {
    fn drop(&mut self) {
        for (temporary, _) in &self.files {
            remove(temporary).unwrap_or_default();
        }
    }
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

/// Puts a finished file, directory or link in the place of another, whatever that is; a link is not followed.
///
/// At no moment is there nothing at `target` on systems that can exchange two names. What was there is removed as far as
/// that is possible; the rest goes when the place is written again.
pub(crate) fn replace(new: &Path, target: &Path) -> io::Result<()> {
    let is_there = target.symlink_metadata().is_ok();
    if !is_there || !is_real_dir(new) && !is_real_dir(target) {
        return fs::rename(new, target);
    }
    let old = if exchange(new, target).is_ok() {
        new.to_path_buf()
    } else {
        let old = sibling(target, "old");
        remove(&old)?;
        fs::rename(target, &old)?;
        fs::rename(new, target).or_else(|error| fs::rename(&old, target).and(Err(error)))?;
        old
    };
    remove(&old).unwrap_or_default();
    Ok(())
}

/// Removes what a killed process left of a replacement of `target`. The caller holds the lock that guards it.
pub(crate) fn clear_replacement(target: &Path) -> io::Result<()> {
    remove(&sibling(target, "new")).and(remove(&sibling(target, "old")))
}

fn is_real_dir(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir())
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

/// Removes what killed processes left in a directory. The caller holds the lock that guards it.
pub(crate) fn clear_leftovers(dir: &Path) {
    let Ok(entries) = dir.read_dir() else { return };
    for entry in entries.flatten() {
        if entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes())
        {
            remove(&entry.path()).unwrap_or_default();
        }
    }
}

fn rename_over(new: &Path, target: &Path) -> io::Result<()> {
    if is_real_dir(target) {
        remove(target)?;
    }
    fs::rename(new, target)
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
