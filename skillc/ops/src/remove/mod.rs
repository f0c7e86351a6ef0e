//! `skc remove`: undeploys a skill and deletes its build. The source is deleted only on request.
//!
//! Order: agent entries, build, source. If the command is killed, the remaining files still identify the skill, so that
//! the same command can finish the removal. Usage logs are the author's data and are deleted only on request.

mod folders;
mod parts;
mod subject;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::clean::clean;
use skillc_core::clients::Clients;
use skillc_core::layout::{Scope, Store};
use skillc_core::{Error, Result};

use crate::hints::hint;
use crate::notes::Notes;
use crate::operation::{Example, Operation, Verdict as Success};
use crate::runtime::entry::FolderEntry;
use crate::runtime::lock::{BuildLock, Wait};
use crate::toolkit::Toolkit;
use subject::{Subject, Verdict};

pub use parts::{KeptPath, RemovedKind, RemovedPath};

pub(crate) use folders::{AgentFolder, agent_folders};
pub(crate) use parts::{Removal, has_parts, is_linked, leftovers, names_in};

/// Arguments of `skc remove`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct RemoveRequest {
    /// Names of the skills to remove
    #[cfg_attr(feature = "clap", arg(value_name = "SKILL", required = true))]
    pub skill: Vec<String>,
    /// Remove the user's skill of that name, not the project's
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub global: bool,
    /// Also remove from these agents or directories, for example cursor
    #[cfg_attr(
        feature = "clap",
        arg(long, short, value_name = "AGENTS", value_delimiter = ',')
    )]
    #[serde(default)]
    pub target: Vec<String>,
    /// Also delete the source
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub source: bool,
    /// Also delete the usage log
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub logs: bool,
    /// Show what would be removed, without removing it
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub dry_run: bool,
    /// Delete sources without confirmation
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(skip)]
    #[schemars(skip)]
    pub yes: bool,
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemoveResponse {
    /// Whether this was a dry run
    pub dry_run: bool,
    /// Removed skills, in the requested order
    pub skills: Vec<RemovedSkill>,
    /// Skills that were not removed, or only in part
    pub failed: Vec<FailedRemoval>,
}

/// A skill that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemovedSkill {
    /// Skill's directory name
    pub skill: String,
    /// Scope
    pub scope: Scope,
    /// What was removed, in order; in a dry run, what would be removed
    pub removed: Vec<RemovedPath>,
    /// What was found but kept
    pub kept: Vec<KeptPath>,
}

/// A skill that was not removed, or only in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedRemoval {
    /// Requested name
    pub skill: String,
    /// The error, with its code
    pub error: String,
    /// What to do about it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Implements `skc remove`.
pub struct Remove;

impl Operation for Remove {
    const NAME: &'static str = "remove";
    const ABOUT: &'static str = "Undeploy skills and delete their builds";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc remove my-skill",
            does: "hide it from all agents; keep the source",
        },
        Example {
            command: "skc remove my-skill --dry-run",
            does: "preview",
        },
        Example {
            command: "skc remove my-skill --source",
            does: "also delete the source, after confirmation",
        },
    ];
    type Request = RemoveRequest;
    type Response = RemoveResponse;

    fn verdict(response: &RemoveResponse) -> Success {
        if response.failed.is_empty() {
            Success::Passed
        } else {
            Success::Failed
        }
    }

    fn run(toolkit: &Toolkit, request: RemoveRequest, notes: &mut Notes) -> Result<RemoveResponse> {
        let folders = folders_of(toolkit, &request, None)?;
        let mut response = RemoveResponse {
            dry_run: request.dry_run,
            skills: Vec::new(),
            failed: Vec::new(),
        };
        let fail = |skill: &str, error: &Error| FailedRemoval {
            skill: skill.to_owned(),
            error: error.to_string(),
            help: error.details().or_else(|| hint(&toolkit.context, error)),
        };
        let mut subjects = Vec::new();
        for asked in &request.skill {
            match Subject::find(toolkit, asked, &request, &folders) {
                Ok(subject) => subjects.push(subject),
                // If only one skill was requested, its error is the error of the command.
                Err(error) if request.skill.len() == 1 => return Err(error),
                Err(error) => response.failed.push(fail(asked, &error)),
            }
        }
        if request.source && !may_delete(toolkit, &subjects, &request)? {
            return Ok(response);
        }
        let work = toolkit.work("Removing skills", subjects.len());
        for subject in subjects {
            notes.detail(format!("store   {}", subject.store.dir().display()));
            let removed = folders_of(toolkit, &request, Some(&subject.store))
                .and_then(|folders| remove_skill(toolkit, &subject, &request, &folders));
            match removed {
                Ok(removed) => response.skills.push(removed),
                Err(error) => response.failed.push(fail(&subject.at.asked, &error)),
            }
            work.advance()?;
        }
        Ok(response)
    }
}

/// Returns the folders in which to look for entries of a skill: [`agent_folders`] for the projects around the working
/// directory, the project of the store `own`, and the requested targets.
fn folders_of(
    toolkit: &Toolkit,
    request: &RemoveRequest,
    own: Option<&Store>,
) -> Result<Vec<AgentFolder>> {
    let (context, extra) = (&toolkit.context, &toolkit.config.targets);
    let mut more = Vec::new();
    for target in request.target.iter().map(|target| target.trim()) {
        let dirs = Clients::shared().agent_dirs(context, extra, target, None)?;
        more.extend(
            dirs.into_iter()
                .map(|agent| agent.dir.components().collect()),
        );
    }
    let is_project = |store: &&Store| store.scope == Scope::Project;
    let others = toolkit.stores.iter().filter(|store| own != Some(*store));
    let projects = own.into_iter().chain(others).filter(is_project);
    let projects: Vec<PathBuf> = projects.map(|store| store.root.clone()).collect();
    Ok(agent_folders(toolkit, &projects, more))
}

/// Asks for confirmation before sources are deleted, if necessary. Returns whether to proceed.
///
/// # Errors
/// Returns E100 if confirmation is required and the session is not interactive.
fn may_delete(toolkit: &Toolkit, subjects: &[Subject], request: &RemoveRequest) -> Result<bool> {
    let stored = subjects.iter().filter(|subject| !subject.is_outside);
    let sources = stored.map(|subject| &subject.at.source);
    let there = sources.filter(|source| source.symlink_metadata().is_ok());
    let there: Vec<String> = there
        .map(|source| format!("'{}'", clean(&source.display().to_string())))
        .collect();
    if request.yes || request.dry_run || there.is_empty() {
        return Ok(true);
    }
    let what = there.join(", ");
    let answer = toolkit
        .context
        .asker
        .confirm(&format!("Delete the source {what}?"));
    answer.ok_or_else(|| Error::InvalidOption {
        message: "--source requires --yes in a non-interactive session".into(),
        hint: Some(format!("It would delete {what}. Nothing was removed.").into()),
    })
}

/// Removes one skill: its agent entries, its builds, and its source if requested.
fn remove_skill(
    toolkit: &Toolkit,
    subject: &Subject,
    request: &RemoveRequest,
    folders: &[AgentFolder],
) -> Result<RemovedSkill> {
    let (at, wait) = (&subject.at, Wait::new(toolkit));
    let mut removal = Removal {
        home: toolkit.context.home.clone(),
        is_dry: request.dry_run,
        ..Removal::default()
    };
    let runtimes = subject.runtimes();
    let mut locks = Vec::new();
    for runtime in &runtimes {
        let has_log = request.logs && runtime.logs().exists();
        if !request.dry_run && !is_linked(runtime) && (has_parts(runtime) || has_log) {
            locks.push(BuildLock::acquire(&runtime.build_lock(), &at.name, wait)?);
        }
    }
    for folder in folders {
        let place = folder.dir.join(&at.name);
        let Some(held) = folder.hold()? else { continue };
        let _lock = BuildLock::for_directory(&held, &at.name, wait)?;
        let (entry, id) = FolderEntry::read_in(&held, &place);
        match subject.verdict(folder, entry) {
            Verdict::Nothing => {}
            Verdict::Link => removal.remove_in(&held, &place, id, RemovedKind::Link)?,
            Verdict::Copy => removal.remove_in(&held, &place, id, RemovedKind::Copy)?,
            Verdict::SharedCache(reason) => removal.keep(&place, reason),
        }
        removal.clear_place_in(&held, &place)?;
    }
    for runtime in &runtimes {
        removal.remove_runtime(&toolkit.context, runtime, request.logs)?;
    }
    drop(locks);
    if request.source && subject.is_outside {
        let reason = "its source is outside the stores; delete it manually";
        removal.keep(&at.source, reason);
    } else if request.source {
        if at.source.symlink_metadata().is_ok() {
            removal.remove(&at.source, RemovedKind::Source)?;
        }
        removal.clear_place(&at.source)?;
    }
    Ok(RemovedSkill {
        skill: at.name.clone(),
        scope: subject.store.scope,
        removed: removal.removed,
        kept: removal.kept,
    })
}
