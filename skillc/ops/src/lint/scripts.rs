//! Scripts that could not be loaded: told once for a run, where they are.
//!
//! The rule that tells of them is one like others and is asked for each skill: its level, and who leaves it out, may differ
//! from skill to skill. What it says is the same for all, so the first that has it keeps it.
//!
//! Source: RULINGS R20.

use std::collections::BTreeSet;
use std::path::Path;

use skillc_lint::finding::{FoundIn, LintFinding, place};
use skillc_lint::rule::SCRIPT_FAILED;
use skillc_lint::rule::diagnostic::headline;

use super::report::SkillReport;
use super::scope::slashed;
use crate::plugins::PluginFault;

/// Puts what is said of scripts that could not be loaded where these are, and leaves out what was said before.
///
/// `faults`: what is wrong with them.
pub(super) fn tell_once(reports: &mut [SkillReport], faults: &[PluginFault]) {
    let mut told = BTreeSet::new();
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
    let hash = place::hash(line.unwrap_or_default());
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
