//! Who is told when the names of the skills change.
//!
//! A change is noticed when a request looks at the catalog, and told when that is done. The request waits for nobody: each
//! client is told by a task of its own, and one that does not read its notices only misses them.
//!
//! Source: CATALOG 3.11.

use std::time::Duration;

use parking_lot::Mutex;
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::task::spawn;

use crate::server::Server;

/// How long a client may take to read a notice.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most connections that are told.
const MAX_LISTENERS: usize = 1_000;

/// Who is told, and of what.
pub(crate) struct Changes {
    /// How often the names have changed.
    count: watch::Sender<u64>,
    /// Connections that began with a handshake.
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
    /// Adds a connection to those that are told.
    pub(crate) fn listen(&self, peer: Peer<RoleServer>) {
        let mut peers = self.peers.lock();
        peers.retain(|peer| !peer.is_transport_closed());
        if peers.len() < MAX_LISTENERS {
            peers.push(peer);
        }
    }

    /// Returns what changes each time that the names do.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }
}

impl Server {
    /// Has every client with a connection told that the list of skills has changed, if it has. Needs a runtime.
    pub(crate) fn tell_changes(&self) {
        let now = self.toolkit.changes_of_names();
        let is_news = |told: &mut u64| std::mem::replace(told, now) != now;
        if !self.changes.count.send_if_modified(is_news) {
            return;
        }
        for peer in self.changes.peers.lock().clone() {
            spawn(async move {
                let told = peer.notify_resource_list_changed();
                // One that does not read its notices only misses them.
                let _ = tokio::time::timeout(PATIENCE, told).await;
            });
        }
    }
}
