//! News of the catalog: which names there are now, and who is told when that changes.
//!
//! Nothing is watched: a change is noticed when a request looks at the catalog, and told when that is done. The request
//! waits for nobody: each client is told by a task of its own, and one that does not read its notices only misses them.
//!
//! Source: CATALOG 3.11.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::{Peer, RoleServer};
use skillc_catalog::{Audience, Catalog};
use tokio::sync::watch;
use tokio::task::spawn;

use crate::server::Server;

/// How long a client may take to read a notice.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most connections that are told.
const MAX_LISTENERS: usize = 1_000;

/// What is known of the names, and who is told.
pub(crate) struct Changes {
    seen: Mutex<Seen>,
    /// How often the names have changed.
    count: watch::Sender<u64>,
    listeners: Mutex<Listeners>,
}

/// The catalog that was seen last, and its names.
#[derive(Default)]
struct Seen {
    catalog: Weak<Catalog>,
    names: Option<u64>,
}

#[derive(Default)]
struct Listeners {
    /// Connections that began with a handshake.
    peers: Vec<Peer<RoleServer>>,
    /// What they have been told of.
    told: u64,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            seen: Mutex::default(),
            count: watch::Sender::new(0),
            listeners: Mutex::default(),
        }
    }
}

impl Changes {
    /// Notes a catalog that was read.
    pub(crate) fn saw(&self, catalog: &Arc<Catalog>) {
        let mut seen = self.seen.lock();
        if seen.catalog.as_ptr() == Arc::as_ptr(catalog) {
            return;
        }
        let names = digest(catalog);
        let before = seen.names.replace(names);
        seen.catalog = Arc::downgrade(catalog);
        if before.is_some_and(|before| before != names) {
            self.count.send_modify(|count| *count += 1);
        }
    }

    /// Adds a connection to those that are told.
    pub(crate) fn listen(&self, peer: Peer<RoleServer>) {
        let mut all = self.listeners.lock();
        all.peers.retain(|peer| !peer.is_transport_closed());
        if all.peers.len() < MAX_LISTENERS {
            all.peers.push(peer);
        }
    }

    /// Returns what changes each time that the names do.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// Returns whom to tell, if there is news.
    fn due(&self) -> Vec<Peer<RoleServer>> {
        let count = *self.count.borrow();
        let mut all = self.listeners.lock();
        if std::mem::replace(&mut all.told, count) == count {
            return Vec::new();
        }
        all.peers.clone()
    }
}

impl Server {
    /// Has every client with a connection told that the list of skills has changed, if it has. Needs a runtime.
    pub(crate) fn tell_changes(&self) {
        for peer in self.kept.changes.due() {
            spawn(async move {
                let told = peer.notify_resource_list_changed();
                // One that does not read its notices only misses them.
                let _ = tokio::time::timeout(PATIENCE, told).await;
            });
        }
    }
}

/// Returns what tells the names of an agent's skills from others.
fn digest(catalog: &Catalog) -> u64 {
    let mut hasher = DefaultHasher::new();
    for entry in catalog.visible(Audience::Model) {
        (&entry.id, &entry.name).hash(&mut hasher);
    }
    hasher.finish()
}
