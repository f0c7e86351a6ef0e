//! The result of a lint run.
//!
//! Design: D-LINT-JSON.

use std::borrow::Cow;
use std::mem;
use std::path::PathBuf;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use skillc_core::hash::Sha;
use skillc_core::{RelPath, Skill, SkillRef};
use skillc_lint::finding::LintFinding;
use skillc_lint::finding::location::LineHashes;
use skillc_lint::{Diagnostic, RuleMeta, Safety, Severity};

use super::fixing::{FixRequest, SkillFixes};
use super::matrix::Matrix;
use super::nested::InnerSkills;
use super::output::OutputRequest;
use super::run_options::Aside;
use super::statistics::StatisticsRequest;

/// The result of a lint run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintResponse {
    /// The skills in the order in which they were named; skills of a directory are sorted by path.
    pub skills: Vec<SkillReport>,
    /// Whether exactly one skill was named, rather than a directory or a glob.
    pub is_single: bool,
    /// The rules that ran, sorted by code.
    pub rules: Vec<RuleInfo>,
    /// Which fixes were requested.
    pub fixing: FixRequest,
    /// The output options.
    pub output: OutputRequest,
    /// The matrix of a `--matrix` run, which has no reports.
    pub matrix: Option<Matrix>,
    /// Information about the run itself.
    pub aside: Aside,
    /// Whether findings are counted instead of shown.
    pub summing: StatisticsRequest,
    /// The inputs of the run: directories of skills and configuration files.
    pub sources: Vec<PathBuf>,
    /// How long the run took.
    pub elapsed: Duration,
}

/// A rule that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleInfo {
    /// The rule's code: `SKL205`.
    pub code: String,
    /// The rule's name: `heading-hierarchy`.
    pub name: String,
    /// The severity of its findings.
    pub severity: Severity,
    /// A one-line summary.
    pub summary: String,
    /// Its documentation page, in Markdown.
    pub page: String,
}

/// The findings of one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillReport {
    /// Skill's directory name
    pub skill: String,
    /// Skill's directory
    pub path: String,
    /// Skill's directory for display before file names: relative to the working directory if below it (`.` for itself),
    /// else absolute; separated by `/`, without a trailing `/`
    #[serde(skip)]
    pub folder: String,
    /// Digest of the skill's files, in a run that writes each skill when it is done; in the JSON of a scan, the hash of a
    /// skill that passed
    #[serde(skip)]
    pub digest: Option<Sha>,
    /// Present and true if the skill is build output: at most the security rules check it
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// Why the skill could not be read, or its fixes not be written
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Findings: those of SKILL.md first, then by file and line
    pub diagnostics: Vec<LintFinding>,
    /// Number of findings with severity error
    pub error_count: usize,
    /// Number of findings with severity warning
    pub warning_count: usize,
    /// Result of fixing, if requested
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub fixes: Option<SkillFixes>,
}

impl LintResponse {
    /// Returns the number of errors; a skill that could not be read or fixed counts as one more error.
    pub fn error_count(&self) -> usize {
        let of = |report: &SkillReport| report.error_count + usize::from(report.failure.is_some());
        self.skills.iter().map(of).sum()
    }

    /// Returns the number of warnings.
    pub fn warning_count(&self) -> usize {
        self.skills.iter().map(|report| report.warning_count).sum()
    }

    /// Returns the number of findings whose fix has the given safety.
    pub fn fixable_count(&self, safety: Safety) -> usize {
        let findings = self.skills.iter().flat_map(|report| &report.diagnostics);
        findings
            .filter(|found| found.fixable == Some(safety))
            .count()
    }
}

/// Serializes a single skill as an object, several skills as `skills` with totals, `--statistics` as counts with
/// totals, and `--matrix` as the matrix alone.
impl Serialize for LintResponse {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if let Some(matrix) = &self.matrix {
            return matrix.serialize(to);
        }
        if self.summing.statistics {
            return self.statistics().serialize(to);
        }
        // The JSON form depends only on the command line. With `--changed-since`, the list of skills can be empty
        // because the only named skill has not changed.
        let is_one = self.is_single && self.aside.since.is_none();
        if let ([only], true) = (self.skills.as_slice(), is_one) {
            return self.aside.beside(only).serialize(to);
        }
        let fields = 3 + usize::from(self.aside.baseline.is_some());
        let mut object = to.serialize_struct("LintResponse", fields)?;
        object.serialize_field("skills", &self.skills)?;
        object.serialize_field("error_count", &self.error_count())?;
        object.serialize_field("warning_count", &self.warning_count())?;
        if let Some(baseline) = &self.aside.baseline {
            object.serialize_field("baseline", baseline)?;
        }
        object.end()
    }
}

/// The schema covers the forms for one and for several skills, but not those of `--matrix` and `--statistics`.
impl JsonSchema for LintResponse {
    fn schema_name() -> Cow<'static, str> {
        "LintResponse".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = SkillReport::json_schema(generator);
        let several = json_schema!({
            "type": "object",
            "properties": {
                "skills": { "type": "array", "items": generator.subschema_for::<SkillReport>() },
                "error_count": { "type": "integer", "minimum": 0 },
                "warning_count": { "type": "integer", "minimum": 0 },
            },
            "required": ["skills", "error_count", "warning_count"],
        });
        json_schema!({ "type": "object", "anyOf": [one, several] })
    }
}

impl RuleInfo {
    /// Copies the displayed properties from a rule's metadata.
    pub fn from_meta(meta: &RuleMeta) -> Self {
        Self {
            code: meta.code.to_string(),
            name: meta.name.to_string(),
            severity: meta.severity,
            summary: meta.summary(),
            page: meta.page(),
        }
    }
}

impl SkillReport {
    /// Creates the report of a linted skill.
    pub fn new(skill: &Skill, diagnostics: Vec<Diagnostic>) -> Self {
        let is_compiled = skill.is_compiled();
        let inner = InnerSkills::from_skill(skill);
        let mut lines = LineHashes::default();
        let findings = diagnostics.into_iter().map(|mut found| {
            let is_inner = |file: &RelPath| inner.have(file);
            let is_others = is_compiled || found.file.as_ref().is_some_and(is_inner);
            found.fix.take_if(|_| is_others);
            LintFinding::with_hashes(found, skill, &mut lines)
        });
        let mut report = Self::empty(&skill.at);
        report.set_findings(findings.collect());
        report
    }

    /// Creates the report of a compiled skill that was not checked.
    pub fn skipped(at: &SkillRef) -> Self {
        Self {
            skipped: true,
            ..Self::empty(at)
        }
    }

    /// Creates the report of a skill that could not be read.
    pub fn failed(at: &SkillRef, error: &skillc_core::Error) -> Self {
        Self {
            failure: Some(error.to_string()),
            ..Self::empty(at)
        }
    }

    /// Returns whether the skill could not be read. A skill whose fixes could not be written still has findings.
    pub fn is_unreadable(&self) -> bool {
        self.failure.is_some() && self.diagnostics.is_empty()
    }

    /// Keeps only the findings whose flag in `kept` is set.
    pub(super) fn keep(&mut self, kept: &[bool]) {
        let found = mem::take(&mut self.diagnostics).into_iter().zip(kept);
        let found = found.filter_map(|(finding, is_kept)| is_kept.then_some(finding));
        self.set_findings(found.collect());
    }

    fn set_findings(&mut self, findings: Vec<LintFinding>) {
        let count = |severity| findings.iter().filter(|f| f.severity == severity).count();
        self.error_count = count(Severity::Error);
        self.warning_count = count(Severity::Warning);
        self.diagnostics = findings;
    }

    fn empty(at: &SkillRef) -> Self {
        Self {
            skill: at.name.clone(),
            path: at.source.display().to_string(),
            folder: String::new(),
            digest: None,
            skipped: false,
            failure: None,
            diagnostics: Vec::new(),
            error_count: 0,
            warning_count: 0,
            fixes: None,
        }
    }
}
