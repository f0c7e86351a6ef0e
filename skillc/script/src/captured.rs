//! The variables that closures capture. The engine shares them and counts who does, so that those of a closure which is
//! kept in a variable that it has captured would never be let go of: we do that, at the end of a call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rhai::{Dynamic, Scope};

use crate::meter::HostResult;
use crate::weight;

/// How many variables are kept in view: they live on for as long, whatever the script does.
const MAX_KEPT: usize = 64;

/// The captured variables that a call has used lately; with it they are emptied.
#[derive(Default)]
pub(crate) struct Captured {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    variables: Vec<Dynamic>,
    /// How often they were let go of: the tag of what was noted before is another.
    round: i32,
}

impl Captured {
    /// Notes a variable that is used, if it is captured. A value can only come into a variable that is used: so what
    /// holds itself has one that was noted last.
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
        if kept.variables.len() >= MAX_KEPT {
            kept.let_go()?;
        }
        if variable.tag() != kept.round + 1 {
            variable.set_tag(kept.round + 1);
            kept.variables.push(variable.clone());
        }
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Lets go of all that nobody is changing.
    ///
    /// # Errors
    /// One of them holds itself.
    fn let_go(&mut self) -> HostResult<()> {
        for variable in &self.variables {
            weight::of(variable)?;
        }
        self.variables.retain(Dynamic::is_locked);
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
