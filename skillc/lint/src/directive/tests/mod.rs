mod bounds;
mod reading;
mod removal;

use std::collections::BTreeSet;

use std::borrow::Cow;
use std::sync::Arc;

use skillc_core::Stop;
use skillc_core::budget::ScriptBudget;
use skillc_core::clients::Clients;
use skillc_core::testkit::{read_skill, write_files};
use tempfile::TempDir;

use super::*;
use crate::choice::{Choice, check, precision};
use crate::failing::Faults;
use crate::plan::Plan;
use crate::plugin_registry::PluginRegistry;
use crate::rule::{Activation, Findings, Rule, RuleMeta};
use crate::{Linter, Settings, Severity};

/// A rule that reports every occurrence of a word, and the skill as a whole if `SKILL.md` contains the word in
/// capitals.
struct Finds(RuleMeta, &'static str);

impl Rule for Finds {
    fn meta(&self) -> &RuleMeta {
        &self.0
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        for (at, _) in doc.text.match_indices(self.1) {
            out.at(Span::new(at, at + self.1.len()), self.1);
        }
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        let word = self.1.to_uppercase();
        if skill.main().is_some_and(|main| main.text.contains(&word)) {
            out.skill(word);
        }
    }
}

const RULES: [(&str, &str, &str, Activation); 5] = [
    ("CLT101", "client", "never", Activation::Default),
    ("KEY101", "secret", "key", Activation::Default),
    ("TXT201", "first", "bad", Activation::Default),
    ("TXT202", "second", "odd", Activation::Default),
    ("TXT301", "quiet", "meek", Activation::OnRequest),
];

fn plugins() -> PluginRegistry {
    let mut plugins = PluginRegistry::default();
    for (code, name, word, activation) in RULES {
        let meta = RuleMeta {
            code: Cow::Borrowed(code),
            name: Cow::Borrowed(name),
            severity: Severity::Warning,
            activation,
            doc: Cow::Borrowed(""),
            since: Cow::Borrowed("0"),
        };
        plugins
            .add_rule(Arc::new(Finds(meta, word)), "a test")
            .unwrap();
    }
    plugins
}

fn skill(files: &[(&str, &str)]) -> (TempDir, Skill) {
    let dir = TempDir::new().unwrap();
    write_files(dir.path(), files);
    let skill = read_skill(dir.path());
    (dir, skill)
}

/// Returns the findings in a `SKILL.md`, each as its line and word, such as `5bad`. A finding on the skill as a whole
/// is on line 0.
fn found(text: &str) -> String {
    let (_dir, skill) = skill(&[("SKILL.md", text)]);
    let linter = Linter::new(&plugins(), &Choice::default(), Settings::default()).unwrap();
    let found = linter.run(&skill);
    let show = |found: &Diagnostic| {
        let line = found.file.as_ref().map_or(0, |_| found.line);
        format!("{line}{}", found.message)
    };
    found.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// Returns the directives of a skill, without any finding that they could suppress.
fn directives<'a>(linter: &Linter, skill: &'a Skill) -> Vec<Directives<'a>> {
    let stop = Stop::default();
    let plan = linter.plan.for_skill(skill, &stop);
    plan.suppress(&mut Vec::new(), &BTreeSet::new())
}

/// Returns the outcomes of the parts of each directive in a `SKILL.md`.
fn outcomes(text: &str, choice: &Choice, for_clients: &[String]) -> Vec<String> {
    let (_dir, skill) = skill(&[("SKILL.md", text)]);
    let plan = Plan::new(&plugins(), Clients::shared(), choice, &[], for_clients).unwrap();
    let linter = Linter::from(plan);
    let mut found = Vec::new();
    for document in skill.documents() {
        let budget = ScriptBudget::default();
        let faults = Faults::for_skill(&linter.faults, &budget);
        found.extend(linter.check(document, &skill, &faults));
    }
    let stop = Stop::default();
    let plan = linter.plan.for_skill(&skill, &stop);
    plan.apply(&mut found);
    crate::linter::sort(&mut found, &skill, false);
    crate::linter::find_places(&mut found, &skill);
    let files = plan.suppress(&mut found, &BTreeSet::new());
    let mut shown = Vec::new();
    for directive in files.iter().flat_map(|of_file| &of_file.list) {
        let outcome = |part: &Part| match &part.outcome {
            Outcome::Unknown { near } => format!("unknown:{}", near.as_deref().unwrap_or("-")),
            outcome => format!("{outcome:?}").to_lowercase(),
        };
        let parts: Vec<String> = directive.parts.iter().map(outcome).collect();
        shown.push(parts.join(" "));
    }
    shown
}

fn usual(text: &str) -> Vec<String> {
    outcomes(text, &Choice::default(), &[])
}

fn select(selector: &str) -> Choice {
    Choice {
        select: vec![selector.to_owned()],
        ..Choice::default()
    }
}

#[test]
fn each_keyword_covers_its_lines() {
    for (text, expected) in [
        ("bad\n<!-- skilllint-disable -->\nbad\nodd\n", "1bad"),
        (
            "<!-- skilllint-disable -->\nbad\n\nodd\n\n<!-- skilllint-enable -->\nbad\n",
            "7bad",
        ),
        ("bad <!-- skilllint-disable-line -->\nbad\n", "2bad"),
        ("<!-- skilllint-disable-next-line -->\nbad\nbad\n", "3bad"),
        (
            "<!-- skilllint-disable-next-line\nfirst -->\nbad\nodd\n",
            "4odd",
        ),
        (
            "bad\n\n<!-- skilllint-disable-file first -->\nodd\n",
            "4odd",
        ),
        ("BAD\n\n<!-- skilllint-disable-file first -->\n", ""),
        ("BAD <!-- skilllint-disable-line first -->\n", "0BAD"),
        // The suppression includes the lines of both directives.
        (
            "<!-- skilllint-disable --> bad\n\nx bad <!-- skilllint-enable -->\nbad\n",
            "4bad",
        ),
        (
            "x bad <!-- skilllint-enable --> <!-- skilllint-disable odd --> bad\n",
            "1bad 1bad 1odd",
        ),
    ] {
        assert_eq!(found(text), expected, "{text:?}");
    }
}

#[test]
fn selectors_are_those_of_lint() {
    for (selectors, expected) in [
        ("", ""),
        ("ALL", ""),
        ("TXT201", "odd key"),
        ("txt201 -- bad", "odd key"),
        ("First,second", "key"),
        ("first ,\tSECOND", "key"),
        ("TXT2", "key"),
        ("TXT -- odd, KEY", "key"),
        ("KEY TXT202", "bad"),
        ("TX", "bad odd key"),
        ("AGS", "bad odd key"),
        ("frist", "bad odd key"),
    ] {
        let text = format!("bad odd key <!-- skilllint-disable-line {selectors} -->\n");
        let found = found(&text).replace('1', "");
        // Findings in the comment itself are on that line as well.
        let found: Vec<&str> = found.split(' ').collect();
        let expected: Vec<&str> = expected.split(' ').collect();
        for word in ["bad", "odd", "key"] {
            assert_eq!(
                found.contains(&word),
                expected.contains(&word),
                "{selectors}: {word}"
            );
        }
    }
}

#[test]
fn selectors_mean_the_same_as_elsewhere() {
    let plugins = plugins();
    let mut names = Names::new(plugins.rules().map(|rule| &**rule));
    for selector in [
        "ALL", "all", "TXT", "txt2", "TXT20", "TXT201", "TXT2011", "T", "TX", "KEY", "K", "CLT1",
        "AGS", "SKL", "first", "FIRST", "quiet", "txt301", "frist", "-", "é", "A",
    ] {
        let rules = plugins.rules();
        let expected: Vec<bool> = rules
            .map(|rule| precision(selector, rule.meta()).is_some())
            .collect();
        let set = names.look_up(selector);
        assert_eq!(set.is_ok(), check(selector, &plugins).is_ok(), "{selector}");
        let set = names.rules(set.unwrap_or(Names::none()));
        let found: Vec<bool> = (0..RULES.len()).map(|at| set.contains(&at)).collect();
        assert_eq!(found, expected, "{selector}");
    }
}

#[test]
fn frontmatter_comments_count_even_if_it_cannot_be_parsed() {
    let word = "# skilllint-disable";
    for (block, expected) in [
        (format!("a: bad {word}-line\nb: bad"), "3bad"),
        (format!("{word}-next-line first -- why\na: bad odd"), "3odd"),
        (format!("a: bad\n{word}-file TXT\nb: odd"), ""),
        (
            format!("{word}\na: bad\n# skilllint-enable\nb: bad"),
            "5bad",
        ),
        (format!("{word}\na: bad\n---\n\nbad\n"), ""),
        (format!("a: b: bad {word}-line\nc: bad"), "3bad"),
        (format!("a: \"bad {word}-line\""), "2bad"),
        (format!("a: |\n  bad {word}-line\n  {word}-file"), "3bad"),
    ] {
        let text = format!("---\n{block}\n---\n");
        assert_eq!(found(&text), expected, "{text:?}");
    }
}

#[test]
fn code_and_lookalikes_are_not_directives() {
    for text in [
        "bad `<!-- skilllint-disable-line -->`\n",
        "bad \\<!-- skilllint-disable-line -->\n",
        "bad <!-- see skilllint-disable-line -->\n",
        "bad <!-- eslint-disable-line -->\n",
        "bad # skilllint-disable-line\n",
        "bad\n\n```\n<!-- skilllint-disable-file -->\n```\n",
        "bad\n\n    <!-- skilllint-disable-file -->\n",
        "bad\n\n<!-- skilllint-disable-file\n",
    ] {
        assert_eq!(found(text), "1bad", "{text:?}");
    }
}

#[test]
fn a_directive_does_not_affect_other_files() {
    let text = "<!-- skilllint-disable-file -->\nbad\n";
    let (_dir, skill) = skill(&[
        ("SKILL.md", "BAD\nbad\n"),
        ("a.md", text),
        ("b.md", "bad\n"),
    ]);
    let linter = Linter::new(&plugins(), &Choice::default(), Settings::default()).unwrap();
    let found = linter.run(&skill);
    let files: Vec<&str> = found
        .iter()
        .map(|found| found.file.as_ref().map_or("-", |file| file.as_str()))
        .collect();
    assert_eq!(files, ["-", "SKILL.md", "b.md"]);
}

#[test]
fn a_finding_counts_for_the_nearest_directive_only() {
    let text = "<!-- skilllint-disable-file first -->\n<!-- skilllint-disable first -->\n\n\
                <!-- skilllint-disable-next-line first -->\nbad\n\n<!-- skilllint-enable -->\n";
    assert_eq!(usual(text), ["unused", "unused", "used", "used"]);
    let text = text.replace("-next-line", "");
    assert_eq!(usual(&text), ["unused", "unused", "used", "used"]);
    let text = text.replace("-enable -->\n", "-enable -->\nbad\n");
    assert_eq!(usual(&text), ["used", "unused", "used", "used"]);
}

#[test]
fn the_outcome_is_reported_for_each_part_of_a_directive() {
    for (text, expected) in [
        (
            "<!-- skilllint-disable-file first, TXT202 -->\nbad\n",
            "used unused",
        ),
        (
            "<!-- skilllint-disable-file frist qqqqqqq AGS -->\n",
            "unknown:first unknown:- untold",
        ),
        (
            "<!-- skilllint-disable-file quiet TXT3 CLT CLT101 -->\n",
            "untold untold untold untold",
        ),
        ("<!-- skilllint-disable-file -->\n", "unused"),
        ("<!-- skilllint-enable first -->\n", "unused"),
        ("<!-- skilllint-enable quiet AGS -->\n", "unused untold"),
    ] {
        assert_eq!(usual(text), [expected], "{text:?}");
    }
}

#[test]
fn a_selection_never_makes_a_directive_look_unused() {
    let file = |selector: &str| format!("<!-- skilllint-disable-file {selector} -->\n");
    let to_ignore = Choice {
        ignore: vec!["first".to_owned()],
        ..Choice::default()
    };
    for (selector, choice, expected) in [
        ("first", select("TXT201"), "unused"),
        ("first", select("TXT202"), "untold"),
        ("TXT2", select("TXT201"), "untold"),
        ("TXT", select("TXT2"), "unused"),
        ("", select("TXT"), "untold"),
        ("", to_ignore.clone(), "untold"),
        ("second", to_ignore, "unused"),
        ("quiet", select("quiet"), "unused"),
    ] {
        let found = outcomes(&file(selector), &choice, &[]);
        assert_eq!(found, [expected], "{selector} {choice:?}");
    }
    let codex = ["codex".to_owned()];
    for (selector, expected) in [("CLT", "untold"), ("", "untold"), ("TXT", "unused")] {
        let found = outcomes(&file(selector), &Choice::default(), &codex);
        assert_eq!(found, [expected], "{selector}");
    }
}
