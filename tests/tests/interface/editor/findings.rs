//! Findings in an editor: they equal those of `skc lint`, but refer to the text in the editor.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use skillc_core::testkit::write_files;
use skillc_tests::World;
use skillc_tests::lsp::{Editor, range, rules_of, uri};

use super::{BROKEN, FINE, demo, pulling, pulling_capabilities, pushed, renamed};
use crate::PROGRAM;

/// Requests the findings of a file.
fn pulled(editor: &mut Editor, file: &Path) -> Value {
    let params = json!({"textDocument": {"uri": uri(file)}});
    editor.result("textDocument/diagnostic", &params)
}

/// Requests the findings of the workspace. Returns the URI of each file with the rules of its findings.
fn pulled_all(editor: &mut Editor) -> Vec<(String, Vec<String>)> {
    let report = editor.result("workspace/diagnostic", &json!({"previousResultIds": []}));
    let items = report["items"].as_array().expect("a list").iter();
    let of = |item: &Value| {
        let found = item["items"].as_array().expect("a list");
        (
            item["uri"].as_str().expect("a URI").to_owned(),
            rules_of(found),
        )
    };
    items.map(of).collect()
}

#[test]
fn an_edit_that_is_not_saved_changes_the_findings() {
    let (world, main) = demo(FINE);
    let mut editor = pushed(&world);
    editor.open(&main, BROKEN);
    let found = editor.published(&main, Some(1));
    assert_eq!(rules_of(&found), ["SKL301"]);
    assert_eq!(found[0]["range"], range((9, 16), (9, 24)));
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["source"], "skc");
    let link = range((9, 4), (9, 25));
    editor.change(&main, 2, Some(&link), "the guide");
    assert!(editor.rules(&main, Some(2)).is_empty());
    assert_eq!(fs::read_to_string(&main).unwrap(), FINE);
}

/// The editor and the command line agree about every rule, file and line.
#[test]
fn the_findings_are_those_of_skc_lint() {
    let world = World::new();
    let guide = "# Guide\n\n### Deep\n\n[gone](gone.md) [😀](#nowhere) [up](../../x.md)\n";
    world.directory("demo", &[("SKILL.md", BROKEN), ("guide.md", guide)]);
    world.directory("Other_Name", &[("SKILL.md", "# No frontmatter\n")]);
    let mut editor = pulling(&world);
    let mut found: Vec<(String, String, u64)> = Vec::new();
    let report = editor.result("workspace/diagnostic", &json!({"previousResultIds": []}));
    for item in report["items"].as_array().unwrap() {
        for of in item["items"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let line = of["range"]["start"]["line"].as_u64().unwrap();
            found.push((text(&item["uri"]), text(&of["code"]), line + 1));
        }
    }
    found.sort();
    let lint = world.skc(["lint", ".", "-o", "json"]).json();
    let mut expected = Vec::new();
    for skill in lint["skills"].as_array().unwrap() {
        let root = Path::new(skill["path"].as_str().unwrap());
        for of in skill["diagnostics"].as_array().unwrap() {
            let file = uri(&root.join(of["file"].as_str().unwrap()));
            let rule = of["rule"].as_str().unwrap().to_owned();
            expected.push((file, rule, of["line"].as_u64().unwrap()));
        }
    }
    expected.sort();
    assert!(expected.len() >= 5, "{expected:?}");
    assert_eq!(found, expected);
}

#[test]
fn columns_count_units_of_the_encoding() {
    let text = BROKEN.replace("See [", "😀é [");
    let (world, main) = demo(&text);
    for (encodings, column) in [(json!(["utf-8"]), 19), (json!(["utf-16"]), 16)] {
        let capabilities = json!({"general": {"positionEncodings": encodings}});
        let mut editor = Editor::new(&world, PROGRAM, &capabilities);
        editor.open(&main, &text);
        let found = editor.published(&main, Some(1));
        assert_eq!(found[0]["range"]["start"]["character"], column);
    }
}

#[test]
fn every_skill_of_the_workspace_is_linted_and_files_without_findings_are_silent() {
    let (world, main) = demo(BROKEN);
    world.directory("fine", &[("SKILL.md", &renamed(FINE, "fine"))]);
    let mut editor = pushed(&world);
    assert_eq!(editor.rules(&main, None), ["SKL301"]);
    // The file is fixed on disk: an empty list replaces the findings.
    fs::write(&main, FINE).unwrap();
    editor.changed_on_disk(&main);
    editor.wait_for(|editor| {
        let last = editor.notifications.last();
        last.is_some_and(|of| of["params"]["diagnostics"] == json!([]))
    });
    let mut about = editor.notifications.iter().map(|of| &of["params"]["uri"]);
    assert!(about.all(|of| *of == *uri(&main)));
}

#[test]
fn a_new_skill_and_a_new_file_are_noticed() {
    let world = World::new();
    let mut editor = pushed(&world);
    let main = world
        .directory("demo", &[("SKILL.md", BROKEN)])
        .join("SKILL.md");
    editor.changed_on_disk(&main);
    assert_eq!(editor.rules(&main, None), ["SKL301"]);
    let guide = main.with_file_name("guide.md");
    write_files(guide.parent().unwrap(), &[("guide.md", "# Guide\n")]);
    editor.changed_on_disk(&guide);
    editor.wait_for(|editor| {
        let last = editor.notifications.last();
        last.is_some_and(|of| of["params"]["diagnostics"] == json!([]))
    });
}

/// Waits until the last published findings of a file come from exactly these rules.
#[track_caller]
fn wait_for_rules(editor: &mut Editor, file: &Path, rules: &[&str]) {
    let uri = uri(file);
    editor.wait_for(|editor| {
        let mut all = editor.notifications.iter().rev();
        let last = all.find(|of| {
            of["method"] == "textDocument/publishDiagnostics" && of["params"]["uri"] == *uri
        });
        let last = last.and_then(|of| of["params"]["diagnostics"].as_array());
        last.is_some_and(|found| rules_of(found) == rules)
    });
}

/// Asserts that new files have the same findings in a client to which the server pushes findings and in a client that
/// requests them. `main`: the path of a `SKILL.md` that does not exist yet.
#[track_caller]
fn assert_checked_before_saved(world: &World, main: &Path) {
    const GUIDE: &str = "# Guide\n\nSee [the end](gone.md).\n";
    let (none, broken): (&[&str], &[&str]) = (&[], &["SKL301"]);
    let guide = main.with_file_name("guide.md");
    let guide = guide.as_path();
    let (mut waiting, mut asking) = (pushed(world), pulling(world));
    for (version, files) in [
        // The skill has only a `SKILL.md`, with a link to a file that is missing.
        (1, [(main, broken), (guide, none)]),
        // The file that was missing is open now, and has a finding of its own.
        (2, [(main, none), (guide, broken)]),
        // Without a `SKILL.md`, there is no skill.
        (3, [(main, none), (guide, none)]),
    ] {
        for editor in [&mut waiting, &mut asking] {
            match version {
                1 => editor.open(main, BROKEN),
                2 => editor.open(guide, GUIDE),
                _ => editor.close(main),
            }
        }
        let mut expected = Vec::new();
        for (file, rules) in files {
            if version > 1 || !rules.is_empty() {
                wait_for_rules(&mut waiting, file, rules);
            }
            let report = pulled(&mut asking, file);
            let found = report["items"].as_array().expect("a list");
            assert_eq!(rules_of(found), rules, "{version}: {}", file.display());
            if !rules.is_empty() {
                expected.push((uri(file), rules_of(found)));
            }
        }
        assert_eq!(pulled_all(&mut asking), expected, "{version}");
    }
    assert!(!main.exists() && !guide.exists());
}

#[test]
fn a_skill_is_checked_before_it_is_saved() {
    let world = World::new();
    fs::create_dir(world.cwd.join("demo")).unwrap();
    for dir in ["demo", "new/demo"] {
        assert_checked_before_saved(&world, &world.cwd.join(dir).join("SKILL.md"));
    }
    assert!(!world.cwd.join("new").exists());
}

#[cfg(unix)]
#[test]
fn a_new_skill_can_be_reached_through_a_symlink() {
    let world = World::new();
    fs::create_dir(world.cwd.join("real")).unwrap();
    std::os::unix::fs::symlink("real", world.cwd.join("link")).unwrap();
    assert_checked_before_saved(&world, &world.cwd.join("link/demo/SKILL.md"));
}

#[test]
fn a_closed_document_has_the_findings_of_its_file() {
    let (world, main) = demo(FINE);
    let mut editor = pulling(&world);
    editor.open(&main, BROKEN);
    assert_eq!(pulled(&mut editor, &main)["items"][0]["code"], "SKL301");
    editor.close(&main);
    assert_eq!(pulled(&mut editor, &main)["items"], json!([]));
}

#[test]
fn a_client_that_asks_gets_findings_only_in_answers() {
    let (world, main) = demo(BROKEN);
    let mut editor = pulling(&world);
    editor.open(&main, BROKEN);
    let first = pulled(&mut editor, &main);
    assert_eq!(first["kind"], "full");
    let id = first["resultId"].as_str().unwrap();
    let params = json!({"textDocument": {"uri": uri(&main)}, "previousResultId": id});
    let again = editor.result("textDocument/diagnostic", &params);
    assert_eq!(again, json!({"kind": "unchanged", "resultId": id}));
    assert_eq!(
        pulled_all(&mut editor),
        [(uri(&main), vec!["SKL301".to_owned()])]
    );
    let previous = json!([{"uri": uri(&main), "value": id}]);
    editor.change(&main, 2, None, FINE);
    pulled(&mut editor, &main);
    let params = json!({"previousResultIds": previous});
    let report = editor.result("workspace/diagnostic", &params);
    assert_eq!(report["items"][0]["items"], json!([]), "{report}");
    let mut methods = editor.notifications.iter().map(|of| &of["method"]);
    assert!(methods.all(|method| method != "textDocument/publishDiagnostics"));
}

#[test]
fn a_file_of_a_nested_skill_has_each_finding_once() {
    let world = World::new();
    let inner = renamed(BROKEN, "inner");
    world.directory("demo", &[("SKILL.md", FINE), ("inner/SKILL.md", &inner)]);
    let main = world.cwd.join("demo/inner/SKILL.md");
    let mut editor = pulling(&world);
    let all = pulled_all(&mut editor);
    let of_inner = all.iter().find(|(of, _)| *of == uri(&main));
    assert_eq!(of_inner.unwrap().1, ["SKL301"], "{all:?}");
}

#[test]
fn files_that_are_in_no_skill_have_no_findings() {
    let world = World::new();
    let notes = world.cwd.join("notes.md");
    let mut editor = pulling(&world);
    editor.open(&notes, "[gone](gone.md)\n");
    assert_eq!(pulled(&mut editor, &notes)["items"], json!([]));
    let params = json!({"textDocument": {"uri": "untitled:Untitled-1"}});
    let report = editor.result("textDocument/diagnostic", &params);
    assert_eq!(report["items"], json!([]));
}

#[test]
fn a_skill_outside_the_workspace_is_linted_while_it_is_open() {
    let world = World::new();
    write_files(&world.home, &[("demo/SKILL.md", BROKEN)]);
    let main = world.home.join("demo/SKILL.md");
    let mut editor = pushed(&world);
    editor.open(&main, BROKEN);
    assert_eq!(editor.rules(&main, Some(1)), ["SKL301"]);
}

#[test]
fn directives_and_the_baseline_hide_findings() {
    let (world, main) = demo(BROKEN);
    world.directory("known", &[("SKILL.md", &renamed(BROKEN, "known"))]);
    world.skc(["lint", "known", "--write-baseline"]);
    fs::write(
        world.cwd.join(".skilllint.toml"),
        "baseline = \".skilllint-baseline.toml\"\n",
    )
    .unwrap();
    let mut editor = pulling(&world);
    assert_eq!(
        pulled_all(&mut editor),
        [(uri(&main), vec!["SKL301".to_owned()])]
    );
    let comment = "<!-- skilllint-disable-next-line SKL301 -- made later -->\nSee";
    let text = BROKEN.replace("See", comment);
    editor.open(&main, &text);
    assert_eq!(pulled(&mut editor, &main)["items"], json!([]));
}

#[test]
fn rules_that_compare_skills_run_over_the_workspace() {
    let world = World::new();
    world.directory("skills/demo", &[("SKILL.md", FINE)]);
    world.directory("skills/other", &[("SKILL.md", FINE)]);
    let lint = world.skc(["lint", ".", "-o", "json"]);
    let expected = lint.text().matches("\"SET10").count();
    let mut editor = pulling(&world);
    let all = pulled_all(&mut editor);
    let found = all.iter().flat_map(|(_, rules)| rules);
    assert_eq!(
        found.filter(|rule| rule.starts_with("SET10")).count(),
        expected
    );
    assert!(expected > 0, "{}", lint.text());
}

#[test]
fn folders_can_be_added_and_removed() {
    let world = World::new();
    write_files(&world.home, &[("demo/SKILL.md", BROKEN)]);
    let main = world.home.join("demo/SKILL.md");
    let mut editor = Editor::new(&world, PROGRAM, &pulling_capabilities());
    assert!(pulled_all(&mut editor).is_empty());
    let folder = json!([{"uri": uri(&world.home), "name": "home"}]);
    let change =
        |added: &Value, removed: &Value| json!({"event": {"added": added, "removed": removed}});
    let method = "workspace/didChangeWorkspaceFolders";
    editor.notify(method, &change(&folder, &json!([])));
    let rules = vec!["SKL301".to_owned()];
    assert_eq!(pulled_all(&mut editor), [(uri(&main), rules)]);
    editor.notify(method, &change(&json!([]), &folder));
    assert!(pulled_all(&mut editor).is_empty());
}

#[test]
fn a_finding_can_link_to_the_page_of_its_rule() {
    let (world, main) = demo(BROKEN);
    let mut editor = Editor::silent(&world, PROGRAM);
    let options = json!({"rulePages": "https://example.org/rules/{code}.html"});
    let params = json!({"capabilities": {}, "initializationOptions": options});
    editor.result("initialize", &params);
    editor.notify("initialized", &json!({}));
    editor.open(&main, BROKEN);
    let found = editor.published(&main, Some(1));
    let page = "https://example.org/rules/SKL301.html";
    assert_eq!(found[0]["codeDescription"]["href"], page);
}
