//! What every call of a tool passes: its turn, the check of its arguments, the audit, the operation.
//!
//! The steps are in one function, and there is no other way to an operation. However a call ends (with an answer, an
//! error, a panic, or given up by the client), its turn ends and the audit has how.
//!
//! Source: CATALOG 2.5 and 3.10, RULINGS R7, R17.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use serde_json::Value;
use skillc_core::Error;
use skillc_ops::{NoProgress, Notes, Progress, Stop, Toolkit, hint};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, mpsc};
use tokio::task::spawn_blocking;

use crate::audit::{Audited, End};
use crate::progress::Told;
use crate::server::Server;
use crate::tools::{Answer, Entry};

/// How long a client may take to read a notice.
const PATIENCE: Duration = Duration::from_secs(1);

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
    let stop = Stop::default();
    let turn = turn(&entry, &context).await;
    if context.ct.is_cancelled() {
        stop.raise();
    }
    let (notices, mut told) = mpsc::unbounded_channel();
    let call = Call {
        _room: server.room(&context).await?,
        server,
        entry,
        arguments: request.arguments.unwrap_or_default(),
        progress: context
            .meta
            .get_progress_token()
            .map(|token| Told::new(notices, token)),
        stop: stop.clone(),
    };
    let after = call.server.clone();
    let mut work = spawn_blocking(move || {
        let result = call.run();
        drop(turn);
        result
    });
    let mut listens = true;
    let result = loop {
        tokio::select! {
            // What is told of a call comes before its answer.
            biased;
            Some(notice) = told.recv(), if listens => {
                listens = tell(&context, notice).await;
            }
            result = &mut work => break result,
            () = context.ct.cancelled(), if !stop.is_raised() => stop.raise(),
        }
    };
    while listens && let Ok(notice) = told.try_recv() {
        listens = tell(&context, notice).await;
    }
    if after.audit.is_to_be_pruned() {
        spawn_blocking(move || after.audit.prune(&after.toolkit));
    }
    result.map_err(|e| ErrorData::internal_error(format!("the call was lost: {e}"), None))
}

/// Sends a notice. Returns false if that takes too long: a client that does not read its notifications, or has closed its
/// input, only misses them.
async fn tell(context: &RequestContext<RoleServer>, notice: ProgressNotificationParam) -> bool {
    let sent = context.peer.notify_progress(notice);
    tokio::time::timeout(PATIENCE, sent).await.is_ok()
}

/// Waits for the tool's turn, if its calls must not overlap, or until the client gives the call up.
async fn turn(entry: &Entry, context: &RequestContext<RoleServer>) -> Option<OwnedMutexGuard<()>> {
    let turn = Arc::clone(entry.turn.as_ref()?).lock_owned();
    tokio::select! {
        biased;
        turn = turn => Some(turn),
        () = context.ct.cancelled() => None,
    }
}

/// A call whose turn it is.
struct Call {
    server: Server,
    entry: Arc<Entry>,
    arguments: JsonObject,
    progress: Option<Told>,
    stop: Stop,
    /// Given back when the call is over.
    _room: OwnedSemaphorePermit,
}

impl Call {
    /// Runs on a thread of its own.
    fn run(mut self) -> CallToolResult {
        let arguments = std::mem::take(&mut self.arguments);
        let progress: Box<dyn Progress> = match self.progress.take() {
            Some(told) => Box::new(told),
            None => Box::new(NoProgress),
        };
        let toolkit = self.server.toolkit.for_call(progress, self.stop.clone());
        let audit = &self.server.audit;
        let mut audited = audit.follow(&toolkit, &self.entry.tool.name, &arguments);
        let answer = AssertUnwindSafe(|| self.answer(&toolkit, arguments, &mut audited));
        let (answer, fault) = catch_unwind(answer).unwrap_or_else(|_| {
            let error = Error::internal("the operation panicked");
            (Answer::from(error), Some("HANDLER_ERROR"))
        });
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
        arguments: JsonObject,
        audited: &mut Audited<'_>,
    ) -> (Answer, Option<&'static str>) {
        audited.trace("tool-lock");
        audited.trace("schema-validate");
        let checked = self.entry.checked(arguments);
        // Whoever gave up while waiting for the turn wants nothing done.
        let checked = checked.and_then(|arguments| self.stop.check().map(|()| arguments));
        let arguments = match checked {
            Ok(arguments) => arguments,
            Err(error) => {
                let fault = error.code();
                return (Answer::from(error), Some(fault));
            }
        };
        let mut said = Notes::default();
        audited.enter(&mut said);
        audited.trace("dispatch");
        let mut answer = self.entry.call(toolkit, arguments);
        answer.notes.append(said);
        let fault = answer.result.as_ref().err().map(Error::code);
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
