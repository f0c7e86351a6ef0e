//! CFG201 script-failed.
//!
//! Design: R5, R20.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a rule script that fails to load, or fails while checking a skill.
    ///
    /// ## Why
    /// A failed rule finds nothing, which looks like a skill without findings. Findings of other rules are not
    /// affected.
    ///
    /// A script that fails to load is reported once per run, at its own line and column, with the first skill. A later
    /// failure is reported in the file it occurred for, and the message contains the script, line and column; the same
    /// failure in several files of a skill is reported once.
    ///
    /// A script may also exceed a limit: 2,000,000 operations per call, 32 nested calls, 64 variables, 64 KiB per
    /// string, 2,000 elements per array, 500 entries per map, 512 KiB in the variables of a function, 1,000 findings
    /// per file. Its findings for that skill are then discarded. These limits are the same on every machine. Only a
    /// call that runs for a minute is stopped by wall-clock time, and the message says so; after five such skills the
    /// rule no longer runs.
    ///
    /// The scripts in a project's `.skillc/plugins` also share a limit: 50,000,000 operations per skill, and 20,000,000
    /// for loading. Each finding counts as 4,000 operations, and each byte of a loaded script as 10. Once they exceed
    /// it, none of these scripts runs for that skill, their findings for the skill are discarded, and this is reported
    /// once. Scripts in your home folder, and those given with `--plugin`, do not count.
    ///
    /// This rule always runs, whatever is selected. Only its own code or name disables it.
    ///
    /// ## Example
    /// ```rhai
    /// for heading in doc.headings {
    ///     out.at(heading, heading.title.txt);
    /// }
    /// ```
    /// Headings have a `text`, but a title has no `txt`, so this script fails.
    ///
    /// ## Options
    /// None.
    pub(crate) struct ScriptFailed {
        code: "CFG201",
        name: "script-failed",
        severity: Error,
        since: "0.3.0",
        activation: Always,
    }
}

impl Rule for ScriptFailed {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, _: &Skill, out: &mut Findings<'_>) {
        for fault in out.faults() {
            out.skill(fault);
        }
    }
}
