//! Precision of the findings in the corpus.
//!
//! `verdicts.tsv` lists every finding of the default and security rules in the skills of the corpus, one per line, with
//! a reviewer's verdict. The verdict is `right` if the rule's page describes the case and following its advice improves
//! the skill, otherwise `wrong`. The file must be updated whenever findings change:
//!
//! `UPDATE_VERDICTS=1 cargo test -p skillc-tests --test lint accuracy` adds new findings with the mark `-` (not yet
//! judged), and drops obsolete ones.

mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use skillc_core::testkit::read_skill;
use skillc_lint::testkit::lint_skill;
use skillc_lint::{Activation, PluginRegistry, Severity};
use skillc_tests::corpus;

use table::{Finding, Row, Table, Verdict};

const VERDICTS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/lint/accuracy/verdicts.tsv"
);
const MEASURED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules/measured.txt");

/// Minimum number of judged warnings.
const JUDGED_WARNINGS: usize = 120;

/// Minimum share of judged warnings that are right, in percent.
const RIGHT_PERCENT: usize = 95;

/// Returns the rules that are enabled by default and those of `skc scan`, with their severity.
fn rules() -> BTreeMap<String, Severity> {
    let plugins = PluginRegistry::linked().expect("no duplicates");
    let rules = plugins.rules().map(|rule| rule.meta());
    rules
        .filter(|meta| meta.activation == Activation::Default || meta.code.starts_with("SEC"))
        .map(|meta| (meta.code.to_string(), meta.severity))
        .collect()
}

/// Lints the corpus; `None` if there is no corpus.
fn findings() -> Option<BTreeSet<Finding>> {
    let skills = corpus::skills()?;
    assert!(skills.len() > 100, "too few skills in the corpus");
    let rules = rules();
    let mut found = BTreeSet::new();
    for dir in skills {
        let skill = read_skill(&dir);
        let diagnostics = lint_skill(&skill, "ALL").into_iter();
        for diagnostic in diagnostics.filter(|found| rules.contains_key(&*found.rule)) {
            found.insert(Finding {
                rule: diagnostic.rule.into_owned(),
                skill: name_of(&dir),
                file: diagnostic
                    .file
                    .map(|file| file.to_string())
                    .unwrap_or_default(),
                line: diagnostic.line,
                column: diagnostic.column,
                message: diagnostic.message.replace(char::is_control, " "),
            });
        }
    }
    Some(found)
}

/// Returns the last two parts of a skill's path: repository and folder.
fn name_of(dir: &Path) -> String {
    let parts: Vec<_> = dir
        .iter()
        .rev()
        .take(2)
        .map(|part| part.to_string_lossy())
        .collect();
    format!("{}/{}", parts[1], parts[0])
}

#[test]
fn every_finding_in_the_corpus_is_in_the_table() {
    let Some(found) = findings() else {
        return;
    };
    let mut table = Table::read(VERDICTS);
    if std::env::var_os("UPDATE_VERDICTS").is_some() {
        table.update(&found);
        table.write(VERDICTS);
        table.measured(&rules()).write(MEASURED);
    }
    let known: BTreeSet<Finding> = table.findings().cloned().collect();
    let new: Vec<&Finding> = found.difference(&known).collect();
    let gone: Vec<&Finding> = known.difference(&found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "findings changed, see UPDATE_VERDICTS=1; new: {new:#?}, gone: {gone:#?}"
    );
}

#[test]
fn every_finding_is_judged_with_a_reason() {
    let table = Table::read(VERDICTS);
    let is_judged = |row: &Row<'_>| row.verdict != Verdict::Open && !row.reason.is_empty();
    let unjudged: Vec<_> = table.rows().filter(|row| !is_judged(row)).collect();
    assert!(unjudged.is_empty(), "{unjudged:#?}");
}

#[test]
fn no_error_is_wrong_and_few_warnings_are() {
    let (table, rules) = (Table::read(VERDICTS), rules());
    let of = |severity| {
        let rows = table.rows();
        let of_severity = rows.filter(|row| rules.get(&row.finding.rule) == Some(&severity));
        of_severity.partition::<Vec<_>, _>(|row| row.verdict == Verdict::Right)
    };
    let (_, wrong) = of(Severity::Error);
    assert!(wrong.is_empty(), "{wrong:#?}");
    let (right, wrong) = of(Severity::Warning);
    let judged = right.len() + wrong.len();
    assert!(judged >= JUDGED_WARNINGS, "{judged} judged");
    assert!(
        right.len() * 100 >= judged * RIGHT_PERCENT,
        "{} of {judged} are right",
        right.len()
    );
}

#[test]
fn the_measurements_are_those_of_the_table() {
    let written = std::fs::read_to_string(MEASURED).expect("a file");
    assert_eq!(
        written,
        Table::read(VERDICTS).measured(&rules()).0,
        "see UPDATE_VERDICTS=1"
    );
}
