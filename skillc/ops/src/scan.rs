//! `skc scan`: runs the security rules alone, and gives each skill a verdict.
//!
//! A scan is a lint run in which a skill cannot suppress findings: its directives, its configuration, and files that
//! make it look like build output are ignored. Skills in archives are scanned, too.
//!
//! Design: R41, R43.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use skillc_core::Result;

use crate::access::Arguments;
use crate::lint::{
    BaselineRequest, ChangedRequest, FixRequest, Lint, LintRequest, LintResponse, MatrixRequest,
    RunOptions, SkillReport, StatisticsRequest, UnchangedSkill,
};
use crate::notes::Notes;
use crate::operation::{Example, Operation, Verdict, tool_of};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// The family of rules that run.
const FAMILY: &str = "SEC";

/// Arguments of `skc scan`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct ScanRequest {
    /// Skills, folders, globs or archives [default: all of the project]
    #[cfg_attr(feature = "clap", arg(value_name = "SKILL"))]
    #[serde(deserialize_with = "crate::lint::one_or_several")]
    #[schemars(with = "crate::lint::OneOrSeveral")]
    pub skill: Vec<String>,
    /// Also fail if the verdict is 'review', not only if it is 'block'
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub strict: bool,
    /// Scan only skills changed since a git revision or a JSON report
    #[cfg_attr(
        feature = "clap",
        arg(
            id = "changed_since",
            long = "since",
            alias = "changed-since",
            value_name = "BASE"
        )
    )]
    #[serde(skip)]
    #[schemars(skip)]
    pub since: Option<String>,
    /// Hide the findings listed in this file
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    #[serde(skip)]
    #[schemars(skip)]
    pub baseline: Option<PathBuf>,
    /// Whether the response has a hash of each skill that passed
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    #[schemars(skip)]
    pub has_hashes: bool,
}

/// What to do with a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScanVerdict {
    /// Nothing was found.
    Pass,
    /// Something was found that a person should look at before the skill is used.
    Review,
    /// An attack was found, or the skill cannot be read.
    Block,
}

impl ScanVerdict {
    /// All verdicts, worst first.
    pub const ALL: [Self; 3] = [Self::Block, Self::Review, Self::Pass];

    /// Returns the verdict on a skill.
    pub fn from_report(report: &SkillReport) -> Self {
        if report.error_count > 0 || report.failure.is_some() {
            Self::Block
        } else if report.warning_count > 0 {
            Self::Review
        } else {
            Self::Pass
        }
    }

    /// Returns the verdict as text: `block`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Review => "review",
            Self::Block => "block",
        }
    }
}

/// The findings of each skill, with its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanResponse {
    /// The lint run.
    pub lint: LintResponse,
    /// Whether a skill with the verdict `review` fails the run.
    pub is_strict: bool,
}

impl ScanResponse {
    /// Returns how many skills have this verdict.
    pub fn count(&self, verdict: ScanVerdict) -> usize {
        let verdicts = self.lint.skills.iter().map(ScanVerdict::from_report);
        verdicts.filter(|of| *of == verdict).count()
    }
}

/// A skill in JSON.
#[derive(Serialize, JsonSchema)]
struct ScannedSkill<'a> {
    /// Pass, review or block
    verdict: ScanVerdict,
    /// If the skill passed: a hash of all that the verdict depends on
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-command-line" = true))]
    hash: Option<String>,
    #[serde(flatten)]
    report: &'a SkillReport,
}

impl Serialize for ScanResponse {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let skills = self.lint.skills.iter().map(|report| ScannedSkill {
            verdict: ScanVerdict::from_report(report),
            hash: report.digest.map(|hash| hash.to_string()),
            report,
        });
        let unchanged = &self.lint.aside.unchanged;
        let fields = 4 + usize::from(!unchanged.is_empty());
        let mut object = to.serialize_struct("ScanResponse", fields)?;
        object.serialize_field("skills", &skills.collect::<Vec<_>>())?;
        object.serialize_field("block", &self.count(ScanVerdict::Block))?;
        object.serialize_field("review", &self.count(ScanVerdict::Review))?;
        object.serialize_field("pass", &self.count(ScanVerdict::Pass))?;
        if !unchanged.is_empty() {
            object.serialize_field("unchanged", unchanged)?;
        }
        object.end()
    }
}

impl JsonSchema for ScanResponse {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ScanResponse".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": {
                "skills": { "type": "array", "items": ScannedSkill::json_schema(generator) },
                "block": { "type": "integer", "minimum": 0 },
                "review": { "type": "integer", "minimum": 0 },
                "pass": { "type": "integer", "minimum": 0 },
                "unchanged": {
                    "type": "array",
                    "items": UnchangedSkill::json_schema(generator),
                    "x-command-line": true,
                },
            },
            "required": ["skills", "block", "review", "pass"],
        })
    }
}

/// Implements `skc scan`.
pub struct Scan;

skillc_core::inventory::submit!(tool_of::<Scan>());

impl Operation for Scan {
    const NAME: &'static str = "scan";
    const ABOUT: &'static str = "Scan skills for attacks before you install or use them";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc scan ./downloaded-skill",
            does: "one skill; the verdict is pass, review or block",
        },
        Example {
            command: "skc scan downloaded.zip",
            does: "the skills in an archive, which is not unpacked",
        },
        Example {
            command: "skc scan . --strict",
            does: "all skills in a folder; also fail on 'review'",
        },
        Example {
            command: "skc scan --since origin/main",
            does: "only skills that a branch changes",
        },
        Example {
            command: "skc scan . --since ../scan.json",
            does: "only skills that have not passed an earlier scan",
        },
        Example {
            command: "skc scan . -o sarif",
            does: "for code scanning",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_scan",
        title: "Scan a skill for attacks",
        about: "Look for attacks in a skill. The verdict is pass, review or block.",
        effect: Effect::Reads,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: false,
    });
    type Request = ScanRequest;
    type Response = ScanResponse;

    fn arguments(request: &ScanRequest) -> Arguments {
        Arguments::from([("strict", request.strict.into())])
    }

    fn run(toolkit: &Toolkit, request: ScanRequest, notes: &mut Notes) -> Result<ScanResponse> {
        let lint = LintRequest {
            skill: request.skill,
            select: vec![FAMILY.to_owned()],
            ignore: Vec::new(),
            extend_select: Vec::new(),
            preset: None,
            for_clients: Vec::new(),
            force: true,
            fixing: FixRequest::default(),
            layout: MatrixRequest::default(),
            summing: StatisticsRequest::default(),
            ways: RunOptions {
                baseline: BaselineRequest {
                    baseline: request.baseline,
                    ..BaselineRequest::default()
                },
                changed: ChangedRequest {
                    changed_since: request.since,
                    is_thorough: true,
                },
                archives: true,
                has_hashes: request.has_hashes,
                ..RunOptions::default()
            },
        };
        Ok(ScanResponse {
            lint: Lint::run(toolkit, lint, notes)?,
            is_strict: request.strict,
        })
    }

    fn for_format(request: &mut ScanRequest, format: &str) {
        request.has_hashes = format == "json";
    }

    fn sources(toolkit: &Toolkit, response: &ScanResponse) -> Vec<PathBuf> {
        Lint::sources(toolkit, &response.lint)
    }

    fn verdict(response: &ScanResponse) -> Verdict {
        let has_failed = response.count(ScanVerdict::Block) > 0
            || response.is_strict && response.count(ScanVerdict::Review) > 0;
        if has_failed {
            Verdict::Failed
        } else {
            Verdict::Passed
        }
    }
}
