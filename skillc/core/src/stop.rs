//! Cancellation of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// A cancellation flag: set once by the caller, from any thread.
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
    /// E999, which is not shown: the caller is no longer there.
    pub fn check(&self) -> Result<()> {
        if self.is_raised() {
            Err(Error::internal("cancelled"))
        } else {
            Ok(())
        }
    }
}
