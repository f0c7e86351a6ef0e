//! What every call of a tool passes: its turn, the check of its arguments, the audit, the operation.
//!
//! The steps are in one function, and there is no other way to an operation. However a call ends (with an answer, an
//! error, a panic, or given up by the client), its turn ends and the audit has how.
//!
//! Source: CATALOG 2.5 and 3.10, RULINGS R7, R17.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, ErrorData, JsonObject, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use skillc_core::Error;
use skillc_ops::{NoProgress, Notes, Progress, Stop, Toolkit, hint};
use tokio::runtime::Handle;

use crate::arguments::without_nulls;
use crate::audit::{Audited, End};
use crate::progress::Told;
use crate::server::Server;
use crate::tools::{Answer, Entry};

/// Makes a call.
///
/// # Errors
/// Invalid parameters (-32602) if there is no such tool; every other failure is a result that says so.
pub(crate) async fn call(
    server: Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let entry = server.tools.find(&request.name);
    let entry = Arc::clone(entry.map_err(|message| ErrorData::invalid_params(message, None))?);
    let turn = match &entry.turn {
        Some(turn) => Some(Arc::clone(turn).lock_owned().await),
        None => None,
    };
    let stop = Stop::default();
    if context.ct.is_cancelled() {
        stop.raise();
    }
    let call = Call {
        server,
        entry,
        arguments: request.arguments.unwrap_or_default(),
        progress: progress(&context),
        stop: stop.clone(),
    };
    let mut work = tokio::task::spawn_blocking(move || {
        let result = call.run();
        drop(turn);
        result
    });
    let result = tokio::select! {
        result = &mut work => result,
        () = context.ct.cancelled() => {
            stop.raise();
            work.await
        }
    };
    result.map_err(|e| ErrorData::internal_error(format!("the call was lost: {e}"), None))
}

fn progress(context: &RequestContext<RoleServer>) -> Option<(Peer<RoleServer>, ProgressToken)> {
    let token = context.meta.get_progress_token()?;
    Some((context.peer.clone(), token))
}

/// A call whose turn it is.
struct Call {
    server: Server,
    entry: Arc<Entry>,
    arguments: JsonObject,
    progress: Option<(Peer<RoleServer>, ProgressToken)>,
    stop: Stop,
}

impl Call {
    /// Runs on a thread of its own.
    fn run(mut self) -> CallToolResult {
        let arguments = std::mem::take(&mut self.arguments);
        let arguments = without_nulls(arguments, &self.entry.tool.input_schema);
        let arguments = Value::Object(arguments);
        let progress: Box<dyn Progress> = match self.progress.take() {
            Some((peer, token)) => Box::new(Told::new(peer, token, Handle::current())),
            None => Box::new(NoProgress),
        };
        let toolkit = self.server.toolkit.for_call(progress, self.stop.clone());
        let audit = &self.server.audit;
        let mut audited = audit.follow(&toolkit, &self.entry.tool.name, &arguments);
        let (answer, fault) = self.answer(&toolkit, arguments, &mut audited);
        let mut said = answer.notes;
        let (text, value) = match answer.result {
            Ok((value, text)) => (text, Some(value)),
            Err(error) => (error_text(&toolkit, &error), None),
        };
        let end = match fault {
            _ if self.stop.is_raised() => End::Failed("CANCELLED", "the client gave the call up"),
            Some(code) => End::Failed(code, text.lines().next().unwrap_or_default()),
            None => End::Answered(&text),
        };
        let mut warnings = self.server.news(&mut said);
        audited.exit(&end, warnings.clone(), &mut said);
        warnings.extend(self.server.news(&mut said));
        let texts = [text].into_iter().chain(warnings);
        result(texts.map(ContentBlock::text).collect(), value)
    }

    /// Checks the arguments and runs the operation. Also returns the code of a failure, for the audit.
    fn answer(
        &self,
        toolkit: &Toolkit,
        arguments: Value,
        audited: &mut Audited<'_>,
    ) -> (Answer, Option<&'static str>) {
        audited.trace("tool-lock");
        audited.trace("schema-validate");
        let checked = self.entry.check(&arguments);
        // Whoever gave up while waiting for the turn wants nothing done.
        if let Err(error) = checked.and_then(|()| self.stop.check()) {
            let fault = error.code();
            return (Answer::from(error), Some(fault));
        }
        let mut said = Notes::default();
        audited.enter(&mut said);
        audited.trace("dispatch");
        let (mut answer, fault) = dispatch(&self.entry, toolkit, arguments);
        answer.notes.append(said);
        (answer, fault)
    }
}

fn result(content: Vec<ContentBlock>, value: Option<Value>) -> CallToolResult {
    let Some(value) = value else {
        return CallToolResult::error(content);
    };
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(value);
    result
}

/// Runs the operation. Also returns the code of a failure, for the audit.
fn dispatch(entry: &Entry, toolkit: &Toolkit, arguments: Value) -> (Answer, Option<&'static str>) {
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => JsonObject::new(),
    };
    let run = AssertUnwindSafe(|| entry.call(toolkit, arguments));
    match catch_unwind(run) {
        Ok(answer) => {
            let code = answer.result.as_ref().err().map(Error::code);
            (answer, code)
        }
        Err(_) => {
            let answer = Answer::from(Error::internal("the operation panicked"));
            (answer, Some("HANDLER_ERROR"))
        }
    }
}

/// Returns what the command line prints of an error: the line, and what helps.
fn error_text(toolkit: &Toolkit, error: &Error) -> String {
    let lines = [
        Some(error.to_string()),
        error.details(),
        hint(&toolkit.context, error),
    ];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    lines.join("\n")
}
