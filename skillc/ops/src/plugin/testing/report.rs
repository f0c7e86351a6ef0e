//! The results of test cases, and how they differ from the expectations.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::source::Stamp;
use skillc_script::Covered;

use super::cases::{Case, SectionText, Subject, lines_of};
use super::run::Came;
use super::update::Expectation;
use crate::plugins::PluginFault;

/// The failure message of a case for which `--update` does not write `fixed`.
const NOT_PINNED: &str = "--update does not write 'fixed' because a fix was refused: repair the fix, or write 'fixed' by hand";

/// Results of the test cases of scripts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PluginTestResponse {
    /// Scripts, in the order of loading
    pub scripts: Vec<TestedScript>,
    /// Cases that passed
    pub passed: usize,
    /// Cases that failed
    pub failed: usize,
    /// Cases whose expectations were updated
    pub updated: usize,
    /// Scripts that could not be tested
    pub faults: usize,
    /// The files that were written, canonical, with their stamps
    #[serde(skip)]
    pub written: Vec<(PathBuf, Stamp)>,
}

/// Results for one script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestedScript {
    /// Path of the script
    pub script: String,
    /// Its case file; null if there is none
    pub cases_file: Option<String>,
    /// Why it could not be tested: a fault of the script or of its case file
    pub fault: Option<PluginFault>,
    /// Its cases, in order
    pub cases: Vec<TestedCase>,
    /// Line coverage; null without cases
    pub coverage: Option<ScriptCoverage>,
}

/// Result of one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestedCase {
    /// Its name
    pub name: String,
    /// 1-based line of its `[[case]]`
    pub line: usize,
    /// Whether it passed, or was updated
    pub passed: bool,
    /// Whether its expectations were updated
    pub updated: bool,
    /// Error in the script
    pub failure: Option<String>,
    /// Differences from the expectations
    pub differences: Vec<Difference>,
    /// Fixes that were refused, with reasons
    pub refused: Vec<RefusedFix>,
    /// Lines that the script printed
    pub printed: Vec<String>,
}

/// A refused fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RefusedFix {
    /// The finding, in the notation of cases
    pub finding: String,
    /// Why it was refused
    pub reason: String,
    /// The changes it would have made
    pub proposed: Vec<Difference>,
}

/// A difference from the expectations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// Key of the case (found, fixed or sections), or a file that a fix changes
    pub of: String,
    /// Expected lines, or the file before the fix; null if the case does not specify them
    pub expected: Option<Vec<String>>,
    /// Actual lines, or the file after the fix
    pub found: Vec<String>,
}

/// Line coverage of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScriptCoverage {
    /// Percentage of executable lines that ran
    pub percent: usize,
    /// Number of executable lines
    pub lines: usize,
    /// Executable lines that did not run, or not to completion, 1-based
    pub missed: Vec<usize>,
}

impl PluginTestResponse {
    pub(super) fn add(&mut self, tested: TestedScript) {
        let count =
            |is: fn(&TestedCase) -> bool| tested.cases.iter().filter(|case| is(case)).count();
        self.passed += count(|case| case.passed);
        self.failed += count(|case| !case.passed);
        self.updated += count(|case| case.updated);
        self.faults += usize::from(tested.fault.is_some());
        self.scripts.push(tested);
    }
}

impl TestedScript {
    pub(super) fn new(script: &str) -> Self {
        Self {
            script: script.to_owned(),
            cases_file: None,
            fault: None,
            cases: Vec::new(),
            coverage: None,
        }
    }

    pub(super) fn faulty(self, fault: PluginFault) -> Self {
        Self {
            fault: Some(fault),
            ..self
        }
    }
}

impl ScriptCoverage {
    pub(super) fn from_covered(covered: &Covered) -> Self {
        Self {
            percent: covered.percent(),
            lines: covered.lines,
            missed: covered.missed.clone(),
        }
    }
}

/// Compares the result of a case with its expectations.
///
/// Returns the report, and the updated expectations if `is_update`.
pub(super) fn compare(
    case: &Case,
    result: Result<Came, String>,
    is_update: bool,
) -> (TestedCase, Vec<Expectation>) {
    let mut tested = TestedCase {
        name: case.name.clone(),
        line: case.line,
        passed: false,
        updated: false,
        failure: None,
        differences: Vec::new(),
        refused: Vec::new(),
        printed: Vec::new(),
    };
    let mut news = match result {
        Ok(met) => tested.compare(&case.subject, met),
        Err(failure) => {
            tested.failure = Some(failure);
            return (tested, Vec::new());
        }
    };
    if !is_update {
        news.clear();
    }
    // A refused fix leaves text that the rule is not meant to produce: do not record it as expected.
    if is_update && !tested.refused.is_empty() {
        news.retain(|new| !matches!(new, Expectation::Fixed(_)));
        tested.failure = Some(NOT_PINNED.to_owned());
    }
    tested.updated = !news.is_empty();
    tested.passed = tested.differences.is_empty() || is_update && tested.failure.is_none();
    (tested, news)
}

impl TestedCase {
    /// Records the differences from the expectations. Returns the expectations that would have matched.
    fn compare(&mut self, expected: &Subject, came: Came) -> Vec<Expectation> {
        let mut news = Vec::new();
        match (came, expected) {
            (
                Came::OfRule {
                    found,
                    fixed,
                    refused,
                },
                Subject::Rule(of),
            ) => {
                let says_something = of.found.is_some() || of.fixed.is_some();
                if of.found.as_ref() != Some(&found) && (of.found.is_some() || !says_something) {
                    self.add("found", of.found.clone(), found.clone());
                    news.push(Expectation::Found(found));
                }
                if let (Some(expected), Some(fixed)) = (&of.fixed, fixed)
                    && *expected != fixed
                {
                    self.add("fixed", Some(lines_of(expected)), lines_of(&fixed));
                    self.refused = refused;
                    news.push(Expectation::Fixed(fixed));
                }
            }
            (Came::OfFormat(sections), Subject::Format(of))
                if of.sections.as_ref() != Some(&sections) =>
            {
                let expected = of.sections.as_deref().map(all_shown);
                self.add("sections", expected, all_shown(&sections));
                news.push(Expectation::Sections(sections));
            }
            _ => {}
        }
        news
    }

    fn add(&mut self, of: &str, expected: Option<Vec<String>>, found: Vec<String>) {
        self.differences.push(Difference {
            of: of.to_owned(),
            expected,
            found,
        });
    }
}

fn all_shown(sections: &[SectionText]) -> Vec<String> {
    sections.iter().flat_map(SectionText::shown).collect()
}
