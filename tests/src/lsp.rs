//! An editor that speaks LSP over pipes, with a timeout for everything.
//!
//! It uses no LSP library, so that tests see the raw messages.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::World;
use crate::mcp::{PATIENCE, error_in};

/// A server and its editor.
pub struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Unconsumed responses, keyed by their ids as text.
    answers: BTreeMap<String, Value>,
    /// Error responses with a null id.
    pub strays: Vec<Value>,
    /// Notifications and requests from the server, in order.
    pub notifications: Vec<Value>,
    /// The result of `initialize`.
    pub welcome: Value,
    last_id: u64,
}

/// Returns the URI of a path, as the server writes it.
pub fn uri(path: &Path) -> String {
    let text = path.to_str().expect("UTF-8").replace('\\', "/");
    let escaped = text.replace(' ', "%20").replace(':', "%3A");
    if escaped.starts_with('/') {
        format!("file://{escaped}")
    } else {
        format!("file:///{escaped}")
    }
}

/// Returns a position.
pub fn at(line: u64, character: u64) -> Value {
    json!({"line": line, "character": character})
}

/// Returns a range.
pub fn range(start: (u64, u64), end: (u64, u64)) -> Value {
    json!({"start": at(start.0, start.1), "end": at(end.0, end.1)})
}

/// Returns the position after the first occurrence of a string; columns count UTF-16 units.
pub fn after(text: &str, mark: &str) -> Value {
    let end = text.find(mark).expect("the mark") + mark.len();
    let before = &text[..end];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[start..].encode_utf16().count();
    json!({"line": line, "character": column})
}

impl Editor {
    /// Starts a server without sending anything. `program`: as for [`World::process`].
    pub fn silent(world: &World, program: &str) -> Self {
        let mut command = world.process(program, &["lsp"]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("a process");
        let output = child.stdout.take().expect("a pipe");
        Self {
            input: child.stdin.take(),
            messages: read_messages(output),
            child,
            answers: BTreeMap::new(),
            strays: Vec::new(),
            notifications: Vec::new(),
            welcome: Value::Null,
            last_id: 0,
        }
    }

    /// Starts a server and opens the working directory. `capabilities`: the capabilities that the editor declares.
    pub fn new(world: &World, program: &str, capabilities: &Value) -> Self {
        let mut editor = Self::silent(world, program);
        let folder = json!({"uri": uri(&world.cwd), "name": "work"});
        let params = json!({"capabilities": capabilities, "workspaceFolders": [folder]});
        editor.welcome = editor.result("initialize", &params);
        editor.notify("initialized", &json!({}));
        editor
    }

    /// Returns the server's process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes to the server.
    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the pipe is open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// Sends a message body with its `Content-Length` header.
    pub fn send_text(&mut self, body: &str) {
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send_text(&message.to_string());
    }

    /// Sends a request; returns its id.
    pub fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send_text(&message.to_string());
        id
    }

    /// Waits for a response and returns the whole message.
    #[track_caller]
    pub fn answer(&mut self, id: u64) -> Value {
        let key = id.to_string();
        self.wait_for(|editor| editor.answers.contains_key(&key));
        self.answers.remove(&key).expect("waited for")
    }

    /// Returns whether the response to a request has been read, but not consumed yet.
    pub fn is_answered(&self, id: u64) -> bool {
        self.answers.contains_key(&id.to_string())
    }

    /// Sends a request and returns its result.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.answer(id);
        let result = answer.get("result");
        result
            .unwrap_or_else(|| panic!("no result: {answer}"))
            .clone()
    }

    /// Sends a request that must fail; returns the code and the message.
    #[track_caller]
    pub fn error(&mut self, method: &str, params: &Value) -> (i64, String) {
        let id = self.ask(method, params);
        error_in(&self.answer(id))
    }

    /// Sends a request about a position in a file, and returns its result.
    #[track_caller]
    pub fn at(&mut self, method: &str, file: &Path, position: &Value) -> Value {
        let document = json!({"uri": uri(file)});
        self.result(
            method,
            &json!({"textDocument": document, "position": position}),
        )
    }

    /// Opens a file with this text, as version 1.
    pub fn open(&mut self, file: &Path, text: &str) {
        let document =
            json!({"uri": uri(file), "languageId": "markdown", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Changes a range of a file, or replaces the whole text if there is no range.
    pub fn change(&mut self, file: &Path, version: u64, range: Option<&Value>, text: &str) {
        let mut change = json!({"text": text});
        if let Some(range) = range {
            change["range"] = range.clone();
        }
        let document = json!({"uri": uri(file), "version": version});
        let params = json!({"textDocument": document, "contentChanges": [change]});
        self.notify("textDocument/didChange", &params);
    }

    /// Closes a file.
    pub fn close(&mut self, file: &Path) {
        let params = json!({"textDocument": {"uri": uri(file)}});
        self.notify("textDocument/didClose", &params);
    }

    /// Reports that a file changed on disk.
    pub fn changed_on_disk(&mut self, file: &Path) {
        let params = json!({"changes": [{"uri": uri(file), "type": 2}]});
        self.notify("workspace/didChangeWatchedFiles", &params);
    }

    /// Waits until the server publishes the findings for a version of a file. `version`: `None` for a file that is not
    /// open.
    #[track_caller]
    pub fn published(&mut self, file: &Path, version: Option<u64>) -> Vec<Value> {
        let uri = uri(file);
        let find = |editor: &Self| {
            let mut all = editor.notifications.iter().rev();
            let found = all.find(|of| {
                let params = &of["params"];
                let is_version = params.get("version").and_then(Value::as_u64) == version;
                of["method"] == "textDocument/publishDiagnostics"
                    && params["uri"] == *uri
                    && is_version
            });
            found.map(|of| of["params"]["diagnostics"].clone())
        };
        self.wait_for(|editor| find(editor).is_some());
        let found = find(self).expect("waited for");
        found.as_array().expect("a list").clone()
    }

    /// Like [`published`](Self::published), but returns only the rules of the findings.
    #[track_caller]
    pub fn rules(&mut self, file: &Path, version: Option<u64>) -> Vec<String> {
        rules_of(&self.published(file, version))
    }

    /// Reads messages until a condition holds.
    #[track_caller]
    pub fn wait_for(&mut self, is_it: impl Fn(&Self) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_it(self) {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left);
            let status = self.child.try_wait();
            let message = message.unwrap_or_else(|e| panic!("{e}: {status:?}"));
            self.take(message);
        }
    }

    fn take(&mut self, message: Value) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        if message.get("method").is_some() {
            self.notifications.push(message);
        } else if message["id"].is_null() {
            self.strays.push(message);
        } else {
            let id = message["id"].to_string();
            let again = self.answers.insert(id, message);
            assert!(again.is_none(), "answered twice: {again:?}");
        }
    }

    /// Shuts the server down as the protocol demands; returns its exit status.
    pub fn end(mut self) -> Option<i32> {
        self.result("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        self.exit_status()
    }

    /// Closes the server's input, but continues to read its messages.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the server's input; returns its exit status.
    pub fn hang_up(mut self) -> Option<i32> {
        self.exit_status()
    }

    fn exit_status(&mut self) -> Option<i32> {
        self.close_input();
        while self.messages.recv_timeout(PATIENCE).is_ok() {}
        self.child.wait().expect("our own process").code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the rules of findings.
pub fn rules_of(found: &[Value]) -> Vec<String> {
    let codes = found.iter().map(|of| of["code"].as_str().expect("a code"));
    codes.map(str::to_owned).collect()
}

fn read_messages(output: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(message) = read_message(&mut output) {
            if sender.send(message).is_err() {
                break;
            }
        }
    });
    receiver
}

fn read_message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(value) => length = value.parse().ok()?,
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
