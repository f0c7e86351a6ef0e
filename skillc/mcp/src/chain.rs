//! The steps of every tool call: wait for the tool's turn, validate the arguments, audit the call, check the permission
//! rules, and run the operation.
//!
//! Every call that the queue accepts goes through these steps: operations cannot be reached in any other way. However a
//! call ends (answer, error, panic, or cancellation by the client), its turn is released and the audit log records the
//! outcome.
//!
//! Design: REG-MW, catalog-chain, R7, R17.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use skillc_core::{Error, Stop};
use skillc_ops::Caller;
use skillc_ops::audit::{Audited, Exit};
use skillc_ops::{Form, NoProgress, Notes, Progress, Toolkit, hint_for};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, mpsc};
use tokio::task::spawn_blocking;

use crate::access_check;
use crate::ask::{Question, Way, can_ask, has_handshake, stands_alone};
use crate::asking::Client;
use crate::envelope::envelope;
use crate::progress::Told;
use crate::server::Server;
use crate::tools::{Answer, End, Failure, ToolEntry};

/// Timeout for sending one notification.
const PATIENCE: Duration = Duration::from_secs(1);

/// Handles one tool call.
///
/// # Errors
/// Invalid parameters (-32602) if the tool does not exist; an internal error if too many calls are waiting, or if the
/// task of the call is lost. Every other failure is returned as a result with an error.
pub(crate) async fn call(
    server: Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let entry = server.tools.find(&request.name);
    let entry = Arc::clone(entry.map_err(|message| ErrorData::invalid_params(message, None))?);
    let (stop, begun) = (Stop::default(), Instant::now());
    let place = server.place(request.arguments.as_ref());
    if place.is_err() {
        server.count(&entry.tool.name, "refused", begun.elapsed());
    }
    let place = place?;
    let turn = turn(&entry, &context).await;
    let room = server.room(&context).await;
    drop(place);
    if context.ct.is_cancelled() {
        stop.raise();
    }
    let room = match room {
        Ok(room) => Some(room),
        // The call was cancelled while it waited: do not run the operation, but still audit the call.
        Err(_) if stop.is_raised() => None,
        Err(busy) => return Err(busy),
    };
    let (notices, mut told) = mpsc::unbounded_channel();
    let (questions, mut asked) = mpsc::channel(1);
    let call = Call {
        _room: room,
        entry,
        arguments: request.arguments.unwrap_or_default(),
        progress: context
            .meta
            .get_progress_token()
            .map(|token| Told::new(notices, token)),
        stop: stop.clone(),
        begun,
        has_connection: has_handshake(&context),
        way: match (can_ask(&context), stands_alone(&context)) {
            (false, _) => Way::None,
            (true, false) => Way::Request(questions),
            (true, true) => Way::Result {
                state: request.request_state,
                responses: request.input_responses,
            },
        },
        server,
    };
    let after = call.server.clone();
    let mut work = spawn_blocking(move || {
        let result = call.run();
        drop(turn);
        result
    });
    let mut listens = true;
    let mut asking: Option<Pin<Box<dyn Future<Output = ()> + Send>>> = None;
    let result = loop {
        tokio::select! {
            // Send the notifications of a call before its response.
            biased;
            Some(notice) = told.recv(), if listens => {
                listens = tell(&context, notice).await;
            }
            result = &mut work => break result,
            () = context.ct.cancelled(), if !stop.is_raised() => {
                stop.raise();
                asked.close();
            }
            Some(question) = asked.recv(), if asking.is_none() => {
                asking = Some(Box::pin(Question::put(question, context.clone(), after.patience)));
            }
            () = finished(&mut asking), if asking.is_some() => asking = None,
        }
    };
    finished(&mut asking).await;
    while listens && let Ok(notice) = told.try_recv() {
        listens = tell(&context, notice).await;
    }
    after.tell_changes();
    if after.audit.is_to_be_pruned() {
        spawn_blocking(move || after.audit.prune(&after.toolkit));
    }
    result.map_err(|e| ErrorData::internal_error(format!("the call was lost: {e}"), None))
}

/// Waits until the pending question has been answered. Returns immediately if there is none.
async fn finished(asking: &mut Option<Pin<Box<dyn Future<Output = ()> + Send>>>) {
    if let Some(asking) = asking {
        asking.await;
    }
}

/// Sends a progress notification. Returns false on timeout: a client that does not read its notifications, or has
/// closed its input, simply misses them.
async fn tell(context: &RequestContext<RoleServer>, notice: ProgressNotificationParam) -> bool {
    let sent = context.peer.notify_progress(notice);
    tokio::time::timeout(PATIENCE, sent).await.is_ok()
}

/// Waits for the turn of a tool whose calls must not overlap. Returns `None` if calls to the tool may overlap, or if
/// the client cancels the call.
async fn turn(
    entry: &ToolEntry,
    context: &RequestContext<RoleServer>,
) -> Option<OwnedMutexGuard<()>> {
    let turn = Arc::clone(entry.turn.as_ref()?).lock_owned();
    tokio::select! {
        biased;
        turn = turn => Some(turn),
        () = context.ct.cancelled() => None,
    }
}

/// A call that is ready to run.
struct Call {
    server: Server,
    entry: Arc<ToolEntry>,
    arguments: JsonObject,
    progress: Option<Told>,
    stop: Stop,
    /// When the request arrived.
    begun: Instant,
    way: Way,
    has_connection: bool,
    /// The permit to run, released when the call ends.
    _room: Option<OwnedSemaphorePermit>,
}

impl Call {
    /// Runs the call. This blocks, so it needs its own thread.
    fn run(mut self) -> CallToolResponse {
        let arguments = std::mem::take(&mut self.arguments);
        let progress: Box<dyn Progress> = match self.progress.take() {
            Some(told) => Box::new(told),
            None => Box::new(NoProgress),
        };
        let mut toolkit = self.server.toolkit.for_call(progress, self.stop.clone());
        let connection = self
            .has_connection
            .then(|| Arc::clone(&self.server.connection));
        toolkit.caller = Some(Caller::new(connection));
        let way = std::mem::replace(&mut self.way, Way::None);
        let clock = Arc::clone(&toolkit.context.clock);
        let client = Arc::new(Client::new(way, Arc::clone(&self.server.questions), clock));
        toolkit.asker = client.clone();
        let audit = &self.server.audit;
        let mut audited = audit.follow(&toolkit, &self.entry.tool.name, &arguments);
        let answer = AssertUnwindSafe(|| self.answer(&toolkit, arguments, &mut audited));
        let Answer {
            mut end,
            notes: mut said,
            when_sent,
        } = catch_unwind(answer).unwrap_or_else(|_| panicked().into());
        if self.stop.is_raised() {
            end = End::Failed(given_up());
        } else if let Some(question) = client.pending() {
            end = End::Asked(Box::new(question));
        } else if let Some(when_sent) = when_sent {
            when_sent(&toolkit);
        }
        let outcome = match &end {
            _ if self.stop.is_raised() => "cancelled",
            End::Said { .. } => "ok",
            End::Failed(_) => "error",
            End::Asked(_) => "asked",
        };
        let tool = &self.entry.tool.name;
        self.server.count(tool, outcome, self.begun.elapsed());
        let warnings = self.server.news(&mut said);
        let form = self.entry.form;
        let failed = match &end {
            End::Asked(question) => {
                let question = question.as_ref().clone();
                audited.exit(&Exit::Asked, warnings, &mut said);
                return question.into();
            }
            End::Failed(failure) => Some((failure.code, exit_message(form, failure))),
            End::Said { .. } => None,
        };
        let mut result = result(&toolkit, form, end, &warnings);
        let text = result.content.first().and_then(ContentBlock::as_text);
        let exit = match &failed {
            Some((code, message)) => Exit::Failed(code, message),
            None => Exit::Answered(text.map_or("", |text| &text.text)),
        };
        audited.exit(&exit, warnings, &mut said);
        let late = self.server.news(&mut said).into_iter();
        result.content.extend(late.map(ContentBlock::text));
        result.into()
    }

    /// Validates the arguments and runs the operation.
    fn answer(
        &self,
        toolkit: &Toolkit,
        arguments: JsonObject,
        audited: &mut Audited<'_>,
    ) -> Answer {
        let given = self.entry.checked(arguments).map(|arguments| {
            let given = access_check::Asked::new(&self.entry, &arguments);
            (given, self.entry.ready(toolkit, arguments))
        });
        let (asked, call) = match given {
            Ok((asked, Ok(call))) => (asked, call),
            Ok((_, Err(failure))) | Err(failure) => return failure.into(),
        };
        // The call was cancelled while it waited for its turn: do not run the operation.
        if self.stop.is_raised() {
            return given_up().into();
        }
        let mut said = Notes::default();
        audited.enter(&mut said);
        let open = access_check::check(toolkit, &self.entry, &asked, &mut said);
        if let Err(failure) = open {
            return Answer::new::<Failure>(Err(failure), said);
        }
        let mut answer = call(toolkit);
        answer.notes.append(said);
        answer
    }
}

fn panicked() -> Failure {
    Failure {
        code: "HANDLER_ERROR",
        ..Error::internal("the operation panicked").into()
    }
}

fn given_up() -> Failure {
    Failure {
        code: "CANCELLED",
        message: "the client cancelled the call".to_owned(),
        ..Error::internal("cancelled").into()
    }
}

/// Returns the message that the audit log records for a failure.
fn exit_message(form: Form, failure: &Failure) -> String {
    let line = match form {
        Form::Response if failure.code != "CANCELLED" => failure.error.to_string(),
        _ => return failure.message.clone(),
    };
    line.lines().next().unwrap_or_default().to_owned()
}

/// Converts the outcome of a call into the result for the client.
fn result(toolkit: &Toolkit, form: Form, end: End, warnings: &[String]) -> CallToolResult {
    let is_error = matches!(end, End::Failed(_));
    let (texts, value, warnings) = match (form, end) {
        (Form::Envelope, end) => {
            let (text, value) = envelope(end, warnings);
            (vec![text], Some(value), &[][..])
        }
        (
            Form::Response,
            End::Said {
                value,
                text,
                beside,
            },
        ) => {
            let texts = [Some(text.unwrap_or_default()), beside];
            (texts.into_iter().flatten().collect(), Some(value), warnings)
        }
        (Form::Response, End::Failed(failure)) => {
            (vec![error_text(toolkit, &failure.error)], None, warnings)
        }
        (Form::Response, End::Asked(_)) => (vec![String::new()], None, warnings),
    };
    let texts = texts.into_iter().chain(warnings.iter().cloned());
    let content = texts.map(ContentBlock::text).collect();
    let mut result = if is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = value;
    result
}

/// Returns an error as the command line prints it: the message, its details and a hint.
fn error_text(toolkit: &Toolkit, error: &Error) -> String {
    let lines = [
        Some(error.to_string()),
        error.details(),
        hint_for(toolkit.audience, &toolkit.context, error),
    ];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::time::Duration;

    use rmcp::model::Tool;
    use serde_json::{Value, json};
    use skillc_core::Context;
    use skillc_core::config::Toolset;
    use skillc_core::testkit::{FixedClock, NOW};
    use skillc_storage::audit_calls::{CallFilter, read_calls};
    use tempfile::TempDir;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::arguments::Issue;
    use crate::stdio::{run, serve_over};
    use crate::tools::{Ready, Tools};

    /// Creates a tool without arguments whose calls must not overlap.
    fn test_chain(
        name: &'static str,
        ready: fn(&Toolkit, JsonObject) -> Result<Ready, Issue>,
    ) -> ToolEntry {
        ToolEntry {
            tool: Tool::new(name, "", JsonObject::new()),
            turn: Some(Arc::default()),
            form: Form::Response,
            gives_skill: false,
            ready,
        }
    }

    /// Serves these calls in a home directory, with two additional tools: one panics, and the other fails. Returns the
    /// responses by id.
    fn answers(home: &Path, calls: &[(&str, Value)]) -> BTreeMap<u64, Value> {
        let env = BTreeMap::new();
        let clock = Arc::new(FixedClock(NOW));
        let context = Context::new(home.to_path_buf(), Some(home.to_path_buf()), env, clock);
        let (toolkit, _) = Toolkit::new(context.expect("a home is given")).expect("plug-ins");
        let mut server = Server::new(toolkit, Toolset::Skc).expect("tools");
        let mut tools = Tools::new(Toolset::Skc).expect("tools");
        for entry in [
            test_chain("panics", |_, _| Ok(Box::new(|_| panic!("on purpose")))),
            test_chain("fails", |_, _| {
                Ok(Box::new(|_| Error::EmptyQuery {}.into()))
            }),
        ] {
            tools.register(entry).expect("a unique name");
        }
        server.tools = Arc::new(tools);
        let client = json!({"name": "a test", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let mut lines =
            vec![json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})];
        lines.extend((1..).zip(calls).map(|(id, (name, arguments))| {
            let params = json!({"name": name, "arguments": arguments});
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        }));
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let text = lines.join("\n") + "\n";
        let mut said = String::new();
        let conversation = async {
            let (ours, theirs) = tokio::io::duplex(1 << 20);
            let (input, output) = tokio::io::split(theirs);
            let (mut answers, mut questions) = tokio::io::split(ours);
            let serving = tokio::spawn(serve_over(server, input, output));
            questions
                .write_all(text.as_bytes())
                .await
                .expect("it reads");
            questions.shutdown().await.expect("it reads");
            serving.await.expect("the server ends");
            drop(questions);
            answers.read_to_string(&mut said).await.expect("text");
            Ok(())
        };
        let bounded = async { tokio::time::timeout(Duration::from_secs(60), conversation).await };
        run(async { bounded.await.expect("in time") }).expect("a runtime");
        let answers = said
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let by_id = |answer: Value| (answer["id"].as_u64().expect("a number"), answer);
        answers.map(by_id).collect()
    }

    /// REG-MW.1, REG-MW.5, REG-MW.6, REG-MW.7: a panic ends its call and nothing else.
    #[test]
    fn a_panicking_operation_is_audited_and_releases_its_turn() {
        let home = TempDir::new().expect("a directory");
        let panics = ("panics", json!({}));
        let calls = [
            panics.clone(),
            panics.clone(),
            ("fails", json!({})),
            panics,
            ("skc_list", json!({})),
        ];
        let answers = answers(home.path(), &calls);
        for (id, code) in [(1, "E999"), (2, "E999"), (3, "E004"), (4, "E999")] {
            let result = &answers[&id]["result"];
            assert_eq!(result["isError"], true, "{result}");
            let text = result["content"][0]["text"].as_str().expect("a text");
            assert!(text.starts_with(&format!("error[{code}]: ")), "{text}");
            assert!(!text.contains("on purpose"), "{text}");
        }
        assert_eq!(answers[&5]["result"]["isError"], false);
        let state = home.path().join(".skillc/state.db");
        let filter = CallFilter {
            limit: 10,
            ..CallFilter::default()
        };
        let calls = read_calls(&state, &filter, |_| true, &Stop::default()).expect("a log");
        let calls = calls.expect("a log").newest;
        let panicked = calls.iter().filter(|call| call.tool == "panics");
        for call in panicked.clone() {
            let end = call.end.as_ref().expect("a row at its end");
            assert_eq!(end.ok, Some(false));
            assert_eq!(end.error_code.as_deref(), Some("HANDLER_ERROR"));
            assert!(end.duration_ms.is_some_and(|duration| duration >= 0.0));
        }
        assert_eq!((panicked.count(), calls.len()), (3, 5));
    }
}
