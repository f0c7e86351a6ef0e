//! The HTTP server, for clients that do not start the process themselves.
//!
//! A client of this server can build skills, so access is restricted: the server listens on loopback unless configured
//! otherwise, every request needs the token generated at startup, and the `Origin` and `Host` checks block requests
//! from foreign web pages (DNS rebinding). Bodies, parallel requests, connections and sessions are bounded.
//!
//! Design: R20.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use skillc_core::config::Toolset;
use skillc_core::hash::Sha;
use skillc_core::{Error, Result};
use skillc_ops::{Toolkit, random};
use tokio::net::TcpListener;

use crate::connections::{Connected, accept};
use crate::message_values::{self, MAX_VALUES};
use crate::server::Server;
use crate::stdio::run;

/// The path of the endpoint.
const PATH: &str = "/mcp";

/// The maximum size of the body of a request, in bytes. Design: R20.
const MAX_BODY_BYTES: usize = 4 << 20;

/// Timeout for reading a request body.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// The maximum number of sessions.
const MAX_SESSIONS: usize = 100;

/// Idle timeout of a session.
const SESSION_LIFE: Duration = Duration::from_secs(60 * 60);

/// How long a session keeps a response for a client that lost its connection.
const ANSWER_LIFE: Duration = Duration::from_secs(5);

/// The header with the session id.
const SESSION_HEADER: &str = "mcp-session-id";

/// The header with the protocol version.
const VERSION_HEADER: &str = "mcp-protocol-version";

/// The first protocol version without sessions.
const SESSIONLESS: &str = "2026-07-28";

/// The machines from which the server can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Loopback only.
    ThisMachine,
    /// Any machine that can reach the address.
    Remote,
}

/// What a client needs to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// The endpoint, such as `http://127.0.0.1:8765/mcp`.
    pub url: String,
    /// The bearer token for `Authorization: Bearer …`: 64 hex digits.
    pub token: String,
}

/// Serves over HTTP until the process is asked to terminate. `announce` is called once the server accepts requests.
///
/// # Errors
/// E100 if the address is reachable from other machines and `reach` does not allow that; E999 if the address cannot be
/// bound or no token can be generated; also the errors of [`serve_stdio`](crate::serve_stdio).
pub fn serve_http(
    toolkit: Toolkit,
    toolset: Toolset,
    address: SocketAddr,
    reach: Reach,
    announce: impl FnOnce(&Listening),
) -> Result<()> {
    if reach == Reach::ThisMachine && !address.ip().is_loopback() {
        return Err(Error::InvalidOption {
            message: format!("{} is reachable from other machines", address.ip()),
            hint: Some("Use 127.0.0.1, or add --allow-remote if that is intended.".into()),
        });
    }
    run(serve(Server::new(toolkit, toolset)?, address, announce))
}

async fn serve(
    server: Server,
    address: SocketAddr,
    announce: impl FnOnce(&Listening),
) -> Result<()> {
    let fail = |e: std::io::Error| Error::internal(format!("listening on {address}: {e}"));
    let listener = TcpListener::bind(address).await.map_err(fail)?;
    let bound = listener.local_addr().map_err(fail)?;
    let token = random::hex::<32>();
    let token = token.map_err(|e| Error::internal(format!("creating a token: {e}")))?;
    let gate = Arc::new(Gate {
        token: Sha::digest(token.as_bytes()),
        sessions: sessions(),
        used: Mutex::default(),
    });
    server.start();
    let config = config(bound);
    let end = config.cancellation_token.clone();
    let sessions = Arc::clone(&gate.sessions);
    let service = StreamableHttpService::new(move || Ok(server.connected()), sessions, config);
    let router = Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(gate, pass));
    let asked = asked_to_end();
    announce(&Listening {
        url: format!("http://{bound}{PATH}"),
        token,
    });
    accept(listener, router, asked, || end.cancel()).await;
    Ok(())
}

fn config(bound: SocketAddr) -> StreamableHttpServerConfig {
    let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_BODY_BYTES);
    match bound.ip() {
        // The client may use any name of this machine, so every host is allowed; the token and the `Origin` check
        // remain.
        ip if ip.is_unspecified() => config.disable_allowed_hosts(),
        ip => config.with_allowed_hosts([host(ip), "localhost".into(), "127.0.0.1".into()]),
    }
}

fn host(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

fn sessions() -> Arc<LocalSessionManager> {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_LIFE);
    sessions.session_config.completed_cache_ttl = ANSWER_LIFE;
    Arc::new(sessions)
}

/// Returns a future that completes on SIGINT or SIGTERM. The handlers are installed by this call, so no later signal is
/// lost.
#[cfg(unix)]
fn asked_to_end() -> impl Future<Output = ()> {
    use std::future::poll_fn;
    use std::task::Poll;

    use tokio::signal::unix::{SignalKind, signal};

    // If no handler can be installed, the signal terminates the process as usual.
    let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    let mut signals: Vec<_> = signals.into_iter().flatten().collect();
    poll_fn(move |context| {
        let mut signals = signals.iter_mut();
        if signals.any(|signal| signal.poll_recv(context).is_ready()) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn asked_to_end() {
    drop(tokio::signal::ctrl_c().await);
}

/// The data for the checks that a request must pass before it reaches the protocol.
struct Gate {
    /// The digest of the token, because the constant-time comparison needs inputs of equal length.
    token: Sha,
    sessions: Arc<LocalSessionManager>,
    /// When each session was last used.
    used: Mutex<HashMap<String, Instant>>,
}

/// Returns whether a request specifies exactly one host, so that no other host than the checked one can take effect.
fn names_one_host(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let target = request.uri().authority();
    target.is_none_or(|target| target.as_str().as_bytes() == host.as_bytes())
}

async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if !gate.admits(headers) {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        let text = "missing or invalid token; skc mcp printed it at startup\n";
        return (StatusCode::UNAUTHORIZED, challenge, text).into_response();
    }
    if !names_one_host(&request) {
        let text = "a request needs exactly one Host header, matching its target\n";
        return (StatusCode::BAD_REQUEST, text).into_response();
    }
    let connected = request.extensions().get::<Arc<Connected>>();
    if connected.is_some_and(|connected| !connected.admit()) {
        let text = "too many connections\n";
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    }
    let request = match with_whole_body(request).await {
        Ok(request) => request,
        Err(refused) => return refused,
    };
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match text(SESSION_HEADER) {
        Some(session) => gate.used(session),
        None if request.method() == Method::POST && text(VERSION_HEADER) != Some(SESSIONLESS) => {
            gate.make_room().await;
        }
        None => {}
    }
    let response = next.run(request).await;
    let begun = response.headers().get(SESSION_HEADER);
    if let Some(session) = begun.and_then(|value| value.to_str().ok()) {
        gate.used(session);
    }
    response
}

/// Reads the whole body with a timeout, to prevent slow-body attacks.
async fn with_whole_body(request: Request) -> std::result::Result<Request, Response> {
    let (head, body) = request.into_parts();
    match tokio::time::timeout(BODY_WITHIN, to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(bytes)) if message_values::has_too_many(&bytes) => {
            let text = format!("the message has more than {MAX_VALUES} values\n");
            Err((StatusCode::BAD_REQUEST, text).into_response())
        }
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(_)) => {
            let text = format!("the body is longer than {MAX_BODY_BYTES} bytes, or incomplete\n");
            Err((StatusCode::PAYLOAD_TOO_LARGE, text).into_response())
        }
        Err(_) => {
            let text = "the body took too long\n";
            let close = [(header::CONNECTION, "close")];
            Err((StatusCode::REQUEST_TIMEOUT, close, text).into_response())
        }
    }
}

impl Gate {
    fn admits(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION);
        let given = given.and_then(|value| value.to_str().ok()?.split_once(' '));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer")
                && Sha::digest(token.trim().as_bytes()).constant_time_eq(&self.token)
        })
    }

    /// Records the use of a session.
    fn used(&self, session: &str) {
        let mut used = self.used.lock();
        if used.len() < 2 * MAX_SESSIONS || used.contains_key(session) {
            used.insert(session.to_owned(), Instant::now());
        }
    }

    /// Closes the least recently used session if the limit is reached.
    async fn make_room(&self) {
        let sessions: Vec<SessionId> = self
            .sessions
            .sessions
            .read()
            .await
            .keys()
            .cloned()
            .collect();
        let oldest = {
            let mut used = self.used.lock();
            used.retain(|session, _| sessions.iter().any(|open| **open == **session));
            let last = |session: &&SessionId| used.get(&***session).copied();
            sessions.iter().min_by_key(last).cloned()
        };
        if let Some(oldest) = oldest.filter(|_| sessions.len() >= MAX_SESSIONS) {
            // The session may have been closed in the meantime.
            let _ = self.sessions.close_session(&oldest).await;
        }
    }
}
