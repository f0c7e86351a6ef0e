//! `--statistics`: counts the findings of a run by rule, for runs over many skills.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use skillc_core::{Error, Result};
use skillc_lint::finding::LintFinding;
use skillc_lint::{Safety, Severity};

use super::baseline::BaselineReport;
use super::report::LintResponse;

/// Summary options. Command line only: a program can count the findings itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct StatisticsRequest {
    /// Count findings by rule (formats: text, concise, json)
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "diff"))]
    pub statistics: bool,
}

/// The findings of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleCount {
    /// The rule's code.
    pub rule: String,
    /// The rule's name.
    pub name: String,
    /// The highest severity among the findings: configuration can change the severity per file.
    pub severity: Severity,
    /// The number of findings.
    pub count: usize,
    /// The number of skills with a finding of this rule.
    pub skills: usize,
    /// The number of findings that can be fixed, safely or not.
    pub fixable: usize,
    /// The number of findings that `--fix` alone fixes.
    #[serde(skip)]
    pub safely_fixable: usize,
}

/// The counts in JSON.
#[derive(Serialize)]
pub(super) struct Statistics<'a> {
    #[serde(rename = "statistics")]
    counts: Vec<RuleCount>,
    error_count: usize,
    warning_count: usize,
    failures: Vec<Failure<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a BaselineReport>,
}

/// A skill that could not be read or written.
#[derive(Serialize)]
struct Failure<'a> {
    skill: &'a str,
    message: &'a str,
}

impl LintResponse {
    /// Returns the counts with the totals, failures and baseline that a JSON consumer needs.
    pub(super) fn statistics(&self) -> Statistics<'_> {
        let failures = self.skills.iter().filter_map(|report| {
            let (skill, message) = (report.skill.as_str(), report.failure.as_deref()?);
            Some(Failure { skill, message })
        });
        Statistics {
            counts: self.counts(),
            error_count: self.error_count(),
            warning_count: self.warning_count(),
            failures: failures.collect(),
            baseline: self.aside.baseline.as_ref(),
        }
    }

    /// Counts the findings by rule: most frequent first, ties by code.
    pub fn counts(&self) -> Vec<RuleCount> {
        let mut counts: BTreeMap<&str, (RuleCount, usize)> = BTreeMap::new();
        for (at, report) in (1..).zip(&self.skills) {
            for finding in &report.diagnostics {
                let none = || (none_of(finding), 0);
                let (count, last) = counts.entry(&finding.rule).or_insert_with(none);
                count.add(finding);
                if *last != at {
                    *last = at;
                    count.skills += 1;
                }
            }
        }
        let mut counts: Vec<RuleCount> = counts.into_values().map(|(count, _)| count).collect();
        counts.sort_by_key(|count| Reverse(count.count));
        counts
    }
}

impl StatisticsRequest {
    /// Refuses formats that cannot show counts.
    ///
    /// # Errors
    /// E100 for such a format.
    pub(super) fn check_format(self, format: &str) -> Result<()> {
        if !self.statistics || matches!(format, "text" | "concise" | "json") {
            return Ok(());
        }
        Err(Error::InvalidOption {
            message: format!("--statistics does not support format '{format}'"),
            hint: Some("Use --format text, concise or json.".into()),
        })
    }
}

impl RuleCount {
    fn add(&mut self, finding: &LintFinding) {
        self.count += 1;
        self.fixable += usize::from(finding.fixable.is_some());
        self.safely_fixable += usize::from(finding.fixable == Some(Safety::Safe));
        self.severity = self.severity.min(finding.severity);
    }
}

fn none_of(finding: &LintFinding) -> RuleCount {
    RuleCount {
        rule: finding.rule.to_string(),
        name: finding.name.to_string(),
        severity: finding.severity,
        count: 0,
        skills: 0,
        fixable: 0,
        safely_fixable: 0,
    }
}
