//! The requests that have not been answered yet.
//!
//! Usually, the worker answers a request. When the connection ends, the thread that handles messages answers the
//! remaining requests without waiting for the worker, whose current step may take long. This module ensures that each
//! request is answered only once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lsp_server::RequestId;
use parking_lot::{Condvar, Mutex};

use crate::answer::{Answer, Fault};
use crate::client::Out;

/// The requests without an answer, shared by the threads of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlight(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Notified when an answer has been sent.
    answered: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The number of unanswered requests with each id: a broken client can use an id twice.
    unanswered: BTreeMap<RequestId, usize>,
    /// The number of answers that are being sent.
    sending: usize,
}

impl InFlight {
    /// Records a request.
    pub(crate) fn begin(&self, id: RequestId) {
        *self.0.state.lock().unanswered.entry(id).or_default() += 1;
    }

    /// Answers a request, unless it has been answered already.
    pub(crate) fn answer(&self, out: &Out, id: RequestId, result: Answer) {
        if !self.claim(&id) {
            return;
        }
        // Send without holding the lock, because sending blocks while the client does not read.
        out.answer(id, result);
        self.0.state.lock().sending -= 1;
        self.0.answered.notify_all();
    }

    fn claim(&self, id: &RequestId) -> bool {
        let mut state = self.0.state.lock();
        let Some(count) = state.unanswered.get_mut(id) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            state.unanswered.remove(id);
        }
        state.sending += 1;
        true
    }

    /// Waits until all requests are answered, but no longer than `patience`.
    pub(crate) fn wait(&self, patience: Duration) {
        let is_busy = |state: &mut State| !state.unanswered.is_empty() || state.sending > 0;
        let mut state = self.0.state.lock();
        // A timeout is ignored: the caller cancels the remaining requests.
        let _ = self
            .0
            .answered
            .wait_while_for(&mut state, is_busy, patience);
    }

    /// Cancels all remaining requests. When this method returns, every answer has been sent.
    pub(crate) fn cancel_all(&self, out: &Out) {
        let left = std::mem::take(&mut self.0.state.lock().unanswered);
        for (id, count) in left {
            for _ in 0..count {
                out.answer(id.clone(), Err(Fault::cancelled()));
            }
        }
        let mut state = self.0.state.lock();
        let is_sending = |state: &mut State| state.sending > 0;
        self.0.answered.wait_while(&mut state, is_sending);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::thread;

    use lsp_server::{Message, Response};
    use serde_json::Value;

    use super::*;
    use crate::transport::Outgoing;

    fn out() -> (Out, Receiver<Outgoing>) {
        let (out, outgoing) = sync_channel(10);
        (Out(out), outgoing)
    }

    /// Returns the ids of the answers, and whether each answer is a result.
    fn answers(outgoing: &Receiver<Outgoing>) -> Vec<(String, bool)> {
        let of = |message: Outgoing| match message {
            Outgoing::Message(Message::Response(Response {
                id,
                response_result,
            })) => Some((id.to_string(), response_result.is_ok())),
            _ => None,
        };
        outgoing.try_iter().filter_map(of).collect()
    }

    #[test]
    fn each_request_is_answered_once() {
        let (out, outgoing) = out();
        let in_flight = InFlight::default();
        for id in [1, 2, 3, 3] {
            in_flight.begin(RequestId::from(id));
        }
        in_flight.answer(&out, RequestId::from(1), Ok(Value::Null));
        in_flight.answer(&out, RequestId::from(3), Ok(Value::Null));
        // Neither a second answer nor an answer to an unknown request is sent.
        in_flight.answer(&out, RequestId::from(1), Ok(Value::Null));
        in_flight.answer(&out, RequestId::from(4), Ok(Value::Null));
        in_flight.cancel_all(&out);
        in_flight.cancel_all(&out);
        in_flight.answer(&out, RequestId::from(2), Ok(Value::Null));
        let expected = [("1", true), ("3", true), ("2", false), ("3", false)];
        let expected = expected.map(|(id, is_result)| (id.to_owned(), is_result));
        assert_eq!(answers(&outgoing), expected);
    }

    #[test]
    fn requests_are_waited_for_within_limits() {
        const LONG: Duration = Duration::from_secs(60);
        let (out, outgoing) = out();
        let in_flight = InFlight::default();
        in_flight.wait(LONG);
        in_flight.begin(RequestId::from(1));
        in_flight.wait(Duration::from_millis(1));
        let worker = in_flight.clone();
        let worker = thread::spawn(move || {
            worker.answer(&out, RequestId::from(1), Ok(Value::Null));
        });
        in_flight.wait(LONG);
        assert_eq!(answers(&outgoing), [("1".to_owned(), true)]);
        assert!(worker.join().is_ok());
    }
}
