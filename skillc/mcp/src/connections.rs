//! The connections of the server over HTTP: a bounded number, none of which may keep its place without a request.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// The most connections at once; who comes later waits until one ends.
const MAX_CONNECTIONS: usize = 256;

/// How long a connection may take to send the head of a request, also of its next one.
const HEAD_WITHIN: Duration = Duration::from_secs(30);

/// How long requests under way may take once the end is asked for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long to wait where the system is short of something, such as descriptors.
const PAUSE: Duration = Duration::from_millis(200);

/// Takes connections until `end`; then calls `ended` and waits for the requests under way.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    end: impl Future<Output = ()>,
    ended: impl FnOnce(),
) {
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN);
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let open = GracefulShutdown::new();
    tokio::pin!(end);
    loop {
        let next = async {
            let place = Arc::clone(&free).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            next = next => next,
            () = &mut end => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Answers are small: they are not to wait for more of them.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = open.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // How a connection ends is the client's business.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    ended();
    let _ = tokio::time::timeout(PATIENCE, open.shutdown()).await;
}
