//! `skc lint`: checks skills against the rules.
//!
//! Design: C-DIAGNOSTICS, D-LINT-ALL, D-LINT-JSON, D-LINT-TEXT, D-INFO-STREAM.

mod baseline;
mod changed;
mod check;
mod config;
mod earlier_report;
mod fixing;
mod git_dir;
mod input;
pub mod live;
mod matrix;
mod nested;
mod output;
mod report;
mod run_options;
pub(crate) mod scope;
mod scripts;
mod statistics;
mod stream;
mod watching;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use skillc_core::layout::project_roots;
use skillc_core::source::Stamp;
use skillc_core::{Error, Result};
use skillc_lint::Choice;
use skillc_lint::rule::preset::Preset;

use self::baseline::Known;
use self::changed::Changes;
use self::check::{Compiled, Mode, reports};
use self::config::Linters;
use self::earlier_report::EarlierReport;
use self::input::Edited;
use self::scope::Scope;
use crate::access::Arguments;
use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts, Verdict, tool_of};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;
use crate::watched::Watched;

/// The limit on skills in one JSON request.
const MAX_NAMED: usize = 10_000;

pub use baseline::{BaselineReport, BaselineRequest, ExpiredEntry, StaleEntry};
pub use changed::ChangedRequest;
pub use earlier_report::UnchangedSkill;
pub use fixing::{FixRequest, RefusedFix, SkillFixes};
pub use input::InputRequest;
pub use matrix::{Cell, CellResult, Matrix, MatrixRequest, MatrixSkill, Reason};
pub use output::OutputRequest;
pub use report::{LintResponse, RuleInfo, SkillReport};
pub use run_options::{Aside, RunOptions};
pub use statistics::{RuleCount, StatisticsRequest};
pub use stream::{
    Lines, RunLine, Shard, SkillLine, StreamLine, StreamRequest, StreamSummary, Streamed, stream,
};
pub use watching::WatchRequest;

/// Arguments of `skc lint`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct LintRequest {
    /// Skill names, paths, globs or folders [default: all of the project]
    #[cfg_attr(feature = "clap", arg(value_name = "SKILL"))]
    #[serde(deserialize_with = "one_or_several")]
    #[schemars(with = "OneOrSeveral")]
    pub skill: Vec<String>,
    /// Run only these rules, for example SKL205,SKL3 or ALL
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULE,…", value_delimiter = ',')
    )]
    #[serde(default)]
    pub select: Vec<String>,
    /// Skip these rules
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULE,…", value_delimiter = ',')
    )]
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Also run these rules
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULE,…", value_delimiter = ',')
    )]
    #[serde(default)]
    pub extend_select: Vec<String>,
    /// Use this preset of rules
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME", value_parser = preset_parser())
    )]
    #[serde(default)]
    pub preset: Option<Preset>,
    /// Also check how these clients handle skills, for example codex,kiro
    #[cfg_attr(
        feature = "clap",
        arg(
            id = "client",
            long = "client",
            alias = "for",
            value_name = "ID,…",
            value_delimiter = ','
        )
    )]
    #[serde(default, rename = "client", alias = "for")]
    pub for_clients: Vec<String>,
    /// Also lint compiled skills
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub force: bool,
    /// Options for fixes; command line only
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(skip)]
    #[schemars(skip)]
    pub fixing: FixRequest,
    /// Options for the layout; command line only
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(skip)]
    #[schemars(skip)]
    pub layout: MatrixRequest,
    /// Options for the summary; command line only
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(skip)]
    #[schemars(skip)]
    pub summing: StatisticsRequest,
    /// Other options of a run; command line only
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(skip)]
    #[schemars(skip)]
    pub ways: RunOptions,
}

/// Implements `skc lint`. The usage log records a run as a use of a skill only if a single skill is named.
pub struct Lint;

skillc_core::inventory::submit!(tool_of::<Lint>());

impl Operation for Lint {
    const NAME: &'static str = "lint";
    const ABOUT: &'static str = "Check skills against the lint rules";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc lint",
            does: "all skills of the project",
        },
        Example {
            command: "skc lint my-skill",
            does: "one skill",
        },
        Example {
            command: "skc lint . 'skills/*' --select SKL3",
            does: "all skills in these folders, link rules only",
        },
        Example {
            command: "skc lint my-skill --client claude-code,codex",
            does: "also check for these clients",
        },
        Example {
            command: "skc lint --matrix",
            does: "how each known client handles each skill",
        },
        Example {
            command: "skc lint my-skill --fix",
            does: "apply safe fixes",
        },
        Example {
            command: "skc lint ./path/to/skill -o json",
            does: "as JSON",
        },
        Example {
            command: "skc lint ./registry -o jsonl",
            does: "one line of JSON per skill, for any number of skills",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_lint",
        title: "Lint a skill",
        about: "Check a skill against the lint rules.",
        effect: Effect::Reads,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: false,
    });
    const SCRIPTS: Scripts = Scripts::Answered;
    type Request = LintRequest;
    type Response = LintResponse;

    fn arguments(request: &LintRequest) -> Arguments {
        Arguments::from([("force", request.force.into())])
    }

    fn run(toolkit: &Toolkit, request: LintRequest, notes: &mut Notes) -> Result<LintResponse> {
        let begun = Instant::now();
        let choice = Choice {
            preset: request.preset,
            select: request.select,
            ignore: request.ignore,
            extend_select: request.extend_select,
        };
        let mut known = Known::open(toolkit, &request.ways.baseline)?;
        let mut aside = Aside::default();
        let linters = Linters::new(toolkit, choice, request.for_clients)?;
        let edited = Edited::read(&toolkit.context, &request.ways.input)?;
        aside.is_input = edited.is_some();
        let (edited, scope) = match edited {
            Some((edited, scope)) => (Some(edited), scope),
            None => (
                None,
                find(
                    toolkit,
                    &linters,
                    &request.skill,
                    &request.ways,
                    &mut aside,
                    notes,
                )?,
            ),
        };
        if known.is_none() && !request.layout.matrix {
            known = Known::configured(toolkit, &request.ways.baseline, &scope, &linters)?;
        }
        if let Some(known) = &mut known {
            known.check_scope(&scope, aside.since.as_deref())?;
        }
        // Editors and watch mode lint after every edit, which is not a use of the skill.
        let is_use = scope.is_single && edited.is_none() && !request.ways.watch.watch;
        match scope.skills.first() {
            // A skill in an archive is not installed: its use is not logged.
            Some(only) if only.packed.is_some() => {}
            Some(only) if is_use => notes.found(&only.at),
            Some(only) if scope.is_single => notes.root = Some(only.at.canonical.clone()),
            _ => {}
        }
        linters.read_above(scope.skills.iter().map(|found| &*found.at.canonical))?;
        let compiled = if request.force {
            Compiled::Linted
        } else {
            Compiled::Skipped
        };
        let (mut skills, mut matrix) = (Vec::new(), None);
        let mut only = None;
        if let Some(edited) = edited {
            only = Some(edited.place(&scope));
            skills = edited.report(&linters, &scope, compiled)?;
        } else if request.layout.matrix {
            matrix = Some(matrix::matrix(toolkit, &linters, &scope, compiled, notes)?);
        } else {
            let linter_of = |dir: &Path| linters.for_dir(dir);
            let fixes = fixing::run(toolkit, &linter_of, &scope, compiled, request.fixing)?;
            let has_digests = request.ways.has_hashes;
            let mode = Mode::Whole { has_digests };
            skills = reports(toolkit, &linters, &scope, compiled, mode, notes)?;
            if has_digests {
                earlier_report::set_hashes(&mut skills, &scope, &linters);
            }
            fixing::add(&mut skills, fixes);
        }
        let rules = linters.rules();
        if matrix.is_none() {
            aside.unknown_clients = linters.unknown_clients();
        }
        if let Some(known) = known {
            let report = known.apply(toolkit, &mut skills, &scope, &linters, only.as_deref())?;
            aside.baseline = Some(report);
        }
        let roots = scope.skills.iter();
        let roots = roots.map(|found| found.on_disk().to_path_buf());
        let sources = roots.chain(linters.files()).collect();
        let faults = &toolkit.loaded().faults;
        scripts::tell_once(&mut skills, faults, &mut BTreeSet::new());
        Ok(LintResponse {
            rules,
            aside,
            is_single: scope.is_single,
            fixing: request.fixing,
            output: request.ways.output,
            matrix,
            summing: request.summing,
            sources,
            skills,
            elapsed: begun.elapsed(),
        })
    }

    fn watched(toolkit: &Toolkit, request: &LintRequest) -> Watched {
        watching::watched(toolkit, request)
    }

    fn written(response: &LintResponse) -> Vec<(PathBuf, Stamp)> {
        let fixes = response.skills.iter().flat_map(|report| &report.fixes);
        fixes.flat_map(|fixes| fixes.written.clone()).collect()
    }

    fn sources(_toolkit: &Toolkit, response: &LintResponse) -> Vec<PathBuf> {
        response.sources.clone()
    }

    fn is_mendable(toolkit: &Toolkit, request: &LintRequest, error: &Error) -> bool {
        watching::is_mendable(toolkit, request, error)
    }

    fn check_format(request: &LintRequest, format: &str) -> Result<()> {
        request.layout.check_format(format)?;
        request.ways.watch.check_format(format)?;
        request.summing.check_format(format)?;
        stream::check_format(request, format)
    }

    fn verdict(response: &LintResponse) -> Verdict {
        let has_failed = match &response.matrix {
            Some(matrix) => matrix.has_failed(),
            None => response.error_count() > 0 || response.exceeded_warnings().is_some(),
        };
        if has_failed {
            Verdict::Failed
        } else {
            Verdict::Passed
        }
    }
}

/// Finds the skills of a run. With `--changed-since`, finds only the changed skills, or all skills if rule scripts have
/// changed. With the report of an earlier scan, skips the skills that passed and have not changed.
fn find(
    toolkit: &Toolkit,
    linters: &Linters<'_>,
    asked: &[String],
    ways: &RunOptions,
    aside: &mut Aside,
    notes: &mut Notes,
) -> Result<Scope> {
    let find = if ways.archives {
        Scope::find_unpacking
    } else {
        Scope::find
    };
    if let Some(report) = EarlierReport::open(toolkit, &ways.changed)? {
        let mut scope = find(toolkit, asked, notes)?;
        aside.unchanged = report.take_unchanged(toolkit, linters, &mut scope)?;
        aside.since = Some(report.shown);
        return Ok(scope);
    }
    let changes = Changes::find(&toolkit.context, &ways.changed);
    let changes = changes.map_err(|error| earlier_report::explained(error, toolkit, &ways.changed));
    let Some(mut changes) = changes? else {
        return find(toolkit, asked, notes);
    };
    aside.since = Some(changes.revision.clone());
    let mut scope = if asked.is_empty() && project_roots(&toolkit.context).is_empty() {
        // Outside a project, a run without names covers all skills of the repository.
        let top = changes.top.to_string_lossy().into_owned();
        Scope::find(toolkit, &[top], notes)?
    } else {
        find(toolkit, asked, notes)?
    };
    changes.check(&scope, notes)?;
    if ways.changed.is_thorough {
        changes.add_overlooked(&toolkit.context, &scope)?;
    }
    aside.has_changed_scripts = changes.has_scripts(&toolkit.plugins_in_use());
    if !aside.has_changed_scripts {
        changes.keep(&mut scope);
    }
    Ok(scope)
}

/// How skills are named in JSON: a string for one, a list for several.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(crate) enum OneOrSeveral {
    One(String),
    Several(Vec<String>),
}

#[cfg(feature = "clap")]
pub(crate) fn preset_parser() -> impl clap::builder::TypedValueParser<Value = Preset> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    let names = PossibleValuesParser::new(Preset::ALL.map(Preset::as_str));
    names.map(|name| Preset::named(&name).unwrap_or_default())
}

/// Deserializes skill names from a string or a list of strings.
pub(crate) fn one_or_several<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    match OneOrSeveral::deserialize(from)? {
        OneOrSeveral::One(skill) => Ok(vec![skill]),
        OneOrSeveral::Several(skills) if skills.len() > MAX_NAMED => {
            Err(D::Error::custom(format!(
                "{} skills are given; at most {MAX_NAMED} are allowed. Give their folder instead",
                skills.len()
            )))
        }
        OneOrSeveral::Several(skills) => Ok(skills),
    }
}
