//! `skc plugin list`, `check` and `doc`, and the reported origin of scripted rules.

use serde_json::json;
use skillc_core::testkit::write_files;
use skillc_tests::World;

use crate::plugins::support::{PROJECT, TODO, TODO_LINE, rule, world};

const INI: &str = "/// Indexes keys.\nindexer(#{ id: \"keys\", extensions: [\"ini\"], sections: |file, out| { } });\n";

/// R5.
#[test]
fn the_list_shows_rules_and_indexers_with_their_origin() {
    let world = world(&[("a.rhai", TODO), ("b.rhai", INI)]);
    let text = world.skc(["plugin", "list"]).success();
    let rows: Vec<Vec<&str>> = text
        .text()
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["CODE", "NAME", "SEVERITY", "PACK", "FROM"]);
    let place = format!(".skillc/plugins/a.rhai:{TODO_LINE}");
    assert!(
        rows.contains(&vec!["TEAM001", "no-todo", "warning", "-", &place]),
        "{rows:?}"
    );
    assert!(
        rows.contains(&vec![
            "keys",
            ".ini",
            "format",
            "-",
            ".skillc/plugins/b.rhai:2"
        ]),
        "{rows:?}"
    );
    let json = world.skc(["plugin", "list", "-o", "json"]).json();
    let formats = json["formats"].as_array().unwrap();
    let keys = formats.iter().find(|format| format["id"] == "keys");
    assert_eq!(
        keys.unwrap(),
        &json!({"id": "keys", "extensions": ["ini"], "script": ".skillc/plugins/b.rhai:2", "pack": null})
    );
}

/// R5: `explain` and `rules` show the location of a scripted rule; a built-in rule has none.
#[test]
fn explain_and_rules_name_the_script_of_a_rule() {
    let world = world(&[("a.rhai", TODO)]);
    let place = format!(".skillc/plugins/a.rhai:{TODO_LINE}");
    let text = world.skc(["explain", "no-todo"]).success();
    assert!(
        text.text().contains(&format!("\nfrom {place}\n")),
        "{}",
        text.text()
    );
    assert!(text.text().contains("A TODO is easily forgotten."));
    let json = world.skc(["explain", "TEAM001", "-o", "json"]).json();
    assert_eq!(json["script"], place.as_str());
    let json = world.skc(["explain", "SKL205", "-o", "json"]).json();
    assert!(json.get("script").is_none());
    let json = world
        .skc(["rules", "--select", "TEAM", "-o", "json"])
        .json();
    assert_eq!(json["rules"][0]["script"], place.as_str());
    assert!(!world.skc(["explain", "SKL205"]).text().contains("\nfrom "));
}

/// R20: every script is checked, and errors are marked.
#[test]
fn check_marks_the_errors_in_each_script() {
    let clash = rule("TEAM001", "other");
    let world = world(&[
        ("a.rhai", TODO),
        ("b.rhai", "let ready = 1;\n  let x = foo(ready;\n"),
        ("c.rhai", &clash),
        ("d.rhai", "throw \"no\u{1b}[31m\";\n"),
    ]);
    let check = world.skc(["plugin", "check"]);
    assert!(!check.ok, "{check:?}");
    assert_eq!(check.stderr, "");
    let text = check.text();
    assert!(
        text.contains(
            "  --> .skillc/plugins/b.rhai:2:20\n  |\n2 |   let x = foo(ready;\n  |                    ^\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("error: rule code 'TEAM001' is claimed by two plug-ins: .skillc/plugins/a.rhai:5 and .skillc/plugins/c.rhai:2\n"),
        "{text}"
    );
    assert!(text.contains("\n2 | rule(#{ code: \"TEAM001\""), "{text}");
    assert!(
        text.contains("d.rhai:1:1") && !text.contains('\u{1b}'),
        "{text}"
    );
    assert!(
        text.ends_with("\n1 script loaded with 1 rule and 0 indexers; 3 errors\n"),
        "{text}"
    );
    let json = world.skc(["plugin", "check", "-o", "json"]);
    assert!(!json.ok);
    let json = json.json();
    assert_eq!(json["scripts"], 1);
    let fault = &json["faults"][0];
    assert_eq!(fault["script"], ".skillc/plugins/b.rhai");
    assert_eq!((&fault["line"], &fault["column"]), (&json!(2), &json!(20)));
    assert!(
        fault["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty())
    );
    assert!(fault.get("excerpt").is_none());
}

#[test]
fn check_of_named_scripts_is_limited_to_them() {
    let world = world(&[("a.rhai", TODO), ("bad.rhai", "rule(")]);
    write_files(
        &world.cwd,
        &[("rules/bad.rhai", "indexer("), ("rules/good.rhai", INI)],
    );
    let good = world
        .skc(["plugin", "check", ".skillc/plugins/a.rhai"])
        .success();
    assert_eq!(
        good.text(),
        "1 script loaded with 1 rule and 0 indexers; no errors\n"
    );
    let bad = world.skc(["plugin", "check", "rules"]);
    assert!(!bad.ok);
    assert!(
        bad.text().contains("  --> rules/bad.rhai:1:"),
        "{}",
        bad.text()
    );
    assert!(!bad.text().contains("plugins"), "{}", bad.text());
    world.skc(["plugin", "check", "nope"]).code("E100");
    world
        .skc(["plugin", "check", "--plugin", "nope"])
        .code("E100");
    // With `--plugin`, an additional script is loaded, and its faults are reported.
    let all = world.skc(["plugin", "check", "--plugin", "rules"]);
    assert!(!all.ok);
    assert_eq!(all.text().matches("  --> ").count(), 2, "{}", all.text());
    let none = World::project();
    assert_eq!(
        none.skc(["plugin", "check"]).success().text(),
        "No scripts.\n"
    );
}

/// Options and defaults are shown for scripted rules as for built-in ones.
#[test]
fn options_are_listed_with_types_and_defaults() {
    let options = "options: #{ max_words: 3, loud: false, \
                   style: #{ value: \"title\", one_of: [\"title\", \"most\"], about: \"How it is to be.\" }, \
                   words: [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"j\", \"k\"] },";
    let script = TODO.replace("options: #{ words: [\"TODO\"] },", options);
    let world = world(&[("a.rhai", &script)]);
    for (name, told) in [
        ("max-words", "(a non-negative integer, default 3)"),
        ("loud", "(true or false, default false)"),
        (
            "style",
            "(\"title\" or \"most\", default \"title\"): How it is to be",
        ),
        (
            "words",
            "(a list of strings, default [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", 3 more])",
        ),
    ] {
        let explained = world.skc(["explain", "TEAM001"]).success();
        let line = format!("option {name} {told}\n");
        assert!(
            explained.text().contains(&line),
            "{line}{}",
            explained.text()
        );
        let page = world.skc(["plugin", "doc", "TEAM001"]).success();
        let line = format!("- `{name}` {told}\n");
        assert!(page.text().contains(&line), "{line}{}", page.text());
    }
}

/// R5: a run loads a script together with the others, so checking one script also finds its conflicts with the others.
#[test]
fn check_of_one_script_detects_conflicts_with_others() {
    let world = world(&[("a.rhai", TODO), ("b.rhai", INI)]);
    let clash = rule("TEAM001", "other") + &*INI.replace("keys", "more");
    write_files(&world.cwd, &[("new.rhai", &clash), ("rules/x.rhai", TODO)]);
    write_files(
        &world.home,
        &[(".skillc/plugins/h.rhai", &rule("TEAM007", "seven"))],
    );
    for (path, said) in [
        (
            "new.rhai",
            "rule code 'TEAM001' is claimed by two plug-ins: .skillc/plugins/a.rhai:5 and new.rhai:2",
        ),
        ("rules", ".skillc/plugins/a.rhai:5 and rules/x.rhai:5"),
    ] {
        let check = world.skc(["plugin", "check", path]);
        assert!(!check.ok && check.text().contains(said), "{check:?}");
    }
    // Whichever of the two scripts is checked, the conflict is reported. A script does not conflict with itself.
    write_files(
        &world.cwd.join(PROJECT),
        &[("c.rhai", &rule("TEAM001", "other"))],
    );
    for (path, is_ok) in [("a.rhai", false), ("b.rhai", true), ("c.rhai", false)] {
        let path = format!("{PROJECT}/{path}");
        let check = world.skc(["plugin", "check", &path]);
        assert_eq!(check.ok, is_ok, "{path} {check:?}");
    }
    write_files(&world.cwd, &[("new.rhai", &rule("TEAM007", "other"))]);
    let check = world.skc(["plugin", "check", "new.rhai"]);
    assert!(!check.ok && check.text().contains("TEAM007"), "{check:?}");
}

#[test]
fn names_of_another_command_produce_a_hint() {
    let world = world(&[("b.rhai", INI)]);
    for (args, said) in [
        (
            ["explain", "ipynb"],
            "That is an indexer: skc plugin doc ipynb",
        ),
        (
            ["explain", "KEYS"],
            "That is an indexer: skc plugin doc keys",
        ),
        (["explain", "keyz"], "List all rules: skc rules"),
    ] {
        let run = world.skc(args);
        run.code("E100");
        assert!(run.stderr.contains(said), "{said}\n{}", run.stderr);
    }
    for asked in ["SKL205", "heading-hierarchy"] {
        let run = world.skc(["plugin", "doc", asked]);
        run.code("E100");
        let said = "That is a built-in rule: skc explain SKL205";
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    world.skc(["plugin", "doc", "ipynb"]).success();
}

/// R5: the pages are Markdown that can be published.
#[test]
fn pages_are_printed_as_markdown() {
    let world = world(&[("a.rhai", TODO), ("b.rhai", INI)]);
    let all = world.skc(["plugin", "doc"]).success();
    assert_eq!(
        all.text(),
        "# TEAM001 no-todo\n\nWarning, enabled by default, since 1.0.0, from `.skillc/plugins/a.rhai:5`.\n\n\
         Reports a TODO that was left in.\n\n## Why\nA TODO is easily forgotten.\n\n## Options in configuration\n\n\
         - `words` (a list of strings, default [\"TODO\"])\n\n\
         # Indexer keys\n\nFiles: `.ini`, from `.skillc/plugins/b.rhai:2`.\n\nIndexes keys.\n"
    );
    let one = world.skc(["plugin", "doc", "NO-TODO"]).success();
    assert!(one.text().starts_with("# TEAM001") && !one.text().contains("Indexer"));
    let one = world
        .skc(["plugin", "doc", "keys", ".skillc/plugins/b.rhai"])
        .success();
    assert_eq!(one.text().matches("# Indexer keys").count(), 1);
    let json = world.skc(["plugin", "doc", "TEAM001", "-o", "json"]).json();
    assert_eq!(json["rules"][0]["code"], "TEAM001");
    let unknown = world.skc(["plugin", "doc", "TEAM002"]);
    unknown.code("E100");
    assert!(
        unknown.stderr.contains("Did you mean 'TEAM001'?"),
        "{}",
        unknown.stderr
    );
    // A built-in rule is not a script.
    world.skc(["plugin", "doc", "SKL205"]).code("E100");
}
