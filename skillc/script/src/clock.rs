//! How long a call has worked: on a busy machine it also waits, and what it may do is not to depend on that.

use std::time::{Duration, Instant};

/// How many times as long as it may work a call may take altogether.
const TIMES_TO_WAIT: u32 = 2;

/// The time of one call, which stays in one thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    time: Duration,
    begun: Instant,
    /// How long the thread had worked before.
    before: Option<Duration>,
}

impl Clock {
    pub(crate) fn start(time: Duration) -> Self {
        Self {
            time,
            begun: Instant::now(),
            before: worked(),
        }
    }

    /// Says whether the call has worked for its time, or waited for too long.
    pub(crate) fn is_over(&self) -> bool {
        let taken = self.begun.elapsed();
        if taken < self.time || taken >= self.time * TIMES_TO_WAIT {
            return taken >= self.time;
        }
        let now = worked().zip(self.before);
        now.is_none_or(|(now, before)| now.saturating_sub(before) >= self.time)
    }
}

/// Returns how long this thread has worked; `None` where nobody counts that.
fn worked() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).ok()
    }
    #[cfg(not(unix))]
    None
}
