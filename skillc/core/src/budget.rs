//! How much the scripts of a project may compute in all, for one skill and in one run.
//!
//! Each call of a script has limits of its own, but a project brings as many rules as it likes, and each is called for each
//! file. Scripts that a repository brings along run without having been asked for, so their sum is bounded too. It is counted
//! in operations, never in time, and given out in the order of the skills, so that the number of threads never changes it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::stop::Stop;

/// The most operations of all calls of a project's scripts for one skill together: some 2.5 s of scripts that only compute.
pub const MAX_OPERATIONS: u64 = 50_000_000;

/// The most operations of all calls of a project's scripts in a run, for all of its skills: some 20 s of computing.
pub const MAX_OPERATIONS_OF_RUN: u64 = 400_000_000;

/// What the scripts of a project have used in a run.
#[derive(Debug, Default)]
pub struct RunBudget {
    operations: AtomicU64,
    stop: Stop,
}

impl RunBudget {
    /// How many skills are given their budgets at once.
    pub const AT_ONCE: usize = 64;

    /// Makes the budget of a run that can be cancelled.
    pub fn new(stop: Stop) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }

    /// Does something with the budget of a skill that nothing else is done beside.
    pub fn for_one<T>(&self, work: impl FnOnce(&ScriptBudget) -> T) -> T {
        let budget = self.share(1);
        let done = work(&budget);
        self.settle(&budget);
        done
    }

    /// Returns the budget of each of several skills that are looked at side by side, at least one: an equal part of what is
    /// left.
    pub fn share(&self, skills: usize) -> ScriptBudget {
        let left = MAX_OPERATIONS_OF_RUN.saturating_sub(self.operations.load(Ordering::Relaxed));
        ScriptBudget {
            limit: MAX_OPERATIONS.min(left / skills as u64),
            stop: self.stop.clone(),
            ..ScriptBudget::default()
        }
    }

    /// Adds what was used for a skill, once that is done.
    ///
    /// How far a skill goes beyond its budget depends on the threads, so no more than the budget is counted.
    pub fn settle(&self, skill: &ScriptBudget) {
        let used = skill.operations.load(Ordering::Relaxed).min(skill.limit);
        self.operations.fetch_add(used, Ordering::Relaxed);
    }
}

/// What the scripts of a project have used for one skill.
#[derive(Debug)]
pub struct ScriptBudget {
    limit: u64,
    operations: AtomicU64,
    was_reported: AtomicBool,
    stop: Stop,
}

/// The budget of a skill that is alone in its run.
impl Default for ScriptBudget {
    fn default() -> Self {
        Self {
            limit: MAX_OPERATIONS,
            operations: AtomicU64::default(),
            was_reported: AtomicBool::default(),
            stop: Stop::default(),
        }
    }
}

impl ScriptBudget {
    /// Returns the cancellation flag of the run. A script that is running when it is raised ends there.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Adds what a call has used.
    pub fn charge(&self, operations: u64) {
        self.operations.fetch_add(operations, Ordering::Relaxed);
    }

    /// Says whether it is used up.
    ///
    /// Calls are charged once they are over, so whether it is in the end does not depend on their order: if the sum of all
    /// of them is below the limit then none is left out.
    pub fn is_spent(&self) -> bool {
        self.limit == 0 || self.operations.load(Ordering::Relaxed) > self.limit
    }

    /// Says whether this is the first time that it was asked.
    pub fn is_first_report(&self) -> bool {
        !self.was_reported.swap(true, Ordering::Relaxed)
    }

    /// Returns the start of what is said of a spent budget: `the scripts of this project took more than … operations`.
    pub fn spent(&self) -> String {
        let (limit, of) = match self.limit {
            0 => (MAX_OPERATIONS_OF_RUN, "in this run"),
            limit => (limit, "for one skill"),
        };
        format!("the scripts of this project took more than {limit} operations {of}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_gets_its_part_of_what_is_left_and_the_sum_is_bounded() {
        let run = RunBudget::default();
        assert_eq!(run.share(1).limit, MAX_OPERATIONS);
        assert_eq!(run.share(64).limit, MAX_OPERATIONS_OF_RUN / 64);
        for (used, counted) in [(1_000, 1_000), (u64::MAX / 2, MAX_OPERATIONS)] {
            let before = run.operations.load(Ordering::Relaxed);
            run.for_one(|budget| budget.charge(used));
            assert_eq!(run.operations.load(Ordering::Relaxed), before + counted);
        }
        for _ in 0..8 {
            run.for_one(|budget| budget.charge(MAX_OPERATIONS + 1));
        }
        let none = run.share(1);
        assert!(none.is_spent());
        assert!(none.spent().ends_with("400000000 operations in this run"));
        assert_eq!(
            run.operations.load(Ordering::Relaxed),
            MAX_OPERATIONS_OF_RUN
        );
    }
}
