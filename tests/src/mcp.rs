//! An MCP client over pipes, with a timeout for everything.
//!
//! It uses no MCP library, so that tests see the raw messages. Every line of standard output must be a JSON-RPC
//! message; anything else fails the test at once.
//!
//! Design: C-MCP-SERVER.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::{Value, json};

use crate::World;

/// Timeout for everything; generous for busy machines.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The newest protocol revision with a handshake.
pub const WITH_HANDSHAKE: &str = "2025-11-25";

/// The protocol revision without a handshake.
pub const WITHOUT_HANDSHAKE: &str = "2026-07-28";

/// How a client starts a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With a handshake, which applies to the whole connection.
    Handshake,
    /// Without a handshake: each request is self-contained.
    Stateless,
}

impl Era {
    /// Both ways to start.
    pub const BOTH: [Self; 2] = [Self::Handshake, Self::Stateless];
}

/// A server and its only client.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    stderr: Option<JoinHandle<String>>,
    /// Unconsumed responses, keyed by their ids as text.
    answers: BTreeMap<String, Value>,
    /// Error responses without an id or with a null id.
    pub strays: Vec<Value>,
    /// Notifications and requests from the server, in order.
    pub notifications: Vec<Value>,
    /// The `_meta` of each request; `None` in protocol revisions with a handshake.
    meta: Option<Value>,
    last_id: u64,
    is_lenient: bool,
}

/// The exit status and remaining output of a server.
#[derive(Debug)]
pub struct Ended {
    /// The exit status; `None` if the server was killed by a signal.
    pub status: Option<i32>,
    /// Standard error.
    pub stderr: String,
    /// Unconsumed responses, keyed by their ids as text.
    pub answers: BTreeMap<String, Value>,
    /// Error responses without an id or with a null id.
    pub strays: Vec<Value>,
}

/// Returns a request.
pub fn request(id: impl Into<Value>, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// Returns the `_meta` of a request in protocol revisions without a handshake.
pub fn client_meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": client_info(),
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// Returns the parameters of a handshake.
pub fn handshake(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client_info()})
}

fn client_info() -> Value {
    json!({"name": "a test", "version": "1"})
}

impl Client {
    /// Starts a server without sending anything. `program`: as for [`World::process`].
    pub fn silent(world: &World, program: &str) -> Self {
        Self::spawn(world.process(program, &["mcp"]))
    }

    /// Starts a server and performs the handshake.
    pub fn new(world: &World, program: &str) -> Self {
        let mut client = Self::silent(world, program);
        client.result("initialize", &handshake(WITH_HANDSHAKE));
        client.notify("notifications/initialized", &json!({}));
        client
    }

    /// Starts a server without performing a handshake.
    pub fn without_handshake(world: &World, program: &str) -> Self {
        let mut client = Self::silent(world, program);
        client.meta = Some(client_meta(WITHOUT_HANDSHAKE));
        client
    }

    /// Starts a server with additional command-line options. `era`: whether the client uses a protocol revision with a
    /// handshake. `capabilities`: the capabilities that the client declares.
    ///
    /// Returns the client, and the server's instructions for the model.
    pub fn begun(
        world: &World,
        program: &str,
        options: &[&str],
        era: Era,
        capabilities: &Value,
    ) -> (Self, String) {
        let args = [&["mcp"][..], options].concat();
        let mut client = Self::spawn(world.process(program, &args));
        let told = match era {
            Era::Handshake => {
                let mut hello = handshake(WITH_HANDSHAKE);
                hello["capabilities"] = capabilities.clone();
                let told = client.result("initialize", &hello);
                client.notify("notifications/initialized", &json!({}));
                told
            }
            Era::Stateless => {
                let mut meta = client_meta(WITHOUT_HANDSHAKE);
                meta["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
                client.meta = Some(meta);
                client.result("server/discover", &json!({}))
            }
        };
        let told = told["instructions"].as_str().expect("a text").to_owned();
        (client, told)
    }

    /// Starts a server from a command.
    pub fn spawn(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let (lines, stderr) = (child.stdout.take(), child.stderr.take());
        Self {
            input: child.stdin.take(),
            lines: read_lines(lines.expect("a pipe")),
            stderr: Some(read_text(stderr.expect("a pipe"))),
            child,
            answers: BTreeMap::new(),
            strays: Vec::new(),
            notifications: Vec::new(),
            meta: None,
            last_id: 0,
            is_lenient: false,
        }
    }

    /// Allows several responses with the same id.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// Returns the server's process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes to the server, without adding a line end.
    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the pipe is open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// Writes a message as a line.
    pub fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; returns its id.
    pub fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let mut params = params.clone();
        if let (Some(meta), Some(params)) = (&self.meta, params.as_object_mut()) {
            let mut meta = meta.clone();
            let own = params.get("_meta").and_then(Value::as_object).cloned();
            let all = meta.as_object_mut().expect("an object");
            all.extend(own.unwrap_or_default());
            params.insert("_meta".into(), meta);
        }
        self.send(&request(self.last_id, method, &params));
        self.last_id
    }

    /// Sends a tool call; returns the request's id.
    pub fn ask_call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Waits for a response and returns the whole message.
    #[track_caller]
    pub fn answer(&mut self, id: impl Into<Value>) -> Value {
        let (id, until) = (id.into().to_string(), Instant::now() + PATIENCE);
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            assert!(
                self.read_until(until),
                "no response to {id}: {}",
                self.trouble()
            );
        }
    }

    /// Waits for a response and returns its result.
    #[track_caller]
    pub fn result_of(&mut self, id: impl Into<Value>) -> Value {
        let answer = self.answer(id);
        let result = answer.get("result");
        result
            .unwrap_or_else(|| panic!("no result: {answer}"))
            .clone()
    }

    /// Sends a request and returns its result.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.result_of(id)
    }

    /// Sends a request that must fail; returns the code and the message.
    #[track_caller]
    pub fn error(&mut self, method: &str, params: &Value) -> (i64, String) {
        let id = self.ask(method, params);
        error_in(&self.answer(id))
    }

    /// Calls a tool and returns the result, which may be a failure.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.ask_call(tool, arguments);
        self.result_of(id)
    }

    /// Reads messages until a condition holds; returns false at the end of the stream or on timeout.
    pub fn wait_for(&mut self, is_it: impl Fn(&Self) -> bool) -> bool {
        let until = Instant::now() + PATIENCE;
        while !is_it(self) {
            if !self.read_until(until) {
                return false;
            }
        }
        true
    }

    /// Closes the server's standard input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Closes the server's standard input and waits for it to exit.
    #[track_caller]
    pub fn end(mut self) -> Ended {
        self.close();
        let until = Instant::now() + PATIENCE;
        while self.read_until(until) {}
        assert!(Instant::now() < until, "the server does not exit");
        let status = self.child.wait().expect("our own process");
        let stderr = self.stderr.take().map(JoinHandle::join);
        Ended {
            status: status.code(),
            stderr: stderr.expect("taken once").expect("a thread"),
            answers: std::mem::take(&mut self.answers),
            strays: std::mem::take(&mut self.strays),
        }
    }

    /// Describes the state of the server for the message of a failing test.
    fn trouble(&mut self) -> String {
        match self.child.try_wait() {
            Ok(Some(status)) => {
                let stderr = self.stderr.take().and_then(|text| text.join().ok());
                format!("{status}: {}", stderr.unwrap_or_default())
            }
            _ => "still running".to_owned(),
        }
    }

    /// Reads a message. Returns false at the end of the stream or on timeout.
    fn read_until(&mut self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => self.take(&line),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        }
        true
    }

    fn take(&mut self, line: &[u8]) {
        let shown = String::from_utf8_lossy(line);
        let message: Value = serde_json::from_slice(line)
            .unwrap_or_else(|e| panic!("invalid JSON on standard output: {e}: {shown}"));
        assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {shown}");
        let is_answer = message.get("result").is_some() != message.get("error").is_some();
        if message.get("method").is_some() {
            self.notifications.push(message);
        } else if message["id"].is_null() {
            assert!(is_answer, "neither result nor error: {shown}");
            self.strays.push(message);
        } else {
            assert!(is_answer, "neither result nor error: {shown}");
            let again = self.answers.insert(message["id"].to_string(), message);
            assert!(
                again.is_none() || self.is_lenient,
                "answered twice: {shown}"
            );
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the code and the message of an error response.
#[track_caller]
pub fn error_in(answer: &Value) -> (i64, String) {
    let error = &answer["error"];
    let code = error["code"].as_i64();
    let message = error["message"].as_str();
    let code = code.unwrap_or_else(|| panic!("no error: {answer}"));
    (code, message.expect("a text").to_owned())
}

/// Returns the text of each text block in a call's result.
#[track_caller]
pub fn texts(result: &Value) -> Vec<&str> {
    let content = result["content"].as_array();
    let content = content.unwrap_or_else(|| panic!("no content: {result}"));
    let text = |block: &'_ Value| block["type"] == "text";
    assert!(content.iter().all(text), "{result}");
    let texts = content.iter().filter_map(|block| block["text"].as_str());
    texts.collect()
}

/// Returns the resident memory of a process in KiB.
pub fn resident_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let words = line.expect("a size").split_whitespace().next();
    words.and_then(|word| word.parse().ok()).expect("a number")
}

fn read_lines(from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while matches!(from.read_until(b'\n', &mut line), Ok(1..)) {
            // Pass on an unterminated last line unchanged; the client rejects the line if it is not JSON.
            if sender.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    lines
}

pub(crate) fn read_text(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // After a read error, return the text that was read so far.
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
