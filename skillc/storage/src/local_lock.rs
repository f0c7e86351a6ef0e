//! An exclusive lock on the local logs of a directory, to append to a log or to move the logs away.
//!
//! While `SQLite` waits for its own lock it does not notice that a log was removed: it would write the row to a deleted
//! file, and use the next log's sidecar files as its own. So the directory that holds all local logs is locked, because it
//! stays in place. The operating system releases the lock however the process ends.
//!
//! Where a directory cannot be locked (Windows), no lock is taken: there, an open file cannot be removed anyway.
//!
//! Design: C-SYNC, C-LOGGING@7.

use skillc_core::Stop;
use skillc_core::lock::lock_within;
use skillc_core::source::open_dir;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// Held while a local log is open.
pub(crate) struct LocalLock {
    _dir: Option<File>,
}

/// Another process held the lock for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

impl LocalLock {
    /// Takes the lock of a directory, waiting if necessary.
    ///
    /// # Errors
    /// [`TooLong`] if that takes longer than `wait`.
    pub(crate) fn take(dir: &Path, wait: Duration) -> Result<Self, TooLong> {
        let dir = open_dir(dir).ok();
        let locked = dir
            .as_ref()
            .map(|dir| lock_within(dir, wait, &Stop::default()));
        if let Some(Err(TryLockError::WouldBlock)) = locked {
            return Err(TooLong);
        }
        Ok(Self { _dir: dir })
    }
}
