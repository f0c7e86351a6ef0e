//! CFG201 script-failed.
//!
//! Design: R5, R20.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a script of rules that cannot be loaded, or that fails while it checks a skill.
    ///
    /// ## Why
    /// A rule that fails finds nothing, which looks like a skill without faults. What other rules find is not touched.
    ///
    /// A script that cannot be loaded is told once in a run, at its own line and column, with the first of the skills. What
    /// fails later is told in the file that it fails with, and the message has the script, the line and the column; a fault
    /// that is met in several files of a skill is told once.
    ///
    /// A script may also go beyond a limit: 2,000,000 operations for one call, calls nested 32 deep, 64 variables, strings of
    /// 64 KiB, arrays of 2,000 elements, maps of 500 entries, 512 KiB in the variables of a function, 1,000 findings for one
    /// file. Nothing that its rule found in that skill is kept then. These limits are the same on every machine. Only a call
    /// that takes a minute is stopped by the clock, and the message says so; after five skills its rule does not run again.
    ///
    /// The scripts in a project's `.skillc/plugins` have a limit together, too: 50,000,000 operations for one skill, and
    /// 20,000,000 to be loaded. There, each finding counts as 4,000 and each byte of a script that is loaded as 10. Beyond it
    /// none of them runs any more for that skill, nothing that they found in it is kept, and this is reported once. Scripts
    /// of your home folder, and those that `--plugin` names, are not counted.
    ///
    /// This rule runs whatever is selected. Only its own code or name leaves it out.
    ///
    /// ## Example
    /// ```rhai
    /// for heading in doc.headings {
    ///     out.at(heading, heading.title.txt);
    /// }
    /// ```
    /// Headings have a `text`; a title that is asked for its `txt` fails.
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
