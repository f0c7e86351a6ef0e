//! The skill registry of a server: updated from disk when the server starts.
//!
//! If the registry cannot be used, the server keeps the rows in memory and tries again later. If the configuration
//! requires the registry, the server refuses to start instead.
//!
//! Design: REG-MCP, catalog-freshness, REG-LOAD.17, D7.

use parking_lot::Mutex;
use skillc_core::{Error, Notice, Result, Warning};

use super::sync::{RegistrySyncRequest, sync_now};
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The limit on messages at start.
const MAX_LINES: usize = 100;

/// The delay before an unusable skill registry is retried, in milliseconds: each attempt to open a locked registry
/// takes seconds. A refresh requested by a client skips the delay.
const RETRY_MS: i64 = 60_000;

/// Whether the skill registry can be used.
#[derive(Default)]
pub(super) struct Started(Mutex<State>);

#[derive(Default)]
struct State {
    found: Usability,
    /// The result of the first update, until it is reported.
    lines: Vec<String>,
}

#[derive(Default)]
enum Usability {
    /// Not tried yet, or skills are disabled.
    #[default]
    Nothing,
    Usable,
    /// It cannot be used. `at_ms`: the time of the failed attempt, in milliseconds since 1970.
    Unusable {
        at_ms: i64,
    },
}

impl Started {
    /// Updates the skill registry from disk, unless an earlier call has succeeded or has just failed. Concurrent calls
    /// wait. Returns whether the registry can be used.
    ///
    /// `refresh`: retry an unusable registry at once.
    pub(super) fn is_usable(&self, toolkit: &Toolkit, refresh: bool) -> bool {
        let clock = &toolkit.context.clock;
        let mut state = self.0.lock();
        match state.found {
            Usability::Usable => return true,
            Usability::Unusable { at_ms } => {
                let age = clock.now_ms() - at_ms;
                if !refresh && (0..RETRY_MS).contains(&age) {
                    return false;
                }
            }
            Usability::Nothing => {}
        }
        let mut notes = Notes::default();
        let result = sync(toolkit, &mut notes);
        // The result is not recorded, because skills may be enabled again while the server runs.
        if matches!(result, Err(Error::SkillsDisabled {})) {
            return false;
        }
        if matches!(state.found, Usability::Nothing) {
            state.lines = lines(result.as_ref().err(), &notes);
        }
        let is_usable = result.is_ok();
        state.found = if is_usable {
            Usability::Usable
        } else {
            let at_ms = clock.now_ms();
            Usability::Unusable { at_ms }
        };
        is_usable
    }
}

/// Checks whether a server may start. If the configuration requires the skill registry, the registry must be usable.
///
/// # Errors
/// E066 if the skill registry cannot be used.
pub fn check_start(toolkit: &Toolkit) -> Result<()> {
    if !toolkit.config.registry.strict {
        return Ok(());
    }
    match sync(toolkit, &mut Notes::default()) {
        // A server can start while skills are disabled.
        Err(Error::SkillsDisabled {}) => Ok(()),
        result => result,
    }
}

/// Prepares the skill registry for the first requests of a server. Returns messages about problems with the registry.
pub fn start(toolkit: &Toolkit) -> Vec<String> {
    let registry = toolkit.kept.get::<Started>();
    registry.is_usable(toolkit, false);
    std::mem::take(&mut registry.0.lock().lines)
}

/// Returns the result of the first update, if it is worth reporting.
fn lines(error: Option<&Error>, notes: &Notes) -> Vec<String> {
    let failure = error.map(|error| {
        let message = error.message();
        Warning::RegistryInMemory { message }.to_string()
    });
    // Having no skills is not worth a message at each start.
    let is_said =
        |notice: &&Notice| !matches!(notice, Notice::Warning(Warning::RootMissing { .. }));
    let notices = notes.notices.iter().filter(is_said);
    let notices = notices.map(ToString::to_string);
    failure.into_iter().chain(notices).take(MAX_LINES).collect()
}

/// Updates the skill registry from disk.
fn sync(toolkit: &Toolkit, notes: &mut Notes) -> Result<()> {
    sync_now(toolkit, &RegistrySyncRequest::default(), notes).map(drop)
}
