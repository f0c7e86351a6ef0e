//! `skc plugin test`: cases of scripts, and the report of failures.

use std::fs;

use serde_json::json;
use skillc_core::testkit::write_files;
use skillc_tests::{Output, World};

use crate::plugins::support::PROJECT;

/// A rule that reports each word of a list, with a fix. Line 9 is executed only if there is a `SKILL.md`.
pub(crate) const RULE: &str = r#"/// Reports words that are not to be.
rule(#{
    code: "TEAM001", name: "no-words", options: #{ words: ["TODO"] },
    check_document: |doc, skill, out| {
        for word in out.options.words {
            for found in doc.find_all(`\b${word}\b`) {
                out.at(found, `a ${found.text}`).fix("remove it", delete(found));
            }
        }
    },
    check_skill: |skill, out| {
        if skill.files.len() > 1 {
            out.skill("several files");
        }
    },
});
"#;

/// An indexer that turns each line with a colon into a section.
pub(crate) const FORMAT: &str = r#"/// Entries.
indexer(#{ id: "entries", extensions: ["ent"], sections: |file, out| {
    for entry in file.find_all(`^(\w+):.*$`) {
        out.section(entry.group(1).text, entry.source, entry.line, entry.line);
    }
} });
"#;

/// A case file whose cases all pass.
pub(crate) const PASSING: &str = r#"# Cases.

[[case]]
name = "a word"
text = '''
# Title

A TODO.
'''
found = ["3:3 a TODO"] # found
fixed = '''
# Title

A .
'''

[[case]]
name = "in other files, with options"
rule = "no-words"
file = "references/a.md"
text = "one TODO, two"
files = { "b.md" = "two\n", "SKILL.md" = "two\n" }
options = { words = ["two"] }
clients = ["codex"]
found = [
    "- several files",
    "SKILL.md:1:1 a two",
    "b.md:1:1 a two",
    "1:11 a two",
]
"#;

pub(crate) fn world(files: &[(&str, &str)]) -> World {
    let world = World::project();
    write_files(&world.cwd.join(PROJECT), files);
    world
}

pub(crate) fn tested(files: &[(&str, &str)]) -> Output {
    world(files).skc(["plugin", "test"])
}

/// Returns the text of a case file with one case.
pub(crate) fn case(keys: &str) -> String {
    format!("[[case]]\nname = \"it\"\n{keys}\n")
}

#[track_caller]
pub(crate) fn fails(run: &Output, lines: &[&str]) {
    assert!(!run.ok, "{run:?}");
    for line in lines {
        assert!(
            run.text().lines().any(|said| said == *line),
            "{line}\n{}",
            run.text()
        );
    }
}

/// R5.
#[test]
fn matching_cases_pass() {
    let run = tested(&[("a.rhai", RULE), ("a.test.toml", PASSING)]).success();
    assert_eq!(
        run.text(),
        ".skillc/plugins/a.rhai: 2 cases passed; 100 % of lines covered\n1 script: 2 cases passed, 0 failed\n"
    );
    // The same cases with CRLF line endings.
    let cases = PASSING.replace('\n', "\r\n");
    tested(&[("a.rhai", RULE), ("a.test.toml", &cases)]).success();
}

#[test]
fn expected_and_actual_results_are_shown_together() {
    let cases = case(
        "text = \"one TODO\\nTODO\\n\"\nfound = [\"1:5 a TODO\", \"2:2 a TODO\"]\nfixed = \"one\\n\\n\"",
    );
    let run = tested(&[("a.rhai", RULE), ("a.test.toml", &cases)]);
    fails(&run, &["1 script: 0 cases passed, 1 failed"]);
    let shown = "\
FAILED 'it' at .skillc/plugins/a.test.toml:1
  found: - expected, + actual
      1:5 a TODO
    - 2:2 a TODO
    + 2:1 a TODO
  fixed: - expected, + actual
    - one
    + one
";
    assert!(
        run.text().replace("one \n", "one\n").starts_with(shown),
        "{}",
        run.text()
    );
}

#[test]
fn a_failing_rule_fails_its_case_with_the_fault() {
    let script = RULE.replace("found.text", "found.txt");
    let run = tested(&[("a.rhai", &script), ("a.test.toml", PASSING)]);
    fails(&run, &["1 script: 0 cases passed, 2 failed"]);
    assert!(
        run.text().contains("  .skillc/plugins/a.rhai:7:"),
        "{}",
        run.text()
    );
    // If the rule itself fails, there is no result to compare with the case.
    let world = world(&[("a.rhai", &script), ("a.test.toml", PASSING)]);
    fails(&world.skc(["plugin", "test", "--update"]), &[]);
    let after = fs::read_to_string(world.cwd.join(PROJECT).join("a.test.toml")).unwrap();
    assert_eq!(after, PASSING);
}

#[test]
fn sections_are_compared_in_full() {
    let cases = r#"[[case]]
text = "a: 1\n\nb: 2"
[[case.sections]]
lines = [1, 1]
heading = "a"
content = "a: 1"
[[case.sections]]
lines = [3, 3]
heading = "b"
content = "b: 2"

[[case]]
format = "entries"
file = "x.ent"
text = "none"
sections = []
"#;
    tested(&[("e.rhai", FORMAT), ("e.test.toml", cases)]).success();
    let wrong = cases.replace("content = \"b: 2\"", "content = \"b: 3\"");
    let run = tested(&[("e.rhai", FORMAT), ("e.test.toml", &wrong)]);
    fails(
        &run,
        &[
            "    -     b: 3",
            "    +     b: 2",
            "      3-3 b",
            "1 script: 1 case passed, 1 failed",
        ],
    );
    let throws = FORMAT.replace("{\n    for", "{\n    throw \"no\";\n    for");
    let run = tested(&[("e.rhai", &throws), ("e.test.toml", cases)]);
    fails(&run, &["  .skillc/plugins/e.rhai:3:5: no"]);
}

#[test]
fn lines_that_no_case_reaches_are_listed() {
    let cases = case("text = \"nothing\"\nfound = []");
    let run = tested(&[("a.rhai", RULE), ("a.test.toml", &cases)]).success();
    let line = ".skillc/plugins/a.rhai: 1 case passed; 66 % of lines covered; not covered: 7, 13";
    assert_eq!(run.text().lines().next(), Some(line));
}

#[test]
fn a_script_without_cases_is_reported_but_not_a_failure() {
    let run = tested(&[("a.rhai", RULE)]).success();
    let line = ".skillc/plugins/a.rhai: has no cases; add them to .skillc/plugins/a.test.toml";
    assert_eq!(run.text().lines().next(), Some(line));
    let none = World::project().skc(["plugin", "test"]).success();
    assert!(none.text().starts_with("No scripts."), "{none:?}");
}

#[test]
fn a_script_that_fails_to_load_is_shown_with_the_location_marked() {
    let run = tested(&[
        ("a.rhai", &RULE.replace("in doc", "doc")),
        ("a.test.toml", PASSING),
    ]);
    fails(&run, &[".skillc/plugins/a.rhai: could not be tested"]);
    assert!(
        run.text().contains("--> .skillc/plugins/a.rhai:6:"),
        "{}",
        run.text()
    );
    assert!(run.text().contains('^'), "{}", run.text());
    let ours = RULE.replace("TEAM001", "SKL999");
    let run = tested(&[("a.rhai", &ours), ("a.test.toml", PASSING)]);
    fails(
        &run,
        &["1 script: 0 cases passed, 0 failed, 1 script not tested"],
    );
    assert!(run.text().contains("reserved for skillc"), "{}", run.text());
}

#[test]
fn scripts_cases_and_folders_can_be_named() {
    let world = world(&[
        ("a.rhai", RULE),
        ("a.test.toml", PASSING),
        ("deep/e.rhai", FORMAT),
    ]);
    let scripts = |path: &str| {
        let run = world.skc(["plugin", "test", path]).success();
        run.text().lines().count() - 1
    };
    assert_eq!(scripts(PROJECT), 2);
    assert_eq!(scripts(".skillc/plugins/deep"), 1);
    assert_eq!(scripts(".skillc/plugins/a.rhai"), 1);
    assert_eq!(scripts(".skillc/plugins/a.test.toml"), 1);
    let missing = world.skc(["plugin", "test", "nothing.rhai"]);
    missing.code("E100");
}

/// Cases that never run would go unnoticed.
#[test]
fn cases_without_their_script_are_a_failure() {
    for args in [&["plugin", "test"][..], &["plugin", "test", PROJECT]] {
        let world = world(&[
            ("a.rhai", RULE),
            ("a.test.toml", PASSING),
            ("b/old.test.toml", PASSING),
        ]);
        let run = world.skc_at(&world.cwd, args);
        fails(
            &run,
            &[
                "error: its script old.rhai does not exist: rename this file to match a script, or remove it",
                "  --> .skillc/plugins/b/old.test.toml",
                "2 scripts: 2 cases passed, 0 failed, 1 script not tested",
            ],
        );
    }
}

/// R5: the JSON output contains the coverage, and for each case, how the results differ from those expected.
#[test]
fn json_output_has_every_case() {
    let cases = case("text = \"TODO\"\nfound = []");
    let world = world(&[("a.rhai", RULE), ("a.test.toml", &cases)]);
    let run = world.skc(["plugin", "test", "-o", "json"]);
    assert!(!run.ok);
    let json = run.json();
    assert_eq!((&json["passed"], &json["failed"]), (&json!(0), &json!(1)));
    let script = &json["scripts"][0];
    assert_eq!(script["coverage"]["missed"], json!([13]));
    assert_eq!(
        script["cases"][0]["differences"],
        json!([{ "of": "found", "expected": [], "found": ["1:1 a TODO"] }])
    );
}

/// Cases do not touch the user's files, and their text is escaped for the terminal.
#[test]
fn only_case_files_are_written_and_output_is_escaped() {
    let cases = case(
        "text = \"\\u001b[31mTODO\"\nfound = [\"\\u001b[31m\"]\nfiles = { \"x/y.md\" = \"TODO\" }",
    );
    let world = world(&[("a.rhai", RULE), ("a.test.toml", &cases)]);
    let before = skillc_tests::snapshot(&world.cwd);
    let run = world.skc(["plugin", "test"]);
    assert!(!run.text().contains('\u{1b}'), "{}", run.text());
    assert_eq!(skillc_tests::snapshot(&world.cwd), before);
}

/// A rule whose fix does not remove the finding: between backticks, `\n` is two characters, not a line break.
const BROKEN_FIX: &str = r#"/// Reports a missing end.
rule(#{
    code: "TEAM001", name: "end",
    check_main: |doc, skill, out| {
        if doc.find(`^END$`) == () {
            print(`lines: ${doc.lines.len}`);
            out.at(doc.headings.first, "no END").fix("add it", insert_after(doc.headings.first, `\nEND`));
        }
    },
});
"#;

/// If `--update` recorded the unchanged text after a refused fix, the case would pass from then on.
#[test]
fn update_does_not_record_the_result_of_a_refused_fix() {
    let cases = case("text = \"# A\\n\"\nfixed = \"# A\\nEND\\n\"");
    let world = world(&[("a.rhai", BROKEN_FIX), ("a.test.toml", &cases)]);
    for args in [&["plugin", "test"][..], &["plugin", "test", "--update"]] {
        let run = world.skc_at(&world.cwd, args);
        fails(
            &run,
            &[
                "  fix refused: 1:1 no END: the finding would remain",
                "  SKILL.md: - before, + after the fix",
                r"    + \nEND",
                "1 script: 0 cases passed, 1 failed",
            ],
        );
    }
    let after = fs::read_to_string(world.cwd.join(PROJECT).join("a.test.toml")).unwrap();
    assert_eq!(after, cases);
    let run = world.skc(["plugin", "test", "--update"]);
    let said = "  --update does not write 'fixed' because a fix was refused: repair the fix, or write 'fixed' by hand";
    fails(&run, &[said]);
}

/// R5: printing is the only way to see the values in a running script.
#[test]
fn what_a_script_prints_is_shown_with_the_case() {
    let cases = case("text = \"# A\\nx\\n\"\nfound = [\"1:1 no END\"]");
    let run = tested(&[("a.rhai", BROKEN_FIX), ("a.test.toml", &cases)]).success();
    let shown = "passed 'it' at .skillc/plugins/a.test.toml:1\n  printed: lines: 2\n\n";
    assert!(run.text().starts_with(shown), "{}", run.text());
    let flood = BROKEN_FIX.replace("print(`", "for i in 0..99 { print(i); }\nprint(`");
    let run = tested(&[("a.rhai", &flood), ("a.test.toml", &cases)]).success();
    assert_eq!(
        run.text().matches("  printed: ").count(),
        51,
        "{}",
        run.text()
    );
    assert!(
        run.text().contains("… 50 more lines were printed"),
        "{}",
        run.text()
    );
}

/// Scripts write `max_words` and configuration `max-words`; both accept either spelling.
#[test]
fn options_are_accepted_in_both_spellings() {
    let script = RULE.replace("words: [\"TODO\"]", "bad_words: [\"TODO\"]");
    let script = script.replace("options.words", "options.bad_words");
    for key in ["bad_words", "bad-words"] {
        let cases = case(&format!(
            "text = \"two\"\noptions = {{ {key} = [\"two\"] }}\nfound = [\"1:1 a two\"]"
        ));
        tested(&[("a.rhai", &script), ("a.test.toml", &cases)]).success();
        let world = World::demo(&[(
            "SKILL.md",
            "---\nname: demo\ndescription: D.\n---\n\n# Demo\n\ntwo\n",
        )]);
        write_files(
            &world.cwd,
            &[
                (".skillc/plugins/a.rhai", &script),
                (
                    ".skilllint.toml",
                    &format!("[rules.TEAM001]\n{key} = [\"two\"]\n"),
                ),
            ],
        );
        let run = world.skc(["lint", "demo", "--select", "TEAM001", "-o", "json"]);
        assert_eq!(run.json()["diagnostics"][0]["message"], "a two", "{key}");
    }
    let both = "[rules.TEAM001]\nbad-words = []\nbad_words = []\n";
    let world = World::demo(&[("SKILL.md", "# Demo\n")]);
    write_files(
        &world.cwd,
        &[
            (".skillc/plugins/a.rhai", &*script),
            (".skilllint.toml", both),
        ],
    );
    let run = world.skc(["lint", "demo"]);
    run.code("E100");
    assert!(run.stderr.contains("is set twice"), "{}", run.stderr);
}

/// A rule that reports a skill whose description begins with the same word as that of an earlier skill.
const RUN: &str = r#"/// Reports descriptions that begin with the same word.
rule(#{
    code: "TEAM003", name: "same-start",
    check_run: |skills, out| {
        let seen = #{};
        for skill in skills {
            let word = skill.description.split(" ")[0];
            if word in seen && skill.is_beside(skills[seen[word]]) && skill.is_listed {
                out.at_description(skill, `begins as '${skills[seen[word]].path}'`).help("begin in another way");
            } else if !(word in seen) {
                let at = 0;
                while skills[at].path != skill.path { at += 1; }
                seen[word] = at;
            }
        }
    },
});
"#;

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n")
}

#[test]
fn a_script_compares_the_skills_of_a_run() {
    let (one, two) = (skill("a", "Makes tea."), skill("b", "Makes pies."));
    let three = skill("c", "Bakes.");
    let case = format!(
        "[[case]]\nskill = \"b\"\ntext = '''\n{two}'''\nbeside = {{ a = {one:?}, c = {three:?} }}\nfound = [\"3:14 begins as 'a'\"]\n\n\
         [[case]]\nskill = \"a\"\ntext = '''\n{one}'''\nbeside = {{ b = {two:?} }}\nfound = []\n\n\
         [[case]]\ntext = '''\n{one}'''\nfound = []\n"
    );
    let world = world(&[("same.rhai", RUN), ("same.test.toml", &case)]);
    world.skc(["plugin", "test"]).success();
    write_files(
        &world.cwd.join("skills"),
        &[
            ("a/SKILL.md", one.as_str()),
            ("b/SKILL.md", two.as_str()),
            ("c/SKILL.md", three.as_str()),
        ],
    );
    let linted = world.skc(["lint", "skills", "--select", "TEAM003"]);
    assert!(
        linted.stderr.contains("b/SKILL.md:3:14") && linted.stderr.contains("begin in another way"),
        "{}",
        linted.stderr
    );
    assert!(!linted.stderr.contains("a/SKILL.md:"), "{}", linted.stderr);
}

#[test]
fn a_fault_between_skills_is_reported_once() {
    for (check, said) in [
        ("out.skill(\"x\");", "check_run must report on a skill"),
        ("loop { }", "more than 2000000 operations"),
        ("skills[9].name;", "index 9 out of range"),
    ] {
        let script = format!(
            "/// Reports.\nrule(#{{ code: \"TEAM003\", name: \"x\", check_run: |skills, out| {{ {check} }} }});\n"
        );
        let world = world(&[("x.rhai", &script)]);
        let texts = ["a", "b"].map(|name| (format!("{name}/SKILL.md"), skill(name, "Makes tea.")));
        let files = texts
            .each_ref()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        write_files(&world.cwd.join("skills"), &files);
        let linted = world.skc(["lint", "skills", "--select", "TEAM003,CFG201"]);
        assert!(!linted.ok, "{}", linted.stderr);
        assert_eq!(linted.stderr.matches(said).count(), 1, "{}", linted.stderr);
    }
}
