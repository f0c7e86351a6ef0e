//! Our own set: attacks of fifteen classes, and harmless skills that look like attacks. All skills were written for
//! this set, most of them after the rules.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use skillc_lint::Severity;

use super::{Count, HARMLESS, worst};

/// The minimum share of attacks that must be found, in percent.
const LEAST_FOUND: usize = 95;

#[derive(Deserialize)]
struct Case {
    class: String,
    id: String,
    description: String,
    body: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

impl Case {
    /// Returns the worst severity among the security findings in the skill.
    fn worst(&self, dir: &Path) -> Option<Severity> {
        let root = dir.join(&self.id);
        let head = format!(
            "---\nname: {}\ndescription: {}\n---\n\n",
            self.id, self.description
        );
        let main = ("SKILL.md".to_owned(), format!("{head}{}", self.body));
        for (path, text) in self.files.clone().into_iter().chain([main]) {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        worst(&root)
    }
}

fn severities(cases: &str) -> Vec<(Case, Option<Severity>)> {
    let dir = tempfile::tempdir().expect("a folder");
    let cases: Vec<Case> = serde_json::from_str(cases).expect("cases");
    let judged = cases.into_iter().map(|case| {
        let worst = case.worst(dir.path());
        (case, worst)
    });
    judged.collect()
}

fn attacks() -> Vec<(Case, Option<Severity>)> {
    severities(include_str!("cases/attacks.json"))
}

fn harmless() -> Vec<(Case, Option<Severity>)> {
    severities(include_str!("cases/harmless.json"))
}

/// Returns the counts by class.
pub(super) fn counts() -> BTreeMap<String, Count> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for (case, severity) in attacks() {
        counts.entry(case.class).or_default().add(severity);
    }
    for (_, severity) in harmless() {
        counts.entry(HARMLESS.to_owned()).or_default().add(severity);
    }
    counts
}

#[test]
fn attacks_of_all_classes_are_found() {
    let attacks = attacks();
    let missed: Vec<&str> = attacks
        .iter()
        .filter(|(_, severity)| *severity != Some(Severity::Error))
        .map(|(case, _)| &*case.id)
        .collect();
    let found = attacks.len() - missed.len();
    assert!(found * 100 >= attacks.len() * LEAST_FOUND, "{missed:?}");
}

#[test]
fn skills_that_look_like_attacks_are_not_errors() {
    let harmless = harmless();
    let flagged: Vec<&str> = harmless
        .iter()
        .filter(|(_, severity)| *severity == Some(Severity::Error))
        .map(|(case, _)| &*case.id)
        .collect();
    assert!(flagged.is_empty(), "{flagged:?}");
}
