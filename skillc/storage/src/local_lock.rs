//! One at a time at the local logs of a directory: who appends to one, or who moves them away.
//!
//! The database library cannot see a log go while it waits for its turn: it would write the row to a file that has no name
//! any more, and take what lies beside the next log for its own. So the directory that holds all local logs is locked, which
//! stays where it is. The operating system frees the lock when the process ends, however it ends.
//!
//! Systems that cannot lock a directory go without; there, a file that is open cannot be removed.
//!
//! Source: RFC-0007 C-SYNC, C-LOGGING.

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

/// Somebody else is at the logs for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

impl LocalLock {
    /// Takes the lock of a directory, waiting for its turn.
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
