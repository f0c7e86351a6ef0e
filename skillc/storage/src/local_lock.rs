//! An exclusive lock on the local logs of a directory, for appending to a log or moving the logs away.
//!
//! While `SQLite` waits for its own lock, it does not notice that another process removes the log. `SQLite` would then
//! write the row to a deleted file, and would mistake the sidecar files of the next log for those of the deleted file.
//! Therefore the lock is on the directory of all local logs, which stays in place. The operating system releases the
//! lock, no matter how the process ends.
//!
//! On a system that cannot lock directories (Windows), no lock is acquired. None is needed there, because an open file
//! cannot be removed.
//!
//! Design: C-SYNC, C-LOGGING@7.

use skillc_core::Stop;
use skillc_core::lock::lock_within;
use skillc_core::source::open_dir;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// The lock, which is held while a local log is open.
pub(crate) struct LocalLock {
    _dir: Option<File>,
}

/// Another process held the lock for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

impl LocalLock {
    /// Acquires the lock of a directory, waiting if necessary. `stop`: ends the wait.
    ///
    /// # Errors
    /// Returns [`TooLong`] if waiting takes longer than `wait`, or is cancelled.
    pub(crate) fn take(dir: &Path, wait: Duration, stop: &Stop) -> Result<Self, TooLong> {
        let dir = open_dir(dir).ok();
        let locked = dir.as_ref().map(|dir| lock_within(dir, wait, stop));
        if let Some(Err(TryLockError::WouldBlock)) = locked {
            return Err(TooLong);
        }
        Ok(Self { _dir: dir })
    }
}
