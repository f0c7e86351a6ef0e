//! The tools of the catalog: how an agent finds a skill, is given it, and sees what there is.
//!
//! They answer with an envelope, which says whether it went well; their handlers are one file each. What they need of the
//! server beside the chain is in [`Kept`].
//!
//! Source: CATALOG 3.7, 3.9, 3.11, RULINGS R7, R13, R17.

mod catalog_list;
mod confirm;
mod context_inspect;
mod runs;
mod seal;
mod skill_list;
mod skill_load;
mod skill_search;

pub(crate) mod changes;
pub(crate) mod instructions;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use skillc_catalog::{Catalog, Refusal};
use skillc_core::config::Toolset;
use skillc_core::{Error, Notice};
use skillc_ops::catalog::Look;
use skillc_ops::{Effect, Notes, Toolkit};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::arguments::Issue;
use crate::schema;
use crate::server::Server;
use crate::tools::{Answer, End, Entry, Failure, Form, Job, annotations, check_size};

pub(crate) use runs::Connection;

/// The most questions that wait for an answer at once.
const MAX_ASKED: usize = 8;

/// The most warnings that wait for a tool to say them.
const MAX_UNSAID: usize = 100;

/// What a server keeps for these tools from call to call.
pub(crate) struct Kept {
    runs: runs::KeptRuns,
    seals: seal::Seals,
    /// Whom to tell that the list of skills has changed.
    pub(crate) changes: changes::Changes,
    questions: Semaphore,
    registry: skill_list::Started,
    /// What is to be said of a catalog, but was found out where nothing can be said.
    unsaid: Mutex<Vec<Notice>>,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            runs: runs::KeptRuns::default(),
            seals: seal::Seals::default(),
            changes: changes::Changes::default(),
            questions: Semaphore::new(MAX_ASKED),
            registry: skill_list::Started::default(),
            unsaid: Mutex::default(),
        }
    }
}

impl Kept {
    /// Returns the catalog of the server's working directory.
    pub(crate) fn catalog(&self, toolkit: &Toolkit, look: Look, notes: &mut Notes) -> Arc<Catalog> {
        let catalog = toolkit.catalog(look, notes);
        notes.notices.append(&mut self.unsaid());
        self.changes.saw(&catalog);
        catalog
    }

    /// Returns it for an answer that has no room for warnings: the next tool has them.
    pub(crate) fn catalog_to_read(&self, toolkit: &Toolkit, look: Look) -> Arc<Catalog> {
        let mut notes = Notes::default();
        let catalog = toolkit.catalog(look, &mut notes);
        let mut unsaid = self.unsaid();
        unsaid.extend(notes.notices);
        unsaid.truncate(MAX_UNSAID);
        self.changes.saw(&catalog);
        catalog
    }

    fn unsaid(&self) -> MutexGuard<'_, Vec<Notice>> {
        self.unsaid.lock()
    }
}

/// Makes sure that a server may start: with the skill registry, if the configuration insists on it.
///
/// # Errors
/// E066 if the skill registry cannot be used.
///
/// # Source
/// CATALOG REG-MCP.8, D7.
pub(crate) fn check_start(toolkit: &Toolkit, toolset: Toolset) -> skillc_core::Result<()> {
    if toolset == Toolset::Skc || !toolkit.config.registry.strict {
        return Ok(());
    }
    match skill_list::sync(toolkit, &mut Notes::default()) {
        // That is no trouble of the skill registry.
        Err(Error::SkillsDisabled {}) => Ok(()),
        result => result,
    }
}

/// Reads what the first requests are about, on a thread of its own.
pub(crate) fn start(server: &Server) {
    if server.toolset == Toolset::Skc {
        return;
    }
    let server = server.clone();
    spawn_blocking(move || server.kept.registry.is_usable(&server.toolkit, false));
}

/// Returns the tools, in the order in which an agent needs them.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        skill_search::tool(),
        skill_load::tool(),
        catalog_list::tool(),
        context_inspect::tool(),
        skill_list::tool(),
    ]
}

/// What a model is told of a tool.
struct About {
    name: &'static str,
    title: &'static str,
    text: &'static str,
}

/// Makes a tool that answers with an envelope around some data.
fn tool<Request: JsonSchema, Data: JsonSchema>(
    about: &About,
    call: fn(&Job<'_>, JsonObject) -> Answer,
) -> Entry {
    let tool = Tool::new(about.name, about.text, schema::input::<Request>())
        .with_title(about.title)
        .with_raw_output_schema(Arc::new(schema::envelope::<Data>()))
        .with_annotations(annotations(Effect::Reads));
    Entry {
        tool,
        turn: None,
        form: Form::Envelope,
        gives_skill: false,
        check: |_, _| None,
        call,
    }
}

/// Reads arguments that were checked.
fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Failure> {
    let request = serde_json::from_value(Value::Object(arguments));
    // A value that its schema allows, but not its type.
    request.map_err(|e| {
        invalid(vec![Issue::new(
            "arguments",
            "invalid_value",
            e.to_string(),
        )])
    })
}

/// Makes the end of a call that answers with data.
fn said(data: &impl Serialize) -> Result<End, Failure> {
    let fault = |error| Error::internal(format!("writing the answer: {error}"));
    let value = serde_json::to_value(data).map_err(|e| of_error(fault(e)))?;
    Ok(End::Said {
        value,
        text: None,
        beside: None,
    })
}

/// Says what is wrong with the arguments of a call.
pub(crate) fn invalid(issues: Vec<Issue>) -> Failure {
    let details = json!({ "issues": issues });
    let first = issues.into_iter().next();
    let error = first.map_or_else(|| Error::invalid_option("arguments"), Error::from);
    Failure {
        code: "INVALID_PARAMS",
        message: "schema validation failed".to_owned(),
        details: Some(details),
        error: Box::new(error),
    }
}

/// Says in the catalog's codes what went wrong. `E065` is the only one that another part of it has a word for.
fn of_error(error: Error) -> Failure {
    let code = match error {
        Error::SkillsDisabled {} => Refusal::SkillsDisabled.code(),
        _ => "HANDLER_ERROR",
    };
    Failure {
        code,
        ..error.into()
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let details = refusal.details();
        Self {
            code: refusal.code(),
            message: refusal.message(),
            details: details.and_then(|details| serde_json::to_value(details).ok()),
            error: Box::new(refusal.error()),
        }
    }
}

/// Returns the text and the envelope of an answer.
pub(crate) fn envelope(end: End, warnings: &[String]) -> (String, Value) {
    let (mut envelope, text) = match end {
        End::Said { value, text, .. } => (json!({"ok": true, "data": value}), text),
        End::Failed(failure) => (failed(failure), None),
        // It is no result of a tool.
        End::Asked(_) => (json!({"ok": false}), None),
    };
    if !warnings.is_empty() {
        envelope["warnings"] = json!(warnings);
    }
    let text = text.unwrap_or_else(|| envelope.to_string());
    match check_size(&text) {
        Ok(()) => (text, envelope),
        Err(error) => {
            let envelope = failed(of_error(error));
            (envelope.to_string(), envelope)
        }
    }
}

fn failed(failure: Failure) -> Value {
    let mut error = json!({"code": failure.code, "message": failure.message});
    if let Some(details) = failure.details {
        error["details"] = details;
    }
    json!({"ok": false, "error": error})
}
