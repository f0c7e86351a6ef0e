//! Hover and completion.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use skillc_core::testkit::write_files;
use skillc_tests::World;
use skillc_tests::lsp::{Editor, after, at, uri};

use super::{BROKEN, FINE, demo, pushed};
use crate::PROGRAM;

const HOVER: &str = "textDocument/hover";

const COMPLETION: &str = "textDocument/completion";

fn hovered(editor: &mut Editor, file: &Path, position: &Value) -> String {
    let hover = editor.at(HOVER, file, position);
    let text = hover["contents"]["value"].as_str();
    text.unwrap_or_default().to_owned()
}

/// Opens a file with the given text and requests completions after a mark; returns the labels of the completions.
fn completed(editor: &mut Editor, file: &Path, text: &str, mark: &str) -> Vec<String> {
    editor.open(file, text);
    let list = editor.at(COMPLETION, file, &after(text, mark));
    let items = list["items"].as_array().expect("a list").iter();
    items
        .map(|item| item["label"].as_str().expect("a text").to_owned())
        .collect()
}

#[test]
fn a_finding_shows_the_page_of_its_rule() {
    let (world, main) = demo(BROKEN);
    let mut editor = pushed(&world);
    editor.open(&main, BROKEN);
    let text = hovered(&mut editor, &main, &after(BROKEN, "](gui"));
    assert!(text.starts_with("**SKL301 link-file-exists**"), "{text}");
    assert!(text.contains("## Why"), "{text}");
    assert_eq!(editor.at(HOVER, &main, &at(7, 1)), Value::Null);
}

#[test]
fn a_key_shows_what_clients_do_with_it() {
    let (world, main) = demo(FINE);
    let mut editor = pushed(&world);
    editor.open(&main, FINE);
    let text = hovered(&mut editor, &main, &after(FINE, "---\nna"));
    assert!(text.contains("- `spec`: a string; required"), "{text}");
    assert!(text.contains("`claude-code`"), "{text}");
    // The hover shows only the configured clients.
    fs::write(world.cwd.join(".skilllint.toml"), "clients = [\"spec\"]\n").unwrap();
    let text = hovered(&mut editor, &main, &after(FINE, "---\nna"));
    assert!(
        text.contains("`spec`") && !text.contains("`claude-code`"),
        "{text}"
    );
}

#[test]
fn the_clients_of_the_editor_replace_those_of_the_configuration() {
    let (world, main) = demo(FINE);
    fs::write(world.cwd.join(".skilllint.toml"), "clients = [\"spec\"]\n").unwrap();
    let mut editor = Editor::silent(&world, PROGRAM);
    let folder = json!({"uri": uri(&world.cwd), "name": "work"});
    let params = json!({
        "capabilities": {},
        "workspaceFolders": [folder],
        "initializationOptions": {"clients": ["codex", "nonsense"]},
    });
    editor.result("initialize", &params);
    editor.notify("initialized", &json!({}));
    editor.open(&main, FINE);
    let text = hovered(&mut editor, &main, &after(FINE, "---\nna"));
    assert!(text.contains("`codex`"), "{text}");
    assert!(!text.contains("`spec`"), "{text}");
    let mut said = editor.notifications.iter();
    let warning = said
        .find(|of| of["method"] == "window/showMessage")
        .unwrap();
    assert_eq!(
        warning["params"]["message"],
        "skc: unknown client 'nonsense'"
    );
}

#[test]
fn keys_and_values_of_the_frontmatter_are_completed_for_the_clients() {
    let (world, main) = demo(FINE);
    let config = world.cwd.join(".skilllint.toml");
    fs::write(&config, "clients = [\"claude-code\"]\n").unwrap();
    let mut editor = pushed(&world);
    let text = FINE.replace("---\n\n", "arg\n---\n\n");
    let keys = completed(&mut editor, &main, &text, "shown.\narg");
    assert!(keys.contains(&"argument-hint".to_owned()), "{keys:?}");
    assert!(keys.iter().all(|key| key.contains("arg")), "{keys:?}");
    let text = FINE.replace("---\n\n", "disable-model-invocation: \n---\n\n");
    let values = completed(&mut editor, &main, &text, "invocation: ");
    assert!(values.contains(&"true".to_owned()), "{values:?}");
    let text = FINE.replace("name: demo", "name: ");
    assert_eq!(completed(&mut editor, &main, &text, "name: "), ["demo"]);
    // Completion also works in frontmatter that is not closed yet.
    let keys = completed(&mut editor, &main, "---\nna", "na");
    assert!(keys.contains(&"name".to_owned()), "{keys:?}");
}

#[test]
fn paths_and_anchors_in_links_are_completed() {
    let (world, main) = demo(FINE);
    let dir = main.parent().unwrap();
    let guide = "# The guide\n\n## Set up\n";
    write_files(dir, &[("docs/a guide.md", guide), ("docs/run.sh", "")]);
    let mut editor = pushed(&world);
    let text = format!("{FINE}\n[a](do");
    let paths = completed(&mut editor, &main, &text, "(do");
    assert_eq!(paths, ["docs/a%20guide.md", "docs/run.sh"]);
    let text = format!("{FINE}\n[a](docs/a%20guide.md#");
    let anchors = completed(&mut editor, &main, &text, "md#");
    assert_eq!(anchors, ["the-guide", "set-up"]);
    let text = format!("{FINE}\n[a](#");
    assert_eq!(completed(&mut editor, &main, &text, "(#"), ["demo"]);
    let text = format!("{FINE}\n[a]: docs/r");
    assert_eq!(
        completed(&mut editor, &main, &text, ": docs/r"),
        ["docs/run.sh"]
    );
    let text = format!("{FINE}\nNo link (do");
    assert_eq!(completed(&mut editor, &main, &text, "(do"), [""; 0]);
}

#[test]
fn an_item_replaces_what_was_typed() {
    let (world, main) = demo(FINE);
    write_files(main.parent().unwrap(), &[("docs/run.sh", "")]);
    let mut editor = pushed(&world);
    let text = "# 😀\n\n[😀](do";
    editor.open(&main, text);
    let list = editor.at(COMPLETION, &main, &after(text, "(do"));
    let edit = &list["items"][0]["textEdit"];
    let range = json!({"start": at(2, 5), "end": at(2, 7)});
    assert_eq!(*edit, json!({"range": range, "newText": "docs/run.sh"}));
}

#[test]
fn names_of_skills_are_completed() {
    let world = World::new();
    let main = world
        .directory("demo", &[("SKILL.md", FINE)])
        .join("SKILL.md");
    let other = super::renamed(FINE, "other-one");
    world.directory("other-one", &[("SKILL.md", &other)]);
    let mut editor = pushed(&world);
    // The skills of the workspace are known once they have been linted.
    editor.result("workspace/diagnostic", &json!({"previousResultIds": []}));
    let text = format!("{FINE}\nRun `other");
    assert_eq!(
        completed(&mut editor, &main, &text, "`other"),
        ["other-one"]
    );
    let text = format!("{FINE}\nRun /oth");
    assert_eq!(completed(&mut editor, &main, &text, "/oth"), ["other-one"]);
}
