//! Who makes a call of a server, as far as that matters to what is called.

use std::sync::{Arc, OnceLock};

use parking_lot::{ArcMutexGuard, Mutex, RawMutex};

/// A connection that began with a handshake.
#[derive(Debug, Default)]
pub struct Connection {
    /// The handle of its run, once it has one.
    pub(crate) run: OnceLock<String>,
}

/// A call of a server, as far as it belongs to a run.
#[derive(Default)]
pub struct Caller {
    pub(crate) connection: Option<Arc<Connection>>,
    /// Held until the call is over, so that no other load of its run is under way.
    pub(crate) turn: Mutex<Option<Turn>>,
}

pub(crate) type Turn = ArcMutexGuard<RawMutex, ()>;

impl Caller {
    /// Makes the caller of one call. `connection`: `None` if it did not begin with a handshake.
    pub fn new(connection: Option<Arc<Connection>>) -> Self {
        Self {
            connection,
            turn: Mutex::default(),
        }
    }
}
