//! The HTTP server, for clients that do not start the process themselves.
//!
//! A client of this server can build skills, so access is restricted: the server listens on loopback unless configured
//! otherwise, every request except `GET /healthz` needs the token, and the `Origin` and `Host` checks block requests
//! from foreign web pages (DNS rebinding). `Host` is checked first, for every path. Bodies, parallel requests,
//! connections and sessions are bounded.
//!
//! During shutdown, running calls have time to complete, and new requests are answered with status 503.
//!
//! Design: R20.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use skillc_core::config::Toolset;
use skillc_core::hash::Sha;
use skillc_core::shell::shell_word;
use skillc_core::source::read_start;
use skillc_core::{Error, Result};
use skillc_ops::{Toolkit, random};
use tokio::net::TcpListener;

use crate::connections::{Connected, accept};
use crate::message_values::{self, MAX_VALUES};
use crate::metrics::{MEDIA_TYPE, Metrics};
use crate::server::Server;
use crate::stdio::run;

/// The path of the MCP endpoint.
const PATH: &str = "/mcp";

/// The path of the health check, for proxies and supervisors. It needs no token.
const HEALTH: &str = "/healthz";

/// The path of the metrics.
const METRICS: &str = "/metrics";

/// The names of this machine that an `Origin` header may contain, with any port.
const OWN_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// How long shutdown waits for running calls before it cancels them.
const DRAIN: Duration = Duration::from_secs(2);

/// The minimum length of a token in a file, in bytes.
const MIN_TOKEN_BYTES: usize = 32;

/// The maximum length of a token in a file, in bytes.
const MAX_TOKEN_BYTES: usize = 4096;

/// The maximum size of a request's body, in bytes. Design: R20.
const MAX_BODY_BYTES: usize = 4 << 20;

/// Timeout for reading a request body.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// The maximum number of sessions.
const MAX_SESSIONS: usize = 256;

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

/// The data that a client needs to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// The URL of the endpoint, such as `http://127.0.0.1:8765/mcp`.
    pub url: String,
    /// The bearer token for `Authorization: Bearer …`: 64 hex digits. `None` if the token was read from a file.
    pub token: Option<String>,
}

/// Options of the HTTP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpOptions {
    /// The address to listen on; port 0 for any free port.
    pub address: SocketAddr,
    /// The machines from which the address may be reachable.
    pub reach: Reach,
    /// The file with the token, relative to the working directory; `None` for a new token.
    pub token_file: Option<PathBuf>,
    /// Whether `GET /metrics` returns metrics.
    pub has_metrics: bool,
    /// Whether tools that change skills or settings are left out, and usage logs are not written.
    pub is_read_only: bool,
}

/// Serves over HTTP until the process is asked to terminate. `announce` is called once the server accepts requests.
///
/// # Errors
/// E100 if the address is reachable from other machines and the options do not allow that, or if the token's file is
/// unsuitable; E999 if the address cannot be bound or no token can be generated; also the errors of
/// [`serve_stdio`](crate::serve_stdio).
pub fn serve_http(
    mut toolkit: Toolkit,
    toolset: Toolset,
    options: &HttpOptions,
    announce: impl FnOnce(&Listening),
) -> Result<()> {
    let address = options.address;
    if options.reach == Reach::ThisMachine && !address.ip().is_loopback() {
        return Err(Error::InvalidOption {
            message: format!("{} is reachable from other machines", address.ip()),
            hint: Some("Use 127.0.0.1, or add --allow-remote if that is intended.".into()),
        });
    }
    let token = options.token_file.as_ref();
    let token = token.map(|path| token_in(&toolkit.context.cwd.join(path)));
    let token = token.transpose()?;
    toolkit.logs_use = !options.is_read_only;
    let mut server = Server::new(toolkit, toolset)?;
    if options.is_read_only {
        server = server.read_only()?;
    }
    run(serve(server, options, token, announce))
}

/// Reads the token from a file, which other users must not be able to read.
fn token_in(path: &Path) -> Result<String> {
    let shown = path.display();
    if is_open_to_others(path)? {
        let file = path.to_string_lossy();
        return Err(Error::InvalidOption {
            message: format!("other users have access to the token in '{shown}'"),
            hint: Some(format!("chmod 600 {}", shell_word(&file)).into()),
        });
    }
    let bytes = read_start(path, MAX_TOKEN_BYTES as u64 + 1);
    let bytes = bytes.map_err(|e| Error::io("reading", path, &e))?;
    let text = String::from_utf8(bytes).unwrap_or_default();
    let token = text.trim();
    let is_suitable = (MIN_TOKEN_BYTES..=MAX_TOKEN_BYTES).contains(&token.len())
        && token.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_suitable {
        return Err(Error::InvalidOption {
            message: format!(
                "the token in '{shown}' must have {MIN_TOKEN_BYTES} to {MAX_TOKEN_BYTES} visible ASCII characters"
            ),
            hint: Some("Create one, for example: openssl rand -hex 32".into()),
        });
    }
    Ok(token.to_owned())
}

/// Returns whether the group or others have access to a file.
#[cfg(unix)]
fn is_open_to_others(path: &Path) -> Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    let found = path.metadata();
    let found = found.map_err(|e| Error::io("reading", path, &e))?;
    Ok(found.permissions().mode() & 0o077 != 0)
}

/// Returns false: on this platform, files have no permissions for the group or others.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature everywhere")]
fn is_open_to_others(_: &Path) -> Result<bool> {
    Ok(false)
}

async fn serve(
    server: Server,
    options: &HttpOptions,
    given: Option<String>,
    announce: impl FnOnce(&Listening),
) -> Result<()> {
    let address = options.address;
    let fail = |e: std::io::Error| Error::internal(format!("listening on {address}: {e}"));
    let listener = TcpListener::bind(address).await.map_err(fail)?;
    let bound = listener.local_addr().map_err(fail)?;
    let is_given = given.is_some();
    let token = given.map_or_else(random::hex::<32>, Ok);
    let token = token.map_err(|e| Error::internal(format!("creating a token: {e}")))?;
    let gate = Arc::new(Gate {
        hosts: hosts(bound.ip()),
        token: Sha::digest(token.as_bytes()),
        sessions: sessions(),
        used: Mutex::default(),
        is_ending: AtomicBool::new(false),
        metrics: options.has_metrics.then(|| Arc::clone(&server.metrics)),
    });
    server.start();
    let config = config();
    let end = config.cancellation_token.clone();
    let sessions = Arc::clone(&gate.sessions);
    let (draining, closing) = (server.clone(), Arc::clone(&gate));
    let service = StreamableHttpService::new(move || Ok(server.connected()), sessions, config);
    let router = Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(gate, pass));
    let signal = asked_to_end();
    let asked = async move {
        signal.await;
        closing.is_ending.store(true, Ordering::Relaxed);
        let _ = tokio::time::timeout(DRAIN, draining.idle()).await;
    };
    announce(&Listening {
        url: format!("http://{bound}{PATH}"),
        token: (!is_given).then_some(token),
    });
    accept(listener, router, asked, || end.cancel()).await;
    Ok(())
}

fn config() -> StreamableHttpServerConfig {
    let origins = OWN_HOSTS.map(|host| format!("http://{host}:*"));
    StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        // The gate checks `Host`.
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MAX_BODY_BYTES)
}

/// Returns the hosts that a `Host` header may contain, with any port, because a tunnel or a container can change the
/// port. Returns `None` if every host is allowed.
fn hosts(bound: IpAddr) -> Option<[String; 3]> {
    // The client may use any name for this machine; the token and the `Origin` check still apply.
    if bound.is_unspecified() {
        return None;
    }
    let own = match bound {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    Some([own, "localhost".to_owned(), "127.0.0.1".to_owned()])
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
    /// The hosts that a `Host` header may contain; `None` for every host.
    hosts: Option<[String; 3]>,
    /// The digest of the token, because the constant-time comparison needs inputs of equal length.
    token: Sha,
    sessions: Arc<LocalSessionManager>,
    /// When each session was last used.
    used: Mutex<HashMap<String, Instant>>,
    /// Whether the process was asked to end.
    is_ending: AtomicBool,
    /// `None` if there is no endpoint for metrics.
    metrics: Option<Arc<Metrics>>,
}

/// Returns whether a header that the access checks read occurs more than once in a request. If it does, a value that
/// was not checked could take effect.
fn is_ambiguous(headers: &HeaderMap) -> bool {
    let names = [header::HOST, header::ORIGIN, header::AUTHORIZATION];
    names
        .into_iter()
        .any(|name| headers.get_all(name).iter().count() > 1)
}

/// Returns the host and port that a request names. `None` if there is no valid `Host` header, or if the header contains
/// user information or differs from the request's target.
fn named_host(request: &Request) -> Option<Authority> {
    let host = request.headers().get(header::HOST)?.to_str().ok()?;
    let target = request.uri().authority();
    let is_target = target.is_none_or(|target| target.as_str() == host);
    let host: Authority = host.parse().ok()?;
    (is_target && !host.as_str().contains('@')).then_some(host)
}

/// Returns whether a request comes from a page on this machine, or from a program that is no browser.
fn is_from_this_machine(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let host = origin
        .to_str()
        .ok()
        .and_then(|origin| origin.strip_prefix("http://"));
    let host: Option<Authority> = host.and_then(|host| host.parse().ok());
    host.is_some_and(|host| {
        let is_own = |own: &&str| own.eq_ignore_ascii_case(host.host());
        !host.as_str().contains('@') && OWN_HOSTS.iter().any(is_own)
    })
}

async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let read = (request.method() == Method::GET).then(|| request.uri().path());
    let (is_health, is_metrics) = (read == Some(HEALTH), read == Some(METRICS));
    if let Some(refused) = gate.foreign(&request, is_health) {
        return refused;
    }
    // The MCP service checks the origin of its own requests.
    if (is_health || is_metrics) && !is_from_this_machine(request.headers()) {
        let text = "the Origin header names another host\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    if is_health {
        return gate.ending().unwrap_or_else(|| "ok".into_response());
    }
    let headers = request.headers();
    if !gate.admits(headers) {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        let text = "missing or invalid token; skc mcp prints the token at startup, unless --token-file sets it\n";
        return (StatusCode::UNAUTHORIZED, challenge, text).into_response();
    }
    let connected = request.extensions().get::<Arc<Connected>>();
    if connected.is_some_and(|connected| !connected.admit()) {
        let text = "too many connections\n";
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    }
    if let Some(refused) = gate.ending() {
        return refused;
    }
    if let Some(metrics) = gate.metrics.as_ref().filter(|_| is_metrics) {
        let sessions = gate.sessions.sessions.read().await.len();
        let media_type = [(header::CONTENT_TYPE, MEDIA_TYPE)];
        return (media_type, metrics.text(sessions)).into_response();
    }
    let request = match with_whole_body(request).await {
        Ok(request) => request,
        Err(refused) => return refused,
    };
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let session = text(SESSION_HEADER);
    let sessions = gate.sessions.sessions.read().await;
    let known = session.filter(|session| sessions.contains_key(*session));
    drop(sessions);
    match session {
        // An invented id must not take the place of a real session.
        Some(_) => {
            if let Some(session) = known {
                gate.used(session);
            }
        }
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
    /// Returns the response to a request that is not addressed to this server; `None` for any other request.
    ///
    /// `is_health`: whether the request is a health check. Some programs send health checks in HTTP/1.0, without
    /// `Host`; a browser always sends `Host`.
    fn foreign(&self, request: &Request, is_health: bool) -> Option<Response> {
        let headers = request.headers();
        if is_ambiguous(headers) {
            let text = "a request can have only one Host, Origin and Authorization header\n";
            return Some((StatusCode::BAD_REQUEST, text).into_response());
        }
        if is_health && !headers.contains_key(header::HOST) {
            return None;
        }
        let Some(named) = named_host(request) else {
            let text = "a request needs a valid Host header that matches its target\n";
            return Some((StatusCode::BAD_REQUEST, text).into_response());
        };
        let is_own = |own: &String| own.eq_ignore_ascii_case(named.host());
        let hosts = self.hosts.as_ref()?;
        let text = "the Host header names another host\n";
        let refused = (StatusCode::FORBIDDEN, text);
        (!hosts.iter().any(is_own)).then(|| refused.into_response())
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION);
        let given = given.and_then(|value| value.to_str().ok()?.split_once(' '));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer")
                && Sha::digest(token.trim().as_bytes()).constant_time_eq(&self.token)
        })
    }

    /// Returns the response to all requests during shutdown; `None` before.
    fn ending(&self) -> Option<Response> {
        let close = [(header::CONNECTION, "close")];
        let refused = (
            StatusCode::SERVICE_UNAVAILABLE,
            close,
            "the server is shutting down\n",
        );
        let is_ending = self.is_ending.load(Ordering::Relaxed);
        is_ending.then(|| refused.into_response())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(bound: &str) -> Gate {
        Gate {
            hosts: hosts(bound.parse().expect("an address")),
            token: Sha::digest(b"token"),
            sessions: sessions(),
            used: Mutex::default(),
            is_ending: AtomicBool::new(false),
            metrics: None,
        }
    }

    /// Returns the status with which a request to `host` is refused; `None` if the request is accepted.
    fn refusal(bound: &str, host: &str) -> Option<StatusCode> {
        let mut request = Request::new(Body::empty());
        let host = host.parse().expect("a header's value");
        request.headers_mut().insert(header::HOST, host);
        let refused = gate(bound).foreign(&request, false);
        refused.map(|refused| refused.status())
    }

    #[test]
    fn a_request_must_name_this_server() {
        let (bad, foreign) = (StatusCode::BAD_REQUEST, StatusCode::FORBIDDEN);
        for (bound, host, status) in [
            ("127.0.0.1", "127.0.0.1:8765", None),
            ("127.0.0.1", "LocalHost:1", None),
            ("127.0.0.1", "evil.example", Some(foreign)),
            ("127.0.0.1", "localhost.", Some(foreign)),
            ("127.0.0.1", "evil.example@127.0.0.1:8765", Some(bad)),
            ("127.0.0.1", "127.0.0.1:8765@evil.example", Some(bad)),
            ("127.0.0.1", "", Some(bad)),
            ("127.0.0.1", "a b", Some(bad)),
            ("::1", "[::1]:8765", None),
            ("::1", "[::2]:8765", Some(foreign)),
            ("192.0.2.1", "192.0.2.1", None),
            ("0.0.0.0", "skills.example:8765", None),
            ("0.0.0.0", "user@skills.example", Some(bad)),
            ("::", "10.1.2.3:8765", None),
        ] {
            assert_eq!(refusal(bound, host), status, "{bound} {host}");
        }
    }

    #[test]
    fn an_origin_must_be_this_machine() {
        for (origin, is_own) in [
            ("http://localhost:3000", true),
            ("http://127.0.0.1", true),
            ("http://[::1]:80", true),
            ("http://evil.example", false),
            ("https://localhost", false),
            ("http://localhost@evil.example", false),
            ("http://evil@localhost", false),
            ("http://localhost.evil.example", false),
            ("null", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ORIGIN, origin.parse().expect("a header's value"));
            assert_eq!(is_from_this_machine(&headers), is_own, "{origin}");
        }
        assert!(is_from_this_machine(&HeaderMap::new()));
    }

    #[test]
    fn requests_are_refused_once_the_server_ends() {
        let gate = gate("127.0.0.1");
        assert!(gate.ending().is_none());
        gate.is_ending.store(true, Ordering::Relaxed);
        let refused = gate.ending().expect("a response");
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.headers()[header::CONNECTION], "close");
    }
}
