//! Asks the user of a client a question, and reads the answer (elicitation).
//!
//! Only an explicit yes in the form is a yes. A dismissed form, a timeout, or an answer to another question means no.
//!
//! Design: catalog-policy, D21.

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

/// The form field that contains the answer.
const CHOICE: &str = "choice";

/// The key of our question in the map of requested inputs.
const CONFIRM: &str = "confirm";

/// Timeout for sending a question, and for withdrawing it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads the answer that comes with a repeated call; `None` if the client sent no answer to our question.
pub(crate) fn answer(responses: &InputResponses) -> Option<Choice> {
    let response = responses.get(CONFIRM)?;
    let result = serde_json::from_value::<ElicitResult>(response.clone());
    Some(result.map_or(Choice::No, |result| choice(&result)))
}

/// Converts an elicitation result into a choice.
fn choice(result: &ElicitResult) -> Choice {
    let choice = result.content.as_ref().and_then(|form| form.get(CHOICE));
    match (&result.action, choice.and_then(Value::as_str)) {
        (ElicitationAction::Accept, Some("once")) => Choice::Once,
        (ElicitationAction::Accept, Some("always")) => Choice::Always,
        _ => Choice::No,
    }
}

/// How a call can ask the client's user.
pub(crate) enum Way {
    /// The client does not support elicitation.
    None,
    /// With an elicitation request during the call.
    Request(mpsc::Sender<Question>),
    /// By ending the call with a request for input; the client then repeats the call with the answer. Contains the data
    /// that came with this call.
    Result {
        /// The state that the client returned. It is untrusted, because the client can send anything.
        state: Option<String>,
        /// The user's answers.
        responses: Option<InputResponses>,
    },
}

/// A question on its way to the client.
pub(crate) struct Question {
    text: String,
    reply: oneshot::Sender<Choice>,
}

/// Asks the question and waits for the answer; blocks the thread.
pub(crate) fn ask(questions: &mpsc::Sender<Question>, text: String) -> Choice {
    let (reply, word) = oneshot::channel();
    match questions.blocking_send(Question { text, reply }) {
        Ok(()) => word.blocking_recv().unwrap_or(Choice::No),
        Err(_) => Choice::No,
    }
}

impl Question {
    /// Sends the question to the client and waits for the answer. Withdraws the question after `patience`, or if the
    /// call is cancelled. Runs in the task that handles the client's request.
    pub(crate) async fn put(self, context: RequestContext<RoleServer>, patience: Duration) {
        let Self { text, reply } = self;
        let peer = &context.peer;
        let request = ServerRequest::ElicitRequest(request(text));
        let asked = peer.send_request_with_option(request, PeerRequestOptions::no_options());
        // If the question cannot be sent, dropping `reply` counts as a no.
        let Ok(Ok(mut handle)) = tokio::time::timeout(PATIENCE, asked).await else {
            return;
        };
        let word = tokio::select! {
            result = &mut handle.rx => match result {
                Ok(Ok(ClientResult::ElicitResult(result))) => Some(choice(&result)),
                // Any other response means no.
                _ => Some(Choice::No),
            },
            () = tokio::time::sleep(patience) => None,
            () = context.ct.cancelled() => None,
        };
        // This cannot fail, because the call waits for the reply.
        let _ = reply.send(word.unwrap_or(Choice::No));
        if word.is_none() {
            let withdrawn = CancelledNotificationParam::new(Some(handle.id.clone()), None);
            let told = peer.notify_cancelled(withdrawn);
            let _ = tokio::time::timeout(PATIENCE, told).await;
        }
    }
}

/// Returns the input requests for the client.
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

/// Returns whether the client of a request can show a form.
pub(crate) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // Early protocol versions had only forms, so the capability had no members.
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// Returns whether a request uses a stateless protocol version, where the server cannot send requests of its own.
pub(crate) fn stands_alone(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Returns whether a request came over a connection that began with a handshake.
pub(crate) fn has_handshake(context: &RequestContext<RoleServer>) -> bool {
    context.meta.protocol_version().is_none() && context.peer.peer_info().is_some()
}
