//! Questions to the person behind a client, and what they answer.
//!
//! Nothing but a plain yes in the form that was asked for is a yes: a form closed, a client that says nothing for too long,
//! or an answer to another question is a no.
//!
//! Source: CATALOG 3.7 (confirm), D21.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, EnumSchema, InputRequest, InputRequests, InputResponses,
    ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::Value;
use skillc_core::context::Choice;
use tokio::sync::{mpsc, oneshot};

/// The member of the form that holds the answer.
const CHOICE: &str = "choice";

/// What a question is called among those that an answer is asked for.
const CONFIRM: &str = "confirm";

/// How long a client may take to read that a question is withdrawn.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads what a client brings along with a call that it makes again; `None` if that is no answer to our question.
pub(crate) fn choice(responses: &InputResponses) -> Option<Choice> {
    let response = responses.get(CONFIRM)?;
    let result = serde_json::from_value::<ElicitResult>(response.clone());
    Some(result.map_or(Choice::No, |result| of(&result)))
}

/// Reads what a person says.
fn of(result: &ElicitResult) -> Choice {
    let choice = result.content.as_ref().and_then(|form| form.get(CHOICE));
    match (&result.action, choice.and_then(Value::as_str)) {
        (ElicitationAction::Accept, Some("once")) => Choice::Once,
        (ElicitationAction::Accept, Some("always")) => Choice::Always,
        _ => Choice::No,
    }
}

/// How a client can be asked during a call.
pub(crate) enum Way {
    /// It did not say that it can be.
    None,
    /// By a request of our own.
    Request(mpsc::Sender<Question>),
    /// By an end of the call that asks for an answer, with which the client makes the call again. What it brought this time.
    Result {
        /// What it was given to bring back; anything, as far as anybody knows.
        state: Option<String>,
        /// What the person said.
        responses: Option<InputResponses>,
    },
}

/// A question on its way to the client.
pub(crate) struct Question {
    text: String,
    reply: oneshot::Sender<Choice>,
}

/// Asks and waits for the answer; called on a blocking thread.
pub(crate) fn ask(questions: &mpsc::Sender<Question>, text: String) -> Choice {
    let (reply, word) = oneshot::channel();
    match questions.blocking_send(Question { text, reply }) {
        Ok(()) => word.blocking_recv().unwrap_or(Choice::No),
        Err(_) => Choice::No,
    }
}

impl Question {
    /// Puts the question to the client of a request, within the task that handles it.
    pub(crate) async fn put(self, context: RequestContext<RoleServer>, patience: Duration) {
        let Self { text, reply } = self;
        let peer = &context.peer;
        let request = ServerRequest::ElicitRequest(request(text));
        let asked = peer.send_request_with_option(request, PeerRequestOptions::no_options());
        // What cannot be put is answered by nobody.
        let Ok(Ok(mut handle)) = tokio::time::timeout(PATIENCE, asked).await else {
            return;
        };
        let word = tokio::select! {
            result = &mut handle.rx => match result {
                Ok(Ok(ClientResult::ElicitResult(result))) => Some(of(&result)),
                // What is no answer to it is no yes.
                _ => Some(Choice::No),
            },
            () = tokio::time::sleep(patience) => None,
            () = context.ct.cancelled() => None,
        };
        // Whoever asked may have turned away.
        let _ = reply.send(word.unwrap_or(Choice::No));
        if word.is_none() {
            let withdrawn = CancelledNotificationParam::new(Some(handle.id.clone()), None);
            let told = peer.notify_cancelled(withdrawn);
            let _ = tokio::time::timeout(PATIENCE, told).await;
        }
    }
}

/// Returns what a client is asked to ask.
pub(crate) fn requests(text: String) -> InputRequests {
    BTreeMap::from([(CONFIRM.to_owned(), InputRequest::Elicitation(request(text)))])
}

fn request(message: String) -> ElicitRequest {
    let choices = ["once", "always", "no"].map(str::to_owned).to_vec();
    let choice = EnumSchema::builder(choices).untitled().build();
    let form = ElicitationSchema::builder()
        .required_enum_schema(CHOICE, choice)
        .build_unchecked();
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: form,
    })
}

/// Says whether the client of a request can show a form.
pub(crate) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // At first there were only forms, and nothing was said of them.
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// Says whether a request stands alone, so that nothing is asked before it is answered.
pub(crate) fn stands_alone(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Says whether a request came over a connection that began with a handshake.
pub(crate) fn has_handshake(context: &RequestContext<RoleServer>) -> bool {
    context.meta.protocol_version().is_none() && context.peer.peer_info().is_some()
}
