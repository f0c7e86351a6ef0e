//! A connection: its threads, its life cycle, and the dispatch of messages.
//!
//! One thread reads messages, and one writes them. A third thread, between these two, applies edits at once, whatever
//! the worker is doing, and passes everything else on to the worker.

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use skillc_ops::Toolkit;

use crate::answer::Fault;
use crate::busy::Busy;
use crate::client::{Client, Out};
use crate::documents::{Documents, Open};
use crate::in_flight::InFlight;
use crate::notifications::{cancelled, event};
use crate::positions::Encoding;
use crate::requests::{request, unknown};
use crate::transport::{Incoming, Outgoing, read, write};
use crate::worker::{Call, Event, Worker};

/// The maximum number of messages that wait between two threads.
const MAX_WAITING: usize = 256;

/// How long `shutdown` waits for the requests before it, so that the results of quick requests are not lost. Requests
/// that take longer are cancelled, so that an editor is not kept waiting when it is closed.
const GRACE: Duration = Duration::from_millis(250);

/// How long to wait, at the end of a connection, for interrupted work to stop and for messages to be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often to check whether a thread has ended, or whether a full queue has room.
const PAUSE: Duration = Duration::from_millis(2);

/// The files that the client is asked to watch.
const WATCHED: [&str; 6] = [
    "**/*.md",
    "**/*.toml",
    "**/*.rhai",
    "**/assets/**",
    "**/references/**",
    "**/scripts/**",
];

/// The method of the request that ends the work.
const SHUTDOWN: &str = "shutdown";

/// The method of the notification that ends the connection.
const EXIT: &str = "exit";

/// The protocol's message type for warnings.
const WARNING: u32 = 2;

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As the protocol requires: `shutdown`, then `exit`.
    AfterShutdown,
    /// Without `shutdown`, or before `initialize`.
    Abruptly,
}

/// Serves one client over standard input and output.
pub fn serve_stdio(toolkit: Toolkit) -> Ended {
    serve(toolkit, io::stdin(), io::stdout())
}

/// Serves one client until it disconnects.
///
/// `toolkit`: the environment; each folder of the workspace gets an environment of its own.
pub fn serve(
    toolkit: Toolkit,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Ended {
    let (out, outgoing) = sync_channel(MAX_WAITING);
    let (into, incoming) = sync_channel(MAX_WAITING);
    let busy = Busy::default();
    let writer = thread::spawn(move || write_all(&outgoing, output));
    let of_reader = busy.clone();
    thread::spawn(move || read_all(input, &into, &of_reader));
    let (ended, threads) = run(toolkit, &incoming, Out(out), busy);
    let until = Instant::now() + PATIENCE;
    for thread in threads.into_iter().chain([writer]) {
        // A timeout is ignored: either the client no longer reads, or an interrupted worker has nothing more to send.
        let _ = join(thread, until);
    }
    ended
}

/// Waits until a thread ends, but no longer than `until`: an editor that is closed must not leave a process behind.
/// Returns whether the thread has ended.
fn join(thread: JoinHandle<()>, until: Instant) -> bool {
    while !thread.is_finished() {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(PAUSE);
    }
    thread.join().is_ok()
}

fn write_all(outgoing: &Receiver<Outgoing>, mut output: impl Write) {
    for message in outgoing {
        if write(message, &mut output).is_err() {
            break;
        }
    }
}

/// Reads until the end of the input, or until the input does not follow the protocol.
///
/// When it has stopped reading, this thread interrupts the worker directly, because the thread that handles messages
/// may be waiting for the worker. For the same reason, it interrupts the answer to a request as soon as it reads that
/// the request is cancelled, and limits the time for the remaining work as soon as it reads `shutdown` or `exit`.
fn read_all(input: impl Read, into: &SyncSender<Incoming>, busy: &Busy) {
    let mut input = BufReader::new(input);
    let (mut is_initialized, mut is_ending) = (false, false);
    while let Ok(Some(message)) = read(&mut input) {
        match &message {
            Incoming::Message(Message::Request(of)) => {
                is_initialized |= of.method == "initialize";
                // Before `initialize`, `shutdown` is an error.
                is_ending |= is_initialized && of.method == SHUTDOWN;
            }
            Incoming::Message(Message::Notification(of)) => {
                is_ending |= of.method == EXIT;
                if let Some(id) = cancelled(&of.method, &of.params) {
                    busy.cancel(&id);
                }
            }
            Incoming::Message(Message::Response(_)) | Incoming::Fault(_) => {}
        }
        if is_ending {
            busy.end_within(GRACE);
        }
        if into.send(message).is_err() {
            break;
        }
    }
    // After `shutdown`, the client may close the input at once, but still wait for the answers.
    if !is_ending {
        busy.end_all();
    }
}

/// Handles messages until the connection ends. Returns how the connection ended, and the threads that may still be
/// finishing their work.
fn run(
    toolkit: Toolkit,
    incoming: &Receiver<Incoming>,
    out: Out,
    busy: Busy,
) -> (Ended, Vec<JoinHandle<()>>) {
    let Some(client) = welcome(incoming, &out) else {
        return (Ended::Abruptly, Vec::new());
    };
    let in_flight = InFlight::default();
    let (events, inbox) = sync_channel(MAX_WAITING);
    let mut reader = MessageReader {
        encoding: client.encoding,
        can_watch: client.can_watch,
        documents: Documents::default(),
        busy: busy.clone(),
        in_flight: in_flight.clone(),
        out: out.clone(),
        events,
        is_shut_down: false,
    };
    reader.tell(Event::Folders {
        added: client.folders.clone(),
        removed: Vec::new(),
    });
    let events = reader.events.clone();
    let worker = thread::spawn(move || {
        Worker::new(toolkit, client, out, busy, in_flight, events).run(&inbox);
    });
    let ended = reader.read(incoming);
    reader.busy.end_all();
    // Uses a separate thread, because sending blocks while the client does not read.
    let (in_flight, out) = (reader.in_flight.clone(), reader.out.clone());
    let last = thread::spawn(move || in_flight.cancel_all(&out));
    // Ignored: if the queue is full, the worker is busy, and checks whether the connection has ended before it waits
    // again.
    let _ = reader.events.try_send(Event::End);
    (ended, vec![last, worker])
}

/// Answers `initialize`; `None` if the connection ends before that.
fn welcome(incoming: &Receiver<Incoming>, out: &Out) -> Option<Client> {
    loop {
        match incoming.recv().ok()? {
            Incoming::Message(Message::Request(Request { id, method, params })) => {
                if method == "initialize" {
                    let client = Client::from_params(&params);
                    out.answer(id, Ok(client.welcome()));
                    warn(&client, out);
                    return Some(client);
                }
                let fault = Fault::new(
                    ErrorCode::ServerNotInitialized,
                    "the server is not initialized yet",
                );
                out.answer(id, Err(fault));
            }
            Incoming::Message(Message::Notification(of)) if of.method == EXIT => return None,
            Incoming::Message(_) => {}
            Incoming::Fault(fault) => out.fault(fault),
        }
    }
}

/// Reports options of the client that have no effect.
fn warn(client: &Client, out: &Out) {
    for name in &client.unknown {
        let message = format!("skc: unknown client '{name}'");
        out.notify(
            "window/showMessage",
            json!({ "type": WARNING, "message": message }),
        );
    }
}

/// The thread that handles messages.
struct MessageReader {
    encoding: Encoding,
    can_watch: bool,
    documents: Documents,
    busy: Busy,
    in_flight: InFlight,
    out: Out,
    events: SyncSender<Event>,
    is_shut_down: bool,
}

impl MessageReader {
    /// Handles messages until the connection ends.
    fn read(&mut self, incoming: &Receiver<Incoming>) -> Ended {
        for message in incoming {
            match message {
                Incoming::Message(Message::Request(request)) => self.request(request),
                Incoming::Message(Message::Notification(of)) if of.method == EXIT => break,
                Incoming::Message(Message::Notification(of)) => self.notification(of),
                // The server ignores the responses to its own requests.
                Incoming::Message(Message::Response(_)) => {}
                Incoming::Fault(fault) => self.out.fault(fault),
            }
        }
        if self.is_shut_down {
            Ended::AfterShutdown
        } else {
            Ended::Abruptly
        }
    }

    fn request(&mut self, Request { id, method, params }: Request) {
        let answer = match request(&method) {
            _ if self.is_shut_down => Err(Fault::new(
                ErrorCode::InvalidRequest,
                "the server has been shut down",
            )),
            Some(request) => {
                self.in_flight.begin(id.clone());
                self.tell(Event::Call(Call {
                    id,
                    request,
                    params,
                }));
                self.busy.give_way();
                return;
            }
            None if method == SHUTDOWN => {
                self.shut_down();
                Ok(Value::Null)
            }
            None if method == "initialize" => Err(Fault::new(
                ErrorCode::InvalidRequest,
                "the server is already initialized",
            )),
            None => Err(unknown(&method)),
        };
        self.out.answer(id, answer);
    }

    /// Ensures that all requests before `shutdown` are answered.
    fn shut_down(&mut self) {
        self.is_shut_down = true;
        self.in_flight.wait(GRACE);
        self.busy.end_all();
        self.in_flight.cancel_all(&self.out);
    }

    /// Applies an edit, or passes a notification on. Unknown and invalid notifications are ignored, as the protocol
    /// requires.
    fn notification(&mut self, Notification { method, params }: Notification) {
        match &*method {
            "initialized" => self.watch(),
            "textDocument/didOpen" => parsed(params, |of| self.open(of)),
            "textDocument/didChange" => parsed(params, |of: DidChangeTextDocumentParams| {
                self.change(&of);
            }),
            "textDocument/didClose" => parsed(params, |of: DidCloseTextDocumentParams| {
                self.close(&of);
            }),
            _ => {
                if let Some(event) = event(&method, params) {
                    let cancelled = match &event {
                        Event::Cancel(id) => Some(id.clone()),
                        _ => None,
                    };
                    self.tell(event);
                    // Cancel again, because the worker may have begun the answer since the message was read.
                    if let Some(id) = cancelled {
                        self.busy.cancel(&id);
                    }
                }
            }
        }
    }

    fn open(&mut self, DidOpenTextDocumentParams { text_document: of }: DidOpenTextDocumentParams) {
        let uri = of.uri.as_str();
        if let Some(open) = self.documents.open(uri, of.version, of.text) {
            self.tell_document(uri, open, false);
        }
    }

    fn change(&mut self, params: &DidChangeTextDocumentParams) {
        let of = &params.text_document;
        let (uri, changes) = (of.uri.as_str(), &params.content_changes);
        let open = self
            .documents
            .change(uri, of.version, changes, self.encoding);
        if let Some(open) = open {
            self.tell_document(uri, open, false);
        }
    }

    fn close(&mut self, params: &DidCloseTextDocumentParams) {
        let uri = params.text_document.uri.as_str();
        if let Some(open) = self.documents.close(uri) {
            self.tell_document(uri, open, true);
        }
    }

    fn tell_document(&self, uri: &str, open: Arc<Open>, is_closed: bool) {
        let real = open.real.clone();
        self.tell(Event::Document {
            uri: uri.to_owned(),
            open,
            is_closed,
        });
        self.busy.edited(real.as_deref());
    }

    /// Asks the client to watch files, because the server itself watches none.
    fn watch(&self) {
        if !self.can_watch {
            return;
        }
        let watchers = WATCHED.map(|glob| json!({ "globPattern": glob }));
        let registration = json!({
            "id": "skc-files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        });
        let params = json!({ "registrations": [registration] });
        self.out.ask("watch", "client/registerCapability", params);
    }

    /// Passes an event to the worker, and waits for room in its queue. If the connection ends meanwhile, the event is
    /// dropped, and the work for which the queue waits is interrupted.
    fn tell(&self, mut event: Event) {
        // Any other error means that the worker has ended, which happens only at the end of the connection.
        while let Err(TrySendError::Full(back)) = self.events.try_send(event) {
            if self.busy.is_ended() {
                self.busy.end_all();
                return;
            }
            event = back;
            thread::sleep(PAUSE);
        }
    }
}

fn parsed<P: DeserializeOwned>(params: Value, then: impl FnOnce(P)) {
    if let Ok(params) = serde_json::from_value(params) {
        then(params);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use lsp_server::RequestId;

    use super::*;

    #[test]
    fn a_cancelled_answer_is_interrupted_even_if_no_message_is_taken() {
        let busy = Busy::default();
        let stop = busy.begin_answer(RequestId::from(1));
        let body = r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#;
        let input = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let (into, incoming) = sync_channel(0);
        let reader = thread::spawn(move || read_all(input.as_bytes(), &into, &busy));
        let until = Instant::now() + PATIENCE * 60;
        while !stop.is_raised() && Instant::now() < until {
            thread::sleep(PAUSE);
        }
        assert!(stop.is_raised());
        assert!(incoming.recv().is_ok());
        assert!(join(reader, Instant::now() + PATIENCE * 60));
    }

    #[test]
    fn the_work_after_a_shutdown_is_limited_even_if_no_message_is_taken() {
        let busy = Busy::default();
        let framed = |method: &str| {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
            format!("Content-Length: {}\r\n\r\n{body}", body.len())
        };
        let input = ["initialize", SHUTDOWN].map(framed).concat();
        let (into, incoming) = sync_channel(1);
        let of_reader = busy.clone();
        let reader = thread::spawn(move || read_all(input.as_bytes(), &into, &of_reader));
        let until = Instant::now() + PATIENCE * 60;
        while !busy.is_ended() && Instant::now() < until {
            thread::sleep(PAUSE);
        }
        assert!(busy.is_ended());
        drop(incoming);
        assert!(join(reader, Instant::now() + PATIENCE * 60));
    }

    #[test]
    fn a_thread_that_does_not_end_is_not_waited_for() {
        let (sender, receiver) = channel::<()>();
        let stuck = thread::spawn(move || {
            // Ignored: the channel is closed at the end.
            let _ = receiver.recv();
        });
        assert!(!join(stuck, Instant::now() + PAUSE));
        drop(sender);
        let short = thread::spawn(|| {});
        assert!(join(short, Instant::now() + PATIENCE * 60));
    }
}
