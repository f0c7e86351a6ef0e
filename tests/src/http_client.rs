//! A conforming MCP client over HTTP.

use serde_json::{Value, json};

use crate::mcp::{Era, WITH_HANDSHAKE, WITHOUT_HANDSHAKE, client_meta, handshake, request};
use crate::mcp_http::{Connection, HttpServer, PATH, Reply, with};

/// A client that talks to a server over one connection.
pub struct HttpClient {
    connection: Connection,
    headers: Vec<(String, String)>,
    /// The `_meta` of each request; `None` in protocol revisions with a handshake.
    meta: Option<Value>,
    last_id: u64,
}

impl HttpClient {
    /// Starts a session.
    pub fn new(server: &HttpServer) -> Self {
        Self::with_session(server, &json!({}))
    }

    fn with_session(server: &HttpServer, capabilities: &Value) -> Self {
        let mut client = Self {
            connection: server.connect(),
            headers: server.headers(),
            meta: None,
            last_id: 0,
        };
        let mut hello = request(0, "initialize", &handshake(WITH_HANDSHAKE));
        hello["params"]["capabilities"] = capabilities.clone();
        let reply = client.post(&hello);
        let session = reply.headers.get("mcp-session-id").expect("a session");
        let more = [
            ("Mcp-Session-Id", session.as_str()),
            ("Mcp-Protocol-Version", WITH_HANDSHAKE),
        ];
        client.headers = with(client.headers, &more);
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.post(&done).status, 202);
        client
    }

    /// Creates a client. `era`: whether the client uses a protocol revision with a handshake. `capabilities`: the
    /// capabilities that the client declares.
    pub fn begun(server: &HttpServer, era: Era, capabilities: &Value) -> Self {
        match era {
            Era::Handshake => Self::with_session(server, capabilities),
            Era::Stateless => {
                let mut client = Self::without_handshake(server);
                let said = client.meta.as_mut().expect("request metadata");
                said["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
                client
            }
        }
    }

    /// Sends a request that makes the server send a request to the client. Returns the server's request and the
    /// response stream.
    #[track_caller]
    pub fn asked(&mut self, method: &str, params: &Value) -> (Value, Connection) {
        self.last_id += 1;
        let message = request(self.last_id, method, params).to_string();
        let mut stream = Connection::open(self.connection.address);
        stream.send("POST", PATH, &self.headers, message.as_bytes());
        let (status, _) = stream.head().expect("an answer");
        assert_eq!(status, 200);
        while let Some(chunk) = stream.chunk() {
            let text = String::from_utf8_lossy(&chunk).into_owned();
            let mut data = text.lines().filter_map(|line| line.strip_prefix("data:"));
            let message = data.find_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
            if let Some(message) = message {
                return (message, stream);
            }
        }
        panic!("the server sent no request");
    }

    /// Creates a client without a session.
    pub fn without_handshake(server: &HttpServer) -> Self {
        let more = [("Mcp-Protocol-Version", WITHOUT_HANDSHAKE)];
        Self {
            connection: server.connect(),
            headers: with(server.headers(), &more),
            meta: Some(client_meta(WITHOUT_HANDSHAKE)),
            last_id: 0,
        }
    }

    /// Returns the session id.
    pub fn session(&self) -> Option<&str> {
        let header = self
            .headers
            .iter()
            .find(|(name, _)| name == "Mcp-Session-Id");
        header.map(|(_, session)| session.as_str())
    }

    /// Posts a message.
    #[track_caller]
    pub fn post(&mut self, message: &Value) -> Reply {
        let mut headers = self.headers.clone();
        if self.meta.is_some() {
            let method = message["method"].as_str().unwrap_or_default();
            headers = with(headers, &[("Mcp-Method", method)]);
            let params = &message["params"];
            let name = params["name"].as_str().or_else(|| params["uri"].as_str());
            headers = with(headers, &[("Mcp-Name", name.unwrap_or_default())]);
        }
        let body = message.to_string();
        self.connection
            .send("POST", PATH, &headers, body.as_bytes());
        self.connection.reply()
    }

    /// Sends a request and returns the response.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let mut params = params.clone();
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let reply = self.post(&request(self.last_id, method, &params));
        let answer = reply.answer();
        assert_eq!(answer["id"], self.last_id, "{answer}");
        answer
    }

    /// Calls a tool and returns the result.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.ask("tools/call", &params);
        let result = answer.get("result");
        result
            .unwrap_or_else(|| panic!("no result: {answer}"))
            .clone()
    }
}
