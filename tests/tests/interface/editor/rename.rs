//! Renaming a heading or a file updates the links to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillc_core::testkit::write_files;
use skillc_tests::World;
use skillc_tests::lsp::{Editor, after, uri};

use super::{demo, pushed};
use crate::PROGRAM;

const MAIN: &str = "---\nname: demo\ndescription: Shows links. Use when a link has to be shown.\n---\n\n# Demo\n\nSee [one](docs/guide.md#part), [two](docs/guide.md#part-1), [all](docs/guide.md) and [run](docs/run.sh).\n";

const GUIDE: &str =
    "# Guide\n\n## Part\n\n## Part\n\nSee [below](#part-1) and [the skill](../SKILL.md).\n";

fn linked() -> (World, PathBuf, PathBuf) {
    let (world, main) = demo(MAIN);
    let files = [("docs/guide.md", GUIDE), ("docs/run.sh", "")];
    write_files(main.parent().expect("a folder"), &files);
    let guide = main.with_file_name("docs").join("guide.md");
    (world, main, guide)
}

/// Starts an editor that can rename files.
fn able(world: &World) -> Editor {
    let edits = json!({"documentChanges": true, "resourceOperations": ["rename"]});
    let capabilities = json!({"workspace": {"workspaceEdit": edits}});
    Editor::new(world, PROGRAM, &capabilities)
}

fn rename(file: &Path, position: &Value, name: &str) -> Value {
    json!({"textDocument": {"uri": uri(file)}, "position": position, "newName": name})
}

/// Returns the replacement text of each edit, grouped by file name and ordered by position in the file.
fn new_texts(edit: &Value) -> BTreeMap<String, Vec<String>> {
    let list = |edits: &Value| edits.as_array().expect("a list").clone();
    let several: Vec<(String, Vec<Value>)> = if let Some(changes) = edit["changes"].as_object() {
        let changes = changes.iter();
        changes
            .map(|(uri, edits)| (uri.clone(), list(edits)))
            .collect()
    } else {
        let changes = list(&edit["documentChanges"]).into_iter();
        let changes = changes.filter(|change| change.get("edits").is_some());
        let uri = |change: &Value| change["textDocument"]["uri"].as_str().map(str::to_owned);
        changes
            .map(|change| (uri(&change).expect("a URI"), list(&change["edits"])))
            .collect()
    };
    let of = |(uri, mut edits): (String, Vec<Value>)| {
        edits.sort_by_key(|edit| {
            let start = &edit["range"]["start"];
            (start["line"].as_u64(), start["character"].as_u64())
        });
        let name = uri.rsplit('/').next().expect("a name").to_owned();
        let texts = edits
            .iter()
            .map(|edit| edit["newText"].as_str().expect("a text").to_owned());
        (name, texts.collect())
    };
    several.into_iter().map(of).collect()
}

fn expected(of: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    of.iter()
        .map(|(file, new)| ((*file).to_owned(), texts(new)))
        .collect()
}

#[test]
fn renaming_a_heading_changes_the_fragments_that_lead_to_it_or_are_numbered_after_it() {
    let (world, _main, guide) = linked();
    let mut editor = pushed(&world);
    editor.open(&guide, GUIDE);
    let position = after(GUIDE, "## Pa");
    let prepared = editor.at("textDocument/prepareRename", &guide, &position);
    assert_eq!(prepared["placeholder"], "Part");
    let edit = editor.result("textDocument/rename", &rename(&guide, &position, "Set up"));
    let expected = expected(&[
        ("SKILL.md", &["set-up", "part"]),
        ("guide.md", &["Set up", "part"]),
    ]);
    assert_eq!(new_texts(&edit), expected, "{edit}");
}

#[test]
fn a_heading_cannot_become_something_else() {
    let (world, _main, guide) = linked();
    let mut editor = pushed(&world);
    editor.open(&guide, GUIDE);
    let position = after(GUIDE, "## Pa");
    for name in ["", "  ", "a\n# b", &"x".repeat(2000)] {
        let (code, _) = editor.error("textDocument/rename", &rename(&guide, &position, name));
        assert_eq!(code, -32803, "{name}");
    }
    let text = after(GUIDE, "\n\nSee");
    let (code, _) = editor.error("textDocument/rename", &rename(&guide, &text, "x"));
    assert_eq!(code, -32803);
    assert_eq!(
        editor.at("textDocument/prepareRename", &guide, &text),
        Value::Null
    );
}

#[test]
fn renaming_a_file_through_a_link_moves_it_and_changes_all_links() {
    let (world, main, guide) = linked();
    let mut editor = able(&world);
    editor.open(&main, MAIN);
    let position = after(MAIN, "(docs/gui");
    let prepared = editor.at("textDocument/prepareRename", &main, &position);
    assert_eq!(prepared["placeholder"], "docs/guide.md");
    let edit = editor.result(
        "textDocument/rename",
        &rename(&main, &position, "more/the guide.md"),
    );
    let path = "more/the%20guide.md";
    let expected = expected(&[("SKILL.md", &[path, path, path])]);
    assert_eq!(new_texts(&edit), expected, "{edit}");
    let changes = edit["documentChanges"].as_array().unwrap();
    let new = main.with_file_name("more").join("the guide.md");
    assert_eq!(
        *changes.last().unwrap(),
        json!({"kind": "rename", "oldUri": uri(&guide), "newUri": uri(&new)})
    );
    for name in ["../x.md", "/x.md", "docs/run.sh", ".hidden/x.md"] {
        let (code, _) = editor.error("textDocument/rename", &rename(&main, &position, name));
        assert_eq!(code, -32803, "{name}");
    }
    let mut unable = pushed(&world);
    unable.open(&main, MAIN);
    let (code, _) = unable.error("textDocument/rename", &rename(&main, &position, "x.md"));
    assert_eq!(code, -32803);
}

#[test]
fn links_follow_files_and_folders_that_the_user_moves() {
    let (world, main, guide) = linked();
    let mut editor = able(&world);
    let root = main.parent().unwrap();
    let mut moved = |old: &Path, new: &Path| {
        let file = json!({"oldUri": uri(old), "newUri": uri(new)});
        editor.result("workspace/willRenameFiles", &json!({"files": [file]}))
    };
    let edit = moved(&root.join("docs"), &root.join("guides"));
    let path = "guides/guide.md";
    let of_main = ["SKILL.md", path, path, path, "guides/run.sh"];
    assert_eq!(
        new_texts(&edit),
        expected(&[(of_main[0], &of_main[1..])]),
        "{edit}"
    );
    // If the file moves deeper, the link back to the skill changes, too.
    let edit = moved(&guide, &root.join("a/b/guide.md"));
    let path = "a/b/guide.md";
    assert_eq!(
        new_texts(&edit),
        expected(&[
            ("SKILL.md", &[path, path, path]),
            ("guide.md", &["../../SKILL.md"])
        ]),
        "{edit}"
    );
    // Moving a file out of its skill causes no edits, and neither does moving a file that is in no skill.
    assert_eq!(moved(&guide, &world.cwd.join("guide.md")), Value::Null);
    assert_eq!(
        moved(&world.cwd.join("a.md"), &world.cwd.join("b.md")),
        Value::Null
    );
}
