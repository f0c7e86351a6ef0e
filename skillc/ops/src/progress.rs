//! Progress of long work.

use skillc_core::{Result, Stop};

/// Somebody who is told of long work. Steps may come from any thread; only one work is under way at a time.
pub trait Progress: Send + Sync {
    /// Work begins. `what`: what is done to the steps, as in `Linting skills`; `total`: how many there are.
    fn begin(&self, what: &'static str, total: usize);

    /// A step is done.
    fn advance(&self);

    /// The work is done, or given up.
    fn end(&self);
}

/// Nobody.
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: &'static str, _: usize) {}

    fn advance(&self) {}

    fn end(&self) {}
}

/// Work under way; it ends when this is dropped.
pub(crate) struct Work<'a> {
    progress: &'a dyn Progress,
    stop: &'a Stop,
}

impl<'a> Work<'a> {
    /// Begins it, of so many steps.
    pub(crate) fn begin(
        progress: &'a dyn Progress,
        stop: &'a Stop,
        what: &'static str,
        total: usize,
    ) -> Self {
        progress.begin(what, total);
        Self { progress, stop }
    }

    /// Says that a step is done.
    ///
    /// # Errors
    /// As [`Stop::check`].
    pub(crate) fn advance(&self) -> Result<()> {
        self.progress.advance();
        self.stop.check()
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.progress.end();
    }
}
