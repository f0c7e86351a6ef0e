//! Changes to the configuration, and configuration that is invalid for a while.

use std::fs;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::lsp::{Editor, rules_of};

use super::{BROKEN, FINE, demo, pushed};
use crate::PROGRAM;

const OFF: &str = "[rules]\nSKL301 = \"off\"\n";

/// Waits until the last published findings of a file come from exactly these rules.
#[track_caller]
fn wait_for_rules(
    editor: &mut Editor,
    file: &std::path::Path,
    version: Option<u64>,
    rules: &[&str],
) {
    let uri = skillc_tests::lsp::uri(file);
    editor.wait_for(|editor| {
        let mut all = editor.notifications.iter().rev();
        let last = all.find(|of| {
            let is_version = of["params"].get("version").and_then(Value::as_u64) == version;
            of["params"]["uri"] == *uri && is_version
        });
        let found = last.and_then(|of| of["params"]["diagnostics"].as_array());
        found.is_some_and(|found| rules_of(found) == *rules)
    });
}

#[test]
fn a_changed_configuration_applies_to_open_files() {
    let (world, main) = demo(BROKEN);
    let config = world.cwd.join(".skilllint.toml");
    let mut editor = pushed(&world);
    editor.open(&main, BROKEN);
    wait_for_rules(&mut editor, &main, Some(1), &["SKL301"]);
    fs::write(&config, OFF).unwrap();
    editor.changed_on_disk(&config);
    wait_for_rules(&mut editor, &main, Some(1), &[]);
    fs::remove_file(&config).unwrap();
    editor.changed_on_disk(&config);
    wait_for_rules(&mut editor, &main, Some(1), &["SKL301"]);
}

#[test]
fn the_last_valid_configuration_applies_while_the_file_is_invalid() {
    let (world, main) = demo(BROKEN);
    let config = world.cwd.join(".skilllint.toml");
    fs::write(&config, OFF).unwrap();
    let mut editor = pushed(&world);
    editor.open(&main, BROKEN);
    wait_for_rules(&mut editor, &main, Some(1), &[]);
    fs::write(&config, format!("{OFF}SKL302 = \"of\"\n")).unwrap();
    editor.changed_on_disk(&config);
    wait_for_rules(&mut editor, &config, None, &["E100"]);
    let found = editor.published(&config, None);
    assert_eq!(found[0]["range"]["start"]["line"], 2, "{found:?}");
    editor.change(&main, 2, None, BROKEN);
    wait_for_rules(&mut editor, &main, Some(2), &[]);
    fs::write(&config, "").unwrap();
    editor.changed_on_disk(&config);
    wait_for_rules(&mut editor, &config, None, &[]);
    wait_for_rules(&mut editor, &main, Some(2), &["SKL301"]);
}

#[test]
fn without_a_valid_configuration_only_its_fault_is_shown() {
    let (world, main) = demo(BROKEN);
    let config = world.cwd.join(".skilllint.toml");
    fs::write(&config, "presett = \"spec\"\n").unwrap();
    let mut editor = pushed(&world);
    editor.open(&main, BROKEN);
    wait_for_rules(&mut editor, &config, None, &["E100"]);
    wait_for_rules(&mut editor, &main, Some(1), &[]);
    let found = editor.published(&config, None);
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("Did you mean 'preset'?"), "{message}");
}

#[test]
fn a_client_that_asks_is_told_to_ask_again() {
    let (world, main) = demo(BROKEN);
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut editor = Editor::new(&world, PROGRAM, &capabilities);
    editor.open(&main, BROKEN);
    editor.notify("workspace/didChangeConfiguration", &json!({"settings": {}}));
    editor.wait_for(|editor| {
        let mut asked = editor.notifications.iter();
        asked.any(|of| of["method"] == "workspace/diagnostic/refresh")
    });
    // Faults in the configuration are published without a request.
    let config = world.cwd.join(".skilllint.toml");
    fs::write(&config, "[").unwrap();
    editor.changed_on_disk(&config);
    wait_for_rules(&mut editor, &config, None, &["E100"]);
}

#[test]
fn a_new_rule_of_the_project_is_noticed() {
    let world = World::project();
    let text = FINE.replace("Text.", "TODO: more.");
    let main = world
        .project_skill("demo", &[("SKILL.md", &text)])
        .join("SKILL.md");
    let mut editor = pushed(&world);
    editor.open(&main, &text);
    wait_for_rules(&mut editor, &main, Some(1), &[]);
    world.skc(["plugin", "new", "rule", "no-todo"]).success();
    editor.changed_on_disk(&world.cwd.join(".skillc/plugins/no-todo.rhai"));
    wait_for_rules(&mut editor, &main, Some(1), &["TEAM001"]);
}
