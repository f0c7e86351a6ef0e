//! `skill_list`: the rows of the skill registry.
//!
//! The registry is brought to what is on the disk when the server starts. One that cannot be used is said on standard
//! error and done without, from memory; or the server does not start, if the configuration says so.
//!
//! Source: CATALOG 2.4, 3.9, 3.11, REG-LOAD.17, D7.

use std::io::Write;
use std::sync::OnceLock;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use skillc_core::{Notice, Result, Warning};
use skillc_ops::catalog::Look;
use skillc_ops::registry::sync::RegistrySyncRequest;
use skillc_ops::registry::{SkillList, skill_list, skill_list_in_memory, sync_now};
use skillc_ops::{Notes, Toolkit};

use super::{About, of_error, read, said, tool as make};
use crate::tools::{Answer, End, Entry, Failure, Job};

/// The most lines that are written when the server starts.
const MAX_LINES: usize = 100;

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

/// Whether the registry could be used when the server started.
#[derive(Default)]
pub(super) struct Started(OnceLock<bool>);

impl Started {
    /// Brings the registry to what is on the disk if that has not been done, and says on standard error what is wrong with
    /// it. Whoever else asks waits. Returns: whether it can be used.
    pub(super) fn is_usable(&self, toolkit: &Toolkit) -> bool {
        *self.0.get_or_init(|| {
            let mut notes = Notes::default();
            let result = sync(toolkit, &mut notes);
            let failure = result.as_ref().err().map(|error| {
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
            result.is_ok()
        })
    }
}

/// Brings the registry to what is on the disk.
///
/// # Errors
/// E066 if it cannot be used.
pub(super) fn sync(toolkit: &Toolkit, notes: &mut Notes) -> Result<()> {
    sync_now(toolkit, &RegistrySyncRequest::default(), notes).map(drop)
}

pub(super) fn tool() -> Entry {
    let about = About {
        name: "skill_list",
        title: "List registered skills",
        text: "List the skills of the registry with versions and capabilities, one for each name.",
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
    let list = if job.server.kept.registry.is_usable(job.toolkit) {
        skill_list(job.toolkit, search, capability, refresh, notes)
    } else {
        skill_list_in_memory(job.toolkit, search, capability, notes)
    };
    said(&list.map_err(of_error)?)
}
