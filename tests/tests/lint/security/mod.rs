//! How well the security rules tell malicious skills from harmless ones, on labelled sets.
//!
//! These tests are skipped with a message on machines without the sets next to the repository. The skills in the sets
//! are hostile: the rules only read them, and no test runs anything from them. One of the tests compares the results
//! with a table in the book.

mod addressed;
mod archives;
mod authors;
mod back_doors;
mod bounds;
mod cases;
mod commands;
mod disguises;
mod encodings;
mod evading;
mod excused;
mod flows;
mod honest;
mod hosts;
mod hunted;
mod lasting;
mod leaked;
mod linear;
mod misused;
mod nearby;
mod ordinary;
mod planted;
mod recounted;
mod redirected;
mod reviews;
mod scanning;
mod silence;
mod since;
mod started;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use skillc_core::testkit::read_skill;
use skillc_lint::Severity;
use skillc_lint::testkit::lint_skill;
use skillc_tests::corpus;

/// The page with the table.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/security-scan.md");

/// The class of skills that are not attacks.
const HARMLESS: &str = "harmless";

/// The minimum share of malicious skills that have an error, and the maximum share of harmless skills that have an
/// error, in percent.
const LEAST_FOUND: usize = 90;
const MOST_FALSE: usize = 1;

/// Counts for one class: all skills, skills with an error, and skills with any finding.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    all: usize,
    errors: usize,
    found: usize,
}

impl Count {
    fn add(&mut self, severity: Option<Severity>) {
        self.all += 1;
        self.errors += usize::from(severity == Some(Severity::Error));
        self.found += usize::from(severity.is_some());
    }
}

/// Returns the worst severity among the security findings in a skill.
fn worst(dir: &Path) -> Option<Severity> {
    let found = lint_skill(&read_skill(dir), "SEC");
    // In the order of severities, errors come first, so the minimum is the worst.
    found.iter().map(|finding| finding.severity).min()
}

/// Returns the folder of the labelled sets. Prints a message and returns `None` if it does not exist.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn sets() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/bench/security");
    let found = folder.canonicalize().ok();
    if found.is_none() {
        eprintln!("skipped: no labelled sets next to the repository");
    }
    found
}

/// Counts the skills of a set by class; the class of harmless skills is `harmless`.
fn count(set: &Path) -> BTreeMap<String, Count> {
    let labels = fs::read_to_string(set.join("labels.csv")).expect("labels");
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for line in labels.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (id, label, class) = (fields[0], fields[1], fields[2]);
        let class = match label {
            "malicious" => class.replace(['-', '_'], " "),
            _ => HARMLESS.to_owned(),
        };
        let severity = worst(&set.join(label).join(id));
        counts.entry(class).or_default().add(severity);
    }
    counts
}

#[test]
fn attacks_are_found_harmless_skills_are_not_and_the_page_says_how_many() {
    let Some(sets) = sets() else {
        return;
    };
    let mut table = String::from(
        "| Set | Class | Skills | Error | Error or warning |\n| --- | --- | --- | --- | --- |\n",
    );
    let (mut malicious, mut harmless) = (Count::default(), Count::default());
    let labelled = ["atr", "skillscan"].map(|set| (set, count(&sets.join(set))));
    for (set, counts) in labelled.into_iter().chain([("own", cases::counts())]) {
        for (class, count) in counts {
            table.push_str(&format!(
                "| {set} | {class} | {} | {} | {} |\n",
                count.all, count.errors, count.found
            ));
            if set == "own" {
                continue;
            }
            let total = if class == HARMLESS {
                &mut harmless
            } else {
                &mut malicious
            };
            total.all += count.all;
            total.errors += count.errors;
        }
    }
    assert!(
        malicious.errors * 100 >= malicious.all * LEAST_FOUND,
        "{malicious:?}"
    );
    assert!(
        harmless.errors * 100 <= harmless.all * MOST_FALSE,
        "{harmless:?}"
    );
    let page = fs::read_to_string(PAGE).expect("the page");
    assert!(
        page.contains(&table),
        "the table of {PAGE} should be:\n{table}"
    );
}

#[test]
fn no_skill_of_the_corpus_is_an_attack() {
    let Some(skills) = corpus::skills() else {
        return;
    };
    let is_attack = |dir: &&PathBuf| worst(dir) == Some(Severity::Error);
    let attacks: Vec<&PathBuf> = skills.iter().filter(is_attack).collect();
    assert!(attacks.is_empty(), "{attacks:#?}");
}
