//! The server on standard input and output, as agent clients start it.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use skillc_core::config::Toolset;
use skillc_core::{Context, Error, Result};
use skillc_ops::Toolkit;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::runtime::Builder;

use crate::lines::Client;
use crate::server::Server;
use crate::under_way::Tracked;

/// How long the end waits for calls that do not heed it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most calls that are worked on at once; others wait.
const MAX_THREADS: usize = 32;

/// Serves the client at standard input until it is closed.
///
/// # Errors
/// E999 if the process cannot be a server: no threads, no streams, two tools of a name; E066 if the skill registry cannot be used
/// and the configuration insists on it.
pub fn serve_stdio(toolkit: Toolkit, toolset: Toolset) -> Result<()> {
    run(serve(Server::new(toolkit, toolset)?))
}

/// Serves a client that has sent all of its input at once, and returns what it is sent. For tests of what a client may send.
///
/// # Errors
/// As [`serve_stdio`].
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

/// Runs a server to its end.
///
/// # Errors
/// Its own; E999 if the process cannot have what it needs.
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

/// Serves the client behind two streams until the first of them ends.
pub(crate) async fn serve_over(
    server: Server,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) {
    let client = Client::new(input, output);
    while client.is_there().await {
        let tracked = Tracked {
            server: server.connected(),
            under_way: client.under_way(),
        };
        match tracked.serve(client.transport()).await {
            Ok(service) => drop(service.waiting().await),
            // It did not begin with a request: the next message may.
            Err(
                ServerInitializeError::ExpectedInitializeRequest(_)
                | ServerInitializeError::InitializeFailed(_),
            ) => {}
            Err(_) => break,
        }
    }
    client.finish().await;
}
