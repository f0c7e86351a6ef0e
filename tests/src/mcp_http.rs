//! An HTTP client on raw sockets, so that tests can also send malformed requests to the server.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::World;
use crate::mcp::PATIENCE;

pub use crate::http_client::HttpClient;

/// The MCP endpoint.
pub const PATH: &str = "/mcp";

/// A listening server.
pub struct HttpServer {
    child: Child,
    /// The server's address.
    pub address: SocketAddr,
    /// The bearer token.
    pub token: String,
    stderr: Mutex<Receiver<String>>,
}

/// A response.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The headers, keyed by lower-case name. If a header is repeated, the last value counts.
    pub headers: BTreeMap<String, String>,
    /// The complete body.
    pub body: Vec<u8>,
}

/// A keep-alive connection, for one request at a time.
pub struct Connection {
    stream: BufReader<TcpStream>,
    pub(crate) address: SocketAddr,
}

impl HttpServer {
    /// Starts a server on a free local port. `program`: as for [`World::process`].
    pub fn start(world: &World, program: &str) -> Self {
        Self::new(world.process(program, &["mcp", "--http", "127.0.0.1:0"]))
    }

    /// Starts a server from a command.
    pub fn new(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let stderr = lines(child.stderr.take().expect("a pipe"));
        let line = |stderr: &Receiver<String>| stderr.recv_timeout(PATIENCE).expect("a line");
        let (url, token) = (line(&stderr), line(&stderr));
        let address = url.strip_prefix("Listening on http://");
        let address = address.and_then(|url| url.strip_suffix(PATH));
        let token = token.strip_prefix("Authorization: Bearer ");
        Self {
            address: address.and_then(|of| of.parse().ok()).expect("an address"),
            token: token.expect("a token").to_owned(),
            child,
            stderr: Mutex::new(stderr),
        }
    }

    /// Returns the server's process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Opens a connection.
    pub fn connect(&self) -> Connection {
        Connection::open(self.address)
    }

    /// Returns the headers that every request needs.
    pub fn headers(&self) -> Vec<(String, String)> {
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        vec![
            own("Authorization", &format!("Bearer {}", self.token)),
            own("Content-Type", "application/json"),
            own("Accept", "application/json, text/event-stream"),
        ]
    }

    /// Posts a message on a new connection.
    #[track_caller]
    pub fn post(&self, message: &Value, more: &[(&str, &str)]) -> Reply {
        self.post_bytes(message.to_string().as_bytes(), more)
    }

    /// Posts bytes on a new connection. A header in `more` replaces the default one; an empty value removes it.
    #[track_caller]
    pub fn post_bytes(&self, body: &[u8], more: &[(&str, &str)]) -> Reply {
        let headers = with(self.headers(), more);
        let mut connection = self.connect();
        connection.send("POST", PATH, &headers, body);
        connection.reply()
    }

    /// Sends SIGTERM and waits for the process to exit. Returns its exit status, and the time it took to exit, in
    /// seconds.
    #[cfg(unix)]
    pub fn terminate(mut self) -> (Option<i32>, f64) {
        let asked = Instant::now();
        let told = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status();
        assert!(told.expect("a process").success());
        while asked.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("our own process") {
                return (status.code(), asked.elapsed().as_secs_f64());
            }
            // Drain standard error while waiting.
            let _ = self.stderr().recv_timeout(Duration::from_millis(10));
        }
        panic!("the server does not exit");
    }

    /// Returns the lines of standard error that have arrived since the last call.
    pub fn said(&self) -> Vec<String> {
        self.stderr().try_iter().collect()
    }

    fn stderr(&self) -> MutexGuard<'_, Receiver<String>> {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Replaces, adds or (with an empty value) removes headers.
pub fn with(mut headers: Vec<(String, String)>, more: &[(&str, &str)]) -> Vec<(String, String)> {
    for (name, value) in more {
        headers.retain(|(of, _)| !of.eq_ignore_ascii_case(name));
        if !value.is_empty() {
            headers.push(((*name).to_owned(), (*value).to_owned()));
        }
    }
    headers
}

impl Connection {
    /// Connects, with timeouts for reading and writing.
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect_timeout(&address, PATIENCE).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream.set_write_timeout(Some(PATIENCE)).expect("a socket");
        stream.set_nodelay(true).expect("a socket");
        Self {
            stream: BufReader::new(stream),
            address,
        }
    }

    /// Sends a request. `Host` defaults to the server's address.
    pub fn send(&mut self, method: &str, path: &str, headers: &[(String, String)], body: &[u8]) {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let is = |name: &str| headers.iter().any(|(of, _)| of.eq_ignore_ascii_case(name));
        if !is("Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        if !is("Content-Length") && !is("Transfer-Encoding") {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let bytes = [format!("{head}\r\n").as_bytes(), body].concat();
        // A server that rejects a request after reading its head does not read the body.
        let _ = self.write(&bytes);
    }

    /// Writes raw bytes.
    ///
    /// # Errors
    /// If the server has closed the connection.
    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Closes the connection for writing.
    pub fn stop_writing(&self) {
        // The server may have closed the connection.
        let _ = self.stream.get_ref().shutdown(Shutdown::Write);
    }

    /// Reads a complete response.
    #[track_caller]
    pub fn reply(&mut self) -> Reply {
        self.try_reply().expect("an answer")
    }

    /// Reads a response; `None` if the server closed the connection first.
    pub fn try_reply(&mut self) -> Option<Reply> {
        let (status, headers) = self.head()?;
        let mut reply = Reply {
            status,
            headers,
            body: Vec::new(),
        };
        if let Some(length) = reply.headers.get("content-length") {
            let length = length.parse().expect("a number");
            reply.body = vec![0; length];
            self.stream.read_exact(&mut reply.body).ok()?;
        } else if reply.headers.contains_key("transfer-encoding") {
            while let Some(chunk) = self.chunk() {
                reply.body.extend(chunk);
            }
        }
        Some(reply)
    }

    /// Reads the status line and the headers of a response.
    pub fn head(&mut self) -> Option<(u16, BTreeMap<String, String>)> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut headers = BTreeMap::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else {
                return Some((status.expect("a status"), headers));
            };
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }

    /// Reads a chunk of a chunked response; `None` at its end.
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = usize::from_str_radix(&self.line()?, 16).expect("a size");
        let mut bytes = vec![0; size];
        self.stream.read_exact(&mut bytes).ok()?;
        self.line()?;
        (size > 0).then_some(bytes)
    }

    /// Reads chunks until one contains a string; returns false if none does.
    pub fn wait_for(&mut self, text: &str) -> bool {
        while let Some(chunk) = self.chunk() {
            if String::from_utf8_lossy(&chunk).contains(text) {
                return true;
            }
        }
        false
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(1..) => Some(line.trim_end().to_owned()),
            _ => None,
        }
    }
}

impl Reply {
    /// Parses the messages in the body: a single one or an event stream.
    #[track_caller]
    pub fn messages(&self) -> Vec<Value> {
        let text = String::from_utf8_lossy(&self.body);
        let kind = self.headers.get("content-type").map(String::as_str);
        let parse =
            |text: &str| serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {self:?}"));
        match kind {
            Some("application/json") => vec![parse(&text)],
            Some("text/event-stream") => {
                let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
                let data = data.map(str::trim).filter(|data| !data.is_empty());
                data.map(parse).collect()
            }
            _ => panic!("no messages: {self:?}"),
        }
    }

    /// Returns the only response in the body.
    #[track_caller]
    pub fn answer(&self) -> Value {
        let mut messages = self.messages();
        messages.retain(|message| message.get("method").is_none());
        assert_eq!(messages.len(), 1, "{self:?}");
        messages.remove(0)
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
