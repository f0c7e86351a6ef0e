//! The variables that closures capture. The engine shares them and counts who does, so that those of a closure which is
//! kept in a variable that it has captured would never be let go of: we do that, at the end of a call.

use parking_lot::{Mutex, MutexGuard};
use rhai::{Dynamic, Scope};

use crate::limits::{MAX_CAPTURED, MAX_CAPTURED_BYTES};
use crate::meter::{HostResult, too_much};
use crate::weight::Scales;

/// How many variables are kept in view at least: they live on for as long, whatever the script does.
const MIN_KEPT: usize = 64;

/// The captured variables that a call has used lately, and those that hold closures which capture others; with it they are
/// emptied.
#[derive(Default)]
pub(crate) struct Captured {
    kept: Mutex<Kept>,
}

struct Kept {
    variables: Vec<Dynamic>,
    /// How often some were let go of: the tag of what was noted before is another.
    round: i32,
    /// How many there may be before some are let go of.
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
    /// Notes a variable that is used, if it is captured. What holds itself goes through a closure in a captured variable,
    /// which was used when that came into it: so that one is among those that are kept.
    ///
    /// `index`: its place from the end of the scope, from 1; 0 if that is not known.
    pub(crate) fn note(&self, name: &str, index: usize, scope: &mut Scope<'_>) -> HostResult<()> {
        let used = match index {
            0 => scope.get(name),
            index => scope.iter_raw().nth(index - 1).map(|(_, _, value)| value),
        };
        if !used.is_some_and(Dynamic::is_shared) {
            return Ok(());
        }
        // There is none if it is a constant, and nothing can be put into that.
        let Some(variable) = scope.get_mut(name) else {
            return Ok(());
        };
        let mut kept = self.kept();
        if kept.variables.len() >= kept.most {
            kept.let_go()?;
        }
        if variable.tag() != kept.round + 1 {
            variable.set_tag(kept.round + 1);
            kept.variables.push(variable.clone());
        }
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock()
    }
}

impl Kept {
    /// Lets go of all that hold no closure and that nobody is changing.
    ///
    /// # Errors
    /// One of them holds itself; what is left is too much.
    fn let_go(&mut self) -> HostResult<()> {
        let (mut left, mut bytes, mut locked) = (Vec::new(), 0, 0);
        for variable in &self.variables {
            let mut scales = Scales::default();
            scales.add(variable, 0)?;
            if scales.captures || scales.locked > 0 {
                bytes += scales.bytes;
                locked += scales.locked;
                left.push(variable.clone());
            }
        }
        if left.len() > MAX_CAPTURED || bytes > MAX_CAPTURED_BYTES {
            let max = MAX_CAPTURED_BYTES >> 20;
            let what = format!(
                "more than {MAX_CAPTURED} closures in variables that other closures use, or {max} MiB"
            );
            return Err(too_much(&what).into());
        }
        // To find one locked takes as long as to wait for it.
        let times = if locked > 0 { 4 } else { 2 };
        self.most = MIN_KEPT.max(times * left.len());
        self.variables = left;
        self.round += 1;
        Ok(())
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        for variable in &mut self.kept().variables {
            if let Some(mut value) = variable.write_lock::<Dynamic>() {
                *value = Dynamic::UNIT;
            }
        }
    }
}
