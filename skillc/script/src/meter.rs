//! What a call has used: time, and the memory that the host made for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rhai::{Dynamic, EvalAltResult, ImmutableString, NativeCallContext, Position};

use crate::clock::Clock;
use crate::host::UsedPatterns;
use crate::limits::MAX_MADE_BYTES;

/// The result of a function that scripts call.
pub(crate) type HostResult<T> = Result<T, Box<EvalAltResult>>;

/// What a call may still use. The engine has it, and so has every function that it calls.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    clock: Clock,
    used: Arc<Used>,
}

#[derive(Debug, Default)]
struct Used {
    made_bytes: AtomicUsize,
    patterns: UsedPatterns,
    /// Whether the time was found to be over: from then on nothing runs, be the error caught or passed over.
    has_ended: AtomicBool,
}

impl Meter {
    pub(crate) fn start(time: Duration) -> Self {
        Self {
            clock: Clock::start(time),
            used: Arc::default(),
        }
    }

    /// Returns that of the call which a function is called in.
    pub(crate) fn of(context: &NativeCallContext<'_>) -> Self {
        let tag = context.tag().and_then(Dynamic::read_lock::<Self>);
        let own = tag.map(|meter| meter.clone());
        own.unwrap_or_else(|| Self::start(Duration::ZERO))
    }

    /// Looks at the clock.
    pub(crate) fn is_over(&self) -> bool {
        let is_over = self.clock.is_over();
        if is_over {
            self.used.has_ended.store(true, Ordering::Relaxed);
        }
        is_over
    }

    /// Says whether the time was over when the clock was last looked at.
    pub(crate) fn has_ended(&self) -> bool {
        self.used.has_ended.load(Ordering::Relaxed)
    }

    /// Ends the call if its time is over: for functions that take long.
    pub(crate) fn check(&self) -> HostResult<()> {
        if self.is_over() {
            return Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into());
        }
        Ok(())
    }

    /// Returns the patterns that the call has used.
    pub(crate) fn patterns(&self) -> &UsedPatterns {
        &self.used.patterns
    }

    /// Takes memory for a value that a script may keep. What it lets go of is not given back.
    pub(crate) fn take(&self, bytes: usize) -> HostResult<()> {
        let before = self.used.made_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > MAX_MADE_BYTES {
            let max = MAX_MADE_BYTES >> 20;
            let what = format!("makes more than {max} MiB of texts and data");
            return Err(too_much(&what).into());
        }
        Ok(())
    }
}

/// Makes the error of going beyond a limit of ours, which no script can catch. `what`: as faults say it.
pub(crate) fn too_much(what: &str) -> EvalAltResult {
    EvalAltResult::ErrorTerminated(ImmutableString::from(what).into(), Position::NONE)
}

/// Makes the error of a string that is longer than one can be, as the engine makes it.
pub(crate) fn too_long() -> EvalAltResult {
    let what = "Length of string".to_owned();
    EvalAltResult::ErrorDataTooLarge(what, Position::NONE)
}
