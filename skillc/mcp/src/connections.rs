//! Connections of the HTTP server, bounded in number, with timeouts for idle connections and for clients that do not
//! read.
//!
//! A connection is a guest until one of its requests carries the token. Guests have a separate limit and a short
//! timeout, and the oldest guest is dropped when there are too many guests. Therefore a flood of connections with
//! unfinished headers (Slowloris) cannot lock out a client with the token.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::{Extension, Router};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;

/// The maximum number of authenticated connections.
const MAX_CONNECTIONS: usize = 256;

/// The maximum number of guests.
const MAX_GUESTS: usize = 256;

/// How long a connection may remain a guest.
const GUEST_WITHIN: Duration = Duration::from_secs(10);

/// Timeout for reading the head of each request.
const HEAD_WITHIN: Duration = Duration::from_secs(30);

/// How long a write waits for a client that does not read, before the client's connection is closed.
const WRITE_WITHIN: Duration = Duration::from_secs(30);

/// How long shutdown waits for requests in flight.
const PATIENCE: Duration = Duration::from_secs(3);

/// Pause before the next `accept` after an error, such as running out of file descriptors.
const PAUSE: Duration = Duration::from_millis(200);

/// The state of a connection, accessible to its requests.
#[derive(Debug)]
pub(crate) struct Connected {
    places: Arc<Semaphore>,
    /// The permit of the connection, once one of its requests has been authenticated.
    place: Mutex<Option<OwnedSemaphorePermit>>,
    is_admitted: AtomicBool,
    makes_room: Notify,
}

impl Connected {
    fn new(places: &Arc<Semaphore>) -> Self {
        Self {
            places: Arc::clone(places),
            place: Mutex::default(),
            is_admitted: AtomicBool::new(false),
            makes_room: Notify::new(),
        }
    }

    /// Admits an authenticated connection. Returns false if the limit is reached.
    pub(crate) fn admit(&self) -> bool {
        let mut place = self.place.lock();
        if place.is_none() {
            *place = Arc::clone(&self.places).try_acquire_owned().ok();
        }
        self.is_admitted.store(place.is_some(), Ordering::Relaxed);
        place.is_some()
    }

    /// Waits until a guest must be dropped; never completes for an admitted connection.
    async fn expelled(&self) {
        tokio::select! {
            () = self.makes_room.notified() => {}
            () = tokio::time::sleep(GUEST_WITHIN) => {}
        }
        if self.is_admitted.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }
}

/// The guests, oldest first.
#[derive(Default)]
struct Guests(VecDeque<Arc<Connected>>);

impl Guests {
    fn add(&mut self, guest: &Arc<Connected>) {
        // If we hold the only reference, the connection has ended.
        self.0.retain(|guest| {
            Arc::strong_count(guest) > 1 && !guest.is_admitted.load(Ordering::Relaxed)
        });
        self.0.push_back(Arc::clone(guest));
        if self.0.len() > MAX_GUESTS
            && let Some(oldest) = self.0.pop_front()
        {
            oldest.makes_room.notify_one();
        }
    }
}

/// Accepts connections until `end` completes; then calls `ended`, and waits at most [`PATIENCE`] for requests in
/// flight.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    end: impl Future<Output = ()>,
    ended: impl FnOnce(),
) {
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN);
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut guests = Guests::default();
    let open = GracefulShutdown::new();
    tokio::pin!(end);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut end => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Responses are small: disable Nagle's algorithm.
        let _ = stream.set_nodelay(true);
        let connected = Arc::new(Connected::new(&places));
        guests.add(&connected);
        let router = router.clone().layer(Extension(Arc::clone(&connected)));
        let service = TowerToHyperService::new(router);
        let stream = TokioIo::new(limited(stream, WRITE_WITHIN));
        let connection = open.watch(http.serve_connection(stream, service));
        tokio::spawn(async move {
            tokio::select! {
                // An error on a connection affects only its client.
                _ = connection => {}
                () = connected.expelled() => {}
            }
        });
        // Lets every connection read what has arrived before the next one is accepted. Otherwise, a client that opens
        // connections as fast as it can would fill the list of guests before a new guest's request has been read.
        tokio::task::yield_now().await;
    }
    drop(listener);
    ended();
    let _ = tokio::time::timeout(PATIENCE, open.shutdown()).await;
}

/// Returns a stream whose writes fail once the other side has accepted no bytes for the time `within`. Otherwise, a
/// client that reads nothing would hold its connection forever.
fn limited<S: AsyncRead + AsyncWrite>(stream: S, within: Duration) -> Pin<Box<TimeoutStream<S>>> {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(within));
    Box::pin(stream)
}

#[cfg(test)]
mod tests {
    use std::io;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;
    use crate::stdio::run;

    /// Returns the result of writing 4 KiB through a buffer of 1 KiB.
    fn written(is_read: bool) -> io::Result<()> {
        let (near, mut far) = duplex(1 << 10);
        let mut ended = Ok(());
        let conversation = async {
            let mut stream = limited(near, Duration::from_millis(200));
            let write = stream.write_all(&[b'x'; 4 << 10]);
            if is_read {
                let mut read = vec![0; 4 << 10];
                ended = tokio::join!(write, far.read_exact(&mut read)).0;
            } else {
                ended = write.await;
            }
            Ok(())
        };
        run(conversation).expect("a runtime");
        ended
    }

    #[test]
    fn a_write_fails_only_if_the_other_side_reads_nothing() {
        assert!(written(true).is_ok());
        let fault = written(false).expect_err("is not read");
        assert_eq!(fault.kind(), io::ErrorKind::TimedOut);
    }
}
