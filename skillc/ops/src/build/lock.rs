//! One build of a runtime directory at a time.
//!
//! The operating system frees the lock when the process ends, however it ends.
//!
//! Source: RULINGS R20, R21.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use skillc_core::{Error, Result};

/// How often a waiting build looks.
const INTERVAL: Duration = Duration::from_millis(20);

/// Held while a runtime directory is written.
pub(crate) struct BuildLock {
    _file: File,
}

impl BuildLock {
    /// Takes the lock, waiting for another build if there is one.
    ///
    /// # Errors
    /// E999 if the other build takes longer than `wait`, or the lock file cannot be made.
    pub(crate) fn acquire(path: &Path, skill: &str, wait: Duration) -> Result<Self> {
        let dir = path.parent().unwrap_or(path);
        fs::create_dir_all(dir).map_err(|e| Error::io("creating", dir, &e))?;
        let open = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path);
        let file = open.map_err(|e| Error::io("opening", path, &e))?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if begun.elapsed() < wait => thread::sleep(INTERVAL),
                Err(TryLockError::WouldBlock) => return Err(busy(skill, wait)),
                // File systems without locks: the renames still keep readers safe.
                Err(TryLockError::Error(error))
                    if error.kind() == std::io::ErrorKind::Unsupported =>
                {
                    return Ok(Self { _file: file });
                }
                Err(TryLockError::Error(error)) => return Err(Error::io("locking", path, &error)),
            }
        }
    }
}

fn busy(skill: &str, wait: Duration) -> Error {
    Error::Internal {
        message: format!(
            "another build of '{skill}' is still running after {} s",
            wait.as_secs()
        ),
        hint: Some("Wait for it to end, or end it, then build again.".into()),
    }
}
