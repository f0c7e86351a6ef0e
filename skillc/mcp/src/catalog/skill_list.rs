//! `skill_list`: the rows of the skill registry.
//!
//! The skill registry is brought to what is on the disk when the server starts. One that cannot be used is said on
//! standard error and done without, from memory, until it can be; or the server does not start, if the configuration says
//! so.
//!
//! Source: CATALOG 2.4, 3.9, 3.11, REG-LOAD.17, D7.

use std::collections::BTreeSet;
use std::io::Write;

use parking_lot::Mutex;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use skillc_core::{Error, Notice, Result, Warning};
use skillc_ops::catalog::Look;
use skillc_ops::registry::sync::RegistrySyncRequest;
use skillc_ops::registry::{SkillList, skill_list, skill_list_in_memory, sync_now};
use skillc_ops::{Notes, Toolkit};

use super::{About, of_error, read, said, tool as make};
use crate::tools::{Answer, End, Entry, Failure, Job};

/// The most lines that are written when the server starts.
const MAX_LINES: usize = 100;

/// How long a skill registry that could not be used is not tried again unless somebody asks for it, in milliseconds: one
/// that is locked takes seconds.
const RETRY_MS: i64 = 60_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Text to find in name or description, any case
    #[serde(default)]
    search: Option<String>,
    /// Exact capability
    #[serde(default)]
    capability: Option<String>,
    /// Sync from disk first
    #[serde(default)]
    refresh: bool,
}

/// Whether the skill registry can be used.
#[derive(Default)]
pub(super) struct Started(Mutex<State>);

#[derive(Default)]
enum State {
    /// Nobody has tried, or skills are switched off.
    #[default]
    Unknown,
    Usable,
    /// `at_ms`: when that was found, in milliseconds since 1970.
    Unusable {
        at_ms: i64,
    },
}

impl Started {
    /// Brings the skill registry to what is on the disk unless that has been done; the first time, it says on standard error
    /// what is wrong with it. Whoever else asks waits. Returns: whether it can be used.
    ///
    /// `refresh`: one that could not be used is tried again at once.
    pub(super) fn is_usable(&self, toolkit: &Toolkit, refresh: bool) -> bool {
        let clock = &toolkit.context.clock;
        let mut state = self.0.lock();
        let is_first = match *state {
            State::Usable => return true,
            State::Unusable { at_ms } => {
                let age = clock.now_ms() - at_ms;
                if !refresh && (0..RETRY_MS).contains(&age) {
                    return false;
                }
                false
            }
            State::Unknown => true,
        };
        let mut notes = Notes::default();
        let result = sync(toolkit, &mut notes);
        // They may be on again before the server ends.
        if matches!(result, Err(Error::SkillsDisabled {})) {
            return false;
        }
        if is_first {
            tell(result.as_ref().err(), &notes);
        }
        let is_usable = result.is_ok();
        *state = if is_usable {
            State::Usable
        } else {
            let at_ms = clock.now_ms();
            State::Unusable { at_ms }
        };
        is_usable
    }
}

/// Says on standard error what came of the first time.
fn tell(error: Option<&Error>, notes: &Notes) {
    let failure = error.map(|error| {
        let message = error.message();
        format!("{}\n", Warning::RegistryInMemory { message })
    });
    // That there are no skills here is nothing to be told of at each start.
    let is_said =
        |notice: &&Notice| !matches!(notice, Notice::Warning(Warning::RootMissing { .. }));
    let notices = notes.notices.iter().filter(is_said);
    let notices = notices.map(|notice| format!("{notice}\n"));
    let lines: String = failure.into_iter().chain(notices).take(MAX_LINES).collect();
    // Nobody may be there to read it.
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

/// Brings the skill registry to what is on the disk.
///
/// # Errors
/// E065 if skills are switched off, E066 if it cannot be used.
pub(super) fn sync(toolkit: &Toolkit, notes: &mut Notes) -> Result<()> {
    sync_now(toolkit, &RegistrySyncRequest::default(), notes).map(drop)
}

pub(super) fn tool() -> Entry {
    let about = About {
        name: "skill_list",
        title: "List registered skills",
        text: "List the skills of the skill registry with versions and capabilities, one for each name.",
    };
    Entry {
        // It may write.
        turn: Some(std::sync::Arc::default()),
        ..make::<Request, SkillList>(&about, call)
    }
}

fn call(job: &Job<'_>, arguments: JsonObject) -> Answer {
    let mut notes = Notes::default();
    let end = listed(job, arguments, &mut notes);
    say_once(&mut notes);
    Answer::new(end, notes)
}

fn listed(
    job: &Job<'_>,
    arguments: JsonObject,
    notes: &mut Notes,
) -> std::result::Result<End, Failure> {
    let Request {
        search,
        capability,
        refresh,
    } = read(arguments)?;
    let (search, capability) = (search.as_deref(), capability.as_deref());
    if refresh {
        // For those who are told when names change.
        job.server.kept.catalog(job.toolkit, Look::Anew, notes);
    }
    let registry = &job.server.kept.registry;
    let list = if registry.is_usable(job.toolkit, refresh) {
        skill_list(job.toolkit, search, capability, refresh, notes)
    } else {
        skill_list_in_memory(job.toolkit, search, capability, notes)
    };
    said(&list.map_err(of_error)?)
}

/// Leaves out what is said again: the catalog and the skill registry are read from the same files.
fn say_once(notes: &mut Notes) {
    let mut said = BTreeSet::new();
    notes
        .notices
        .retain(|notice| said.insert(notice.to_string()));
}
