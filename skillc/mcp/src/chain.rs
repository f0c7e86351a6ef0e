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
use skillc_ops::{NoProgress, Notes, Progress, Stop};
use tokio::runtime::Handle;

use crate::arguments::without_nulls;
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
    fn run(self) -> CallToolResult {
        let arguments = without_nulls(self.arguments, &self.entry.tool.input_schema);
        let arguments = Value::Object(arguments);
        if let Err(error) = self.entry.check(&arguments) {
            return failed(&error, &Notes::default(), &self.server);
        }
        let progress: Box<dyn Progress> = match self.progress {
            Some((peer, token)) => Box::new(Told::new(peer, token, Handle::current())),
            None => Box::new(NoProgress),
        };
        let toolkit = self.server.toolkit.for_call(progress, self.stop.clone());
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => JsonObject::new(),
        };
        let run = AssertUnwindSafe(|| self.entry.call(&toolkit, arguments));
        let Answer { result, notes } = catch_unwind(run).unwrap_or_else(|_| Answer {
            result: Err(Error::internal("the call panicked")),
            notes: Notes::default(),
        });
        match result {
            Ok((value, text)) => {
                let mut content = vec![ContentBlock::text(text)];
                content.extend(warnings(&notes, &self.server));
                let mut result = CallToolResult::success(content);
                result.structured_content = Some(value);
                result
            }
            Err(error) => failed(&error, &notes, &self.server),
        }
    }
}

/// Makes the result of a call that failed: the line that the command line prints, and what helps.
fn failed(error: &Error, notes: &Notes, server: &Server) -> CallToolResult {
    let mut text = error.to_string();
    if let Some(details) = error.details() {
        text = format!("{text}\n{details}");
    }
    let mut content = vec![ContentBlock::text(text)];
    content.extend(warnings(notes, server));
    CallToolResult::error(content)
}

fn warnings(notes: &Notes, server: &Server) -> Vec<ContentBlock> {
    let notices = notes.notices.iter();
    let fresh = notices.filter(|notice| server.is_news(notice));
    fresh
        .map(|notice| ContentBlock::text(notice.to_string()))
        .collect()
}
