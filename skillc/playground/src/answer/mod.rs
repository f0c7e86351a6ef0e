//! Answers requests.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::json;
use skillc_core::budget::ScriptBudget;
use skillc_core::clients::Clients;
use skillc_core::{RelPath, Result, Skill};
use skillc_lint::finding::LintFinding;
use skillc_lint::finding::location::LineHashes;
use skillc_lint::plan::Plan;
use skillc_lint::repair::{CheckBudget, Refused, Repair, repair};
use skillc_lint::{Choice, Diagnostic, Linter, PluginRegistry, Safety, Severity};
use skillc_script::{Host, ScriptFault};

use crate::request::{Fixing, Request};

/// The name that messages use for the page's script.
const SCRIPT: &str = "rule.rhai";

/// The rules that are linked into the program, and the rules of the embedded scripts.
static PLUGINS: LazyLock<Result<PluginRegistry>> = LazyLock::new(|| {
    skillc_rules::keep();
    skillc_plugins::keep();
    let mut plugins = PluginRegistry::linked()?;
    Host::default().load_embedded(&mut plugins);
    Ok(plugins)
});

/// The answer to a request.
#[derive(Serialize)]
struct Answer {
    /// The report of one skill, as in `skc lint -o json`.
    report: Report,
    /// Additional data about each finding of the report, in the same order.
    details: Vec<Detail>,
    /// The error, if the script could not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<Fault>,
    /// The result of fixing, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<Fixes>,
}

#[derive(Serialize)]
struct Report {
    skill: String,
    path: String,
    diagnostics: Vec<LintFinding>,
    error_count: usize,
    warning_count: usize,
}

/// Data about a finding that the report does not contain.
#[derive(Serialize)]
struct Detail {
    end_line: usize,
    end_column: usize,
    help: Option<String>,
    /// The title of the fix, which describes what it does.
    fix: Option<String>,
}

/// A fault of the script.
#[derive(Serialize)]
struct Fault {
    message: String,
    line: Option<usize>,
    column: Option<usize>,
}

#[derive(Serialize)]
struct Fixes {
    fixed: usize,
    /// The new text of each changed file.
    texts: BTreeMap<RelPath, String>,
    refused: Vec<RefusedFix>,
}

#[derive(Serialize)]
struct RefusedFix {
    rule: String,
    file: Option<RelPath>,
    line: usize,
    reason: String,
}

/// Describes the engine: its version, clients and rules, as JSON.
pub fn about() -> String {
    let plugins = match &*PLUGINS {
        Ok(plugins) => plugins,
        Err(error) => return failed(&error.to_string()),
    };
    let clients = Clients::shared().clients.iter();
    let clients: Vec<&str> = clients.map(|client| client.id.as_str()).collect();
    let rules: Vec<_> = plugins
        .rules()
        .map(|rule| {
            let meta = rule.meta();
            json!({ "code": meta.code, "name": meta.name, "summary": meta.summary() })
        })
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    json!({ "version": version, "clients": clients, "rules": rules }).to_string()
}

/// Answers a request. If the request cannot be answered, the response has only the field `error`.
pub fn run(request: &str) -> String {
    let request: Request = match serde_json::from_str(request) {
        Ok(request) => request,
        Err(error) => return failed(&error.to_string()),
    };
    match answer(&request) {
        Ok(answer) => serde_json::to_string(&answer).unwrap_or_else(|e| failed(&e.to_string())),
        Err(error) => failed(&error.message()),
    }
}

fn failed(message: &str) -> String {
    json!({ "error": message }).to_string()
}

fn answer(request: &Request) -> Result<Answer> {
    let mut plugins = PLUGINS.as_ref().map_err(Clone::clone)?.clone();
    let script = request.script.as_ref().and_then(|text| {
        let loaded = Host::default().load(SCRIPT, text.as_bytes());
        let added = loaded.and_then(|script| script.register(&mut plugins));
        added.err().map(Fault::from)
    });
    let choice = Choice {
        preset: request.preset,
        extend_select: request.extend_select.clone(),
        ..Choice::default()
    };
    let plan = Plan::new(&plugins, Clients::shared(), &choice, &[], &request.clients)?;
    let linter = Linter::from(plan);
    let skill = request.skill()?;
    let Some(fixing) = request.fix else {
        let found = linter.run(&skill);
        let (report, details) = shown(&skill, found);
        return Ok(Answer {
            report,
            details,
            script,
            fixes: None,
        });
    };
    let Repair {
        texts,
        fixed,
        refused,
        ..
    } = fix(&skill, &linter, fixing);
    let skill = skill.with_texts(&texts);
    let (report, details) = shown(&skill, linter.run(&skill));
    let refused = refused.into_iter().map(RefusedFix::from).collect();
    Ok(Answer {
        report,
        details,
        script,
        fixes: Some(Fixes {
            fixed,
            texts,
            refused,
        }),
    })
}

/// Applies fixes as `skc lint --fix` does.
fn fix(skill: &Skill, linter: &Linter, fixing: Fixing) -> Repair {
    let budget = ScriptBudget::default();
    let only = match fixing {
        Fixing::One(at) => linter.run_within(skill, &budget).into_iter().nth(at),
        Fixing::Safe | Fixing::Unsafe => None,
    };
    let is_wanted = |finding: &Diagnostic| match (fixing, &only) {
        (Fixing::One(_), Some(only)) => {
            let place = |of: &Diagnostic| (of.file.clone(), of.line, of.column);
            finding.rule == only.rule && place(finding) == place(only)
        }
        (Fixing::One(_), None) => false,
        _ => true,
    };
    let lint = |skill: &Skill| {
        let mut found = linter.run_within(skill, &budget);
        for finding in &mut found {
            if !is_wanted(finding) {
                finding.fix = None;
            }
        }
        found
    };
    let least = match fixing {
        Fixing::Safe => Safety::Safe,
        Fixing::Unsafe | Fixing::One(_) => Safety::Unsafe,
    };
    // A file has only one path: a skill in memory has no symlinks.
    let names = BTreeMap::new();
    repair(skill, &lint, least, &names, &mut CheckBudget::default())
}

fn shown(skill: &Skill, found: Vec<Diagnostic>) -> (Report, Vec<Detail>) {
    let mut lines = LineHashes::default();
    let titles: Vec<Option<String>> = found
        .iter()
        .map(|finding| finding.fix.as_ref().map(|fix| fix.title.clone()))
        .collect();
    let findings: Vec<LintFinding> = found
        .into_iter()
        .map(|finding| LintFinding::with_hashes(finding, skill, &mut lines))
        .collect();
    let details = findings.iter().zip(titles);
    let details = details.map(|(finding, fix)| Detail {
        end_line: finding.end_line,
        end_column: finding.end_column,
        help: finding.help.clone(),
        fix,
    });
    let details = details.collect();
    let count = |severity| findings.iter().filter(|of| of.severity == severity).count();
    let report = Report {
        skill: skill.at.name.clone(),
        path: skill.at.source.display().to_string(),
        error_count: count(Severity::Error),
        warning_count: count(Severity::Warning),
        diagnostics: findings,
    };
    (report, details)
}

impl From<ScriptFault> for Fault {
    fn from(fault: ScriptFault) -> Self {
        let (line, column) = fault.place.unzip();
        Self {
            message: fault.message,
            line,
            column,
        }
    }
}

impl From<Refused> for RefusedFix {
    fn from(refused: Refused) -> Self {
        Self {
            rule: refused.finding.rule.into_owned(),
            file: refused.finding.file,
            line: refused.finding.line,
            reason: refused.reason,
        }
    }
}

#[cfg(test)]
mod tests;
