//! How much a script holds in its variables: what the engine's own limits on strings, arrays and maps do not add up.

use std::sync::atomic::{AtomicUsize, Ordering};

use rhai::{Array, Dynamic, Engine, EvalContext, FnPtr, ImmutableString, Map, Scope};

use crate::captured::Captured;
use crate::limits::{MAX_HELD_BYTES, MAX_HELD_DEPTH};
use crate::meter::{HostResult, too_much};

/// What any value takes, in bytes: that of the host, too, as what is large in those is shared or was counted when it was
/// made.
const BYTES_OF_VALUE: usize = 64;

/// What the variables of a function may grow to before they are weighed, in bytes.
const MAX_UNSEEN_BYTES: usize = 1 << 20;

/// Weighs the variables of each function that runs: a use of a variable can at most double what they hold, so that the
/// next weighing can wait the longer the less they do.
pub(crate) fn follow(engine: &mut Engine) {
    let scales = Weighings::default();
    let captured = Captured::default();
    #[expect(
        deprecated,
        reason = "marks what may change between versions of the engine"
    )]
    engine.on_var(
        move |name, index, mut context: EvalContext<'_, '_, '_, '_, '_, '_>| {
            captured.note(name, index, context.scope_mut())?;
            if scales.is_time(context.call_level()) {
                scales.next(weigh(context.scope())?);
            }
            Ok(None)
        },
    );
}

/// When variables are weighed next. An engine makes one call, so nobody else counts here.
#[derive(Default)]
struct Weighings {
    /// How deep the function is that used a variable last.
    level: AtomicUsize,
    /// How many uses are left in it.
    uses: AtomicUsize,
}

impl Weighings {
    /// Says whether it is time: also where a function was called or has returned, as arguments and results may be large.
    fn is_time(&self, level: usize) -> bool {
        let is_elsewhere = self.level.swap(level, Ordering::Relaxed) != level;
        let left = self.uses.load(Ordering::Relaxed);
        self.uses.store(left.saturating_sub(1), Ordering::Relaxed);
        is_elsewhere || left == 0
    }

    fn next(&self, bytes: usize) {
        let doublings = (MAX_UNSEEN_BYTES / bytes.max(BYTES_OF_VALUE)).ilog2();
        self.uses.store(doublings as usize, Ordering::Relaxed);
    }
}

/// Weighs all variables of a function; returns the bytes.
fn weigh(scope: &Scope<'_>) -> HostResult<usize> {
    let mut scales = Scales::default();
    for (_, _, value) in scope.iter_raw() {
        scales.add(value, 0)?;
    }
    Ok(scales.bytes)
}

/// Weighs one value; returns the bytes.
///
/// # Errors
/// It is too large for a variable, or holds itself.
pub(crate) fn of(value: &Dynamic) -> HostResult<usize> {
    let mut scales = Scales::default();
    scales.add(value, 0)?;
    Ok(scales.bytes)
}

#[derive(Default)]
pub(crate) struct Scales {
    bytes: usize,
}

impl Scales {
    pub(crate) fn add(&mut self, value: &Dynamic, depth: usize) -> HostResult<()> {
        if depth > MAX_HELD_DEPTH {
            let what = format!("values nested more than {MAX_HELD_DEPTH} deep");
            return Err(too_much(&what).into());
        }
        self.bytes += BYTES_OF_VALUE;
        if let Some(text) = value.read_lock::<ImmutableString>() {
            self.bytes += text.len();
        } else if let Some(array) = value.read_lock::<Array>() {
            for value in array.iter() {
                self.add(value, depth + 1)?;
            }
        } else if let Some(map) = value.read_lock::<Map>() {
            for (key, value) in map.iter() {
                self.bytes += key.len();
                self.add(value, depth + 1)?;
            }
        } else if let Some(function) = value.read_lock::<FnPtr>() {
            for value in function.iter_curry() {
                self.add(value, depth + 1)?;
            }
        }
        if self.bytes > MAX_HELD_BYTES {
            let max = MAX_HELD_BYTES >> 10;
            let what = format!("holds more than {max} KiB in the variables of a function");
            return Err(too_much(&what).into());
        }
        Ok(())
    }
}
