//! The last fence around a call: limits are counted in operations and bytes, which are the same on every machine. The clock
//! only stops what goes far beyond them unseen, so that a busy machine never changes a result.

use std::time::{Duration, Instant};

/// The time of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    time: Duration,
    begun: Instant,
}

impl Clock {
    pub(crate) fn start(time: Duration) -> Self {
        let begun = Instant::now();
        Self { time, begun }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.begun.elapsed() >= self.time
    }
}
