//! Resource accounting of a call: operations, and memory allocated by the host.
//!
//! The engine counts one operation for each step of a script. A call of a host function would count as one step,
//! however long the function runs. Therefore each host function charges for its work: about as many operations as the
//! engine would execute in the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use rhai::{Array, Dynamic, EvalAltResult, ImmutableString, Map, NativeCallContext, Position};
use skillc_core::Stop;
use skillc_core::time::Stopwatch;

use crate::fault::many_operations;
use crate::host::UsedPatterns;
use crate::limits::{
    BYTES_PER_OPERATION, MAX_MADE_BYTES, MAX_OPERATIONS, MAX_OPERATIONS_TO_PLACE, MAX_TIME,
    OPERATIONS_BETWEEN_LOOKS,
};

/// Each use of a string costs one operation per this many bytes, because replacing one character copies the whole
/// string, character by character.
const BYTES_OF_TEXT_PER_USE: usize = 32;

/// Each use of a list or map costs one operation per this many elements.
const ELEMENTS_PER_USE: usize = 64;

/// The result of a host function.
pub(crate) type HostResult<T> = Result<T, Box<EvalAltResult>>;

/// The remaining resources of a call, shared by the engine and every host function it calls.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    clock: Clock,
    /// Raised when the caller no longer waits for the result.
    stop: Stop,
    max_operations: u64,
    used: Arc<Used>,
}

/// The deadline of one call, the last line of defense. The other limits are in operations and bytes, which are the same
/// on every machine. The clock stops only work whose cost these limits vastly underestimate, so the load of the machine
/// never changes a result.
#[derive(Debug, Clone, Copy)]
struct Clock {
    time: Duration,
    begun: Stopwatch,
}

impl Clock {
    fn start(time: Duration) -> Self {
        let begun = Stopwatch::start();
        Self { time, begun }
    }

    fn is_over(&self) -> bool {
        self.begun.elapsed() >= self.time
    }
}

#[derive(Debug, Default)]
struct Used {
    operations: AtomicU64,
    made_bytes: AtomicUsize,
    patterns: UsedPatterns,
    /// Whether the call was cancelled or has timed out. After that, no further operation runs, even if a script catches
    /// or ignores the error.
    has_ended: AtomicBool,
}

impl Meter {
    /// `stop`: cancels the call.
    pub(crate) fn start(stop: Stop) -> Self {
        Self {
            clock: Clock::start(MAX_TIME),
            stop,
            max_operations: MAX_OPERATIONS,
            used: Arc::default(),
        }
    }

    /// Returns the meter for the second run of a call, which locates the call's fault.
    pub(crate) fn start_to_place(&self) -> Self {
        Self {
            max_operations: MAX_OPERATIONS_TO_PLACE,
            ..Self::start(self.stop.clone())
        }
    }

    /// Returns the meter of the call in which a host function runs. If there is none, returns a meter that rejects
    /// every charge.
    pub(crate) fn from_context(context: &NativeCallContext<'_>) -> Self {
        let tag = context.tag().and_then(Dynamic::read_lock::<Self>);
        let own = tag.map(|meter| meter.clone());
        own.unwrap_or_else(|| {
            let ended = Self::start(Stop::default());
            ended.used.has_ended.store(true, Ordering::Relaxed);
            ended
        })
    }

    /// Returns whether the call was cancelled or has timed out.
    pub(crate) fn is_over(&self) -> bool {
        let has_ended = self.used.has_ended.load(Ordering::Relaxed)
            || self.stop.is_raised()
            || self.clock.is_over();
        if has_ended {
            self.used.has_ended.store(true, Ordering::Relaxed);
        }
        has_ended
    }

    /// Charges operations, and periodically checks for cancellation and the deadline.
    ///
    /// # Errors
    /// If no operations are left, or the call was cancelled or has timed out. Scripts cannot catch this error, and
    /// every later charge also fails.
    pub(crate) fn charge(&self, operations: u64) -> HostResult<()> {
        let before = self
            .used
            .operations
            .fetch_add(operations, Ordering::Relaxed);
        let after = before.saturating_add(operations);
        if after > self.max_operations {
            return Err(too_much(&many_operations()).into());
        }
        let is_time = before / OPERATIONS_BETWEEN_LOOKS != after / OPERATIONS_BETWEEN_LOOKS;
        if is_time && self.is_over() || self.used.has_ended.load(Ordering::Relaxed) {
            return Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into());
        }
        Ok(())
    }

    /// Adds operations for work that the host has already done, without any check.
    pub(crate) fn add(&self, operations: u64) {
        self.used
            .operations
            .fetch_add(operations, Ordering::Relaxed);
    }

    /// Fails if the call has exceeded a limit, even if the engine ignored the error. In some comparisons, the engine
    /// replaces an error with a default result.
    ///
    /// # Errors
    /// The errors of [`Meter::charge`] and [`Meter::take`].
    pub(crate) fn check(&self) -> HostResult<()> {
        self.charge(0)?;
        self.take(0)
    }

    /// Returns the number of operations used.
    pub(crate) fn operations(&self) -> u64 {
        self.used.operations.load(Ordering::Relaxed)
    }

    /// Charges for reading through a string once.
    pub(crate) fn charge_bytes(&self, bytes: usize) -> HostResult<()> {
        self.charge(1 + (bytes / BYTES_PER_OPERATION) as u64)
    }

    /// Charges for a use of a value, in addition to the step itself, because an operation may traverse the whole text,
    /// list or map. Captured variables are skipped, because they may be locked.
    pub(crate) fn charge_use(&self, value: &Dynamic) -> HostResult<()> {
        let parts = if value.is_shared() {
            0
        } else if let Some(text) = value.read_lock::<ImmutableString>() {
            text.len() / BYTES_OF_TEXT_PER_USE
        } else if let Some(array) = value.read_lock::<Array>() {
            array.len() / ELEMENTS_PER_USE
        } else if let Some(map) = value.read_lock::<Map>() {
            map.len() / ELEMENTS_PER_USE
        } else {
            0
        };
        self.charge(parts as u64)
    }

    /// Returns the patterns that the call has used.
    pub(crate) fn patterns(&self) -> &UsedPatterns {
        &self.used.patterns
    }

    /// Charges memory for a value that a script may keep. Memory that is freed is not credited.
    pub(crate) fn take(&self, bytes: usize) -> HostResult<()> {
        let before = self.used.made_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > MAX_MADE_BYTES {
            let max = MAX_MADE_BYTES >> 20;
            let what = format!("creates more than {max} MiB of strings and data");
            return Err(too_much(&what).into());
        }
        Ok(())
    }
}

/// Creates the error for an exceeded limit, which scripts cannot catch. `what`: the text of the fault.
pub(crate) fn too_much(what: &str) -> EvalAltResult {
    EvalAltResult::ErrorTerminated(ImmutableString::from(what).into(), Position::NONE)
}

/// Creates the error for a string that is too long, which is the same as the engine's own error.
pub(crate) fn too_long() -> EvalAltResult {
    let what = "Length of string".to_owned();
    EvalAltResult::ErrorDataTooLarge(what, Position::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Setup;

    /// After a client cancels a call, its scripts run at most a few hundred more operations.
    #[test]
    fn a_script_stops_soon_after_its_call_is_cancelled() {
        for code in [
            "print(1); loop {}",
            "print(1); loop { try { throw 1 } catch {} }",
        ] {
            let stop = Stop::default();
            let meter = Meter::start(stop.clone());
            let mut engine = Setup::default().engine(meter.clone());
            engine.on_print(move |_| stop.raise());
            let ended = engine.run(code).map_err(|error| *error);
            assert!(
                matches!(ended, Err(EvalAltResult::ErrorTerminated(..))),
                "{ended:?}"
            );
            let used = meter.operations();
            assert!(used <= 2 * OPERATIONS_BETWEEN_LOOKS, "{used}");
        }
    }
}
