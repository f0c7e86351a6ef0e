//! Notifications to clients that the list of skill names has changed.
//!
//! A change is detected when a request reads the catalog, and announced once that request is done. The request does not
//! wait for the announcement: each client is notified in its own task, and a client that does not read its
//! notifications simply misses them.
//!
//! Design: catalog-freshness.

use std::time::Duration;

use parking_lot::Mutex;
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::task::spawn;

use crate::server::Server;

/// Timeout for sending one notification.
const PATIENCE: Duration = Duration::from_secs(1);

/// The maximum number of connections that receive notifications.
const MAX_LISTENERS: usize = 1_000;

/// The change counter and the connections to notify.
pub(crate) struct Changes {
    /// A counter, incremented each time the names change.
    count: watch::Sender<u64>,
    /// Connections that completed the handshake.
    peers: Mutex<Vec<Peer<RoleServer>>>,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            count: watch::Sender::new(0),
            peers: Mutex::default(),
        }
    }
}

impl Changes {
    /// Registers a connection for notifications.
    pub(crate) fn listen(&self, peer: Peer<RoleServer>) {
        let mut peers = self.peers.lock();
        peers.retain(|peer| !peer.is_transport_closed());
        if peers.len() < MAX_LISTENERS {
            peers.push(peer);
        }
    }

    /// Returns a receiver that is updated on each change of names.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }
}

impl Server {
    /// Notifies all connected clients if the list of skill names has changed. Must be called within a runtime.
    pub(crate) fn tell_changes(&self) {
        let now = self.toolkit.changes_of_names();
        let is_news = |told: &mut u64| std::mem::replace(told, now) != now;
        if !self.changes.count.send_if_modified(is_news) {
            return;
        }
        for peer in self.changes.peers.lock().clone() {
            spawn(async move {
                let told = peer.notify_resource_list_changed();
                // A client that does not read its notifications simply misses them.
                let _ = tokio::time::timeout(PATIENCE, told).await;
            });
        }
    }
}
