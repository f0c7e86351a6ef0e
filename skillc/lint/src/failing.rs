//! Failing rules: what happens to their findings, and how the failure is reported.
//!
//! Each fault is reported once per skill, however many files cause it. If a rule exceeds a limit, its findings in the
//! skill are discarded, and the message about the first file in which it exceeds the limit is reported. Files are
//! checked on several threads: the files after that file are skipped, but the files before it are still checked, so
//! that the result is deterministic. A rule that times out in several skills is disabled for the rest of the run.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use skillc_core::budget::ScriptBudget;
use skillc_core::path::RelPath;

/// The number of skills in which a rule may time out before it is disabled for the run.
const MAX_SKILLS: usize = 5;

/// The number of skills in which each rule timed out in a run, by the rule's code.
#[derive(Debug, Default)]
pub(crate) struct RunFaults(Mutex<BTreeMap<String, usize>>);

impl RunFaults {
    fn is_off(&self, rule: &str) -> bool {
        self.0
            .lock()
            .get(rule)
            .is_some_and(|skills| *skills >= MAX_SKILLS)
    }
}

/// The faults of rules in one skill.
#[derive(Debug)]
pub(crate) struct Faults<'r> {
    run: &'r RunFaults,
    pub(crate) budget: &'r ScriptBudget,
    /// The faults, by the rule's code and the message.
    of_skill: Mutex<BTreeMap<(String, String), Fault>>,
    /// The limit that each rule exceeded, by the rule's code.
    limits: Mutex<BTreeMap<String, LimitFault>>,
}

/// Where a fault occurred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The first file with this fault, in file order; `None` for the skill as a whole.
    pub(crate) file: Option<RelPath>,
    /// Whether the rule exceeded a limit.
    pub(crate) is_limit: bool,
}

/// A limit that a rule exceeded: the checked file and the message. If a rule exceeds limits in several files, the fault
/// that sorts first is reported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LimitFault {
    /// `None` for a check of the skill as a whole.
    pub(crate) checked: Option<RelPath>,
    pub(crate) message: String,
}

/// Whether a rule is still run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The rule is still run.
    Still,
    /// The rule exceeded a limit in this skill.
    NotInSkill,
    /// The rule timed out in several skills of this run.
    NotInRun,
}

impl<'r> Faults<'r> {
    pub(crate) fn for_skill(run: &'r RunFaults, budget: &'r ScriptBudget) -> Self {
        Self {
            run,
            budget,
            of_skill: Mutex::default(),
            limits: Mutex::default(),
        }
    }

    /// Returns whether a rule is still run on a file, or on the skill as a whole (`None`).
    pub(crate) fn asked(&self, rule: &str, file: Option<&RelPath>) -> Asked {
        let limits = self.limits.lock();
        let is_before = |known: &LimitFault| known.checked.as_ref() < file;
        if limits.get(rule).is_some_and(is_before) {
            Asked::NotInSkill
        } else if self.run.is_off(rule) {
            Asked::NotInRun
        } else {
            Asked::Still
        }
    }

    pub(crate) fn add(&self, rule: &str, message: String, file: Option<RelPath>) {
        let mut faults = self.of_skill.lock();
        let fault = Fault {
            file,
            is_limit: false,
        };
        let known = faults
            .entry((rule.to_owned(), message))
            .or_insert(fault.clone());
        known.file = known.file.take().min(fault.file);
    }

    pub(crate) fn add_limit(&self, rule: &str, fault: LimitFault) {
        let mut limits = self.limits.lock();
        let known = limits.entry(rule.to_owned()).or_insert(fault.clone());
        if fault < *known {
            *known = fault;
        }
    }

    /// Records that a rule timed out in this skill, unless it had already exceeded a limit.
    pub(crate) fn add_stopped(&self, rule: &str) {
        if !self.limits.lock().contains_key(rule) {
            *self.run.0.lock().entry(rule.to_owned()).or_default() += 1;
        }
    }

    /// Returns the faults, each with the code of the rule, the message and the location.
    pub(crate) fn into_all(self) -> Vec<(String, String, Fault)> {
        let faults = self.of_skill.into_inner().into_iter();
        let limits = self.limits.into_inner().into_iter();
        let limits = limits.map(|(rule, fault)| {
            let at = Fault {
                file: None,
                is_limit: true,
            };
            (rule, fault.message, at)
        });
        let mut all: Vec<(String, String, Fault)> = faults
            .map(|((rule, message), fault)| (rule, message, fault))
            .chain(limits)
            .collect();
        all.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Option<RelPath> {
        RelPath::parse(text).ok()
    }

    #[test]
    fn the_fault_of_the_first_file_is_reported_in_any_check_order() {
        let limit = |file: &str| LimitFault {
            checked: path(file),
            message: format!("limit in {file}"),
        };
        let (run, budget) = (RunFaults::default(), ScriptBudget::default());
        for order in [["a.md", "b.md"], ["b.md", "a.md"]] {
            let faults = Faults::for_skill(&run, &budget);
            for file in order {
                // Files before the file of a known fault are still checked.
                if faults.asked("TEAM001", path(file).as_ref()) == Asked::Still {
                    faults.add_limit("TEAM001", limit(file));
                }
            }
            assert_eq!(
                faults.asked("TEAM001", path("c.md").as_ref()),
                Asked::NotInSkill
            );
            assert_eq!(faults.asked("TEAM001", None), Asked::Still);
            let told = faults.into_all().into_iter().map(|(_, message, _)| message);
            assert_eq!(told.collect::<Vec<_>>(), ["limit in a.md"], "{order:?}");
        }
    }

    #[test]
    fn only_a_timeout_disables_a_rule_for_the_run() {
        let (run, budget) = (RunFaults::default(), ScriptBudget::default());
        let limit = || LimitFault {
            checked: None,
            message: "limit".into(),
        };
        for _ in 0..2 * MAX_SKILLS {
            let faults = Faults::for_skill(&run, &budget);
            assert_eq!(faults.asked("TEAM001", None), Asked::Still);
            faults.add_limit("TEAM001", limit());
        }
        for _ in 0..MAX_SKILLS {
            let faults = Faults::for_skill(&run, &budget);
            assert_eq!(faults.asked("TEAM001", None), Asked::Still);
            faults.add_stopped("TEAM001");
            faults.add_limit("TEAM001", limit());
            faults.add_stopped("TEAM001");
        }
        let faults = Faults::for_skill(&run, &budget);
        assert_eq!(faults.asked("TEAM001", None), Asked::NotInRun);
    }
}
