//! Scripts that could not be loaded: reported once per run, at the position of the fault in the script.
//!
//! An ordinary rule reports them and runs for each skill, because severities and suppressions can differ from skill to
//! skill. The message is the same for every skill, so only the first report keeps it.
//!
//! Design: R20.

use std::collections::BTreeSet;
use std::path::Path;

use skillc_lint::finding::{FoundIn, LintFinding, location};
use skillc_lint::rule::SCRIPT_FAILED;
use skillc_lint::rule::diagnostic::headline;

use super::report::SkillReport;
use super::scope::slashed;
use crate::plugins::PluginFault;

/// Moves findings about scripts that could not be loaded to the position of the fault in the script, and drops
/// duplicates.
///
/// `faults`: the faults of the scripts. `told`: the indices of the faults that earlier reports contain.
pub(super) fn tell_once(
    reports: &mut [SkillReport],
    faults: &[PluginFault],
    told: &mut BTreeSet<usize>,
) {
    for report in reports {
        let mut kept = Vec::with_capacity(report.diagnostics.len());
        for finding in &mut report.diagnostics {
            let is_of = |fault: &PluginFault| fault.to_string() == finding.message;
            let at = faults.iter().position(is_of);
            let at = at.filter(|_| finding.rule == SCRIPT_FAILED.0);
            kept.push(at.is_none_or(|at| told.insert(at)));
            if let Some(at) = at {
                put(finding, &faults[at]);
            }
        }
        report.keep(&kept);
    }
}

fn put(finding: &mut LintFinding, fault: &PluginFault) {
    let line = fault.excerpt.as_ref().map(|excerpt| &*excerpt.text);
    let hash = location::hash(line.unwrap_or_default());
    finding.file = FoundIn::Script(slashed(Path::new(&fault.script)));
    finding.line = fault.line.unwrap_or(1);
    finding.column = fault.column.unwrap_or(1);
    (finding.end_line, finding.end_column) = (finding.line, finding.column);
    (finding.line_hash, finding.own_line_hash) = (hash, hash);
    finding.message.clone_from(&fault.message);
    let (rule, name) = (&finding.rule, &finding.name);
    finding.headline = headline(rule, name, finding.severity, &fault.message);
    finding.excerpt.clone_from(&fault.excerpt);
}
