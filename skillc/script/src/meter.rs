//! The time that a call has left.

use std::time::Instant;

use rhai::{Dynamic, EvalAltResult, NativeCallContext, Position};

use crate::limits::MAX_TIME;

/// The result of a function that scripts call.
pub(crate) type HostResult<T> = Result<T, Box<EvalAltResult>>;

/// When a call has to be over. The engine has one, and so has every function that it calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meter {
    ends: Instant,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self {
            ends: Instant::now() + MAX_TIME,
        }
    }

    /// Returns that of the call which a function is called in.
    pub(crate) fn of(context: &NativeCallContext<'_>) -> Self {
        let tag = context.tag().and_then(Dynamic::read_lock::<Self>);
        tag.map_or_else(Self::start, |meter| *meter)
    }

    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.ends
    }

    /// Ends the call if its time is over: for functions that take long.
    pub(crate) fn check(self) -> HostResult<()> {
        if self.is_over() {
            return Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into());
        }
        Ok(())
    }
}
