//! Messages as lines, the way standard input and output carry them.
//!
//! The client may send anything. What is no message is answered with the error that JSON-RPC has for it, under the id it
//! came with if that can be read, and the next line is read: nothing a client sends ends the server. Lines are bounded;
//! so are the requests that are under way at once.
//!
//! Source: RFC-0007 C-MCP-SERVER, RULINGS R20.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The longest line, in bytes. Source: RULINGS R20.
const MAX_LINE_BYTES: usize = 4 << 20;

/// The most messages in one line.
const MAX_BATCH: usize = 100;

/// The most requests that may wait for their answers.
const MAX_UNDER_WAY: usize = 1000;

/// How many answers may wait for a client that does not read.
const OUTBOX: usize = 64;

/// A client behind two streams; it can be served anew where it spoiled its beginning.
pub(crate) struct Client<R> {
    input: Arc<tokio::sync::Mutex<Input<R>>>,
    outbox: mpsc::Sender<Vec<u8>>,
    writer: JoinHandle<io::Result<()>>,
    under_way: Arc<UnderWay>,
}

impl<R: AsyncRead + Send + Unpin + 'static> Client<R> {
    /// Begins to listen; called within a runtime.
    pub(crate) fn new(input: R, output: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (outbox, letters) = mpsc::channel(OUTBOX);
        Self {
            input: Arc::new(tokio::sync::Mutex::new(Input::new(input))),
            outbox,
            writer: tokio::spawn(write(letters, output)),
            under_way: Arc::default(),
        }
    }

    /// Returns a transport over the two streams, to be used one after the other.
    pub(crate) fn transport(&self) -> Lines<R> {
        Lines {
            input: Arc::clone(&self.input),
            outbox: Some(self.outbox.clone()),
            under_way: Arc::clone(&self.under_way),
        }
    }

    /// Says whether there is more to read.
    pub(crate) async fn is_there(&self) -> bool {
        !self.input.lock().await.has_ended && !self.outbox.is_closed()
    }

    /// Waits until everything is written.
    pub(crate) async fn finish(self) -> io::Result<()> {
        drop(self.outbox);
        self.writer.await.unwrap_or(Ok(()))
    }
}

/// Writes what is put into the outbox, in its order.
async fn write(
    mut letters: mpsc::Receiver<Vec<u8>>,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some(letter) = letters.recv().await {
        output.write_all(&letter).await?;
        output.flush().await?;
    }
    Ok(())
}

/// The requests that wait for their answers.
#[derive(Default)]
struct UnderWay(Mutex<HashSet<RequestId>>);

impl UnderWay {
    /// Takes a request; an error if it cannot be told from another, or there are too many.
    fn begin(&self, id: &RequestId) -> Result<(), ErrorData> {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() >= MAX_UNDER_WAY {
            return Err(ErrorData::internal_error(
                format!("{MAX_UNDER_WAY} requests are under way; wait for their answers"),
                None,
            ));
        }
        if ids.insert(id.clone()) {
            Ok(())
        } else {
            let message = "the id is that of a request under way";
            Err(ErrorData::invalid_request(message, None))
        }
    }

    fn end(&self, id: &RequestId) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.remove(id);
    }
}

/// The transport.
pub(crate) struct Lines<R> {
    input: Arc<tokio::sync::Mutex<Input<R>>>,
    outbox: Option<mpsc::Sender<Vec<u8>>>,
    under_way: Arc<UnderWay>,
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        match &message {
            ServerJsonRpcMessage::Response(response) => self.under_way.end(&response.id),
            ServerJsonRpcMessage::Error(error) => {
                error.id.iter().for_each(|id| self.under_way.end(id));
            }
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => {}
        }
        let outbox = self.outbox.clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::NotConnected);
            let letter = line(&message)?;
            let outbox = outbox.ok_or_else(closed)?;
            outbox.send(letter).await.map_err(|_| closed())
        }
    }

    // Whoever waits here may be told to wait no longer: nothing is taken before it can be kept.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let outbox = self.outbox.as_ref()?;
        let mut input = self.input.lock().await;
        loop {
            if !input.replies.is_empty() {
                let permit = outbox.reserve().await.ok()?;
                permit.send(input.replies.pop_front()?);
            } else if let Some(message) = input.messages.pop_front() {
                match &message {
                    ClientJsonRpcMessage::Request(request) => {
                        if let Err(error) = self.under_way.begin(&request.id) {
                            input.refuse(Some(request.id.clone()), error);
                            continue;
                        }
                    }
                    ClientJsonRpcMessage::Notification(notification) => {
                        if let ClientNotification::CancelledNotification(cancelled) =
                            &notification.notification
                        {
                            let id = &cancelled.params.request_id;
                            id.iter().for_each(|id| self.under_way.end(id));
                        }
                    }
                    ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
                }
                return Some(message);
            } else if !input.read().await {
                return None;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox = None;
        Ok(())
    }
}

/// What comes in.
struct Input<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line is passed over.
    is_too_long: bool,
    has_ended: bool,
    messages: VecDeque<ClientJsonRpcMessage>,
    /// Answers to what is no message.
    replies: VecDeque<Vec<u8>>,
}

impl<R: AsyncRead + Unpin> Input<R> {
    fn new(from: R) -> Self {
        Self {
            from: BufReader::with_capacity(64 << 10, from),
            line: Vec::new(),
            is_too_long: false,
            has_ended: false,
            messages: VecDeque::new(),
            replies: VecDeque::new(),
        }
    }

    /// Reads on, at most to the end of the line. Returns false at the end.
    async fn read(&mut self) -> bool {
        let chunk = match self.from.fill_buf().await {
            Ok(chunk) if !chunk.is_empty() => chunk,
            _ => {
                // A last line without an end is half a message.
                self.has_ended = true;
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
        // The room of a usual line is kept.
        if line.capacity() <= 64 << 10 {
            self.line = line;
            self.line.clear();
        }
    }

    /// Takes a line: a message, several of them, or nothing of the kind.
    fn take(&mut self, text: &[u8]) {
        if let Ok(message) = serde_json::from_slice(text) {
            self.messages.push_back(message);
            return;
        }
        match serde_json::from_slice(text) {
            Err(error) => {
                let message = format!("the line is no JSON: {error}");
                self.refuse(None, ErrorData::parse_error(message, None));
            }
            Ok(Value::Array(values)) if (1..=MAX_BATCH).contains(&values.len()) => {
                for value in values {
                    self.take_value(value);
                }
            }
            Ok(Value::Array(_)) => {
                let message = format!("a batch has 1 to {MAX_BATCH} messages");
                self.refuse(None, ErrorData::invalid_request(message, None));
            }
            Ok(value) => self.take_value(value),
        }
    }

    fn take_value(&mut self, value: Value) {
        let id = value.get("id").cloned();
        let id = id.and_then(|id| serde_json::from_value(id).ok());
        let is_notification = value.get("method").is_some() && value.get("id").is_none();
        match serde_json::from_value(value) {
            Ok(message) => self.messages.push_back(message),
            // Nobody waits for an answer.
            Err(_) if is_notification => {}
            Err(_) => {
                let message = "no JSON-RPC 2.0 request, notification or answer";
                self.refuse(id, ErrorData::invalid_request(message, None));
            }
        }
    }

    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        // JSON-RPC has null where the id is not known.
        let ErrorData {
            code: ErrorCode(code),
            message,
            ..
        } = error;
        let error = serde_json::json!({
            "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message },
        });
        self.replies.push_back(format!("{error}\n").into_bytes());
    }
}

/// Returns a message as a line.
fn line(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}
