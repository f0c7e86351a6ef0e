//! One build of a runtime directory at a time, one deployment to an agent directory at a time.
//!
//! The operating system frees the lock when the process ends, however it ends.
//!
//! Source: RULINGS R20, R21.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use skillc_core::{Error, Result};

use crate::operation::Toolkit;
use crate::progress::Stop;

/// How often a waiting build looks.
const INTERVAL: Duration = Duration::from_millis(20);

/// How long a build waits for another one.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    pub(crate) most: Duration,
    /// Whether there is still somebody to wait for it.
    pub(crate) stop: &'a Stop,
}

impl<'a> Wait<'a> {
    pub(crate) fn of(toolkit: &'a Toolkit) -> Self {
        Self {
            most: toolkit.context.lock_wait,
            stop: &toolkit.stop,
        }
    }
}

/// Held while a directory is written.
pub(crate) struct BuildLock {
    _file: Option<File>,
}

impl BuildLock {
    /// Takes the lock of a file, which is made if needed, waiting for another build if there is one.
    ///
    /// # Errors
    /// E999 if the other build takes longer than `wait`, or the lock file cannot be made or is no file.
    pub(crate) fn acquire(path: &Path, skill: &str, wait: Wait<'_>) -> Result<Self> {
        let dir = path.parent().unwrap_or(path);
        fs::create_dir_all(dir).map_err(|e| Error::io("creating", dir, &e))?;
        if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            // To open a pipe is to wait for its other end.
            return Err(Error::io("opening", path, &io::Error::other("not a file")));
        }
        let open = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path);
        let file = open.map_err(|e| Error::io("opening", path, &e))?;
        match lock(&file, wait) {
            Ok(()) => Ok(Self { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => Err(busy(skill, wait)),
            // File systems without locks: the renames still keep readers safe.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(Self { _file: None })
            }
            Err(TryLockError::Error(error)) => Err(Error::io("locking", path, &error)),
        }
    }

    /// Takes the lock of a directory that is not ours, where no file should be left. Systems that cannot lock a
    /// directory go without.
    ///
    /// # Errors
    /// E999 if another build holds it longer than `wait`.
    pub(crate) fn of_directory(dir: &Path, skill: &str, wait: Wait<'_>) -> Result<Self> {
        let file = File::open(dir).ok();
        match file.as_ref().map(|file| lock(file, wait)) {
            Some(Err(TryLockError::WouldBlock)) => Err(busy(skill, wait)),
            _ => Ok(Self { _file: file }),
        }
    }
}

fn lock(file: &File, wait: Wait<'_>) -> Result<(), TryLockError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock)
                if begun.elapsed() < wait.most && !wait.stop.is_raised() =>
            {
                thread::sleep(INTERVAL);
            }
            result => return result,
        }
    }
}

fn busy(skill: &str, wait: Wait<'_>) -> Error {
    Error::Internal {
        message: format!(
            "another build of '{skill}' is still running after {} s",
            wait.most.as_secs()
        ),
        hint: Some("Wait for it to end, or end it, then build again.".into()),
    }
}
