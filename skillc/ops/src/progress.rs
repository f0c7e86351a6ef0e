//! How far long work has come, for whoever shows it; and the wish that it be given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use skillc_core::{Error, Result};

use crate::operation::Toolkit;

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

/// The wish that a call be given up: raised once, by whoever made the call, from any thread.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for the end. Work that is done in steps ends after the one it is at.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Says whether the end was asked for.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails if the end was asked for.
    ///
    /// # Errors
    /// E999, which nobody reads who has turned away.
    pub fn check(&self) -> Result<()> {
        if self.is_raised() {
            Err(Error::internal("cancelled"))
        } else {
            Ok(())
        }
    }
}

/// Work under way; it ends when this is dropped.
pub(crate) struct Work<'a> {
    progress: &'a dyn Progress,
    stop: &'a Stop,
}

impl Work<'_> {
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

impl Toolkit {
    /// Says that work of so many steps begins.
    pub(crate) fn work(&self, what: &'static str, total: usize) -> Work<'_> {
        self.progress.begin(what, total);
        Work {
            progress: self.progress.as_ref(),
            stop: &self.stop,
        }
    }
}
