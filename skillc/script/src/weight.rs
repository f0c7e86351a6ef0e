//! Limits the total memory of a script's variables: the engine only limits each string, array and map. To weigh values
//! is to add up the memory that they hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rhai::{Array, Blob, Dynamic, Engine, EvalContext, FnPtr, ImmutableString, Map};

use crate::captured::Captured;
use crate::limits::{MAX_HELD_BYTES, MAX_HELD_DEPTH};
use crate::meter::{HostResult, Meter, too_much};

/// The base cost of any value, in bytes. It also applies to host values, whose large parts are shared or were charged
/// on creation.
const BYTES_OF_VALUE: usize = 64;

/// The overhead of a map besides its keys and values, in bytes.
const BYTES_OF_MAP: usize = 512;

/// The number of bytes by which the variables of a function may grow before they are weighed.
const MAX_UNSEEN_BYTES: usize = 1 << 20;

/// The cost of using a list, a map or a captured variable: one operation for this many bytes of text in all such
/// variables of the function.
const BYTES_OF_INNER_TEXT_PER_USE: usize = 32;

/// The number of values that are weighed in the time of one operation.
const VALUES_WEIGHED_PER_OPERATION: usize = 4;

/// The message about a locked value that a function uses: a call is changing it.
pub(crate) const USES_LOCKED: &str = "modifies a list or map in a function called from here";

/// Weighs the variables of each running function. A use of a variable can at most double the memory that all of them
/// hold, so the less memory they hold, the more uses may pass before the next weighing.
#[expect(
    deprecated,
    reason = "marks what may change between versions of the engine"
)]
pub(crate) fn follow(engine: &mut Engine, meter: &Meter) {
    let captured = Captured::default();
    let weighings = Arc::new(Weighings {
        level: AtomicUsize::default(),
        uses: AtomicUsize::default(),
        inner_text_bytes: AtomicUsize::default(),
        meter: meter.clone(),
    });
    let defined = Arc::clone(&weighings);
    let meter = meter.clone();
    engine.on_var(
        move |name, index, mut context: EvalContext<'_, '_, '_, '_, '_, '_>| {
            let used = match index {
                0 => None,
                index => context.scope().iter_raw().nth(index - 1),
            };
            let used = used.map(|(_, _, value)| value);
            used.map_or(Ok(()), |value| meter.charge_use(value))?;
            let is_container = used.is_some_and(is_container);
            captured.note(name, index, context.scope_mut())?;
            weighings.look(&context)?;
            if is_container {
                meter.charge(weighings.cost_of_inner_texts())?;
            }
            Ok(None)
        },
    );
    engine.on_def_var(
        move |is_running, _, context: EvalContext<'_, '_, '_, '_, '_, '_>| {
            if is_running {
                defined.look(&context)?;
            }
            Ok(true)
        },
    );
}

/// Reports whether a value may contain strings for which [`Meter::charge_use`] does not charge: it is a list, a map or
/// a captured variable.
fn is_container(value: &Dynamic) -> bool {
    value.is_shared() || value.is_array() || value.is_map()
}

/// Schedules the weighing of variables. Each engine is used for one call only, so calls do not share these counters.
struct Weighings {
    meter: Meter,
    /// The call level of the function that last used a variable.
    level: AtomicUsize,
    /// The number of uses left before the next weighing.
    uses: AtomicUsize,
    /// The number of bytes of text in lists, maps and captured variables at the last weighing.
    inner_text_bytes: AtomicUsize,
}

impl Weighings {
    /// Reports whether a weighing is due. After a call or a return, a weighing is always due, because arguments and
    /// results may be large.
    fn is_time(&self, level: usize) -> bool {
        let is_elsewhere = self.level.swap(level, Ordering::Relaxed) != level;
        let left = self.uses.load(Ordering::Relaxed);
        self.uses.store(left.saturating_sub(1), Ordering::Relaxed);
        is_elsewhere || left == 0
    }

    /// Returns the cost of using a list, map or captured variable, in operations. The next operator or index may
    /// traverse a text in it, and operators cannot be charged separately, unlike functions.
    fn cost_of_inner_texts(&self) -> u64 {
        let bytes = self.inner_text_bytes.load(Ordering::Relaxed);
        (bytes / BYTES_OF_INNER_TEXT_PER_USE) as u64
    }

    /// Weighs the variables of the running function, if due.
    fn look(&self, context: &EvalContext<'_, '_, '_, '_, '_, '_>) -> HostResult<()> {
        if !self.is_time(context.call_level()) {
            return Ok(());
        }
        let mut scales = Scales::default();
        for (_, _, value) in context.scope().iter_raw() {
            scales.add(value, 0)?;
            // A locked value cannot be weighed: a caller of this function is changing it.
            if scales.is_locked {
                return Err(too_much(USES_LOCKED).into());
            }
        }
        self.meter
            .charge((scales.values / VALUES_WEIGHED_PER_OPERATION) as u64)?;
        self.inner_text_bytes
            .store(scales.inner_text_bytes, Ordering::Relaxed);
        let doublings = (MAX_UNSEEN_BYTES / scales.bytes.max(BYTES_OF_VALUE)).ilog2();
        self.uses.store(doublings as usize, Ordering::Relaxed);
        Ok(())
    }
}

/// Weighs a value.
///
/// # Errors
/// If the value is too large for a variable, or contains itself.
pub(crate) fn check(value: &Dynamic) -> HostResult<()> {
    Scales::default().add(value, 0)
}

/// The totals of a weighing.
#[derive(Default)]
pub(crate) struct Scales {
    pub(crate) bytes: usize,
    /// The bytes of strings and blobs in lists, maps and captured variables.
    inner_text_bytes: usize,
    values: usize,
    /// Whether one of the values contains a closure that captures variables.
    pub(crate) captures: bool,
    /// Whether one of the values could not be read, because a call is changing it.
    pub(crate) is_locked: bool,
}

impl Scales {
    fn add_text(&mut self, bytes: usize, depth: usize) {
        self.bytes += bytes;
        if depth > 0 {
            self.inner_text_bytes += bytes;
        }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// If the total is too large for a variable, or the value contains itself.
    pub(crate) fn add(&mut self, value: &Dynamic, depth: usize) -> HostResult<()> {
        if depth > MAX_HELD_DEPTH {
            let what = format!("values nested more than {MAX_HELD_DEPTH} deep");
            return Err(too_much(&what).into());
        }
        if value.is_shared() {
            match value.read_lock::<Dynamic>() {
                Some(value) => return self.add(&value, depth.max(1)),
                None => self.is_locked = true,
            }
            self.bytes += BYTES_OF_VALUE;
            return Ok(());
        }
        self.bytes += BYTES_OF_VALUE;
        self.values += 1;
        if let Some(text) = value.read_lock::<ImmutableString>() {
            self.add_text(text.len(), depth);
        } else if let Some(array) = value.read_lock::<Array>() {
            for value in array.iter() {
                self.add(value, depth + 1)?;
            }
        } else if let Some(map) = value.read_lock::<Map>() {
            self.bytes += BYTES_OF_MAP;
            for (key, value) in map.iter() {
                self.bytes += key.len();
                self.add(value, depth + 1)?;
            }
        } else if let Some(function) = value.read_lock::<FnPtr>() {
            self.captures |= function.is_curried();
            for value in function.iter_curry() {
                self.add(value, depth + 1)?;
            }
        } else if let Some(blob) = value.read_lock::<Blob>() {
            self.add_text(blob.len(), depth);
        }
        if self.bytes > MAX_HELD_BYTES {
            let max = MAX_HELD_BYTES >> 10;
            let what = format!("holds more than {max} KiB in the variables of a function");
            return Err(too_much(&what).into());
        }
        Ok(())
    }
}
