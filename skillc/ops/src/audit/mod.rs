//! `skc audit`: lists the calls that the server received, with their results. Also opens the audit log for the server.
//!
//! A server writes to the user's state file, or, if that is not writable, below its working directory. Calls logged
//! below a working directory are shown, marked as the project's, only if the command runs in that directory.
//!
//! Design: catalog-commands, catalog-config, catalog-files.

mod calls;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillc_core::config::Audit as Settings;
use skillc_core::contained::check_path;
use skillc_core::layout::{Store, local_logs, local_state};
use skillc_core::time::Timestamp;
use skillc_core::{Context, Error, Result, Warning};
use skillc_storage::audit_calls::read_calls;
use skillc_storage::{AuditLog, Call, CallFilter, Calls, StateUnusable};

use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::stats::bounds;
use crate::toolkit::Toolkit;

pub use calls::{Audited, CallAudit, Exit};

const DEFAULT_LIMIT: usize = 50;

/// The maximum length of a tool name, error code or digest in a project's log, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The maximum duration of a call in a project's log, in milliseconds: a week.
const MAX_DURATION_MS: f64 = 7.0 * 24.0 * 3_600_000.0;

/// The prefix of tool names that `--tool` may omit.
const PREFIX: &str = "skc_";

/// Arguments of `skc audit`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct AuditRequest {
    /// Only calls to this tool, for example search
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[serde(default)]
    pub tool: Option<String>,
    /// Only since this date, time or age, for example 7d or 2026-01-31
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHEN"))]
    #[serde(default)]
    pub since: Option<String>,
    /// Only up to this date, time or age; a date means 00:00 UTC that day
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHEN"))]
    #[serde(default)]
    pub until: Option<String>,
    /// Only failed calls
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub errors: bool,
    /// Maximum number of calls to show
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "N", default_value_t = DEFAULT_LIMIT))]
    #[serde(default = "default_limit")]
    pub limit: usize,
}

const fn default_limit() -> usize {
    DEFAULT_LIMIT
}

/// The recorded calls that match
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditResponse {
    /// Calls, newest first, up to the limit
    pub calls: Vec<AuditedCall>,
    /// Number of matching calls
    pub total: u64,
    /// Whether a filter was applied
    #[serde(skip)]
    pub is_filtered: bool,
}

/// A call to the server
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditedCall {
    /// Id of the call
    pub call_id: String,
    /// Tool that was called
    pub tool: String,
    /// Id of the run that the call belongs to
    pub run_id: String,
    /// Working directory of the server
    pub cwd: String,
    /// Start time, UTC: 2026-01-31T08:15:00.123Z
    pub at: String,
    /// Arguments; long ones are truncated
    pub args: Option<Value>,
    /// Whether it succeeded; null if it is unfinished or ended with a request for confirmation
    pub ok: Option<bool>,
    /// Error code
    pub error_code: Option<String>,
    /// Error message
    pub error_message: Option<String>,
    /// Duration; null if it is unfinished
    pub duration_ms: Option<f64>,
    /// Size of the answer in bytes
    pub result_bytes: Option<u64>,
    /// SHA-256 of the answer
    pub result_sha256: Option<String>,
    /// Warnings given with the answer
    pub warnings: Vec<String>,
    /// Log that contains the call; a project's log may have been committed to the repository
    pub source: CallSource,
}

/// The log a call was read from
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallSource {
    /// ~/.skillc/state.db
    User,
    /// .skillc/logs/state.db in the working directory
    Project,
}

/// Implements `skc audit`.
pub struct Audit;

impl Operation for Audit {
    const NAME: &'static str = "audit";
    const ABOUT: &'static str = "Show the calls that agents made to the MCP server";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc audit",
            does: "the latest calls, newest first",
        },
        Example {
            command: "skc audit --errors --since 1d",
            does: "calls that failed in the last 24 hours",
        },
        Example {
            command: "skc audit --tool search -o json",
            does: "searches, in full, as JSON",
        },
    ];
    type Request = AuditRequest;
    type Response = AuditResponse;

    fn run(toolkit: &Toolkit, request: AuditRequest, notes: &mut Notes) -> Result<AuditResponse> {
        let context = &toolkit.context;
        let filter = filter(context, &request)?;
        let db = Store::global(context).state();
        let mut calls = match read_calls(&db, &filter, |_| true, &toolkit.stop) {
            Ok(found) => found.unwrap_or_default(),
            Err(reason) => return Err(unusable(&db, reason)),
        };
        let mut total = calls.total;
        let calls = calls.newest.drain(..);
        let mut calls: Vec<AuditedCall> = calls
            .map(|call| AuditedCall::new(call, CallSource::User))
            .collect();
        if let Some(mut local) = local_calls(toolkit, &filter, notes) {
            total += local.total;
            // Fill only the room left by the user's own calls: rows that came with a repository must not crowd them
            // out.
            local
                .newest
                .truncate(filter.limit.saturating_sub(calls.len()));
            let local = local.newest.into_iter();
            calls.extend(local.map(|call| AuditedCall::new(call, CallSource::Project)));
            calls.sort_by(|a, b| b.at.cmp(&a.at));
        }
        Ok(AuditResponse {
            calls,
            total,
            is_filtered: filter
                != CallFilter {
                    limit: filter.limit,
                    ..CallFilter::default()
                },
        })
    }
}

impl AuditedCall {
    fn new(call: Call, source: CallSource) -> Self {
        let end = call.end.unwrap_or_default();
        let args = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
        Self {
            call_id: call.call_id,
            tool: call.tool,
            run_id: call.run_id,
            cwd: call.cwd,
            at: call.at,
            args: call.args.map(args),
            ok: end.ok,
            error_code: end.error_code,
            error_message: end.error_message,
            duration_ms: end.duration_ms,
            result_bytes: end.result_bytes,
            result_sha256: end.result_sha256,
            warnings: end.warnings,
            source,
        }
    }
}

/// Opens the audit log for a server: in the user's state file, or, if that is not writable, below the working
/// directory, provided that the working directory has a `.skillc`.
///
/// Returns `None` if auditing is disabled, or if no log can be opened; in the latter case, adds a warning (W002) to
/// `notes`.
///
/// Design: catalog-files.
pub fn open_log(context: &Context, settings: Settings, notes: &mut Notes) -> Option<AuditLog> {
    if !settings.enabled {
        return None;
    }
    let places = [Some(Store::global(context).state()), local_place(context)];
    for db in places.into_iter().flatten() {
        match AuditLog::open(&db) {
            Ok(log) => {
                notes.detail(format!("audit   {}", db.display()));
                return Some(log);
            }
            Err(fault) => notes.detail(format!("audit   not written to {}: {fault}", db.display())),
        }
    }
    notes.warn(Warning::LoggingDisabled {});
    None
}

/// Returns the path of the log to use if the user's state file is not writable; `None` if the working directory has no
/// `.skillc`.
fn local_place(context: &Context) -> Option<PathBuf> {
    let marked = local_logs(&context.cwd);
    let marked = marked.parent().is_some_and(Path::is_dir);
    let db = marked.then(|| local_state(&context.cwd));
    db.filter(|db| check_path(&context.home, db).is_ok())
}

fn filter(context: &Context, request: &AuditRequest) -> Result<CallFilter> {
    let (since, until) = (request.since.as_deref(), request.until.as_deref());
    let [since, until] = bounds(context.clock.now(), since, until)?;
    let names = |tool: &String| vec![tool.clone(), format!("{PREFIX}{tool}")];
    Ok(CallFilter {
        tools: request.tool.as_ref().map(names).unwrap_or_default(),
        since,
        until,
        errors_only: request.errors,
        limit: request.limit,
    })
}

/// Reads the calls logged below the working directory.
///
/// The file may come from the repository, so its rows may be forged: rows from the future, or with values that no
/// server writes, are dropped. An unreadable file does not hide the user's own calls.
fn local_calls(toolkit: &Toolkit, filter: &CallFilter, notes: &mut Notes) -> Option<Calls> {
    let context = &toolkit.context;
    let db = local_state(&context.cwd);
    if let Err(error) = check_path(&context.home, &db) {
        notes.warn(error);
        return None;
    }
    let now = context.clock.now();
    let filter = CallFilter {
        until: Some(filter.until.map_or(now, |until| until.min(now))),
        ..filter.clone()
    };
    read_calls(&db, &filter, is_plausible, &toolkit.stop).unwrap_or_else(|reason| {
        notes.warn(Warning::LogUnusable {
            path: db.display().to_string(),
            reason: reason.reason().to_owned(),
        });
        None
    })
}

/// Returns whether a server could have written a call.
fn is_plausible(call: &Call) -> bool {
    let is_name = |text: &str, is_part: fn(&u8) -> bool| {
        (1..=MAX_NAME_BYTES).contains(&text.len()) && text.as_bytes().iter().all(is_part)
    };
    let is_code = |code: &String| is_name(code, |c| c.is_ascii_alphanumeric() || *c == b'_');
    let is_end_plausible = call.end.as_ref().is_none_or(|end| {
        let is_sha = |sha: &String| sha.len() == 64 && is_name(sha, u8::is_ascii_hexdigit);
        end.error_code.as_ref().is_none_or(is_code)
            && end.result_sha256.as_ref().is_none_or(is_sha)
            && end
                .duration_ms
                .is_none_or(|ms| (0.0..=MAX_DURATION_MS).contains(&ms))
    });
    Timestamp::parse(&call.at).is_some()
        && is_name(&call.tool, |c| {
            c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.')
        })
        && is_end_plausible
}

fn unusable(db: &Path, reason: StateUnusable) -> Error {
    let hint = match reason {
        StateUnusable::Damaged | StateUnusable::Foreign => {
            Some("Move the file away; the server creates a new one at its next start.".into())
        }
        StateUnusable::Newer => Some("Use the newer skc to read it.".into()),
        StateUnusable::Busy => Some("Another program is using it. Try again later.".into()),
        StateUnusable::Denied | StateUnusable::Interrupted => None,
    };
    Error::Internal {
        message: format!("reading '{}': {}", db.display(), reason.reason()),
        hint,
    }
}
