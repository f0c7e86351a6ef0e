//! `skc lint`: what the rules say of a skill.
//!
//! Source: RFC-0008 C-DIAGNOSTICS, LEDGER D-LINT-JSON, D-LINT-TEXT.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::source::MAX_PARSED_BYTES;
use skillc_core::{Diagnostic, RelPath, Result, Severity, Skill, SourceTree, Warning, resolve};

use crate::operation::{Example, Notes, Operation, Toolkit, Verdict};
use crate::sources::note_left_out;

/// Arguments of `skc lint`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct LintRequest {
    /// Skill name or path
    pub skill: String,
}

/// The findings of one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LintResponse {
    /// Skill's directory name
    pub skill: String,
    /// Skill's directory
    pub path: String,
    /// Findings: those of SKILL.md first, then by file and line
    pub diagnostics: Vec<LintFinding>,
    /// Findings of severity error
    pub error_count: usize,
    /// Findings of severity warning
    pub warning_count: usize,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LintFinding {
    /// Rule's code
    pub rule: String,
    /// Rule's name
    pub name: String,
    /// E300 or W300
    pub code: String,
    /// How much it matters
    pub severity: Severity,
    /// File, relative to the skill's root
    pub file: Option<RelPath>,
    /// Line, from 1
    pub line: Option<usize>,
    /// Column in characters, from 1
    pub column: Option<usize>,
    /// What is wrong
    pub message: String,
    /// The line that is printed
    #[serde(skip)]
    pub headline: String,
}

/// The operation.
pub struct Lint;

impl Operation for Lint {
    const NAME: &'static str = "lint";
    const ABOUT: &'static str = "Check how a skill is written";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc lint my-skill",
            does: "findings, then a summary",
        },
        Example {
            command: "skc lint ./path/to/skill -o json",
            does: "for a program",
        },
    ];
    type Request = LintRequest;
    type Response = LintResponse;

    fn run(toolkit: &Toolkit, request: LintRequest, notes: &mut Notes) -> Result<LintResponse> {
        let at = resolve(&toolkit.context, &request.skill)?;
        notes.detail(format!("source  {}", at.source.display()));
        let skill = Skill::read(at)?;
        note_left_out(&skill.tree, notes);
        note_too_large(&skill.tree, notes);
        let diagnostics = skillc_core::lint::lint(&toolkit.plugins, &skill);
        let count = |severity| {
            diagnostics
                .iter()
                .filter(|d| d.severity == severity)
                .count()
        };
        Ok(LintResponse {
            skill: skill.at.name,
            path: skill.at.source.display().to_string(),
            error_count: count(Severity::Error),
            warning_count: count(Severity::Warning),
            diagnostics: diagnostics.into_iter().map(finding).collect(),
        })
    }

    fn verdict(response: &LintResponse) -> Verdict {
        if response.error_count > 0 {
            Verdict::Failed
        } else {
            Verdict::Passed
        }
    }
}

/// Warns of Markdown that is too large to be parsed.
fn note_too_large(tree: &SourceTree, notes: &mut Notes) {
    let too_large = tree
        .markdown()
        .filter(|entry| entry.stamp.size > MAX_PARSED_BYTES);
    for entry in too_large {
        notes.warn(Warning::FileTooLarge {
            path: entry.path.to_string(),
        });
    }
}

fn finding(diagnostic: Diagnostic) -> LintFinding {
    LintFinding {
        headline: diagnostic.headline(),
        code: diagnostic.code().to_owned(),
        rule: diagnostic.rule,
        name: diagnostic.name,
        severity: diagnostic.severity,
        file: diagnostic.file,
        line: diagnostic.line,
        column: diagnostic.column,
        message: diagnostic.message,
    }
}
