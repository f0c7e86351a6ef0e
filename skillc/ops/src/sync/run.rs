//! Moves one local log: copies its rows to the logs to which they belong, and then deletes the local log.
//!
//! Design: C-SYNC.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use skillc_core::contained::{check_opened, hold_there};
use skillc_core::{Error, Result, Stop};
use skillc_storage::log_sync::{KnownRows, LocalLog, SyncFault, Waits};

use super::places::Places;
use super::sources::Local;
use super::{Destination, SyncedSkill};
use crate::access::LogWait;
use crate::notes::Notes;

/// The context shared by all local logs.
pub(super) struct SyncRun<'a> {
    pub(super) places: Places<'a>,
    /// The directory that contains the user's `.skillc`.
    pub(super) home: &'a Path,
    pub(super) dry_run: bool,
    pub(super) stop: &'a Stop,
    /// The time to wait for processes of this program that use any of the local logs.
    pub(super) folder_wait: LogWait,
    /// The time to wait for processes that use one of the logs.
    pub(super) log_wait: &'a LogWait,
    /// The rows of the destinations.
    pub(super) known: RefCell<KnownRows>,
}

impl SyncRun<'_> {
    /// Moves the rows of a local log, or counts them in a dry run. Failures are also reported in `notes`.
    pub(super) fn sync(&self, local: &Local, notes: &mut Notes) -> SyncedSkill {
        let mut done = SyncedSkill {
            skill: local.name.clone(),
            source: local.dir.logs().display().to_string(),
            entries: 0,
            destinations: Vec::new(),
            removed: false,
            errors: Vec::new(),
        };
        let mut failures = Failures {
            notes,
            errors: Vec::new(),
        };
        if let Err(error) = self.move_rows(local, &mut done, &mut failures) {
            failures.add(error);
        }
        done.errors = failures.errors;
        done
    }

    /// Moves the rows. If copying to one destination fails, adds the failure to `failures`, and continues with the next
    /// destination.
    fn move_rows(
        &self,
        local: &Local,
        done: &mut SyncedSkill,
        failures: &mut Failures<'_>,
    ) -> Result<()> {
        let path = local.dir.logs();
        let Some(log) = self
            .open(local)
            .map_err(|fault| failures.error(&path, &path, fault))?
        else {
            // The log is empty, or another sync has already moved it.
            done.removed = !self.dry_run;
            return Ok(());
        };
        for (destination, skills) in self.destinations(local, log.skill_paths()) {
            match self.copy(&log, &destination, |skill_path| skills.contains(skill_path)) {
                Ok(entries) => {
                    done.entries += entries;
                    done.destinations.push(Destination {
                        path: destination.display().to_string(),
                        entries,
                    });
                }
                Err(fault) => {
                    let error = failures.error(&path, &destination, fault);
                    failures.add(error);
                }
            }
        }
        if self.dry_run || !failures.errors.is_empty() {
            return Ok(());
        }
        let held = hold_there(self.home, &local.dir.meta())?;
        let unlink = |name: &OsStr| held.remove_file(name);
        log.remove(unlink, || local.remove_dirs(self.home))
            .map_err(|error| not_removed(&path, &error))?;
        done.removed = true;
        Ok(())
    }

    fn open(&self, local: &Local) -> Result<Option<LocalLog>, SyncFault> {
        let path = local.dir.logs();
        if local.is_linked() {
            return Err(SyncFault::Source("its path contains a symlink".to_owned()));
        }
        self.log_wait.within_rest(|log| {
            if self.dry_run {
                return LocalLog::open(&path, log, self.stop);
            }
            self.folder_wait.within_rest(|folder| {
                let is_it = || check_opened(self.home, &path).is_ok();
                let waits = Waits { folder, log };
                LocalLog::lock(&local.folder, &path, waits, self.stop, is_it)
            })
        })
    }

    /// Groups the skill paths of the rows by the log to which those rows belong.
    fn destinations(
        &self,
        local: &Local,
        skill_paths: Vec<String>,
    ) -> BTreeMap<PathBuf, BTreeSet<String>> {
        let named = self.places.named(&local.name);
        let mut found: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for skill_path in skill_paths {
            let log = self.places.log_of(&skill_path, &named);
            found.entry(log).or_default().insert(skill_path);
        }
        found
    }

    fn copy(
        &self,
        log: &LocalLog,
        destination: &Path,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<u64, SyncFault> {
        let known = &mut self.known.borrow_mut();
        self.log_wait.within_rest(|wait| {
            if self.dry_run {
                return log.count_missing(destination, wait, wanted, known);
            }
            let is_it = || check_opened(self.home, destination).is_ok();
            log.copy_missing(destination, wait, wanted, is_it, known)
        })
    }
}

fn not_removed(path: &Path, error: &io::Error) -> Error {
    match Error::io("removing", path, error) {
        Error::Internal { message, .. } => Error::Internal {
            message,
            hint: Some("Its entries were copied; the next sync will not copy them again.".into()),
        },
        other => other,
    }
}

/// The failures that occur while a local log is moved.
struct Failures<'a> {
    notes: &'a mut Notes,
    errors: Vec<String>,
}

impl Failures<'_> {
    /// Creates the error for a failure, and adds the reason to the notes as a detail.
    fn error(&mut self, source: &Path, destination: &Path, fault: SyncFault) -> Error {
        match fault {
            SyncFault::Source(reason) => {
                let path = source.display().to_string();
                self.notes.detail(format!("cannot read {path}: {reason}"));
                Error::SyncSource { path }
            }
            SyncFault::Destination(reason) => {
                let path = destination.display().to_string();
                self.notes.detail(format!("cannot write {path}: {reason}"));
                Error::SyncDestination { path }
            }
        }
    }

    fn add(&mut self, error: Error) {
        self.errors.push(error.to_string());
        self.notes.warn(error);
    }
}
