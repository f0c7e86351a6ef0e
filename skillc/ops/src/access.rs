//! The usage log: what is logged about a command, and where.
//!
//! A command that resolved its skill is logged once, whether it succeeds or fails. The log is in the skill's runtime
//! directory. If that directory is not writable, the log is below the working directory, and `skc sync` collects its
//! entries. Logs contain requests and result counts, never content, and no log is written into a skill's source.
//!
//! Design: C-LOGGING@7, D-FALLBACK-TRIGGER, D-W002.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use skillc_core::layout::{RuntimeDir, canonical, local_logs, local_runtime};
use skillc_core::source::Stamp;
use skillc_core::time::Timestamp;
use skillc_core::{Context, Error, SkillRef, Warning};
use skillc_storage::access_log::{BUSY_WAIT, append_local};
use skillc_storage::{Access, LogFault, WritableLog};

use crate::notes::Notes;
use crate::pool::{Lent, Pool};
use crate::runtime::check_apart;
use crate::runtime::manifest::Manifest;
use crate::toolkit::Toolkit;

/// A local log is reported as stale if it has not been written to for this long. Design: C-LOGGING@7.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);

/// The maximum length of a logged argument or message, in bytes. Design: R20.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// The minimum wait for a log, even if the command has used up its time: other processes usually lock a log for only a
/// few milliseconds.
const LEAST_WAIT: Duration = Duration::from_millis(250);

/// The minimum wait for each log if a command uses many logs.
const LEAST_WAIT_OF_MANY: Duration = Duration::from_millis(10);

/// How long a command may still wait, across all usage logs, for logs that other processes have locked. Clones share
/// this time.
#[derive(Debug, Clone)]
pub(crate) struct LogWait(Arc<Mutex<Duration>>);

impl LogWait {
    /// Creates the time limit for a command.
    pub(crate) fn new(context: &Context) -> Self {
        Self::most(BUSY_WAIT.min(context.lock_wait))
    }

    /// Limits the total wait to `wait`.
    pub(crate) fn most(wait: Duration) -> Self {
        Self(Arc::new(Mutex::new(wait)))
    }

    /// Calls `attempt` with the time that it may wait for a log. Only a failed call counts as waiting: a failure for
    /// any reason other than a locked log takes hardly any time.
    pub(crate) fn within<T, E>(
        &self,
        attempt: impl FnOnce(Duration) -> Result<T, E>,
    ) -> Result<T, E> {
        self.attempt(LEAST_WAIT, attempt)
    }

    /// Like [`within`](Self::within), for a command that uses many logs: once the time is used up, the command waits
    /// only briefly for each remaining log.
    pub(crate) fn within_rest<T, E>(
        &self,
        attempt: impl FnOnce(Duration) -> Result<T, E>,
    ) -> Result<T, E> {
        self.attempt(LEAST_WAIT_OF_MANY, attempt)
    }

    fn attempt<T, E>(
        &self,
        least: Duration,
        attempt: impl FnOnce(Duration) -> Result<T, E>,
    ) -> Result<T, E> {
        let wait = least.max(*self.0.lock());
        let begun = Instant::now();
        let result = attempt(wait);
        if result.is_err() {
            let mut left = self.0.lock();
            *left = left.saturating_sub(begun.elapsed());
        }
        result
    }
}

/// The logged arguments of a command, by their names in the log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arguments(Map<String, Value>);

impl<const N: usize> From<[(&str, Value); N]> for Arguments {
    fn from(arguments: [(&str, Value); N]) -> Self {
        let owned = arguments.map(|(name, value)| (name.to_owned(), value));
        Self(owned.into_iter().collect())
    }
}

impl Arguments {
    /// Sets an argument, replacing any earlier value.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Serializes the arguments as a JSON object, with long strings truncated.
    fn into_text(mut self) -> String {
        for (_, value) in &mut self.0 {
            if let Value::String(text) = value {
                clip(text);
            }
        }
        Value::Object(self.0).to_string()
    }
}

/// A use of one skill by a command, to be written to the usage log.
pub(crate) struct Use<'a> {
    pub(crate) command: &'static str,
    pub(crate) at: &'a SkillRef,
    pub(crate) arguments: Arguments,
    pub(crate) error: Option<&'a Error>,
}

/// Logs the use of a skill, if the toolkit logs uses. A failure to write one of the logs is reported only as a detail;
/// there is a warning only if no log can be written.
pub(crate) fn log(toolkit: &Toolkit, used: Use<'_>, notes: &mut Notes) {
    if !toolkit.logs_use {
        return;
    }
    let (context, at) = (&toolkit.context, used.at);
    let now = context.clock.now();
    let local = local_runtime(&context.cwd, &at.name);
    // Check the age first: this is cheap, and usually there is no local log.
    if is_stale(&local.logs(), now) && at.check_runtime(&local).is_ok() {
        let skill = at.name.clone();
        notes.warn(Warning::StaleLocalLogs { skill });
    }
    let access = row(toolkit, used, now);
    let logs = toolkit.kept.get::<Pool<CachedLog>>();
    let primary = primary_log(logs, at);
    let is_in_primary = primary.is_some_and(|(db, kept)| {
        let wait = &toolkit.log_wait;
        let appended = wait.within(|wait| append_kept(logs, kept, (at, &db), &access, wait));
        told(&db, &appended, notes)
    });
    let is_written = is_in_primary
        || may_hold_log(at, &local) && {
            let (db, folder) = (local.logs(), local_logs(&context.cwd));
            let is_it = || at.check_opened(&db).is_ok();
            let wait = &toolkit.log_wait;
            let appended = wait.within(|wait| append_local(&folder, &db, &access, wait, is_it));
            told(&db, &appended, notes)
        };
    if !is_written {
        notes.warn(Warning::LoggingDisabled {});
    }
}

/// A usage log that stays open until another process writes to the file or replaces it.
#[derive(Debug)]
pub(crate) struct CachedLog {
    log: WritableLog,
    /// The canonical path of the skill. The log was checked to be outside the skill's source.
    skill: PathBuf,
}

/// Returns the path of the log in the directory that [`logged_in`] returns, with the cached connection, if there is
/// one. Returns `None` if neither the skill's own runtime directory nor the user's may contain the log.
fn primary_log<'a>(
    logs: &'a Pool<CachedLog>,
    at: &SkillRef,
) -> Option<(PathBuf, Option<Lent<'a, CachedLog>>)> {
    [&at.runtime, &at.global_runtime]
        .into_iter()
        .find_map(|place| {
            let db = place.logs();
            let kept = look(&db).and_then(|stamp| logs.take(&db, stamp));
            let kept = kept.filter(|kept| kept.skill == at.canonical);
            (kept.is_some() || may_hold_log(at, place)).then_some((db, kept))
        })
}

/// Appends a row to a log, and keeps the connection open.
fn append_kept(
    logs: &Pool<CachedLog>,
    kept: Option<Lent<'_, CachedLog>>,
    (at, db): (&SkillRef, &Path),
    access: &Access,
    wait: Duration,
) -> Result<(), LogFault> {
    let before = look(db);
    let mut kept = match kept {
        Some(kept) => kept,
        None => logs.lend(CachedLog {
            log: open(at, db, wait)?,
            skill: at.canonical.clone(),
        }),
    };
    let appended = kept.log.append(access, wait);
    // Another file may have been renamed over the log in the meantime. The row is then in a deleted file, so cache the
    // connection only if the file is still the same.
    let after = look(db).filter(|after| before.is_some_and(|before| before.inode == after.inode));
    kept.keep(db, after.filter(|_| appended.is_ok()));
    appended
}

/// Opens a log. Makes sure that a project's log is inside the project, even if another process replaces its folder with
/// a symlink at the same time (a race).
fn open(at: &SkillRef, db: &Path, wait: Duration) -> Result<WritableLog, LogFault> {
    let fault = |error: Error| LogFault::from(io::Error::other(error.to_string()));
    let log = if at.make_log(db).map_err(fault)? {
        WritableLog::open_existing(db, wait)?
    } else {
        WritableLog::open(db, wait)?
    };
    at.check_opened(db).map_err(fault)?;
    Ok(log)
}

fn look(db: &Path) -> Option<Stamp> {
    db.symlink_metadata()
        .ok()
        .map(|found| Stamp::from_metadata(&found))
}

/// Adds a `--verbose` line about whether the row was written to a log. Returns whether it was.
fn told(db: &Path, result: &Result<(), LogFault>, notes: &mut Notes) -> bool {
    let db = db.display();
    match result {
        Ok(()) => notes.detail(format!("log     {db}")),
        Err(fault) => notes.detail(format!("log     not written to {db}: {fault}")),
    }
    result.is_ok()
}

/// Returns the runtime directory that contains the usage log of a skill: usually the skill's own runtime directory. If
/// that directory must not contain the log, for example because it is inside the skill's source (a repository that is
/// itself a skill), returns the user's runtime directory.
pub(crate) fn logged_in(at: &SkillRef) -> &RuntimeDir {
    let mut places = [&at.runtime, &at.global_runtime].into_iter();
    let found = places.find(|place| may_hold_log(at, place));
    // A directory that resolves to a path outside its project is not used, not even for reading logs.
    found.unwrap_or(&at.global_runtime)
}

/// Returns whether a directory may contain the log of a skill: it must be outside the skill's source and must not
/// resolve to another skill. If the skill itself is a build, the log is in that build.
fn may_hold_log(at: &SkillRef, place: &RuntimeDir) -> bool {
    if at.check_runtime(place).is_err() {
        return false;
    }
    let meta = place.meta();
    let is_apart = !meta.starts_with(&at.canonical) && !at.canonical.starts_with(&place.0);
    if is_apart && meta.canonicalize().is_ok_and(|real| real == meta) {
        // No symlinks in the path: nothing to resolve.
        return true;
    }
    if canonical(&place.0) == at.canonical {
        return Manifest::read(&place.manifest()).is_some();
    }
    check_apart(at, place).is_ok() && !canonical(&place.meta()).starts_with(&at.canonical)
}

fn row(toolkit: &Toolkit, used: Use<'_>, now: Timestamp) -> Access {
    let error = used.error.map(|error| {
        let mut message = error.to_string();
        clip(&mut message);
        message
    });
    Access {
        timestamp: now,
        run_id: toolkit.context.run_id.0.clone(),
        command: used.command.to_owned(),
        skill: used.at.name.clone(),
        skill_path: used.at.canonical.to_string_lossy().into_owned(),
        cwd: toolkit.logged_cwd.as_ref().to_owned(),
        args: used.arguments.into_text(),
        error,
    }
}

/// Truncates a string to [`MAX_TEXT_BYTES`].
fn clip(text: &mut String) {
    if text.len() > MAX_TEXT_BYTES {
        let mut cuts = (0..=MAX_TEXT_BYTES).rev();
        let end = cuts.find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
    }
}

/// Returns whether a log exists and has not been written to for [`STALE_AFTER`].
fn is_stale(db: &Path, now: Timestamp) -> bool {
    let written = db.metadata().and_then(|metadata| metadata.modified());
    let now = UNIX_EPOCH + Duration::from_secs(u64::try_from(now.0).unwrap_or_default());
    let age = written.ok().and_then(|time| now.duration_since(time).ok());
    age.is_some_and(|age| age > STALE_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_attempts_share_the_time_to_wait() {
        let wait = LogWait::most(BUSY_WAIT);
        let given = |wait: &LogWait| wait.within(Ok::<_, ()>).expect("an attempt");
        assert_eq!(given(&wait), BUSY_WAIT);
        let spent = Duration::from_millis(20);
        let failed = wait.clone().within(|_| {
            std::thread::sleep(spent);
            Err::<(), _>(())
        });
        assert!(failed.is_err() && given(&wait) + spent <= BUSY_WAIT);
        *wait.0.lock() = Duration::ZERO;
        assert_eq!(given(&wait), LEAST_WAIT);
        let rest = wait.within_rest(Ok::<_, ()>).expect("an attempt");
        assert_eq!(rest, LEAST_WAIT_OF_MANY);
    }
}
