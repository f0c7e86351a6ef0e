//! The connections of the server over HTTP: a bounded number, none of which may keep its place without a request.
//!
//! A connection is a guest until a request on it had the token. Guests have places of their own, for a short time, and the
//! oldest goes when there are too many: unfinished heads on many connections cannot keep out a client with the token.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::{Extension, Router};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The most connections at once that had a request with the token.
const MAX_CONNECTIONS: usize = 256;

/// The most guests at once.
const MAX_GUESTS: usize = 256;

/// How long a connection may stay a guest.
const GUEST_WITHIN: Duration = Duration::from_secs(10);

/// How long a connection may take to send the head of a request, also of its next one.
const HEAD_WITHIN: Duration = Duration::from_secs(30);

/// How long requests under way may take once the end is asked for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long to wait where the system is short of something, such as descriptors.
const PAUSE: Duration = Duration::from_millis(200);

/// A connection, as its requests see it.
#[derive(Debug)]
pub(crate) struct Connected {
    places: Arc<Semaphore>,
    /// Its place, once it has one.
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

    /// Gives the connection a place, as a request on it has the token. Returns false if there is none.
    pub(crate) fn admit(&self) -> bool {
        let mut place = self.place.lock();
        if place.is_none() {
            *place = Arc::clone(&self.places).try_acquire_owned().ok();
        }
        self.is_admitted.store(place.is_some(), Ordering::Relaxed);
        place.is_some()
    }

    /// Waits until a guest has to go.
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

/// The guests, the oldest first.
#[derive(Default)]
struct Guests(VecDeque<Arc<Connected>>);

impl Guests {
    fn add(&mut self, guest: &Arc<Connected>) {
        // A connection without another owner has ended.
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
        // Answers are small: they are not to wait for more of them.
        let _ = stream.set_nodelay(true);
        let connected = Arc::new(Connected::new(&places));
        guests.add(&connected);
        let router = router.clone().layer(Extension(Arc::clone(&connected)));
        let service = TowerToHyperService::new(router);
        let connection = open.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            tokio::select! {
                // How a connection ends is the client's business.
                _ = connection => {}
                () = connected.expelled() => {}
            }
        });
    }
    drop(listener);
    ended();
    let _ = tokio::time::timeout(PATIENCE, open.shutdown()).await;
}
