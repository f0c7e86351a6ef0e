//! Cancellation of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// A cancellation flag, which the caller can set from any thread.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Requests cancellation. Running work stops after its current step.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether cancellation was requested.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails if cancellation was requested.
    ///
    /// # Errors
    /// E999, which is never displayed because the caller no longer waits for the result.
    pub fn check(&self) -> Result<()> {
        if self.is_raised() {
            Err(Error::internal("cancelled"))
        } else {
            Ok(())
        }
    }
}
