//! Resource accounting of a call: operations, and memory allocated by the host.
//!
//! The engine counts one operation for each step of a script. A host function would count as one step, however long it
//! runs. Therefore it is charged for its work: about as many operations as the engine would execute in the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rhai::{Array, Dynamic, EvalAltResult, ImmutableString, Map, NativeCallContext, Position};
use skillc_core::Stop;

use crate::fault::{many_operations, many_waits};
use crate::host::UsedPatterns;
use crate::limits::{
    BYTES_PER_OPERATION, MAX_MADE_BYTES, MAX_OPERATIONS, MAX_OPERATIONS_TO_PLACE, MAX_TIME,
    MIN_WAIT, OPERATIONS_BETWEEN_LOOKS, OPERATIONS_BETWEEN_WAITS, OPERATIONS_OF_WAIT,
};

/// How many bytes of a text cost one operation each time the text is used: replacing one character copies the whole
/// text, character by character.
const BYTES_OF_TEXT_PER_USE: usize = 32;

/// How many elements of a list or map cost one operation each time the list or map is used.
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
/// on every machine. The clock only stops work that these limits vastly underestimate, so a busy machine never changes
/// a result.
#[derive(Debug, Clone, Copy)]
struct Clock {
    time: Duration,
    begun: Instant,
}

impl Clock {
    fn start(time: Duration) -> Self {
        let begun = Instant::now();
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
    /// Whether the variable that was used last is a captured one. Only then can the engine wait for a lock.
    may_wait: AtomicBool,
    waits: Mutex<Waits>,
}

/// The waits for captured variables. While a method changes a captured variable, the variable is locked, and the engine
/// waits 50 ms before it reports an error about any other use. A script can catch this error and try again.
#[derive(Debug, Default)]
struct Waits {
    /// When the clock was last looked at.
    looked: Option<Instant>,
    /// The number of operations used at the end of the last wait.
    ended: Option<u64>,
    /// Whether two waits followed each other too closely.
    are_in_row: bool,
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

    /// Returns the meter for the second run of a call, which locates its fault.
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

    /// Reports whether the call was cancelled or has timed out.
    pub(crate) fn is_over(&self) -> bool {
        let has_ended = self.used.has_ended.load(Ordering::Relaxed)
            || self.stop.is_raised()
            || self.clock.is_over();
        if has_ended {
            self.used.has_ended.store(true, Ordering::Relaxed);
        }
        has_ended
    }

    /// Charges operations, and periodically checks the deadline.
    ///
    /// # Errors
    /// If no operations are left, or the call has timed out. Scripts cannot catch this error, and every later charge
    /// also fails.
    pub(crate) fn charge(&self, operations: u64) -> HostResult<()> {
        if self.used.may_wait.load(Ordering::Relaxed) {
            self.charge_wait();
        }
        let before = self
            .used
            .operations
            .fetch_add(operations, Ordering::Relaxed);
        let after = before.saturating_add(operations);
        if after > self.max_operations {
            let are_in_row = self.used.waits.lock().are_in_row;
            let what = if are_in_row {
                many_waits()
            } else {
                many_operations()
            };
            return Err(too_much(&what).into());
        }
        let is_time = before / OPERATIONS_BETWEEN_LOOKS != after / OPERATIONS_BETWEEN_LOOKS;
        if is_time && self.is_over() || self.used.has_ended.load(Ordering::Relaxed) {
            return Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into());
        }
        Ok(())
    }

    /// Records the use of a variable. `is_captured`: whether it is or may be a captured one.
    pub(crate) fn note_use(&self, is_captured: bool) {
        if self.used.may_wait.swap(is_captured, Ordering::Relaxed) {
            self.charge_wait();
        } else if is_captured {
            self.used.waits.lock().looked = Some(Instant::now());
        }
    }

    /// Records that the script has ended, so that a wait in its last operation is charged, too.
    pub(crate) fn note_end(&self) {
        self.note_use(false);
    }

    /// Charges for waits for locked variables while the captured variables were checked. The script did not cause them
    /// by using these variables, so waits that follow each other closely do not use up the operations.
    pub(crate) fn charge_own_waits(&self, waits: usize) -> HostResult<()> {
        if waits == 0 {
            return Ok(());
        }
        self.used.waits.lock().looked = Some(Instant::now());
        self.charge(OPERATIONS_OF_WAIT.saturating_mul(waits as u64))
    }

    /// Charges for a wait if the engine has waited since the last look at the clock.
    ///
    /// The load of the machine must not change a result, but a thread that the scheduler interrupts also seems to wait.
    /// Therefore, a wait costs only a part of the operations. A second wait uses up the rest only if it soon follows
    /// the first: a scheduler does not interrupt a thread for that long twice within so few operations, which take less
    /// than 0.1 ms.
    fn charge_wait(&self) {
        let now = Instant::now();
        let mut waits = self.used.waits.lock();
        let before = waits.looked.replace(now);
        if before.is_none_or(|before| now.duration_since(before) < MIN_WAIT) {
            return;
        }
        let used = self.operations();
        let is_in_row = waits
            .ended
            .is_some_and(|ended| used.saturating_sub(ended) <= OPERATIONS_BETWEEN_WAITS);
        waits.are_in_row |= is_in_row;
        let cost = if is_in_row {
            self.max_operations
        } else {
            OPERATIONS_OF_WAIT
        };
        self.used.operations.fetch_add(cost, Ordering::Relaxed);
        waits.ended = Some(used.saturating_add(cost));
    }

    /// Fails if the call has exceeded a limit, even if the engine ignored the error: the engine replaces the errors of
    /// some comparisons with a default.
    ///
    /// # Errors
    /// Same as [`Meter::charge`] and [`Meter::take`].
    pub(crate) fn check(&self) -> HostResult<()> {
        self.charge(0)?;
        self.take(0)
    }

    /// Returns the number of operations used.
    pub(crate) fn operations(&self) -> u64 {
        self.used.operations.load(Ordering::Relaxed)
    }

    /// Charges for reading through a text once.
    pub(crate) fn charge_bytes(&self, bytes: usize) -> HostResult<()> {
        self.charge(1 + (bytes / BYTES_PER_OPERATION) as u64)
    }

    /// Charges for a use of a value, in addition to the step itself: an operation may traverse the whole text, list or
    /// map. Captured variables are skipped, because they may be locked.
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

/// Creates the same error as the engine does for a string that is too long.
pub(crate) fn too_long() -> EvalAltResult {
    let what = "Length of string".to_owned();
    EvalAltResult::ErrorDataTooLarge(what, Position::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Library;

    /// After a client cancels a call, its scripts run at most a few hundred more operations.
    #[test]
    fn a_script_stops_soon_after_its_call_is_cancelled() {
        for code in [
            "print(1); loop {}",
            "print(1); loop { try { throw 1 } catch {} }",
        ] {
            let stop = Stop::default();
            let meter = Meter::start(stop.clone());
            let mut engine = Library::new().engine(meter.clone());
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
