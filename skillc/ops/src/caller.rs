//! The caller of a tool call: its connection and its run.

use std::sync::{Arc, OnceLock};

use parking_lot::{ArcMutexGuard, Mutex, RawMutex};

/// A connection that started with a handshake.
#[derive(Debug, Default)]
pub struct Connection {
    /// The handle of the connection's run; unset until the run starts.
    pub(crate) run: OnceLock<String>,
}

/// The data that assigns a tool call to a run.
#[derive(Default)]
pub struct Caller {
    pub(crate) connection: Option<Arc<Connection>>,
    /// Held until the call ends, so that loads of one run do not overlap.
    pub(crate) turn: Mutex<Option<Turn>>,
}

pub(crate) type Turn = ArcMutexGuard<RawMutex, ()>;

impl Caller {
    /// Creates the caller of one call. `connection`: `None` if the client made no handshake.
    pub fn new(connection: Option<Arc<Connection>>) -> Self {
        Self {
            connection,
            turn: Mutex::default(),
        }
    }
}
