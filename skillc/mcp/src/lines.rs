//! The stdio transport: newline-delimited JSON-RPC messages.
//!
//! The client can send anything. An invalid message is answered with the matching JSON-RPC error, which contains the id
//! of the message if the id can be parsed; an invalid notification is ignored. Reading then continues: no input stops
//! the server. The length of a line, and the number of requests in flight and in the queue, are bounded. A request
//! stays in flight until its response is queued for sending, so the server stops working for a client that does not
//! read its responses.
//!
//! Design: C-MCP-SERVER, R20.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcRequest,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

use crate::in_flight::InFlight;
use crate::message_values::{self, MAX_VALUES};

/// The maximum length of a line, in bytes. Design: R20.
const MAX_LINE_BYTES: usize = 4 << 20;

/// The maximum number of messages in a batch.
const MAX_BATCH: usize = 100;

/// The maximum number of queued requests.
const MAX_WAITING: usize = 1000;

/// The maximum total size of queued requests, in bytes.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// How far to read ahead, in bytes, while the client does not read its responses. Error responses that have to wait also
/// count.
const MAX_UNREAD_BYTES: usize = 4 << 20;

/// The capacity of the outgoing queue, in messages.
const OUTBOX: usize = 8;

/// The timeout for a client that does not read its responses. It applies before the server reads ahead to find the end
/// of the input, to each response after the end of the input, and to all remaining responses at shutdown.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client connected through two streams. After a failed handshake, it can be served again.
pub(crate) struct Client<R> {
    input: Arc<tokio::sync::Mutex<Input<R>>>,
    outbox: mpsc::Sender<Vec<u8>>,
    writer: JoinHandle<io::Result<()>>,
    in_flight: Arc<InFlight>,
}

impl<R: AsyncRead + Send + Unpin + 'static> Client<R> {
    /// Starts the writer task; must be called within a runtime.
    pub(crate) fn new(input: R, output: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (outbox, letters) = mpsc::channel(OUTBOX);
        let end = Arc::new(Semaphore::new(0));
        Self {
            input: Arc::new(tokio::sync::Mutex::new(Input::new(input, Arc::clone(&end)))),
            outbox,
            writer: tokio::spawn(write(letters, output, end)),
            in_flight: Arc::default(),
        }
    }

    /// Returns a transport over the two streams. Use one transport at a time.
    pub(crate) fn transport(&self) -> Lines<R> {
        Lines {
            input: Arc::clone(&self.input),
            outbox: Some(self.outbox.clone()),
            in_flight: Arc::clone(&self.in_flight),
            is_initialized: false,
        }
    }

    /// Returns the requests in flight.
    pub(crate) fn in_flight(&self) -> Arc<InFlight> {
        Arc::clone(&self.in_flight)
    }

    /// Returns whether the connection is still open.
    pub(crate) async fn is_there(&self) -> bool {
        !self.input.lock().await.has_ended && !self.outbox.is_closed()
    }

    /// Waits until all output is written, but no longer than the timeout.
    pub(crate) async fn finish(self) {
        drop(self.outbox);
        let abort = self.writer.abort_handle();
        if tokio::time::timeout(PATIENCE, self.writer).await.is_err() {
            abort.abort();
        }
    }
}

/// Writes queued messages in order. `end`: closed at the end of the input; after that, writing stops at the first
/// message that the client does not read within the timeout.
async fn write(
    mut letters: mpsc::Receiver<Vec<u8>>,
    mut output: impl AsyncWrite + Unpin,
    end: Arc<Semaphore>,
) -> io::Result<()> {
    while let Some(letter) = letters.recv().await {
        let written = async {
            output.write_all(&letter).await?;
            output.flush().await
        };
        tokio::select! {
            biased;
            written = written => written?,
            () = patience(&end) => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
    Ok(())
}

/// Waits for the end of the input, then for the timeout.
async fn patience(end: &Semaphore) {
    // The semaphore never has a permit, so this waits until the semaphore is closed.
    drop(end.acquire().await);
    tokio::time::sleep(PATIENCE).await;
}

/// The transport over the two streams of a client.
pub(crate) struct Lines<R> {
    input: Arc<tokio::sync::Mutex<Input<R>>>,
    outbox: Option<mpsc::Sender<Vec<u8>>>,
    in_flight: Arc<InFlight>,
    /// Whether the handshake has begun: only one is allowed per connection.
    is_initialized: bool,
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outbox = self.outbox.clone();
        let in_flight = Arc::clone(&self.in_flight);
        async move {
            let closed = || io::Error::from(io::ErrorKind::NotConnected);
            let letter = line(&message)?;
            let outbox = outbox.ok_or_else(closed)?;
            let result = outbox.send(letter).await.map_err(|_| closed());
            match &message {
                ServerJsonRpcMessage::Response(response) => in_flight.answered(&response.id),
                ServerJsonRpcMessage::Error(error) => {
                    error.id.iter().for_each(|id| in_flight.answered(id));
                }
                ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => {}
            }
            result
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let outbox = self.outbox.clone()?;
        tokio::select! {
            biased;
            // Writing has failed, for example because the client has closed the server's output.
            () = outbox.closed() => None,
            message = self.take_next(&outbox) => message,
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox = None;
        Ok(())
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Lines<R> {
    // Must be cancel-safe: nothing is removed from a queue before it can be stored or sent.
    async fn take_next(&mut self, outbox: &mpsc::Sender<Vec<u8>>) -> Option<ClientJsonRpcMessage> {
        let mut input = self.input.lock().await;
        loop {
            if !input.replies.is_empty() {
                let permit = tokio::select! {
                    biased;
                    permit = outbox.reserve() => permit.ok()?,
                    () = input.look_for_end() => continue,
                };
                input.is_stalled = false;
                permit.send(input.next_reply()?);
            } else if let Some(request) = input.next_waiting(&self.in_flight) {
                let is_handshake = matches!(request.request, ClientRequest::InitializeRequest(_));
                if is_handshake && std::mem::replace(&mut self.is_initialized, true) {
                    self.in_flight.answered(&request.id);
                    let message = "already initialized";
                    input.refuse(Some(&request.id), ErrorData::invalid_request(message, None));
                    continue;
                }
                return Some(ClientJsonRpcMessage::Request(request));
            } else if let Some((message, bytes)) = input.next_message() {
                match message {
                    ClientJsonRpcMessage::Request(request) => {
                        input.wait(request, bytes, &self.in_flight);
                    }
                    ClientJsonRpcMessage::Notification(notification) => {
                        if let ClientNotification::CancelledNotification(cancelled) =
                            &notification.notification
                            && let Some(id) = &cancelled.params.request_id
                        {
                            input.give_up(id);
                            self.in_flight.cancelled(id);
                        }
                        return Some(ClientJsonRpcMessage::Notification(notification));
                    }
                    other => return Some(other),
                }
            } else if input.waiting.is_empty() {
                if !input.read().await {
                    return None;
                }
            } else if input.has_ended {
                self.in_flight.freed().await;
            } else {
                tokio::select! {
                    _ = input.read() => {}
                    () = self.in_flight.freed() => {}
                }
            }
        }
    }
}

/// The id of a message that is not parsed any further.
#[derive(Deserialize)]
struct Head {
    id: Option<RequestId>,
}

/// The input stream and its parsed messages.
struct Input<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of an overlong line is being skipped.
    is_too_long: bool,
    has_ended: bool,
    /// Whether the client has not read its responses for a while.
    is_stalled: bool,
    /// A semaphore that is closed at the end of the input.
    end: Arc<Semaphore>,
    /// Parsed messages, each with its size in bytes.
    messages: VecDeque<(ClientJsonRpcMessage, usize)>,
    messages_bytes: usize,
    /// Requests waiting for a free slot.
    waiting: VecDeque<(JsonRpcRequest<ClientRequest>, usize)>,
    waiting_bytes: usize,
    /// Error responses to rejected messages.
    replies: VecDeque<Vec<u8>>,
    replies_bytes: usize,
}

impl<R: AsyncRead + Unpin> Input<R> {
    fn new(from: R, end: Arc<Semaphore>) -> Self {
        Self {
            from: BufReader::with_capacity(64 << 10, from),
            line: Vec::new(),
            is_too_long: false,
            has_ended: false,
            is_stalled: false,
            end,
            messages: VecDeque::new(),
            messages_bytes: 0,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            replies: VecDeque::new(),
            replies_bytes: 0,
        }
    }

    /// Adds a parsed message. `bytes`: its size.
    fn keep(&mut self, message: ClientJsonRpcMessage, bytes: usize) {
        self.messages_bytes += bytes;
        self.messages.push_back((message, bytes));
    }

    fn next_message(&mut self) -> Option<(ClientJsonRpcMessage, usize)> {
        let next = self.messages.pop_front();
        self.messages_bytes -= next.as_ref().map_or(0, |(_, bytes)| *bytes);
        next
    }

    fn next_reply(&mut self) -> Option<Vec<u8>> {
        let next = self.replies.pop_front();
        self.replies_bytes -= next.as_ref().map_or(0, Vec::len);
        next
    }

    /// Returns the next queued request, if a slot is free.
    fn next_waiting(&mut self, in_flight: &InFlight) -> Option<JsonRpcRequest<ClientRequest>> {
        let (first, _) = self.waiting.front()?;
        if !in_flight.begin(&first.id) {
            return None;
        }
        let (request, bytes) = self.waiting.pop_front()?;
        self.waiting_bytes -= bytes;
        Some(request)
    }

    /// Queues a request; rejects it if its id is already in use or the queue is full.
    fn wait(&mut self, request: JsonRpcRequest<ClientRequest>, bytes: usize, in_flight: &InFlight) {
        let is_same = |(other, _): &(JsonRpcRequest<ClientRequest>, usize)| other.id == request.id;
        if in_flight.has(&request.id) || self.waiting.iter().any(is_same) {
            let message = "this id is already in use by a pending request";
            self.refuse(Some(&request.id), ErrorData::invalid_request(message, None));
        } else if self.waiting.len() >= MAX_WAITING
            || self.waiting_bytes + bytes > MAX_WAITING_BYTES
        {
            let message = "too many requests are waiting; read the answers first";
            self.refuse(Some(&request.id), ErrorData::internal_error(message, None));
        } else {
            self.waiting_bytes += bytes;
            self.waiting.push_back((request, bytes));
        }
    }

    /// Removes a cancelled request from the queue.
    fn give_up(&mut self, id: &RequestId) {
        if let Some(at) = self
            .waiting
            .iter()
            .position(|(request, _)| request.id == *id)
            && let Some((_, bytes)) = self.waiting.remove(at)
        {
            self.waiting_bytes -= bytes;
        }
    }

    /// Reads ahead while the client does not read its responses, to detect the end of its input.
    async fn look_for_end(&mut self) {
        // An invalid line of one byte has a much longer reply.
        let bytes = self.messages_bytes + self.replies_bytes;
        if self.has_ended || bytes > MAX_UNREAD_BYTES {
            std::future::pending::<()>().await;
        }
        if !self.is_stalled {
            tokio::time::sleep(PATIENCE).await;
            self.is_stalled = true;
        }
        self.read().await;
    }

    /// Reads the next chunk of input, at most up to the end of the current line. Returns false at the end of the input,
    /// or if reading fails.
    async fn read(&mut self) -> bool {
        let chunk = match self.from.fill_buf().await {
            Ok(chunk) if !chunk.is_empty() => chunk,
            _ => {
                // Discard an unterminated last line: it is an incomplete message.
                self.has_ended = true;
                self.end.close();
                return false;
            }
        };
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(chunk.len(), |end| end + 1);
        if self.line.len() + taken > MAX_LINE_BYTES {
            self.is_too_long = true;
            self.line = Vec::new();
        } else if !self.is_too_long {
            self.line.extend_from_slice(&chunk[..taken]);
        }
        self.from.consume(taken);
        if end.is_some() {
            self.end_line();
        }
        true
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            let message = format!("the message is longer than {MAX_LINE_BYTES} bytes");
            self.refuse(None, ErrorData::invalid_request(message, None));
        } else {
            let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
            let text = text.trim_ascii();
            if !text.is_empty() {
                self.take(text);
            }
        }
        // Reuse the buffer unless it has grown large.
        if line.capacity() <= 64 << 10 {
            self.line = line;
            self.line.clear();
        }
    }

    /// Parses a line: a message, a batch, or invalid input.
    fn take(&mut self, text: &[u8]) {
        if message_values::has_too_many(text) {
            // Parses only the id: serde skips all other fields without storing them.
            let head: Option<Head> = serde_json::from_slice(text).ok();
            let id = head.and_then(|head| head.id);
            let message = format!("the message has more than {MAX_VALUES} values");
            self.refuse(id.as_ref(), ErrorData::invalid_request(message, None));
            return;
        }
        if let Ok(message) = serde_json::from_slice(text) {
            self.keep(message, text.len());
            return;
        }
        match serde_json::from_slice(text) {
            Err(error) => {
                let message = format!("invalid JSON: {error}");
                self.refuse(None, ErrorData::parse_error(message, None));
            }
            Ok(Value::Array(values)) if (1..=MAX_BATCH).contains(&values.len()) => {
                let bytes = text.len() / values.len();
                for value in values {
                    self.take_value(value, bytes);
                }
            }
            Ok(Value::Array(_)) => {
                let message = format!("a batch must have 1 to {MAX_BATCH} messages");
                self.refuse(None, ErrorData::invalid_request(message, None));
            }
            Ok(value) => self.take_value(value, text.len()),
        }
    }

    fn take_value(&mut self, value: Value, bytes: usize) {
        let id = value.get("id").cloned();
        let id: Option<RequestId> = id.and_then(|id| serde_json::from_value(id).ok());
        let is_notification = value.get("method").is_some() && value.get("id").is_none();
        let is_positional = value["method"].is_string() && value["params"].is_array();
        match serde_json::from_value(value) {
            Ok(message) => self.keep(message, bytes),
            // Notifications must not be answered.
            Err(_) if is_notification => {}
            Err(_) if is_positional => {
                let message = "parameters must be an object, not a list";
                self.refuse(id.as_ref(), ErrorData::invalid_params(message, None));
            }
            Err(_) => {
                let message = "not a JSON-RPC 2.0 request, notification or response";
                self.refuse(id.as_ref(), ErrorData::invalid_request(message, None));
            }
        }
    }

    fn refuse(&mut self, id: Option<&RequestId>, error: ErrorData) {
        // JSON-RPC requires a null id if the id is unknown.
        let ErrorData {
            code: ErrorCode(code),
            message,
            ..
        } = error;
        let error = serde_json::json!({
            "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message },
        });
        let reply = format!("{error}\n").into_bytes();
        self.replies_bytes += reply.len();
        self.replies.push_back(reply);
    }
}

/// Serializes a message as a line.
fn line(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::Cursor;

    #[test]
    fn reading_ahead_pauses_if_too_many_replies_wait() {
        let lines = Cursor::new(b"x\n".repeat(200_000));
        crate::stdio::run(async {
            let mut input = Input::new(lines, Arc::new(Semaphore::new(0)));
            input.is_stalled = true;
            let mut reads = 0;
            let a_while = Duration::from_millis(200);
            while tokio::time::timeout(a_while, input.look_for_end())
                .await
                .is_ok()
            {
                reads += 1;
            }
            assert!(!input.has_ended, "{reads}");
            let bytes: usize = input.replies.iter().map(Vec::len).sum();
            assert!(bytes < MAX_UNREAD_BYTES + 1_000, "{bytes}");
            assert_eq!(input.replies_bytes, bytes);
            while input.next_reply().is_some() {}
            assert_eq!(input.replies_bytes, 0);
            Ok(())
        })
        .expect("a runtime");
    }
}
