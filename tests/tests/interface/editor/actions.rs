//! Code actions: fixes, directives, and all safe fixes at once.

use std::path::Path;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::lsp::{Editor, range, uri};

use super::{BROKEN, demo, pushed};
use crate::PROGRAM;

/// A skill with two broken links: a safe fix repairs the first; a fix of the second can only guess the target.
const FIXABLE: &str = "---\nname: demo\ndescription: Shows links. Use when a link has to be shown.\n---\n\n# Demo\n\nSee [the guide](docs\\guide.md) and [more](more.md).\n";

fn fixable() -> (World, std::path::PathBuf) {
    let world = World::new();
    let files = [
        ("SKILL.md", FIXABLE),
        ("docs/guide.md", "# Guide\n"),
        ("docs/more.md", "# More\n"),
    ];
    let main = world.directory("demo", &files).join("SKILL.md");
    (world, main)
}

/// Requests the code actions for a range. `only`: the requested kinds.
fn actions(editor: &mut Editor, file: &Path, at: &Value, only: &Value) -> Vec<Value> {
    let context = json!({"diagnostics": [], "only": only});
    let params = json!({"textDocument": {"uri": uri(file)}, "range": at, "context": context});
    let all = editor.result("textDocument/codeAction", &params);
    all.as_array().expect("a list").clone()
}

/// Applies the edits of an action to a document, which must be ASCII.
fn applied(text: &str, action: &Value, file: &Path) -> String {
    let edits = action["edit"]["changes"][uri(file)].as_array();
    let mut edits = edits
        .unwrap_or_else(|| panic!("no edits: {action}"))
        .clone();
    let starts: Vec<usize> = [0]
        .into_iter()
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let offset = |at: &Value| {
        let number =
            |key: &str| usize::try_from(at[key].as_u64().expect("a number")).expect("an answer");
        starts[number("line")] + number("character")
    };
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(&edit["range"]["start"])));
    let mut text = text.to_owned();
    for edit in edits {
        let (start, end) = (
            offset(&edit["range"]["start"]),
            offset(&edit["range"]["end"]),
        );
        text.replace_range(start..end, edit["newText"].as_str().expect("a text"));
    }
    text
}

#[test]
fn a_safe_fix_is_preferred_and_another_needs_review() {
    let (world, main) = fixable();
    let mut editor = pushed(&world);
    editor.open(&main, FIXABLE);
    let line = range((7, 0), (7, 60));
    let all = actions(&mut editor, &main, &line, &json!(["quickfix"]));
    let fixes: Vec<&Value> = all
        .iter()
        .filter(|of| of["isPreferred"].is_boolean())
        .collect();
    let safe = fixes.iter().find(|of| of["isPreferred"] == true).unwrap();
    assert_eq!(
        applied(FIXABLE, safe, &main),
        FIXABLE.replace("docs\\guide", "docs/guide")
    );
    let other = fixes.iter().find(|of| of["isPreferred"] == false).unwrap();
    assert!(other["title"].as_str().unwrap().ends_with("(needs review)"));
    assert_eq!(
        applied(FIXABLE, other, &main),
        FIXABLE.replace("](more", "](docs/more")
    );
    assert_eq!(safe["diagnostics"][0]["code"], "SKL301");
    let elsewhere = range((0, 0), (1, 0));
    let none = actions(&mut editor, &main, &elsewhere, &json!(["quickfix"]));
    assert!(none.is_empty(), "{none:?}");
}

#[test]
fn an_action_suppresses_a_finding_with_a_reason() {
    let (world, main) = demo(BROKEN);
    let mut editor = pushed(&world);
    editor.open(&main, BROKEN);
    let all = actions(&mut editor, &main, &range((9, 17), (9, 17)), &Value::Null);
    let mut named = all.iter();
    let suppress = named.find(|of| of["title"] == "SKL301: suppress here, with a reason");
    let text = applied(BROKEN, suppress.unwrap(), &main);
    assert!(
        text.contains("skilllint-disable-line SKL301 -- REASON"),
        "{text}"
    );
    editor.change(&main, 2, None, &text);
    assert_eq!(editor.rules(&main, Some(2)), [""; 0]);
}

#[test]
fn all_safe_fixes_are_applied_at_once() {
    let (world, main) = fixable();
    let mut editor = pushed(&world);
    editor.open(&main, FIXABLE);
    let anywhere = range((0, 0), (0, 0));
    let all = actions(&mut editor, &main, &anywhere, &json!(["source.fixAll"]));
    assert_eq!(all.len(), 1, "{all:?}");
    let expected = FIXABLE.replace("docs\\guide", "docs/guide");
    assert_eq!(applied(FIXABLE, &all[0], &main), expected);
    editor.change(&main, 2, None, &expected);
    let none = actions(&mut editor, &main, &anywhere, &json!(["source.fixAll"]));
    assert!(none.is_empty(), "{none:?}");
}

#[test]
fn a_client_that_lists_all_actions_computes_their_edit_later() {
    let (world, main) = fixable();
    let resolve = json!({"codeAction": {"resolveSupport": {"properties": ["edit"]}}});
    let edits = json!({"workspaceEdit": {"documentChanges": true}});
    let capabilities = json!({"textDocument": resolve, "workspace": edits});
    let mut editor = Editor::new(&world, PROGRAM, &capabilities);
    editor.open(&main, FIXABLE);
    let all = actions(&mut editor, &main, &range((0, 0), (0, 0)), &Value::Null);
    let mut kinds = all.iter();
    let lazy = kinds.find(|of| of["kind"] == "source.fixAll.skc").unwrap();
    assert!(lazy.get("edit").is_none(), "{lazy}");
    let resolved = editor.result("codeAction/resolve", lazy);
    let change = &resolved["edit"]["documentChanges"][0];
    assert_eq!(
        change["textDocument"],
        json!({"uri": uri(&main), "version": 1})
    );
    assert_eq!(change["edits"][0]["newText"], "/");
}
