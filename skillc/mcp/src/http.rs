//! The server over HTTP, for clients that do not start it themselves.
//!
//! Whoever may call it may build skills, so nobody calls it by accident: it listens on this machine only unless told
//! otherwise, every request has the token that was made at the start, and requests of web pages from elsewhere are refused
//! by their `Origin` and `Host`. Bodies, requests at once, connections and sessions are bounded.
//!
//! Source: RULINGS R20.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use skillc_core::hash::Sha;
use skillc_core::{Error, Result};
use skillc_ops::Toolkit;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::connections::Bounded;
use crate::server::Server;
use crate::stdio::run;

/// Where the protocol is.
const PATH: &str = "/mcp";

/// The largest request, in bytes. Source: RULINGS R20.
const MAX_BODY_BYTES: usize = 4 << 20;

/// The most requests that are handled at once; others are told to come again.
const MAX_REQUESTS: usize = 64;

/// The most sessions of clients that have sessions.
const MAX_SESSIONS: usize = 100;

/// How long a session is kept that nobody uses.
const SESSION_LIFE: Duration = Duration::from_secs(60 * 60);

/// How long requests under way may take once the end is asked for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The header of a session that has begun.
const SESSION_HEADER: &str = "mcp-session-id";

/// Who can reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Programs on this machine.
    ThisMachine,
    /// Whoever reaches the address.
    Remote,
}

/// What a client needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// Where: `http://127.0.0.1:8765/mcp`.
    pub url: String,
    /// What each request has to bring as `Authorization: Bearer …`: 64 hex digits.
    pub token: String,
}

/// Serves over HTTP until the process is told to end. `announce` is called when requests are taken.
///
/// # Errors
/// E100 if other machines reach the address and that was not asked for; E999 if nobody can listen there.
pub fn serve_http(
    toolkit: Toolkit,
    address: SocketAddr,
    reach: Reach,
    announce: impl FnOnce(&Listening),
) -> Result<()> {
    if reach == Reach::ThisMachine && !address.ip().is_loopback() {
        return Err(Error::InvalidOption {
            message: format!("other machines can reach {}", address.ip()),
            hint: Some("Use 127.0.0.1, or add --allow-remote if that is meant.".into()),
        });
    }
    run(serve(Server::new(toolkit), address, announce))
}

async fn serve(
    server: Server,
    address: SocketAddr,
    announce: impl FnOnce(&Listening),
) -> Result<()> {
    let fail = |e: std::io::Error| Error::internal(format!("listening on {address}: {e}"));
    let listener = TcpListener::bind(address).await.map_err(fail)?;
    let bound = listener.local_addr().map_err(fail)?;
    let token = token()?;
    let gate = Arc::new(Gate {
        token: Sha::of(token.as_bytes()),
        requests: Semaphore::new(MAX_REQUESTS),
        sessions: sessions(),
    });
    let config = config(bound);
    let end = config.cancellation_token.clone();
    let sessions = Arc::clone(&gate.sessions);
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let router = Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(gate, pass));
    announce(&Listening {
        url: format!("http://{bound}{PATH}"),
        token,
    });
    let stopped = {
        let end = end.clone();
        async move {
            asked_to_end().await;
            end.cancel();
        }
    };
    let serving = axum::serve(Bounded::new(listener), router).with_graceful_shutdown(stopped);
    tokio::select! {
        result = serving => result.map_err(fail),
        () = async { end.cancelled().await; tokio::time::sleep(PATIENCE).await } => Ok(()),
    }
}

fn config(bound: SocketAddr) -> StreamableHttpServerConfig {
    let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_BODY_BYTES);
    match bound.ip() {
        ip if ip.is_loopback() => config,
        // Any of the machine's names may be meant; the token and the origin keep strangers out.
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
    Arc::new(sessions)
}

/// Makes a secret.
fn token() -> Result<String> {
    let mut bytes = [0; 32];
    let fail = |e| Error::internal(format!("making a token: {e}"));
    getrandom::fill(&mut bytes).map_err(fail)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Waits for Ctrl-C or, where there is one, the signal to end.
async fn asked_to_end() {
    let interrupt = async { drop(tokio::signal::ctrl_c().await) };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    interrupt.await;
}

/// What every request passes before the protocol.
struct Gate {
    /// The digest of the token: comparing digests tells nobody how much of a guess is right.
    token: Sha,
    requests: Semaphore,
    sessions: Arc<LocalSessionManager>,
}

async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    if !gate.admits(request.headers()) {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        let text = "the token that skc mcp printed at its start is missing or wrong\n";
        return (StatusCode::UNAUTHORIZED, challenge, text).into_response();
    }
    let Ok(_permit) = gate.requests.try_acquire() else {
        return busy("too many requests at once");
    };
    let begins =
        request.method() == Method::POST && !request.headers().contains_key(SESSION_HEADER);
    if begins && gate.sessions.sessions.read().await.len() >= MAX_SESSIONS {
        return busy("too many sessions");
    }
    next.run(request).await
}

impl Gate {
    fn admits(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION);
        let given = given.and_then(|value| value.to_str().ok()?.split_once(' '));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && Sha::of(token.trim().as_bytes()) == self.token
        })
    }
}

fn busy(text: &'static str) -> Response {
    let later = [(header::RETRY_AFTER, "1")];
    (StatusCode::SERVICE_UNAVAILABLE, later, text).into_response()
}
