//! Asks the user to confirm a call: either with an elicitation request during the call, or with a signed state token
//! that the client returns with the answer when it repeats the call.
//!
//! Design: catalog-policy, CAT-PERM.6, CAT-PERM.7, D21, R18.

use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::InputRequiredResult;
use skillc_core::context::{Asker, Choice, Clock};
use tokio::sync::Semaphore;

use crate::ask::{Way, answer, ask, requests};
use crate::confirm_token::ConfirmTokens;

/// The maximum number of questions that wait for an answer.
const MAX_ASKED: usize = 8;

/// The state for confirmations, shared by all calls.
pub(crate) struct Questions {
    seals: ConfirmTokens,
    room: Semaphore,
}

impl Default for Questions {
    fn default() -> Self {
        Self {
            seals: ConfirmTokens::default(),
            room: Semaphore::new(MAX_ASKED),
        }
    }
}

/// Asks for confirmation on behalf of one call.
pub(crate) struct Client {
    way: Way,
    questions: Arc<Questions>,
    clock: Arc<dyn Clock>,
    /// The question that ends the call; the client sends the answer when it repeats the call.
    pending: Mutex<Option<InputRequiredResult>>,
}

impl Client {
    pub(crate) fn new(way: Way, questions: Arc<Questions>, clock: Arc<dyn Clock>) -> Self {
        Self {
            way,
            questions,
            clock,
            pending: Mutex::default(),
        }
    }

    /// Returns the question that ends the call, if there is one, and clears it.
    pub(crate) fn pending(&self) -> Option<InputRequiredResult> {
        self.pending.lock().take()
    }
}

impl Asker for Client {
    fn confirm(&self, _question: &str) -> Option<bool> {
        None
    }

    fn choose(&self, question: &str, about: &str) -> Option<Choice> {
        let Questions { seals, room } = &*self.questions;
        match &self.way {
            Way::None => None,
            Way::Request(questions) => {
                let _place = room.try_acquire().ok()?;
                Some(ask(questions, question.to_owned()))
            }
            Way::Result { state, responses } => {
                let now_ms = self.clock.now_ms();
                let is_sealed = |state: &String| seals.redeem(state, about, now_ms);
                let word = responses.as_ref().and_then(answer);
                if let Some(word) = word
                    && state.as_ref().is_some_and(is_sealed)
                {
                    return Some(word);
                }
                let state = seals.seal(about, now_ms)?;
                let question = requests(question.to_owned());
                let asked = InputRequiredResult::new(Some(question), Some(state));
                *self.pending.lock() = Some(asked);
                Some(Choice::Later)
            }
        }
    }
}
