//! Progress reporting for long work.

use skillc_core::{Result, Stop};

/// A progress reporter. Steps can be reported from any thread. Only one task runs at a time.
pub trait Progress: Send + Sync {
    /// Work starts. `what`: the description, such as `Linting skills`; `total`: the number of steps.
    fn begin(&self, what: &'static str, total: usize);

    /// A step is complete.
    fn advance(&self);

    /// The work is complete, or was cancelled.
    fn end(&self);
}

/// A no-op reporter.
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: &'static str, _: usize) {}

    fn advance(&self) {}

    fn end(&self) {}
}

/// Work in progress; ends when dropped.
pub(crate) struct Work<'a> {
    progress: &'a dyn Progress,
    stop: &'a Stop,
}

impl<'a> Work<'a> {
    /// Starts work of `total` steps.
    pub(crate) fn begin(
        progress: &'a dyn Progress,
        stop: &'a Stop,
        what: &'static str,
        total: usize,
    ) -> Self {
        progress.begin(what, total);
        Self { progress, stop }
    }

    /// Reports a completed step.
    ///
    /// # Errors
    /// Returns the errors of [`Stop::check`].
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
