//! Locks: one build per runtime directory at a time, one deployment per agent directory at a time.
//!
//! The operating system releases the lock when the process ends, even if it is killed.
//!
//! Design: R20, R21, locks.

use std::ffi::OsStr;
#[cfg(unix)]
use std::fs;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions};
use skillc_core::contained::hold_dir;
use skillc_core::lock::lock_within;
use skillc_core::source::open_in;
use skillc_core::{Error, Result, Stop};

use crate::staged::{create_new, entry};
use crate::toolkit::Toolkit;

/// The number of attempts to open a lock file: a concurrent removal may delete the directory before the file is created
/// in it.
const MAX_OPENS: usize = 8;

/// How long a build waits for another build.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    /// The directory that contains the user's `.skillc`.
    pub(crate) home: &'a Path,
    pub(crate) most: Duration,
    /// Cancels the wait.
    pub(crate) stop: &'a Stop,
}

impl<'a> Wait<'a> {
    pub(crate) fn new(toolkit: &'a Toolkit) -> Self {
        Self {
            home: &toolkit.context.home,
            most: toolkit.context.lock_wait,
            stop: &toolkit.stop,
        }
    }
}

/// A lock that is held while a directory is written.
pub(crate) struct BuildLock {
    _file: Option<File>,
}

impl BuildLock {
    /// Acquires the lock on a file, creating the file if needed; waits for another build to release it.
    ///
    /// # Errors
    /// Returns E999 if the other build takes longer than `wait`, or the lock file cannot be created or is not a regular
    /// file.
    pub(crate) fn acquire(path: &Path, skill: &str, wait: Wait<'_>) -> Result<Self> {
        let begun = Instant::now();
        loop {
            let file = open(wait.home, path)?;
            if let Some(lock) = Self::take(file, path, skill, wait, begun)? {
                return Ok(lock);
            }
            // Another round is needed only if a removal has deleted the lock file in the meantime: limit the retries.
            if begun.elapsed() >= wait.most || wait.stop.is_raised() {
                return Err(busy(skill, wait));
            }
        }
    }

    /// Locks an open lock file.
    ///
    /// Returns `None` if the open file is no longer the file at that path. A removal deletes the lock file last; a lock
    /// on the deleted file would not block a build that locks a new file, and two builds would write at once.
    fn take(
        file: File,
        path: &Path,
        skill: &str,
        wait: Wait<'_>,
        begun: Instant,
    ) -> Result<Option<Self>> {
        match lock(&file, wait, begun) {
            Ok(()) => Ok(is_at(&file, path).then_some(Self { _file: Some(file) })),
            Err(TryLockError::WouldBlock) => Err(busy(skill, wait)),
            // The file system has no locks: atomic renames still keep readers safe.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(Some(Self { _file: None }))
            }
            Err(TryLockError::Error(error)) => Err(Error::io("locking", path, &error)),
        }
    }

    /// Locks a directory itself, because no lock file should be left in a directory that is not ours. On systems that
    /// cannot lock a directory, no lock is taken.
    ///
    /// # Errors
    /// Returns E999 if another build holds the lock longer than `wait`.
    pub(crate) fn for_directory(dir: &Dir, skill: &str, wait: Wait<'_>) -> Result<Self> {
        // Open the directory again: `dir` may be a handle that gives access to its entries but cannot be locked.
        let file = dir.open(".").ok().map(cap_std::fs::File::into_std);
        let begun = Instant::now();
        match file.as_ref().map(|file| lock(file, wait, begun)) {
            Some(Err(TryLockError::WouldBlock)) => Err(busy(skill, wait)),
            _ => Ok(Self { _file: file }),
        }
    }
}

/// Opens a lock file, creating it and its directory if needed.
fn open(home: &Path, path: &Path) -> Result<File> {
    let dir = path.parent().unwrap_or(path);
    let fail = |e: io::Error| Error::io("opening", path, &e);
    for _ in 0..MAX_OPENS {
        let held = hold_dir(home, dir)?;
        match create_new(&held, entry(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // A race: a removal has just deleted the directory.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            made => return made.map_err(fail),
        }
        match open_in(&held, entry(path), OpenOptions::new().write(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(Some((file, _))) => return Ok(file),
            // Opening a pipe without a reader fails: report it as "not a file".
            Err(error) if is_file(&held, entry(path)) => return Err(fail(error)),
            Ok(None) | Err(_) => return Err(fail(io::Error::other("not a file"))),
        }
    }
    let gone = io::Error::from(io::ErrorKind::NotFound);
    Err(Error::io("opening", path, &gone))
}

fn is_file(dir: &Dir, name: &OsStr) -> bool {
    let found = dir.symlink_metadata(name);
    found.is_ok_and(|found| found.is_file())
}

/// Returns whether an open file is still the file at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |found: &fs::Metadata| (found.dev(), found.ino());
    let held = file.metadata().ok();
    let there = path.symlink_metadata().ok();
    held.as_ref().map(place) == there.as_ref().map(place)
}

/// Returns whether an open file is still the file at a path. Always true: on these systems an open file cannot be
/// unlinked.
#[cfg(not(unix))]
const fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Locks a file; waits up to `wait`, counted from `begun`.
fn lock(file: &File, wait: Wait<'_>, begun: Instant) -> Result<(), TryLockError> {
    let left = wait.most.saturating_sub(begun.elapsed());
    lock_within(file, left, wait.stop)
}

fn busy(skill: &str, wait: Wait<'_>) -> Error {
    Error::Internal {
        message: format!(
            "another build of '{skill}' is still running after {} s",
            wait.most.as_secs()
        ),
        hint: Some("Wait until it finishes, or stop it, then build again.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    /// A removal deletes the lock file while a build waits for it, and the next build creates a new one.
    #[cfg(unix)]
    #[test]
    fn a_deleted_lock_file_is_not_a_lock() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("meta/build.lock");
        let stop = Stop::default();
        let wait = Wait {
            home: root.path(),
            most: NOW,
            stop: &stop,
        };
        let waiting = open(root.path(), &path).unwrap();
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
        let take = |file| BuildLock::take(file, &path, "demo", wait, Instant::now());
        assert!(take(waiting).unwrap().is_none(), "deleted");

        let waiting = open(root.path(), &path).unwrap();
        fs::remove_file(&path).unwrap();
        let next = BuildLock::acquire(&path, "demo", wait).unwrap();
        assert!(take(waiting).unwrap().is_none(), "there is another file");
        assert!(BuildLock::acquire(&path, "demo", wait).is_err(), "held");
        drop(next);
        assert!(BuildLock::acquire(&path, "demo", wait).is_ok());
    }
}
