use std::borrow::Cow;
use std::cell::Cell;
use std::fs;
use std::time::{Duration, Instant};

use skillc_core::budget::ScriptBudget;
use skillc_core::source::document::Document;
use skillc_core::source::lines::Span;
use skillc_core::testkit::{read_skill, write_files};
use tempfile::TempDir;

use super::*;
use crate::failing::{Faults, RunFaults};
use crate::rule::fix::Edit;
use crate::rule::settings::Settings;
use crate::rule::{Activation, Findings, Rule, RuleMeta};

const HEAD: &str = "---\nname: demo\ndescription: A demo.\n---\n";

/// The reported words, each with its replacement and the safety of the fix.
const WORDS: [(&str, Option<(&str, Safety)>); 8] = [
    ("bad", Some(("good", Safety::Safe))),
    ("odd", Some(("even", Safety::Unsafe))),
    ("harm", Some(("worse", Safety::Safe))),
    ("chain", Some(("bad", Safety::Safe))),
    ("stuck", Some(("stuck ", Safety::Safe))),
    ("A demo.", Some(("a: b: c", Safety::Safe))),
    ("lines", Some(("one\ntwo\n", Safety::Safe))),
    ("worse", None),
];

static META: RuleMeta = RuleMeta {
    code: Cow::Borrowed("TXT900"),
    name: Cow::Borrowed("words"),
    severity: crate::Severity::Warning,
    activation: Activation::Default,
    doc: Cow::Borrowed(""),
    since: Cow::Borrowed("0"),
};

struct Words;

impl Rule for Words {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        for (word, fix) in WORDS {
            for (at, _) in doc.text.match_indices(word) {
                let span = Span::new(at, at + word.len());
                let found = out.at(span, format!("'{word}'"));
                if let Some((new, safety)) = fix {
                    let edits = vec![edit(doc, span, new)];
                    found.fix(Fix {
                        safety,
                        ..Fix::safe("write it", edits)
                    });
                }
            }
        }
    }
}

/// A rule that reports the start of `SKILL.md`, and proposes a fix with the edits that the function returns.
struct Nonsense(fn(&Document) -> Vec<Edit>);

impl Rule for Nonsense {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let edits = (self.0)(doc);
        out.at(Span::new(0, 3), "nonsense")
            .fix(Fix::safe("do it", edits));
    }
}

fn edit(doc: &Document, span: Span, text: &str) -> Edit {
    Edit {
        file: doc.path.clone(),
        span,
        text: text.to_owned(),
    }
}

fn rel(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

/// Runs one rule over the Markdown files of a skill.
fn lint(rule: &dyn Rule, skill: &Skill) -> Vec<Diagnostic> {
    let (mut found, settings) = (Vec::new(), Settings::default());
    for doc in skill.documents() {
        let from = found.len();
        let run = RunFaults::default();
        let budget = ScriptBudget::default();
        let faults = Faults::for_skill(&run, &budget);
        let mut out = Findings::new(&META, &settings, Some(doc), &faults, &mut found);
        rule.check_main(doc, skill, &mut out);
        rule.check_document(doc, skill, &mut out);
        for finding in &mut found[from..] {
            finding.line = doc.lines.line(finding.span.start);
        }
    }
    found.sort_by(|one, other| (&one.file, one.span).cmp(&(&other.file, other.span)));
    found
}

fn repair_with(rule: &dyn Rule, skill: &Skill, least: Safety) -> Repair {
    repair(
        skill,
        &|skill| lint(rule, skill),
        least,
        &BTreeMap::new(),
        &mut CheckBudget::default(),
    )
}

fn skill(files: &[(&str, &str)]) -> (TempDir, Skill) {
    let dir = TempDir::new().unwrap();
    write_files(dir.path(), files);
    let skill = read_skill(dir.path());
    (dir, skill)
}

/// Repairs a skill of one file with `body`; returns the new body and the report.
fn repaired(body: &str, least: Safety) -> (String, Repair) {
    let head = HEAD.replace("A demo.", "Demo.");
    let (_dir, skill) = skill(&[("SKILL.md", &format!("{head}{body}"))]);
    let done = repair_with(&Words, &skill, least);
    let text = done.texts.get(&rel("SKILL.md"));
    let text = text.map_or(body, |text| text.strip_prefix(&head).unwrap());
    (text.to_owned(), done)
}

fn reasons(done: &Repair) -> Vec<(usize, &str)> {
    let refused = done.refused.iter();
    refused
        .map(|refused| (refused.finding.line, refused.reason.as_str()))
        .collect()
}

#[test]
fn a_fix_changes_only_its_own_bytes() {
    let (text, done) = repaired("é bad\r\n bad # bad\n", Safety::Safe);
    assert_eq!(text, "é good\r\n good # good\n");
    assert_eq!((done.fixed, done.left.len(), done.refused.len()), (3, 0, 0));
}

#[test]
fn fixes_that_need_review_are_applied_only_on_request() {
    let (text, done) = repaired("odd bad\n", Safety::Safe);
    assert_eq!((text.as_str(), done.fixed), ("odd good\n", 1));
    assert_eq!(reasons(&done), []);
    let (text, done) = repaired("odd bad\n", Safety::Unsafe);
    assert_eq!((text.as_str(), done.fixed), ("even good\n", 2));
}

#[test]
fn only_fixes_that_add_or_keep_a_finding_are_refused() {
    let (text, done) = repaired("bad\nharm\nbad\nstuck\nbad\n", Safety::Safe);
    assert_eq!(text, "good\nharm\ngood\nstuck\ngood\n");
    assert_eq!((done.fixed, done.left.len()), (3, 2));
    let expected = [
        (6, "it would cause TXT900: 'worse'"),
        (8, "the finding would remain"),
    ];
    assert_eq!(reasons(&done), expected);
    assert!(done.left.iter().all(|found| [6, 8].contains(&found.line)));
}

#[test]
fn a_finding_that_replaces_another_is_new() {
    let (text, done) = repaired("chain\n", Safety::Safe);
    assert_eq!((text.as_str(), done.fixed), ("chain\n", 0));
    assert_eq!(reasons(&done), [(5, "it would cause TXT900: 'bad'")]);
}

#[test]
fn findings_below_inserted_lines_are_the_same_findings() {
    let (text, done) = repaired("worse\nlines\nworse\nodd\n", Safety::Safe);
    assert_eq!(text, "worse\none\ntwo\n\nworse\nodd\n");
    assert_eq!((done.fixed, done.left.len()), (1, 3));
}

#[test]
fn inserted_lines_use_the_line_ending_of_the_file() {
    let (_dir, skill) = skill(&[("SKILL.md", "---\r\nname: demo\r\n---\r\nlines\r\n")]);
    let done = repair_with(&Words, &skill, Safety::Safe);
    let expected = "---\r\nname: demo\r\n---\r\none\r\ntwo\r\n\r\n";
    assert_eq!(done.texts[&rel("SKILL.md")], expected);
}

#[test]
fn valid_frontmatter_stays_valid() {
    let (_dir, skill) = skill(&[("SKILL.md", &format!("{HEAD}bad\n"))]);
    let done = repair_with(&Words, &skill, Safety::Safe);
    assert_eq!(done.texts[&rel("SKILL.md")], format!("{HEAD}good\n"));
    let reason = "the frontmatter of 'SKILL.md' would no longer be valid";
    assert_eq!(reasons(&done), [(3, reason)]);
}

#[test]
fn impossible_fixes_are_refused_with_the_reason() {
    static NOTHING: Nonsense = Nonsense(|_| Vec::new());
    static ELSEWHERE: Nonsense = Nonsense(|doc| {
        let file = rel("other.txt");
        vec![Edit {
            file,
            ..edit(doc, Span::new(0, 1), "x")
        }]
    });
    static BEYOND: Nonsense = Nonsense(|doc| vec![edit(doc, Span::new(0, 999), "x")]);
    static WITHIN: Nonsense = Nonsense(|doc| {
        let at = doc.text.find('é').unwrap() + 1;
        vec![edit(doc, Span::new(at, at), "x")]
    });
    static TWICE: Nonsense = Nonsense(|doc| {
        let span = Span::new(4, 6);
        vec![edit(doc, span, "x"), edit(doc, Span::new(5, 7), "y")]
    });
    let (_dir, skill) = skill(&[("SKILL.md", &format!("{HEAD}é\n")), ("other.txt", "x")]);
    for (rule, reason) in [
        (&NOTHING, "it would change nothing"),
        (
            &ELSEWHERE,
            "'other.txt' is not a Markdown file of the skill",
        ),
        (&BEYOND, "it changes bytes beyond the end of 'SKILL.md'"),
        (&WITHIN, "it changes bytes beyond the end of 'SKILL.md'"),
        (&TWICE, "its edits overlap"),
    ] {
        let done = repair_with(rule, &skill, Safety::Unsafe);
        assert_eq!(reasons(&done), [(1, reason)]);
        assert!(done.texts.is_empty() && done.fixed == 0);
    }
}

#[test]
fn many_edits_that_overlap_are_refused_in_little_time() {
    let (_dir, skill) = skill(&[("SKILL.md", &"x".repeat(60_000))]);
    let doc = skill.main().unwrap();
    let places = (0..50_000).rev().chain([7]);
    let edits = places.map(|at| edit(doc, Span::new(at, at + 1), "y"));
    let fix = Fix::safe("write it", edits.collect::<Vec<_>>());
    let begin = Instant::now();
    assert!(texts_with(&skill, &fix, &BTreeMap::new()).is_none());
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_file_that_is_not_utf_8_is_not_changed() {
    let dir = TempDir::new().unwrap();
    fs::write(
        dir.path().join("SKILL.md"),
        b"---\nname: demo\n---\nbad \xff\n",
    )
    .unwrap();
    let skill = read_skill(dir.path());
    let done = repair_with(&Words, &skill, Safety::Safe);
    assert!(done.texts.is_empty());
    assert_eq!(reasons(&done), [(4, "'SKILL.md' is not UTF-8 text")]);
}

#[test]
fn a_file_with_several_paths_is_changed_once() {
    let text = format!("{HEAD}bad\n").replace("A demo.", "Demo.");
    let (_dir, skill) = skill(&[("SKILL.md", &text), ("README.md", &text)]);
    let names = BTreeMap::from([(rel("README.md"), rel("SKILL.md"))]);
    let done = repair(
        &skill,
        &|skill| lint(&Words, skill),
        Safety::Safe,
        &names,
        &mut CheckBudget::default(),
    );
    let changed: Vec<&RelPath> = done.texts.keys().collect();
    assert_eq!(changed, [&rel("SKILL.md")]);
    assert_eq!((done.fixed, done.left.len()), (2, 0));
}

#[test]
fn a_second_run_changes_nothing() {
    let (text, first) = repaired("bad harm odd\nchain bad\n", Safety::Unsafe);
    let (again, second) = repaired(&text, Safety::Unsafe);
    assert_eq!((again, second.fixed), (text, 0));
    assert_eq!(reasons(&first), reasons(&second));
}

/// A rule that reports each missing letter, and proposes to append the letter to the file.
struct Letters;

impl Rule for Letters {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let body = &doc.text[doc.body_start..];
        for letter in ('a'..='z').filter(|letter| !body.contains(*letter)) {
            let end = Span::new(doc.text.len(), doc.text.len());
            let edits = vec![edit(doc, end, &letter.to_string())];
            out.at(Span::new(0, 3), letter.to_string())
                .fix(Fix::safe("add it", edits));
        }
    }
}

#[test]
fn any_number_of_overlapping_fixes_are_applied_one_after_another() {
    let (_dir, skill) = skill(&[("SKILL.md", HEAD)]);
    let done = repair_with(&Letters, &skill, Safety::Safe);
    let expected = format!("{HEAD}abcdefghijklmnopqrstuvwxyz");
    assert_eq!(done.texts[&rel("SKILL.md")], expected);
    assert_eq!(
        (done.fixed, done.left.len(), done.refused.len()),
        (26, 0, 0)
    );
}

#[test]
fn many_findings_limit_the_number_of_checks() {
    let head = HEAD.replace("A demo.", "Demo.");
    let text = format!("{head}{}", "harm\n".repeat(3_000));
    let (_dir, skill) = skill(&[("SKILL.md", &text)]);
    let runs = Cell::new(0);
    let count_and_lint = |skill: &Skill| {
        runs.set(runs.get() + 1);
        lint(&Words, skill)
    };
    let done = repair(
        &skill,
        &count_and_lint,
        Safety::Safe,
        &BTreeMap::new(),
        &mut CheckBudget::default(),
    );
    // The first run only collects the findings.
    assert_eq!(runs.get(), 1 + MIN_CHECKS + 8);
    assert_eq!((done.fixed, done.refused.len()), (0, 3_000));
    assert_eq!(done.refused[2_999].reason, SPENT);
}

#[test]
fn without_checks_overlapping_fixes_are_refused_at_once() {
    let (_dir, skill) = skill(&[("SKILL.md", HEAD)]);
    let found = lint(&Letters, &skill);
    let (lint, names, checks) = (|skill: &Skill| lint(&Letters, skill), BTreeMap::new(), 0);
    let mut bench = Bench {
        lint: &lint,
        names: &names,
        checks,
    };
    let mut refused = Reasons::new();
    let next = bench.round(&skill, &found, Safety::Safe, &mut refused);
    assert!(next.is_none());
    assert_eq!(refused.len(), 26);
    assert!(refused.values().all(|reason| reason == SPENT));
}

#[test]
fn each_document_adds_to_the_size_of_a_check() {
    let (_dir, skill) = skill(&[("SKILL.md", "abc"), ("a.md", ""), ("b.md", "d")]);
    assert_eq!(checked_bytes(&skill, &[]), 4 + 3 * DOCUMENT_BYTES);
}

/// A run over many skills with harmful fixes takes no longer than a run over one large skill.
#[test]
fn the_check_budget_of_a_run_is_shared_fairly() {
    let mut budget = CheckBudget::default();
    let most = MAX_CHECKED_BYTES >> 20;
    assert_eq!(budget.checks(1 << 10), MAX_CHECKS);
    assert_eq!(budget.checks(1 << 20), MIN_CHECKS + most);
    budget.spend(MIN_CHECKS, 32 << 20);
    assert_eq!(budget.checks(1 << 20), MIN_CHECKS + most);
    budget.spend(MIN_CHECKS + most - 4, 1 << 20);
    assert_eq!(budget.checks(1 << 20), MIN_CHECKS + 4);
    budget.spend(MAX_CHECKS, 1 << 20);
    assert_eq!(budget.checks(1 << 20), MIN_CHECKS);
    assert_eq!(budget.checks(0), MIN_CHECKS);
}
