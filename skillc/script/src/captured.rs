//! Tracks the variables that closures capture. The engine counts the references to such a variable. If a variable
//! contains a closure that captures the variable itself, the count never drops to zero, and both would leak. Therefore
//! such cycles are broken at the end of each call.

use std::cell::RefCell;

use rhai::{Dynamic, Scope};

use crate::limits::{MAX_CAPTURED, MAX_CAPTURED_BYTES};
use crate::meter::{HostResult, too_much};
use crate::weight::Scales;

/// The minimum length at which the list of tracked variables is pruned. Until it is pruned, the list keeps all its
/// variables alive, even variables that the script has dropped.
const MIN_KEPT: usize = 64;

/// The engine's type for tags: 32 bits, or 16 bits on a 32-bit system. 16 bits are enough, because the limit on
/// operations allows only about 31,000 rounds.
#[cfg(target_pointer_width = "64")]
type Tag = i32;
#[cfg(not(target_pointer_width = "64"))]
type Tag = i16;

/// The captured variables that a call has used recently, and those that contain capturing closures. Dropping this value
/// sets all these variables to `()`.
#[derive(Default)]
pub(crate) struct Captured {
    kept: RefCell<Kept>,
}

struct Kept {
    variables: Vec<Dynamic>,
    /// The number of times the list was pruned. Each tracked variable is tagged with the current round. A variable with
    /// an older tag may have been removed from the list.
    round: Tag,
    /// The length at which the list is pruned.
    most: usize,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            variables: Vec::new(),
            round: 0,
            most: MIN_KEPT,
        }
    }
}

impl Captured {
    /// Tracks a variable that the script uses, if it is captured. This finds every cycle: each cycle contains a
    /// captured variable whose value contains a closure, and storing the closure in the variable was a use of the
    /// variable.
    ///
    /// `index`: the 1-based position of the variable from the end of the scope; 0 if unknown.
    pub(crate) fn note(&self, name: &str, index: usize, scope: &mut Scope<'_>) -> HostResult<()> {
        let used = match index {
            0 => scope.get(name),
            index => scope.iter_raw().nth(index - 1).map(|(_, _, value)| value),
        };
        if !used.is_some_and(Dynamic::is_shared) {
            return Ok(());
        }
        // Only constants are skipped here. They cannot be assigned, so they cannot be part of a cycle.
        let Some(variable) = scope.get_mut(name) else {
            return Ok(());
        };
        let mut kept = self.kept.borrow_mut();
        if kept.variables.len() >= kept.most {
            kept.let_go()?;
        }
        let tag = kept.round.wrapping_add(1);
        if variable.tag() != tag {
            variable.set_tag(tag);
            kept.variables.push(variable.clone());
        }
        Ok(())
    }
}

impl Kept {
    /// Prunes the list: removes the variables that contain no capturing closure and are not locked.
    ///
    /// # Errors
    /// If a variable is too large or contains itself, or the variables that remain in the list exceed a limit.
    fn let_go(&mut self) -> HostResult<()> {
        let (mut left, mut bytes) = (Vec::new(), 0);
        for variable in &self.variables {
            let mut scales = Scales::default();
            scales.add(variable, 0)?;
            if scales.captures || scales.is_locked {
                bytes += scales.bytes;
                left.push(variable.clone());
            }
        }
        if left.len() > MAX_CAPTURED || bytes > MAX_CAPTURED_BYTES {
            let max = MAX_CAPTURED_BYTES >> 20;
            let what = format!(
                "more than {MAX_CAPTURED} captured variables that contain closures, or more than {max} MiB in these variables"
            );
            return Err(too_much(&what).into());
        }
        self.most = MIN_KEPT.max(2 * left.len());
        self.variables = left;
        self.round = self.round.wrapping_add(1);
        Ok(())
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        for variable in &mut self.kept.get_mut().variables {
            if let Some(mut value) = variable.write_lock::<Dynamic>() {
                *value = Dynamic::UNIT;
            }
        }
    }
}
