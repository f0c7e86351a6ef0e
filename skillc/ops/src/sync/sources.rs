//! Finds the local logs.
//!
//! Symlinks are not followed: a symlink could point to a log that is already in its final place, and sync would then
//! move this log away.
//!
//! Design: C-SYNC, D-NAME-SAFETY.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skillc_core::contained::hold_there;
use skillc_core::layout::{RuntimeDir, local_logs as folder_of, local_runtime};
use skillc_core::path::is_one_component;
use skillc_core::{Error, Result, Stop, Warning};
use skillc_storage::log_sync::{SyncFault, clear};

use crate::notes::Notes;
use crate::staged::entry;

/// A local log.
pub(super) struct Local {
    /// The name of the skill.
    pub(super) name: String,
    /// The directory of this local log, which is used instead of the skill's runtime directory.
    pub(super) dir: RuntimeDir,
    /// The directory of all local logs.
    pub(super) folder: PathBuf,
}

/// Rejects a name that cannot be a directory name.
pub(super) fn checked_name(name: &str) -> Result<&str> {
    if is_one_component(name) {
        return Ok(name);
    }
    Err(Error::InvalidOption {
        message: format!("invalid skill name '{name}'"),
        hint: Some("Give a skill's name; use --project for another directory.".into()),
    })
}

/// Finds the local logs below a directory, sorted bytewise by name, or only the log named `only`. Returns two lists:
/// the logs that exist, and the logs that do not exist, whose directories may have been left behind.
///
/// # Errors
/// Returns E042 if the directory cannot be read.
pub(super) fn local_logs(
    dir: &Path,
    only: Option<&str>,
    notes: &mut Notes,
) -> Result<(Vec<Local>, Vec<Local>)> {
    let folder = folder_of(dir);
    notes.detail(format!("logs    {}", folder.display()));
    let names = match only {
        Some(name) => vec![name.to_owned()],
        None => names(&folder, notes).map_err(|_| unreadable(&folder))?,
    };
    let (mut found, mut bare) = (Vec::new(), Vec::new());
    for name in names {
        let dir = local_runtime(dir, &name);
        // An error other than "not found" is reported when the log is opened.
        let is_there = !matches!(there(dir.logs().symlink_metadata()), Ok(None));
        let to = if is_there { &mut found } else { &mut bare };
        let folder = folder.clone();
        to.push(Local { name, dir, folder });
    }
    Ok((found, bare))
}

/// Returns the names in a directory, sorted bytewise. Names that are not UTF-8 are left out, because they cannot be the
/// names of skills.
fn names(folder: &Path, notes: &mut Notes) -> io::Result<Vec<String>> {
    let Some(entries) = there(folder.read_dir())? else {
        return Ok(Vec::new());
    };
    let (mut names, mut left_out) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry?.file_name().into_string() {
            Ok(name) => names.push(name),
            Err(name) => left_out.push(name.to_string_lossy().into_owned()),
        }
    }
    names.sort();
    left_out.sort();
    if let Some(example) = left_out.first() {
        notes.warn(Warning::NamesLeftOut {
            count: left_out.len(),
            example: example.clone(),
        });
    }
    Ok(names)
}

/// Maps "not found" to `None`.
fn there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(error),
        },
    }
}

fn unreadable(path: &Path) -> Error {
    Error::SyncSource {
        path: path.display().to_string(),
    }
}

impl Local {
    /// Returns whether the log, or any directory above it up to the directory of all local logs, is a symlink.
    pub(super) fn is_linked(&self) -> bool {
        let log = self.dir.logs();
        log.ancestors().take(4).any(Path::is_symlink)
    }

    /// Removes the directories of a deleted log, if they are empty.
    ///
    /// `home`: the directory that contains the user's `.skillc`. `wait`: how long to wait for other processes that use
    /// local logs.
    ///
    /// # Errors
    /// Returns an error if other processes use local logs for longer than `wait`.
    pub(super) fn clear(&self, home: &Path, wait: Duration, stop: &Stop) -> Result<(), SyncFault> {
        if self.is_linked() {
            return Ok(());
        }
        let remove = || self.remove_dirs(home);
        clear(&self.folder, &self.dir.logs(), wait, stop, remove)
    }

    /// Removes the two directories above the log, unless they contain other files.
    pub(super) fn remove_dirs(&self, home: &Path) {
        for path in [&self.dir.meta(), &self.dir.0] {
            let parent = path.parent().unwrap_or(path);
            let Ok(held) = hold_there(home, parent) else {
                return;
            };
            match held.remove_dir(entry(path)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return,
                _ => {}
            }
        }
    }
}
