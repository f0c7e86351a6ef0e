//! Scripts that could not be loaded: told once for a run, where they are.
//!
//! The rule that tells of them is one like others and is asked for each skill: its level, and who leaves it out, may differ
//! from skill to skill. What it says is the same for all, so the first that has it keeps it.
//!
//! Source: RULINGS R20.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use skillc_core::RelPath;
use skillc_core::lint::diagnostic::headline;
use skillc_core::lint::rule::SCRIPT_FAILED;

use super::place;
use super::report::{LintFinding, SkillReport};
use super::scope::slashed;
use crate::plugins::PluginFault;

/// The file that a finding is in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundIn {
    /// One of the skill, relative to its root.
    Skill(RelPath),
    /// A script that could not be loaded, or a folder of them: as seen from the working directory if it is below that, else
    /// absolute; joined by `/`.
    Script(String),
}

impl FoundIn {
    /// Returns the path to show. `folder`: what stands before files of the skill; it ends with `/` unless empty.
    pub fn shown(&self, folder: &str) -> String {
        match self {
            Self::Skill(file) => format!("{folder}{file}"),
            Self::Script(script) => script.clone(),
        }
    }

    /// Returns where it is. `root`: the directory of the skill.
    pub(super) fn under(&self, root: &Path) -> PathBuf {
        match self {
            Self::Skill(file) => file.under(root),
            Self::Script(script) => PathBuf::from(script),
        }
    }
}

impl fmt::Display for FoundIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(""))
    }
}

impl Serialize for FoundIn {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

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
