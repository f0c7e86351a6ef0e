//! CFG201 script-failed.
//!
//! Design: R5, R20, R38.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a rule script that fails to load, or fails while checking a skill.
    ///
    /// ## Why
    /// A rule that fails reports nothing, and the skill seems to have no findings. Findings of other rules are not
    /// affected. A rule in Rust that panics is reported in the same way. The panic is a bug in skc, or in a program
    /// that adds the rule to skc.
    ///
    /// A script that fails to load is reported once per run, among the findings of the first skill, at the line and
    /// column in the script. If a script fails while checking a file, the finding is in that file, and its message
    /// names the script, the line and the column. The same failure in several files of a skill is reported once.
    ///
    /// A script may also exceed a limit: 2,000,000 operations per call, 32 nested calls, 64 variables, 64 KiB per
    /// string, 2,000 elements per array, 500 entries per map, 512 KiB in the variables of a function, 1,000 findings
    /// per file. The findings of the rule for the skill are then discarded. These limits are the same on every machine.
    /// The only limit that depends on the machine is the wall-clock time of a call, one minute; if a call exceeds this
    /// limit, the message says so. After timeouts in five skills, the rule no longer runs.
    ///
    /// The scripts in a project's `.skillc/plugins` also share limits: 25,000,000 operations per skill, 100,000,000 per
    /// run (with `--format jsonl`, 1,000,000 more for each skill), 20,000,000 for loading, and 24 MiB on each thread
    /// for the compiled scripts, each of which counts as 200 times the size of its text. Each finding counts as 4,000
    /// operations, and each byte of a loaded script as 40 operations. Once the scripts exceed the limit for a skill,
    /// none of them runs for that skill, their findings for the skill are discarded, and the exceeded limit is reported
    /// once. Scripts in your home folder, and scripts specified with `--plugin`, are not limited in this way.
    ///
    /// This rule always runs, whichever rules are selected. To disable it, ignore its code or its name; ignoring a
    /// family, such as `CFG`, has no effect on it.
    ///
    /// ## Example
    /// ```rhai
    /// for heading in doc.headings {
    ///     out.at(heading, heading.title.txt);
    /// }
    /// ```
    /// The title of a heading has a property `text`, but no `txt`, so this script fails.
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
