//! The stdio server: clients start `skc mcp` and communicate with it over standard input and output.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use skillc_core::config::Toolset;
use skillc_core::{Context, Error, Result};
use skillc_ops::Toolkit;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::runtime::Builder;

use crate::in_flight::Tracked;
use crate::lines::Client;
use crate::server::Server;

/// How long shutdown waits for calls that ignore cancellation.
const PATIENCE: Duration = Duration::from_secs(2);

/// The maximum number of calls and read-only requests that run in parallel. All others wait for a thread.
const MAX_THREADS: usize = 32;

/// Serves the client on standard input until it closes the stream.
///
/// # Errors
/// E999 if the runtime cannot be started, or two tools have the same name; E066 if the skill registry is unusable and
/// the configuration requires it.
pub fn serve_stdio(toolkit: Toolkit, toolset: Toolset) -> Result<()> {
    run(serve(Server::new(toolkit, toolset)?))
}

/// Serves a client that sends all of its input at once, and returns the output. Used in property tests of client input.
///
/// # Errors
/// Like [`serve_stdio`].
#[doc(hidden)]
pub fn serve_input(context: Context, toolset: Toolset, input: Vec<u8>) -> Result<Vec<u8>> {
    let (toolkit, _) = Toolkit::new(context)?;
    let server = Server::new(toolkit, toolset)?;
    let (output, mut answers) = tokio::io::duplex(1 << 16);
    let mut received = Vec::new();
    run(async {
        let serving = serve_over(server, std::io::Cursor::new(input), output);
        let reading = answers.read_to_end(&mut received);
        let ((), read) = tokio::join!(serving, reading);
        read.map_err(|e| Error::internal(format!("reading the answers: {e}")))?;
        Ok(())
    })?;
    Ok(received)
}

/// Runs a server until it shuts down.
///
/// # Errors
/// The errors of `serve`; E999 if the runtime cannot be started.
pub(crate) fn run(serve: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_THREADS)
        .build();
    let runtime = runtime.map_err(|e| Error::internal(format!("starting the server: {e}")))?;
    let result = runtime.block_on(serve);
    runtime.shutdown_timeout(PATIENCE);
    result
}

async fn serve(server: Server) -> Result<()> {
    server.start();
    let (input, output) = stdio_pipes();
    serve_over(server, input, output).await;
    Ok(())
}

/// Serves one client over a pair of streams until either stream ends.
pub(crate) async fn serve_over(
    server: Server,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) {
    let client = Client::new(input, output);
    while client.is_there().await {
        let tracked = Tracked {
            server: server.connected(),
            in_flight: client.in_flight(),
        };
        match tracked.serve(client.transport()).await {
            Ok(service) => drop(service.waiting().await),
            // The first message was not `initialize`, or the handshake failed: let the client try again with its next
            // message.
            Err(
                ServerInitializeError::ExpectedInitializeRequest(_)
                | ServerInitializeError::InitializeFailed(_),
            ) => {}
            Err(_) => break,
        }
    }
    client.finish().await;
}
