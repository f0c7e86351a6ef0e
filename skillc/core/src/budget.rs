//! Limits how much a project's scripts may compute in total, per skill and per run.
//!
//! Each call of a script has its own limits, but a project can contain any number of rules, and skc calls each rule for
//! each file. Scripts that come with a repository run without confirmation, so the total number of their operations is
//! bounded too. The budget counts operations instead of time, and skills receive their shares in a fixed order, so the
//! result does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::stop::Stop;

/// The limit on the operations of a project's scripts for one skill, summed over all calls: about 1.3 s of pure
/// computation.
pub const MAX_OPERATIONS: u64 = 25_000_000;

/// The limit on the operations of a project's scripts in one run, summed over all calls and skills: about 5 s of
/// computation.
pub const MAX_OPERATIONS_OF_RUN: u64 = 100_000_000;

/// Each skill raises [`MAX_OPERATIONS_OF_RUN`] by this number in a streamed run, which writes the results of some
/// skills before it reads the next ones.
pub const OPERATIONS_PER_STREAMED_SKILL: u64 = 100_000;

/// Counts the operations that a project's scripts use in one run.
#[derive(Debug, Default)]
pub struct RunBudget {
    operations: AtomicU64,
    stop: Stop,
}

impl RunBudget {
    /// At most this many skills are processed in parallel and share the remaining budget.
    pub const AT_ONCE: usize = 64;

    /// Creates the budget of a run that can be cancelled.
    pub fn new(stop: Stop) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }

    /// Like [`new`](Self::new), but starts with `used` operations already charged.
    pub fn resumed(stop: Stop, used: u64) -> Self {
        Self {
            stop,
            operations: AtomicU64::new(used),
        }
    }

    /// Returns the budget for the next part of a run that processes its skills in parts, in a fixed order.
    ///
    /// A part may use at most [`MAX_OPERATIONS_OF_RUN`] operations. `skills`: the number of skills in all parts up to
    /// this one; `used`: the number of operations that the earlier parts have used.
    pub fn of_part(stop: Stop, skills: usize, used: u64) -> Self {
        let all = MAX_OPERATIONS_OF_RUN
            .saturating_add(OPERATIONS_PER_STREAMED_SKILL.saturating_mul(skills as u64));
        let left = all.saturating_sub(used).min(MAX_OPERATIONS_OF_RUN);
        Self::resumed(stop, MAX_OPERATIONS_OF_RUN - left)
    }

    /// Returns the number of operations used so far.
    pub fn used(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Runs `work` with the budget of a skill that is processed alone.
    pub fn for_one<T>(&self, work: impl FnOnce(&ScriptBudget) -> T) -> T {
        let budget = self.share(1);
        let done = work(&budget);
        self.settle(&budget);
        done
    }

    /// Returns the budget of each skill in a group that is processed in parallel: an equal share of the remaining
    /// operations, and at most [`MAX_OPERATIONS`]. `skills`: the number of skills in the group, at least 1.
    pub fn share(&self, skills: usize) -> ScriptBudget {
        let left = MAX_OPERATIONS_OF_RUN.saturating_sub(self.used());
        ScriptBudget {
            limit: MAX_OPERATIONS.min(left / skills as u64),
            stop: self.stop.clone(),
            ..ScriptBudget::default()
        }
    }

    /// Charges the run for the operations that a finished skill has used.
    ///
    /// The charge is capped at the skill's budget, because the size of an overrun depends on thread timing.
    pub fn settle(&self, skill: &ScriptBudget) {
        let used = skill.operations.load(Ordering::Relaxed).min(skill.limit);
        self.operations.fetch_add(used, Ordering::Relaxed);
    }
}

/// Counts the operations that a project's scripts use for one skill.
#[derive(Debug)]
pub struct ScriptBudget {
    limit: u64,
    operations: AtomicU64,
    was_reported: AtomicBool,
    stop: Stop,
}

/// The budget of a skill that is the only one in its run.
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
    /// Returns the cancellation flag of the run. Raising it stops a running script.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Adds the operations that one call has used.
    pub fn charge(&self, operations: u64) {
        self.operations.fetch_add(operations, Ordering::Relaxed);
    }

    /// Returns whether the budget is used up.
    ///
    /// Each call is charged when it ends, so the order of the calls does not matter: if the sum of all calls does not
    /// exceed the limit, no call is skipped.
    pub fn is_spent(&self) -> bool {
        self.limit == 0 || self.operations.load(Ordering::Relaxed) > self.limit
    }

    /// Returns `true` on the first call only, so that a spent budget is reported once.
    pub fn is_first_report(&self) -> bool {
        !self.was_reported.swap(true, Ordering::Relaxed)
    }

    /// Returns the start of the message for a spent budget: `this project's scripts used more than … operations`.
    pub fn spent(&self) -> String {
        let (limit, of) = match self.limit {
            0 => (MAX_OPERATIONS_OF_RUN, "in this run"),
            limit => (limit, "for one skill"),
        };
        format!("this project's scripts used more than {limit} operations {of}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_gets_a_share_of_the_rest_and_the_sum_is_bounded() {
        let run = RunBudget::default();
        assert_eq!(run.share(1).limit, MAX_OPERATIONS);
        assert_eq!(run.share(64).limit, MAX_OPERATIONS_OF_RUN / 64);
        for (used, counted) in [(1_000, 1_000), (u64::MAX / 2, MAX_OPERATIONS)] {
            let before = run.operations.load(Ordering::Relaxed);
            run.for_one(|budget| budget.charge(used));
            assert_eq!(run.operations.load(Ordering::Relaxed), before + counted);
        }
        for _ in 0..MAX_OPERATIONS_OF_RUN / MAX_OPERATIONS {
            run.for_one(|budget| budget.charge(MAX_OPERATIONS + 1));
        }
        let none = run.share(1);
        assert!(none.is_spent());
        assert!(none.spent().ends_with("100000000 operations in this run"));
        assert_eq!(
            run.operations.load(Ordering::Relaxed),
            MAX_OPERATIONS_OF_RUN
        );
    }

    /// Scripts that exhaust the budget of every part end up with little more than 100,000 operations per skill.
    #[test]
    fn the_parts_of_a_run_share_a_budget_that_grows_with_the_skills() {
        let per_part = RunBudget::AT_ONCE as u64 * OPERATIONS_PER_STREAMED_SKILL;
        let (mut used, mut skills) = (0, 0);
        for part in 0..20 {
            skills += RunBudget::AT_ONCE;
            let run = RunBudget::of_part(Stop::default(), skills, used);
            let before = run.used();
            let expected = if part == 0 {
                MAX_OPERATIONS_OF_RUN
            } else {
                2 * per_part
            };
            assert!(MAX_OPERATIONS_OF_RUN - before <= expected, "{part}");
            assert!(MAX_OPERATIONS_OF_RUN - before >= per_part, "{part}");
            let budget = run.share(RunBudget::AT_ONCE);
            for _ in 0..RunBudget::AT_ONCE {
                budget.operations.store(u64::MAX / 2, Ordering::Relaxed);
                run.settle(&budget);
            }
            used += run.used() - before;
        }
        assert!(used <= MAX_OPERATIONS_OF_RUN + 20 * per_part);
        // Scripts that use less have the full budget in every part.
        let run = RunBudget::of_part(Stop::default(), 6_400, 6_400 * 50_000);
        assert_eq!(run.used(), 0);
    }
}
