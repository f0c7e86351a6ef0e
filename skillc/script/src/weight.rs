//! Limits the total memory of a script's variables, because the engine itself only limits each string, array and map.
//! Here, weighing values means adding up the memory that they use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rhai::{Array, Blob, Dynamic, Engine, EvalContext, FnPtr, ImmutableString, Map};

use crate::captured::Captured;
use crate::limits::{MAX_HELD_BYTES, MAX_HELD_DEPTH};
use crate::meter::{HostResult, Meter, too_much};

/// The base cost of any value, in bytes. It also applies to host values, because their large parts are shared, or were
/// charged when they were created.
const BYTES_OF_VALUE: usize = 64;

/// The overhead of a map besides its keys and values, in bytes.
const BYTES_OF_MAP: usize = 512;

/// The number of bytes by which the variables of a function may grow before they are weighed again.
const MAX_UNSEEN_BYTES: usize = 1 << 20;

/// The cost of using a list, a map or a captured variable: one operation per this many bytes of text in all lists, maps
/// and captured variables of the function.
const BYTES_OF_INNER_TEXT_PER_USE: usize = 32;

/// The cost of using a list, a map, a closure or a captured variable: one operation per this many steps of copying all
/// lists, maps, closures and captured variables of the function. A step takes about 5 ns.
const STEPS_OF_COPYING_PER_USE: usize = 32;

/// The steps to copy a value that needs its own allocation: a list, map, closure, blob or host value. Any other value
/// takes one step.
const STEPS_TO_ALLOCATE: usize = 8;

/// The steps to copy an entry of a map, in addition to the steps for the entry's value and for a long key.
const STEPS_OF_ENTRY: usize = 3;

/// The number of bytes of a key that are copied in one step.
const BYTES_OF_KEY_PER_STEP: usize = 8;

/// The size of the longest key that needs no allocation, in bytes.
const MAX_SHORT_KEY_BYTES: usize = 23;

/// Weighing costs one operation per this many values.
const VALUES_WEIGHED_PER_OPERATION: usize = 4;

/// The message about a function that uses a locked value, which is a value that a call is changing.
pub(crate) const USES_LOCKED: &str = "uses a list or map while a call changes it";

/// Weighs the variables of each running function. A use of a variable can at most double the memory of all variables.
/// Therefore, the less memory the variables use, the later the next weighing is due.
#[expect(
    deprecated,
    reason = "marks what may change between versions of the engine"
)]
pub(crate) fn follow(engine: &mut Engine, meter: &Meter) {
    let captured = Captured::default();
    let weighings = Arc::new(Weighings {
        level: AtomicUsize::default(),
        uses: AtomicUsize::default(),
        cost_of_use: AtomicU64::default(),
        meter: meter.clone(),
    });
    let defined = Arc::clone(&weighings);
    let meter = meter.clone();
    engine.on_var(
        move |name, index, mut context: EvalContext<'_, '_, '_, '_, '_, '_>| {
            let scope = context.scope();
            let used = match index {
                0 => scope.get(name),
                index => scope.iter_raw().nth(index - 1).map(|(_, _, value)| value),
            };
            used.map_or(Ok(()), |value| meter.charge_use(value))?;
            let is_container = used.is_some_and(is_container);
            captured.note(name, index, context.scope_mut())?;
            weighings.look(&context)?;
            if is_container {
                meter.charge(weighings.cost_of_use())?;
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

/// Returns whether a value is a list, a map, a closure with captured values, or a captured variable. Such a value may
/// contain values for which [`Meter::charge_use`] does not charge.
fn is_container(value: &Dynamic) -> bool {
    value.is_shared()
        || value.is_array()
        || value.is_map()
        || value
            .read_lock::<FnPtr>()
            .is_some_and(|function| function.is_curried())
}

/// Returns whether a copy of a value needs its own allocation.
fn is_allocated(value: &Dynamic) -> bool {
    value.is_array() || value.is_map() || value.is_fnptr() || value.is_blob() || value.is_variant()
}

/// Schedules the weighing of variables. Each engine is used for one call only, so calls do not share these counters.
struct Weighings {
    meter: Meter,
    /// The call level of the function that last used a variable.
    level: AtomicUsize,
    /// The number of uses left before the next weighing.
    uses: AtomicUsize,
    /// The cost of using a list, map, closure or captured variable, as of the last weighing, in operations.
    cost_of_use: AtomicU64,
}

impl Weighings {
    /// Returns whether a weighing is due. After a call or a return, a weighing is always due, because arguments and
    /// results may be large.
    fn is_time(&self, level: usize) -> bool {
        let is_elsewhere = self.level.swap(level, Ordering::Relaxed) != level;
        let left = self.uses.load(Ordering::Relaxed);
        self.uses.store(left.saturating_sub(1), Ordering::Relaxed);
        is_elsewhere || left == 0
    }

    /// Returns the cost of using a list, map, closure or captured variable, in operations. Such a use may copy all the
    /// values inside, and the next operator or index may traverse a string inside. This is charged here because
    /// operators, unlike functions, cannot be charged separately.
    fn cost_of_use(&self) -> u64 {
        self.cost_of_use.load(Ordering::Relaxed)
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
        self.cost_of_use
            .store(scales.cost_of_use(), Ordering::Relaxed);
        let doublings = (MAX_UNSEEN_BYTES / scales.bytes.max(BYTES_OF_VALUE)).ilog2();
        self.uses.store(doublings as usize, Ordering::Relaxed);
        Ok(())
    }
}

/// The totals of a weighing.
#[derive(Default)]
pub(crate) struct Scales {
    pub(crate) bytes: usize,
    /// The bytes of strings and blobs in lists, maps and captured variables.
    inner_text_bytes: usize,
    /// The number of steps to copy the values in lists, maps, closures and captured variables.
    steps_of_copying: usize,
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

    /// Returns whether the total is too large for the variables of a function.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes > MAX_HELD_BYTES
    }

    /// Returns the cost of copying the values in lists, maps, closures and captured variables, in operations.
    pub(crate) fn cost_of_copying(&self) -> u64 {
        (self.steps_of_copying / STEPS_OF_COPYING_PER_USE) as u64
    }

    /// Returns the cost of using a list, map, closure or captured variable, in operations.
    fn cost_of_use(&self) -> u64 {
        let texts = self.inner_text_bytes / BYTES_OF_INNER_TEXT_PER_USE;
        texts as u64 + self.cost_of_copying()
    }

    /// Adds a key of a map, which is copied together with the map.
    fn add_key(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.steps_of_copying += STEPS_OF_ENTRY + bytes / BYTES_OF_KEY_PER_STEP;
        if bytes > MAX_SHORT_KEY_BYTES {
            self.steps_of_copying += STEPS_TO_ALLOCATE;
        }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// If the total is too large for the variables of a function, or the value is nested too deep, for example because
    /// it contains itself.
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
        if depth > 0 {
            self.steps_of_copying += if is_allocated(value) {
                STEPS_TO_ALLOCATE
            } else {
                1
            };
        }
        if let Some(text) = value.read_lock::<ImmutableString>() {
            self.add_text(text.len(), depth);
        } else if let Some(array) = value.read_lock::<Array>() {
            for value in array.iter() {
                self.add(value, depth + 1)?;
            }
        } else if let Some(map) = value.read_lock::<Map>() {
            self.bytes += BYTES_OF_MAP;
            for (key, value) in map.iter() {
                self.add_key(key.len());
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
        if self.is_full() {
            let max = MAX_HELD_BYTES >> 10;
            let what = format!("holds more than {max} KiB in the variables of a function");
            return Err(too_much(&what).into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Setup;
    use skillc_core::Stop;

    /// Creates a list of 3 maps, which together have 27 keys of 6,000 bytes.
    const LONG_KEYS: &str = "let big = []; for m in 0..3 { let x = #{}; for i in 0..9 { let s = `k${m}_${i}`; \
         s.pad(6000, \"x\"); x[s] = 1; } big.push(x); }";

    /// Returns the number of operations of an expression.
    fn operations(setup: &str, expression: &str) -> u64 {
        let used = |times: u64| {
            let meter = Meter::start(Stop::default());
            let engine = Setup::default().engine(meter.clone());
            let code = format!("{setup} let n = 0; while n < {times} {{ n += 1; {expression}; }}");
            let ran = engine.run(&code).map_err(|error| error.to_string());
            assert_eq!(ran, Ok(()), "{expression}");
            meter.operations()
        };
        (used(30) - used(10)) / 20
    }

    /// Copying keys of 162,000 bytes takes about 90 microseconds.
    #[test]
    fn long_keys_are_charged_when_they_are_copied() {
        for (more, expression, copies) in [
            ("", "let z = big", 1),
            ("", "big; big; big; big", 4),
            ("let f = || big.len;", "f", 1),
            ("let f = || big.len; let g = || f;", "g", 1),
            ("let f = || big.len;", "f.call()", 1),
        ] {
            let used = operations(&format!("{LONG_KEYS} {more}"), expression);
            assert!(used >= copies * 600, "{more} {expression}: {used}");
        }
    }

    /// Copying a list of 1,990 numbers takes about 10 microseconds, and a map of 490 entries about 12.
    #[test]
    fn nested_lists_and_maps_are_charged_when_they_are_copied() {
        for setup in [
            "let x = []; x.pad(1990, 1); let b = [x];",
            "let x = #{}; for i in 0..490 { x[`k${i}`] = 1; } let b = [x];",
            "let x = []; x.pad(1990, 1); let y = [x]; x = 1; let b = || y;",
        ] {
            let used = operations(setup, "b; b; b; b");
            assert!(used >= 4 * 50, "{setup}: {used}");
        }
    }

    #[test]
    fn ordinary_lists_and_maps_stay_cheap() {
        for (setup, expression) in [
            (
                "let seen = #{}; for i in 0..100 { seen[`word${i}`] = true; }",
                "seen.contains(\"word7\")",
            ),
            ("let list = []; list.pad(500, 1);", "list[7]"),
            (
                "let list = [1, 2, 3]; let f = |x| x + list.len;",
                "f.call(1)",
            ),
        ] {
            let used = operations(setup, expression);
            assert!(used <= 150, "{expression}: {used}");
        }
    }

    #[test]
    fn keys_and_captured_values_count_as_copied() {
        let cost = |value: Dynamic| {
            let mut scales = Scales::default();
            scales.add(&value, 0).expect("fits");
            scales.cost_of_copying()
        };
        let map = |bytes: usize| -> Dynamic {
            let key = "k".repeat(bytes);
            let map: Map = [(key.into(), Dynamic::ONE)].into();
            map.into()
        };
        assert_eq!(cost(map(5)), 0);
        assert!(cost(map(64_000)) >= 64_000 / 256);
        let mut function = FnPtr::new("f").expect("a name");
        assert_eq!(cost(Dynamic::from(function.clone())), 0);
        function.set_curry([map(64_000)]);
        assert!(cost(Dynamic::from(function)) >= 64_000 / 256);
        let texts: Array = (0..320).map(|_| "a text of some length".into()).collect();
        assert_eq!(cost(texts.into()), 10);
    }
}
