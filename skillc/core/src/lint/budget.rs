//! How much the scripts of a project may compute in all for one skill.
//!
//! Each call of a script has limits of its own, but a project brings as many rules as it likes, and each is called for each
//! file. Scripts that a repository brings along run without having been asked for, so their sum is bounded too. It is counted
//! in operations, never in time, and per skill, so that neither other skills of the run nor the number of threads change it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The most operations of all calls of a project's scripts for one skill together: some 2.5 s of scripts that only compute.
pub const MAX_OPERATIONS: u64 = 50_000_000;

/// What the scripts of a project have used for one skill.
#[derive(Debug, Default)]
pub struct ScriptBudget {
    operations: AtomicU64,
    was_reported: AtomicBool,
}

impl ScriptBudget {
    /// Adds what a call has used.
    pub fn charge(&self, operations: u64) {
        self.operations.fetch_add(operations, Ordering::Relaxed);
    }

    /// Says whether it is used up.
    ///
    /// Calls are charged once they are over, so whether it is in the end does not depend on their order: if the sum of all
    /// of them is below the limit then none is left out.
    pub fn is_spent(&self) -> bool {
        self.operations.load(Ordering::Relaxed) > MAX_OPERATIONS
    }

    /// Says whether this is the first time that it was asked.
    pub fn is_first_report(&self) -> bool {
        !self.was_reported.swap(true, Ordering::Relaxed)
    }
}

/// Returns the start of what is said of a spent budget: `the scripts of this project took more than … operations`.
pub fn spent() -> String {
    format!("the scripts of this project took more than {MAX_OPERATIONS} operations for one skill")
}
