//! The audit of calls: a row when one begins, a row when it ends, whatever became of it.
//!
//! What cannot be written is said once and keeps nobody from their answer.
//!
//! Source: CATALOG 2.5, 3.8 and 3.10.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use skillc_core::Warning;
use skillc_core::hash::Sha;
use skillc_core::layout::canonical;
use skillc_ops::audit::open_log;
use skillc_ops::{Notes, Toolkit};
use skillc_storage::audit_log::kept_arguments;
use skillc_storage::{AuditLog, CallBegun, CallEnded, LogFault};

/// The variable that names a file to which the stages of each call are written, one a line.
const TRACE: &str = "SKC_CHAIN_TRACE";

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// The audit log of a server, opened at its first call.
#[derive(Default)]
pub(crate) struct Audit(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    NotOpened,
    Open(Box<AuditLog>),
    /// It could not be opened: calls go on without.
    Off,
}

/// How a call ended.
pub(crate) enum End<'a> {
    /// With an answer, of which this is the text.
    Answered(&'a str),
    /// With an error: its code and message.
    Failed(&'a str, &'a str),
}

/// A call under audit.
pub(crate) struct Audited<'a> {
    audit: &'a Audit,
    toolkit: &'a Toolkit,
    tool: &'a str,
    call_id: String,
    /// The text of the arguments.
    args: String,
    begun: Instant,
    has_entered: bool,
}

impl Audit {
    /// Begins to follow a call. Nothing is written yet.
    pub(crate) fn follow<'a>(
        &'a self,
        toolkit: &'a Toolkit,
        tool: &'a str,
        arguments: &Value,
    ) -> Audited<'a> {
        Audited {
            audit: self,
            toolkit,
            tool,
            call_id: call_id(),
            args: kept_arguments(arguments),
            begun: Instant::now(),
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
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::NotOpened) {
            *state = match open_log(&toolkit.context, settings, notes) {
                Some(mut log) => {
                    let age = i64::from(settings.retention_days) * DAY;
                    let before = toolkit.context.clock.now().earlier(age);
                    if let Some(Err(fault)) = before.map(|before| log.prune(before)) {
                        notes.detail(format!("audit   not pruned: {fault}"));
                    }
                    State::Open(Box::new(log))
                }
                None => State::Off,
            };
        }
        if let State::Open(log) = &mut *state
            && let Err(fault) = write(log)
        {
            notes.detail(format!("audit   {fault}"));
            notes.warn(Warning::LoggingDisabled {});
        }
    }
}

impl Audited<'_> {
    /// Writes that the call is about to be handled.
    pub(crate) fn enter(&mut self, notes: &mut Notes) {
        self.trace("audit-enter");
        self.has_entered = true;
        let begun = CallBegun {
            call_id: self.call_id.clone(),
            at_ms: self.toolkit.context.clock.now_ms(),
            run_id: self.toolkit.context.run_id.0.clone(),
            tool: self.tool.to_owned(),
            cwd: self.cwd(),
            args: Some(self.args.clone()),
        };
        self.audit
            .write(self.toolkit, notes, |log| log.enter(&begun));
    }

    /// Writes how the call ended.
    pub(crate) fn exit(self, end: &End<'_>, warnings: Vec<String>, notes: &mut Notes) {
        self.trace("audit-exit");
        let duration_ms = self.begun.elapsed().as_secs_f64() * 1e3;
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
            End::Answered(text) => {
                ended.ok = Some(true);
                ended.result_bytes = Some(text.len() as u64);
                ended.result_sha256 = Some(Sha::of(text.as_bytes()).to_string());
            }
            End::Failed(code, message) => {
                ended.ok = Some(false);
                ended.error_code = Some((*code).to_owned());
                ended.error_message = Some((*message).to_owned());
            }
        }
        self.audit
            .write(self.toolkit, notes, |log| log.exit(&ended));
    }

    /// Writes a stage to the file that asks for them, if there is one.
    pub(crate) fn trace(&self, stage: &str) {
        let Some(path) = self.toolkit.context.env(TRACE) else {
            return;
        };
        let line = format!("{} {stage} {}\n", self.call_id, self.tool);
        let file = OpenOptions::new().create(true).append(true).open(path);
        // It is for whoever looks for faults; a call does not fail for it.
        drop(file.and_then(|mut file| file.write_all(line.as_bytes())));
    }

    fn cwd(&self) -> String {
        let cwd = canonical(&self.toolkit.context.cwd);
        cwd.to_string_lossy().into_owned()
    }
}

/// Returns 16 hex digits that no other call has.
fn call_id() -> String {
    let mut bytes = [0; 8];
    // Without randomness, calls that begin at different moments still differ by their times.
    let _ = getrandom::fill(&mut bytes);
    bytes.iter().fold(String::new(), |mut id, byte| {
        // A string takes any text.
        let _ = write!(id, "{byte:02x}");
        id
    })
}
