//! Rules that fail: what becomes of their findings, and how it is told.
//!
//! Each fault is told once a skill, however many files it is met in. A rule that went beyond a limit is not asked again in
//! that skill, as the next file would take as long, and nothing is kept of what it found there: how far it came depends on
//! the machine. If that happens in many skills it is not asked again in the whole run.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::path::RelPath;

/// In how many skills a rule may go beyond a limit before a run does without it.
const MAX_SKILLS: usize = 5;

/// The rules that went beyond a limit in a run, by code, and in how many skills.
#[derive(Debug, Default)]
pub(crate) struct RunFaults(Mutex<BTreeMap<String, usize>>);

impl RunFaults {
    fn is_off(&self, rule: &str) -> bool {
        lock(&self.0)
            .get(rule)
            .is_some_and(|skills| *skills >= MAX_SKILLS)
    }
}

/// The faults of rules in one skill.
#[derive(Debug)]
pub(crate) struct Faults<'r> {
    run: &'r RunFaults,
    /// By the rule's code and what is wrong.
    of_skill: Mutex<BTreeMap<(String, String), Fault>>,
}

/// Where a fault was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The first of the files; `None` for the skill as a whole.
    pub(crate) file: Option<RelPath>,
    /// Whether the rule went beyond a limit.
    pub(crate) is_limit: bool,
}

/// Whether a rule is still asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// It is.
    Still,
    /// It went beyond a limit in this skill.
    NotInSkill,
    /// It went beyond a limit in several skills of this run.
    NotInRun,
}

impl<'r> Faults<'r> {
    pub(crate) fn of_skill(run: &'r RunFaults) -> Self {
        Self {
            run,
            of_skill: Mutex::default(),
        }
    }

    pub(crate) fn asked(&self, rule: &str) -> Asked {
        let is_limit =
            |((code, _), fault): (&(String, String), &Fault)| code == rule && fault.is_limit;
        if lock(&self.of_skill).iter().any(is_limit) {
            Asked::NotInSkill
        } else if self.run.is_off(rule) {
            Asked::NotInRun
        } else {
            Asked::Still
        }
    }

    pub(crate) fn add(&self, rule: &str, message: String, fault: Fault) {
        let mut faults = lock(&self.of_skill);
        let mut of_rule = faults.iter().filter(|((code, _), _)| code == rule);
        if fault.is_limit && !of_rule.any(|(_, known)| known.is_limit) {
            *lock(&self.run.0).entry(rule.to_owned()).or_default() += 1;
        }
        let known = faults
            .entry((rule.to_owned(), message))
            .or_insert(fault.clone());
        known.file = known.file.take().min(fault.file);
    }

    /// Returns the faults: rule, message and where. Of a rule that went beyond limits only the first of those, as which of
    /// them is met depends on which file is looked at first.
    pub(crate) fn into_all(self) -> Vec<(String, String, Fault)> {
        let faults = self
            .of_skill
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<(String, String, Fault)> = faults
            .into_iter()
            .map(|((rule, message), fault)| (rule, message, fault))
            .collect();
        all.dedup_by(|next, first| next.0 == first.0 && next.2.is_limit && first.2.is_limit);
        all
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
