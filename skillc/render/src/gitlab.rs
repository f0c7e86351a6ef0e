//! Findings as a Code Quality report, which GitLab shows in merge requests.
//!
//! GitLab compares the reports of two branches by fingerprint. A fingerprint contains the text of the finding's line
//! instead of the line number, so that the fingerprint does not change when lines move. Paths are relative to the
//! working directory, which GitLab treats as the repository root.

use std::collections::BTreeMap;

use serde::Serialize;
use skillc_core::hash::Sha;
use skillc_core::layout::SKILL_FILE;
use skillc_lint::Severity;
use skillc_lint::annotate::told;
use skillc_lint::finding::LintFinding;
use skillc_ops::lint::{LintResponse, SkillReport};

use crate::text::lint::before_files;

/// The rule name for a skill that could not be read.
const UNREADABLE: &str = "unreadable-skill";

/// The rule name for a skill whose fixes could not be written.
const UNFIXED: &str = "unfixed-skill";

#[derive(Serialize)]
pub(crate) struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// Creates the report of a run.
pub(crate) fn issues(response: &LintResponse) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut fingerprints = Fingerprints::default();
    for report in &response.skills {
        let folder = before_files(report);
        let found = report.diagnostics.iter();
        issues.extend(found.map(|finding| issue(finding, &folder, &mut fingerprints)));
        issues.extend(failure(report, &folder, &mut fingerprints));
    }
    issues
}

fn issue(finding: &LintFinding, folder: &str, fingerprints: &mut Fingerprints) -> Issue {
    let path = finding.file.shown(folder);
    let line = format!("{:x}", finding.own_line_hash);
    Issue {
        description: format!("{} {}: {}", finding.rule, finding.name, told(finding)),
        check_name: finding.rule.to_string(),
        fingerprint: fingerprints.next(&path, &finding.rule, &line),
        severity: match finding.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
        },
        location: Location::new(path, finding.line),
    }
}

/// Creates an issue for a skill that could not be read or fixed. Without this issue, the report would have fewer
/// findings, and the failure would look like an improvement.
fn failure(report: &SkillReport, folder: &str, fingerprints: &mut Fingerprints) -> Option<Issue> {
    let path = format!("{folder}{SKILL_FILE}");
    let name = if report.is_unreadable() {
        UNREADABLE
    } else {
        UNFIXED
    };
    Some(Issue {
        description: report.failure.clone()?,
        check_name: name.to_owned(),
        fingerprint: fingerprints.next(&path, name, ""),
        severity: "critical",
        location: Location::new(path, 1),
    })
}

impl Location {
    fn new(path: String, begin: usize) -> Self {
        let lines = Lines { begin };
        Self { path, lines }
    }
}

/// Numbers the findings of a report that have the same path, rule and line text, so that their fingerprints are unique.
#[derive(Default)]
struct Fingerprints(BTreeMap<String, usize>);

impl Fingerprints {
    /// Returns a fingerprint of 64 hex digits, unique within the report.
    fn next(&mut self, path: &str, rule: &str, line: &str) -> String {
        let key = [path, rule, line].join("\0");
        let count = self.0.entry(key.clone()).or_insert(0);
        *count += 1;
        Sha::digest(format!("{key}\0{count}").as_bytes()).to_string()
    }
}
