//! The skill registry of a server: brought to what is on the disk when the server starts.
//!
//! One that cannot be used is done without, from memory, until it can be; or the server does not start, if the configuration
//! says so.
//!
//! Design: REG-MCP, catalog-freshness, REG-LOAD.17, D7.

use parking_lot::Mutex;
use skillc_core::{Error, Notice, Result, Warning};

use super::sync::{RegistrySyncRequest, sync_now};
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The most lines that are said when the server starts.
const MAX_LINES: usize = 100;

/// How long a skill registry that could not be used is not tried again unless somebody asks for it, in milliseconds: one
/// that is locked takes seconds.
const RETRY_MS: i64 = 60_000;

/// Whether the skill registry can be used.
#[derive(Default)]
pub(super) struct Started(Mutex<State>);

#[derive(Default)]
struct State {
    found: Found,
    /// What came of the first time, until it is said.
    lines: Vec<String>,
}

#[derive(Default)]
enum Found {
    /// Nobody has tried, or skills are switched off.
    #[default]
    Nothing,
    Usable,
    /// `at_ms`: when that was found, in milliseconds since 1970.
    Unusable {
        at_ms: i64,
    },
}

impl Started {
    /// Brings the skill registry to what is on the disk unless that has been done. Other callers wait. Returns: whether it can
    /// be used.
    ///
    /// `refresh`: one that could not be used is tried again at once.
    pub(super) fn is_usable(&self, toolkit: &Toolkit, refresh: bool) -> bool {
        let clock = &toolkit.context.clock;
        let mut state = self.0.lock();
        match state.found {
            Found::Usable => return true,
            Found::Unusable { at_ms } => {
                let age = clock.now_ms() - at_ms;
                if !refresh && (0..RETRY_MS).contains(&age) {
                    return false;
                }
            }
            Found::Nothing => {}
        }
        let mut notes = Notes::default();
        let result = sync(toolkit, &mut notes);
        // They may be on again before the server ends.
        if matches!(result, Err(Error::SkillsDisabled {})) {
            return false;
        }
        if matches!(state.found, Found::Nothing) {
            state.lines = lines(result.as_ref().err(), &notes);
        }
        let is_usable = result.is_ok();
        state.found = if is_usable {
            Found::Usable
        } else {
            let at_ms = clock.now_ms();
            Found::Unusable { at_ms }
        };
        is_usable
    }
}

/// Makes sure that a server may start: with the skill registry, if the configuration insists on it.
///
/// # Errors
/// E066 if the skill registry cannot be used.
pub fn check_start(toolkit: &Toolkit) -> Result<()> {
    if !toolkit.config.registry.strict {
        return Ok(());
    }
    match sync(toolkit, &mut Notes::default()) {
        // That is no trouble of the skill registry.
        Err(Error::SkillsDisabled {}) => Ok(()),
        result => result,
    }
}

/// Prepares the skill registry for the first requests of a server. Returns: lines to be written, if something is wrong with it.
pub fn start(toolkit: &Toolkit) -> Vec<String> {
    let registry = toolkit.kept.of::<Started>();
    registry.is_usable(toolkit, false);
    std::mem::take(&mut registry.0.lock().lines)
}

/// Returns what came of the first time, as far as it is worth a line.
fn lines(error: Option<&Error>, notes: &Notes) -> Vec<String> {
    let failure = error.map(|error| {
        let message = error.message();
        Warning::RegistryInMemory { message }.to_string()
    });
    // That there are no skills here is nothing to be told of at each start.
    let is_said =
        |notice: &&Notice| !matches!(notice, Notice::Warning(Warning::RootMissing { .. }));
    let notices = notes.notices.iter().filter(is_said);
    let notices = notices.map(ToString::to_string);
    failure.into_iter().chain(notices).take(MAX_LINES).collect()
}

/// Brings the skill registry to what is on the disk.
fn sync(toolkit: &Toolkit, notes: &mut Notes) -> Result<()> {
    sync_now(toolkit, &RegistrySyncRequest::default(), notes).map(drop)
}
