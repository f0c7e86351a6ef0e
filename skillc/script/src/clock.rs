//! The last line of defense around a call. Limits are counted in operations and bytes, which are the same on every machine.
//! The deadline only stops work that the counters miss by far, so a busy machine never changes a result.

use std::time::{Duration, Instant};

/// The deadline of one call.
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
