//! Fixtures: inputs on disk with their expected results.
//!
//! Every plug-in of a registry must have fixtures, and every entry of the folder must belong to a plug-in. If
//! `UPDATE_FIXTURES=1` is set in the environment, the expected results are rewritten; review the new results before you
//! commit them.

use std::collections::{BTreeMap, BTreeSet};
use std::env::var_os;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use skillc_core::budget::ScriptBudget;
use skillc_core::clients::Clients;
use skillc_core::testkit::{read_skill, sections_of};

use crate::Linter;
use crate::annotate::finding_text;
use crate::choice::Choice;
use crate::finding::LintFinding;
use crate::plugin_registry::PluginRegistry;
use crate::rule::preset::Preset;
use crate::rule::run::RunSkill;
use crate::rule::settings::Settings;

/// The minimum number of fixtures of an indexer.
const CASES_OF_INDEXER: usize = 3;

/// Runs each indexer over `<folder>/<id>/<case>.<ext>` and compares the result with `<case>.<ext>.snap`.
///
/// # Panics
/// If a section differs, an indexer has fewer than three cases, or something in the folder belongs to no indexer.
pub fn check_indexer_fixtures(plugins: &PluginRegistry, folder: &Path) {
    let mut faults = Faults::default();
    let mut known = BTreeSet::new();
    for indexer in plugins.indexers() {
        let dir = folder.join(indexer.meta().id.as_ref());
        let (snaps, cases): (Vec<_>, Vec<_>) = entries(&dir)
            .into_iter()
            .partition(|path| path.extension().is_some_and(|kind| kind == "snap"));
        if cases.len() < CASES_OF_INDEXER {
            faults.add(&dir, "fewer than three cases");
        }
        for case in &cases {
            let bytes = fs::read(case).expect("a fixture can be read");
            faults.compare(&beside(case), &sections_of(&**indexer, &name(case), &bytes));
        }
        for snap in snaps
            .iter()
            .filter(|snap| !snap.with_extension("").is_file())
        {
            faults.add(snap, "no such case");
        }
        known.insert(dir);
    }
    faults.add_strangers(folder, &known);
    faults.raise();
}

/// Runs each rule over `<folder>/<code>/{ok,bad}-<case>/<skill>`: an `ok-` case must have no findings, a `bad-` case
/// must have the findings in its `expected.snap`, as formatted by `skc lint`. A `lint.toml` in the case may set
/// `preset`, `clients`, `also` (rules that run too, but whose findings are ignored), `faults` (the errors of scripts
/// that could not be loaded) and, under `[options]`, the options of the rule.
///
/// # Panics
/// If a finding differs, a rule lacks one of the two kinds of case, or something in the folder belongs to no rule.
pub fn check_rule_fixtures(plugins: &PluginRegistry, folder: &Path) {
    let mut faults = Faults::default();
    let mut known = BTreeSet::new();
    for rule in plugins.rules() {
        let dir = folder.join(rule.meta().code.as_ref());
        let cases = entries(&dir);
        for kind in ["ok-", "bad-"] {
            if !cases.iter().any(|case| name(case).starts_with(kind)) {
                faults.add(&dir, &format!("no case {kind}"));
            }
        }
        for case in &cases {
            check_rule_case(plugins, &rule.meta().code, case, &mut faults);
        }
        known.insert(dir);
    }
    faults.add_strangers(folder, &known);
    faults.raise();
}

fn check_rule_case(plugins: &PluginRegistry, code: &str, case: &Path, faults: &mut Faults) {
    let skills: Vec<PathBuf> = entries(case)
        .into_iter()
        .filter(|path| path.is_dir())
        .collect();
    // If the case has several skills, only the findings of the skill `demo` are compared.
    let skill = match skills.as_slice() {
        [skill] => Some(skill),
        skills => skills.iter().find(|skill| name(skill) == "demo"),
    };
    let Some(skill) = skill else {
        return faults.add(case, "not one skill");
    };
    // The skills of a case are linted together.
    let run: Vec<RunSkill> = skills
        .iter()
        .filter_map(|dir| RunSkill::from_skill(&read_skill(dir)))
        .collect();
    let skill = read_skill(skill);
    let (settings, mut select) = settings_of(case, code);
    select.push(code.to_owned());
    let choice = Choice {
        select,
        ..Choice::default()
    };
    let linter = Linter::new(plugins, &choice, settings).expect("a selector");
    let among = linter.check_run(&run, &ScriptBudget::default()).into_iter();
    let among = among.filter(|(at, _)| run[*at].dir == skill.at.canonical);
    let among = among.map(|(_, found)| found).collect();
    let mut found = linter.run_among(&skill, among, &ScriptBudget::default());
    found.retain(|finding| finding.rule == code);
    let shown = found
        .into_iter()
        .map(|found| finding_text(&LintFinding::new(found, &skill)));
    let found: String = shown.collect();
    let expected = case.join("expected.snap");
    if name(case).starts_with("bad-") {
        if found.is_empty() {
            faults.add(case, "nothing is found");
        }
        faults.compare(&expected, &found);
    } else if !name(case).starts_with("ok-") || expected.exists() {
        faults.add(case, "neither ok- nor bad- with expected.snap");
    } else if !found.is_empty() {
        faults.add(case, &found);
    }
}

/// The settings in a case's `lint.toml`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CaseSettings {
    preset: Preset,
    clients: Vec<String>,
    also: Vec<String>,
    faults: Vec<String>,
    options: BTreeMap<String, Value>,
}

fn settings_of(case: &Path, code: &str) -> (Settings, Vec<String>) {
    let text = fs::read_to_string(case.join("lint.toml")).unwrap_or_default();
    let of_case: CaseSettings = toml::from_str(&text).expect("settings of a case");
    let table = Clients::builtin();
    let client = |id: &String| table.client(id).expect("a client").clone();
    let options = of_case.options.into_iter();
    let options = options.map(|(key, value)| (key, Arc::new(value)));
    let settings = Settings {
        preset: of_case.preset,
        clients: of_case.clients.iter().map(client).collect(),
        options: BTreeMap::from([(code.to_owned(), options.collect())]),
        faults: of_case.faults,
    };
    (settings, of_case.also)
}

/// The problems found in the fixtures.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, path: &Path, fault: &str) {
        self.0.push(format!("{}: {fault}", path.display()));
    }

    fn compare(&mut self, snap: &Path, found: &str) {
        if fs::read_to_string(snap).ok().as_deref() == Some(found) {
            return;
        }
        if var_os("UPDATE_FIXTURES").is_some() {
            fs::write(snap, found).expect("a fixture can be written");
        } else {
            self.add(snap, &format!("differs; found:\n{found}"));
        }
    }

    fn add_strangers(&mut self, folder: &Path, known: &BTreeSet<PathBuf>) {
        for stranger in entries(folder).iter().filter(|path| !known.contains(*path)) {
            self.add(stranger, "of no plug-in");
        }
    }

    fn raise(self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n"));
    }
}

/// Returns the entries of a directory, sorted; empty if it does not exist.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let found = dir.read_dir().into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn beside(case: &Path) -> PathBuf {
    case.with_file_name(format!("{}.snap", name(case)))
}
