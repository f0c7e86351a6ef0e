//! The audit log: one row when a call starts, one when it ends, whatever the outcome.
//!
//! A failed write never fails the call. After a failure, nothing is written or reported for a few seconds.
//!
//! Design: REG-MW, catalog-files, catalog-chain.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use skillc_core::Warning;
use skillc_core::hash::Sha;
use skillc_storage::audit_log::kept_arguments;
use skillc_storage::{AuditLog, CallBegun, CallEnded, LogFault};

use super::open_log;
use crate::notes::Notes;
use crate::random;
use crate::toolkit::Toolkit;

/// How long to skip writing after a failure: a locked database must not delay every answer.
const PAUSE: Duration = Duration::from_secs(5);

/// The interval between deletions of old rows.
const PRUNED_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// The audit log of a server, opened at the first call.
#[derive(Default)]
pub struct CallAudit(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    NotOpened,
    Open(Box<Open>),
    /// The log could not be opened: calls are not recorded.
    Off,
}

struct Open {
    log: AuditLog,
    /// The time of the last failed write.
    failed: Option<Instant>,
    pruned: Option<Instant>,
}

/// The outcome of a call.
pub enum Exit<'a> {
    /// Success, with the text of the answer.
    Answered(&'a str),
    /// An error, with its code and message.
    Failed(&'a str, &'a str),
    /// The client was asked a question, and repeats the call with the user's answer.
    Asked,
}

/// A call being recorded.
pub struct Audited<'a> {
    audit: &'a CallAudit,
    toolkit: &'a Toolkit,
    tool: &'a str,
    call_id: String,
    /// The arguments as JSON, limited in length.
    args: String,
    begun: Instant,
    /// Time spent writing the start row; excluded from the call's duration.
    written_in: Duration,
    has_entered: bool,
}

impl CallAudit {
    /// Starts recording a call. Nothing is written yet.
    pub fn follow<'a>(
        &'a self,
        toolkit: &'a Toolkit,
        tool: &'a str,
        arguments: &Map<String, Value>,
    ) -> Audited<'a> {
        Audited {
            audit: self,
            toolkit,
            tool,
            // Without a random source, the id is empty: rows of calls that do not overlap can still be matched by their
            // order.
            call_id: random::hex::<8>().unwrap_or_default(),
            args: kept_arguments(&Value::Object(arguments.clone())),
            begun: Instant::now(),
            written_in: Duration::ZERO,
            has_entered: false,
        }
    }

    fn write(
        &self,
        toolkit: &Toolkit,
        notes: &mut Notes,
        write: impl FnOnce(&mut AuditLog) -> Result<(), LogFault>,
    ) {
        let settings = toolkit.config.audit;
        if !settings.enabled {
            return;
        }
        let mut state = self.0.lock();
        if matches!(*state, State::NotOpened) {
            *state = match open_log(&toolkit.context, settings, notes) {
                Some(log) => State::Open(Box::new(Open {
                    log,
                    failed: None,
                    pruned: None,
                })),
                None => State::Off,
            };
        }
        if let State::Open(open) = &mut *state
            && open.failed.is_none_or(|at| at.elapsed() >= PAUSE)
        {
            let result = write(&mut open.log);
            open.failed = result.is_err().then(Instant::now);
            if let Err(fault) = result {
                notes.detail(format!("audit   {fault}"));
                notes.warn(Warning::LoggingDisabled {});
            }
        }
    }

    /// Returns whether old rows are due for deletion; if so, the next interval begins.
    pub fn is_to_be_pruned(&self) -> bool {
        let mut state = self.0.lock();
        let State::Open(open) = &mut *state else {
            return false;
        };
        let is_due = open.pruned.is_none_or(|at| at.elapsed() >= PRUNED_EVERY);
        if is_due {
            open.pruned = Some(Instant::now());
        }
        is_due
    }

    /// Deletes old rows.
    pub fn prune(&self, toolkit: &Toolkit) {
        let from = toolkit.config.audit.keeps_from(toolkit.context.clock.now());
        let mut state = self.0.lock();
        if let (State::Open(open), Some(from)) = (&mut *state, from) {
            // If this fails, the next interval tries again.
            let _ = open.log.prune(from);
        }
    }
}

impl Audited<'_> {
    /// Writes the row at the start of a call.
    pub fn enter(&mut self, notes: &mut Notes) {
        self.has_entered = true;
        let begun = CallBegun {
            call_id: self.call_id.clone(),
            at_ms: self.toolkit.context.clock.now_ms(),
            run_id: self.toolkit.context.run_id.0.clone(),
            tool: self.tool.to_owned(),
            cwd: self.cwd(),
            args: Some(self.args.clone()),
        };
        let writing = Instant::now();
        self.audit
            .write(self.toolkit, notes, |log| log.enter(&begun));
        self.written_in = writing.elapsed();
    }

    /// Writes the outcome of a call.
    pub fn exit(self, end: &Exit<'_>, warnings: Vec<String>, notes: &mut Notes) {
        let duration = self.begun.elapsed().saturating_sub(self.written_in);
        let duration_ms = duration.as_secs_f64() * 1e3;
        let mut ended = CallEnded {
            call_id: self.call_id.clone(),
            at_ms: self.toolkit.context.clock.now_ms(),
            run_id: self.toolkit.context.run_id.0.clone(),
            tool: self.tool.to_owned(),
            cwd: self.cwd(),
            args: (!self.has_entered).then(|| self.args.clone()),
            duration_ms,
            warnings,
            ..CallEnded::default()
        };
        match end {
            Exit::Answered(text) => {
                ended.ok = Some(true);
                ended.result_bytes = Some(text.len() as u64);
                ended.result_sha256 = Some(Sha::digest(text.as_bytes()).to_string());
            }
            Exit::Failed(code, message) => {
                ended.ok = Some(false);
                ended.error_code = Some((*code).to_owned());
                ended.error_message = Some((*message).to_owned());
            }
            Exit::Asked => ended.error_code = Some("INPUT_REQUIRED".to_owned()),
        }
        self.audit
            .write(self.toolkit, notes, |log| log.exit(&ended));
    }

    fn cwd(&self) -> String {
        self.toolkit.logged_cwd.as_ref().to_owned()
    }
}
