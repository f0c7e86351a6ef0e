//! `skc sync`: moves the rows of local logs to the logs of their skills.
//!
//! Each local log is handled separately: a failure is reported, and sync continues with the next log. A row belongs to
//! the skill in the directory that the row records. If there is no skill in this directory, the row belongs to the
//! skill that the local log is named after.
//!
//! Design: C-SYNC, D-E040, D-SYNC-DEST, D-SYNC-DEDUP.

mod places;
mod run;
mod sources;

use std::cell::RefCell;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::layout::canonical;
use skillc_core::{Context, Error, Result};

use self::places::Places;
use self::run::SyncRun;
use self::sources::{checked_name, local_logs};
use crate::access::LogWait;
use crate::notes::Notes;
use crate::operation::{Example, Operation, Verdict};
use crate::toolkit::Toolkit;

/// Arguments of `skc sync`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct SyncRequest {
    /// Move only the local logs of this skill [default: of all skills]
    #[serde(default)]
    pub skill: Option<String>,
    /// Directory with the local logs [default: working directory]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    #[serde(default)]
    pub project: Option<String>,
    /// Show what would be moved, without moving it
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub dry_run: bool,
}

/// Results for the local logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SyncResponse {
    /// Whether this was a dry run
    pub dry_run: bool,
    /// Local logs, by name
    pub skills: Vec<SyncedSkill>,
}

/// Result for one local log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SyncedSkill {
    /// Name of the log's directory
    pub skill: String,
    /// Local log
    pub source: String,
    /// Number of entries that were copied, or would be, without those already present
    pub entries: u64,
    /// Logs that the entries belong to
    pub destinations: Vec<Destination>,
    /// Whether the local log was deleted
    pub removed: bool,
    /// Errors, as printed
    pub errors: Vec<String>,
}

/// A log that entries belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Destination {
    /// Path
    pub path: String,
    /// Number of entries that were copied to it, or would be
    pub entries: u64,
}

/// Implements `skc sync`.
pub struct Sync;

impl Operation for Sync {
    const NAME: &'static str = "sync";
    const ABOUT: &'static str = "Move local usage logs to where 'skc stats' reads them";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc sync",
            does: "after a session in which the main log was not writable",
        },
        Example {
            command: "skc sync --dry-run",
            does: "preview",
        },
        Example {
            command: "skc sync my-skill --project ~/work/api",
            does: "one skill, logged in another directory",
        },
    ];
    type Request = SyncRequest;
    type Response = SyncResponse;

    fn run(toolkit: &Toolkit, request: SyncRequest, notes: &mut Notes) -> Result<SyncResponse> {
        let name = request.skill.as_deref().map(checked_name).transpose()?;
        let context = &in_project(&toolkit.context, request.project.as_deref());
        let (locals, bare) = local_logs(&context.cwd, name, notes)?;
        // Other commands hold the lock only briefly, so the wait is long only if there are many commands.
        let folder_wait = LogWait::most(context.lock_wait);
        if !request.dry_run {
            // A killed sync may have left directories without a log. If they are in use, the next sync removes them.
            for local in &bare {
                let clear = |wait| local.clear(&context.home, wait, &toolkit.stop);
                folder_wait.within_rest(clear).unwrap_or_default();
            }
        }
        if locals.is_empty() && name.is_some() {
            return Err(Error::NoLocalLogs {});
        }
        let run = SyncRun {
            places: Places::new(context),
            home: &context.home,
            dry_run: request.dry_run,
            stop: &toolkit.stop,
            folder_wait,
            log_wait: &toolkit.log_wait,
            known: RefCell::default(),
        };
        let work = toolkit.work("Moving logs", locals.len());
        let skills = locals.iter().map(|local| {
            let synced = run.sync(local, notes);
            work.advance().map(|()| synced)
        });
        Ok(SyncResponse {
            dry_run: request.dry_run,
            skills: skills.collect::<Result<_>>()?,
        })
    }

    fn verdict(response: &SyncResponse) -> Verdict {
        if response.skills.iter().all(|skill| skill.errors.is_empty()) {
            Verdict::Passed
        } else {
            Verdict::Failed
        }
    }
}

/// Returns a context whose working directory is the directory with the local logs.
fn in_project(context: &Context, project: Option<&str>) -> Context {
    let cwd = match project {
        Some(dir) => canonical(&context.cwd.join(dir)),
        None => context.cwd.clone(),
    };
    Context {
        cwd,
        ..context.clone()
    }
}
