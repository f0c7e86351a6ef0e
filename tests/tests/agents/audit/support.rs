//! Writes sample calls into an audit log and reads them with `skc audit`.

use std::path::{Path, PathBuf};

use serde_json::Value;
use skillc_core::testkit::NOW;
use skillc_storage::audit_log::kept_arguments;
use skillc_storage::{AuditLog, CallBegun, CallEnded};
use skillc_tests::{Output, World};

/// Returns the path of the user's state file.
pub(crate) fn primary(world: &World) -> PathBuf {
    world.home.join(".skillc/state.db")
}

/// Returns the path of the fallback state file in the working directory.
pub(crate) fn local(world: &World) -> PathBuf {
    world.cwd.join(".skillc/logs/state.db")
}

/// Creates a call that began this many seconds ago.
pub(crate) fn begun(id: &str, tool: &str, seconds_ago: i64, args: &Value) -> CallBegun {
    CallBegun {
        call_id: id.into(),
        at_ms: (NOW.0 - seconds_ago) * 1_000,
        run_id: "run".into(),
        tool: tool.into(),
        cwd: "/w".into(),
        args: Some(kept_arguments(args)),
    }
}

/// Creates the end of a call that succeeded after four milliseconds.
pub(crate) fn ended(call: &CallBegun) -> CallEnded {
    CallEnded {
        call_id: call.call_id.clone(),
        at_ms: call.at_ms + 4,
        run_id: call.run_id.clone(),
        tool: call.tool.clone(),
        cwd: call.cwd.clone(),
        ok: Some(true),
        duration_ms: 3.75,
        result_bytes: Some(120),
        result_sha256: Some("ab".repeat(32)),
        ..CallEnded::default()
    }
}

/// Creates the end of a failed call.
pub(crate) fn failed(call: &CallBegun, code: &str, message: &str) -> CallEnded {
    CallEnded {
        ok: Some(false),
        error_code: Some(code.into()),
        error_message: Some(message.into()),
        result_bytes: None,
        result_sha256: None,
        ..ended(call)
    }
}

/// Logs a successful call.
pub(crate) fn write(db: &Path, call: &CallBegun) {
    let mut log = AuditLog::open(db).expect("a log");
    log.enter(call).expect("a row");
    log.exit(&ended(call)).expect("a row");
}

/// Returns the ids of the calls that `skc audit` shows with these arguments, in order.
#[track_caller]
pub(crate) fn shown(world: &World, args: &[&str]) -> Vec<String> {
    ids(&audit(world, args).success())
}

/// Runs `skc audit -o json`.
pub(crate) fn audit(world: &World, args: &[&str]) -> Output {
    let args: Vec<&str> = ["audit", "-o", "json"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    world.skc_at(&world.cwd, &args)
}

/// Returns the ids of the calls in a response.
pub(crate) fn ids(answer: &Output) -> Vec<String> {
    let json = answer.json();
    let calls = json["calls"].as_array().expect("a list");
    let id = |call: &Value| call["call_id"].as_str().expect("a name").to_owned();
    calls.iter().map(id).collect()
}
