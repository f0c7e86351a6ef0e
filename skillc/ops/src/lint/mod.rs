//! `skc lint`: what the rules say of skills.
//!
//! Source: RFC-0008 C-DIAGNOSTICS, LEDGER D-LINT-ALL, D-LINT-JSON, D-LINT-TEXT, D-INFO-STREAM.

mod excerpt;
mod place;
mod report;

use std::path::{MAIN_SEPARATOR, Path};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use skillc_core::skill::is_compiled;
use skillc_core::source::MAX_PARSED_BYTES;
use skillc_core::{Choice, Linter, Result, Skill, SkillRef, SourceTree, Warning, resolve_any_case};

use crate::operation::{Example, Notes, Operation, Toolkit, Verdict};
use crate::sources::note_left_out;

pub use report::{Excerpt, LintFinding, LintResponse, Mark, RuleInfo, SkillReport};

/// Arguments of `skc lint`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct LintRequest {
    /// Skills by name, path or glob, or directories to search for skills; without any, all of the project
    #[cfg_attr(feature = "clap", arg(value_name = "SKILL"))]
    #[serde(deserialize_with = "one_or_several")]
    #[schemars(with = "String")]
    pub skill: Vec<String>,
    /// Run only these rules: codes, names, families (SKL2) or ALL, separated by commas
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULES", value_delimiter = ',')
    )]
    #[serde(default)]
    pub select: Vec<String>,
    /// Do not run these rules
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULES", value_delimiter = ',')
    )]
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Run these rules beside the usual ones
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULES", value_delimiter = ',')
    )]
    #[serde(default)]
    pub extend_select: Vec<String>,
    /// Lint a compiled skill too
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub force: bool,
}

/// The operation.
pub struct Lint;

impl Operation for Lint {
    const NAME: &'static str = "lint";
    const ABOUT: &'static str = "Check how skills are written";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc lint",
            does: "all skills of the project",
        },
        Example {
            command: "skc lint my-skill",
            does: "one skill: findings, then a summary",
        },
        Example {
            command: "skc lint . 'skills/*' --select SKL3",
            does: "every skill below, links only",
        },
        Example {
            command: "skc lint ./path/to/skill -o json",
            does: "for a program",
        },
    ];
    type Request = LintRequest;
    type Response = LintResponse;

    fn run(toolkit: &Toolkit, request: LintRequest, notes: &mut Notes) -> Result<LintResponse> {
        let begun = Instant::now();
        let choice = Choice {
            select: request.select,
            ignore: request.ignore,
            extend_select: request.extend_select,
        };
        let linter = Linter::new(&toolkit.plugins, &choice)?;
        let asked = request.skill.first().map_or(".", String::as_str);
        let at = resolve_any_case(&toolkit.context, asked)?;
        notes.detail(format!("source  {}", at.source.display()));
        let folder = shown_folder(&toolkit.context.cwd, &at.source);
        let report = check(&linter, at, request.force, notes)?;
        let skills = vec![SkillReport { folder, ..report }];
        Ok(LintResponse {
            rules: linter
                .rules()
                .map(|rule| RuleInfo::of(rule.meta()))
                .collect(),
            is_single: true,
            skills,
            elapsed: begun.elapsed(),
        })
    }

    fn verdict(response: &LintResponse) -> Verdict {
        if response.error_count() > 0 {
            Verdict::Failed
        } else {
            Verdict::Passed
        }
    }
}

/// Lints one skill; nothing of it is kept but the report.
fn check(linter: &Linter, at: SkillRef, force: bool, notes: &mut Notes) -> Result<SkillReport> {
    if is_compiled(&at) && !force {
        return Ok(SkillReport::skipped(&at));
    }
    let skill = Skill::read(at)?;
    note_left_out(&skill.tree, notes);
    note_too_large(&skill.tree, notes);
    Ok(SkillReport::of(&skill, linter.run(&skill)))
}

/// Returns how a skill's directory is written before its files.
fn shown_folder(cwd: &Path, source: &Path) -> String {
    match source.strip_prefix(cwd) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => slashed(below),
        Err(_) => slashed(source),
    }
}

fn slashed(path: &Path) -> String {
    path.display().to_string().replace(MAIN_SEPARATOR, "/")
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

/// Takes one skill as a text or several as a list.
fn one_or_several<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrSeveral {
        One(String),
        Several(Vec<String>),
    }
    Ok(match OneOrSeveral::deserialize(from)? {
        OneOrSeveral::One(skill) => vec![skill],
        OneOrSeveral::Several(skills) => skills,
    })
}
