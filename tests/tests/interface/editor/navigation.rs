//! Definition, references and document symbols.

use std::path::PathBuf;

use serde_json::{Value, json};
use skillc_core::testkit::write_files;
use skillc_tests::World;
use skillc_tests::lsp::{Editor, after, at, range, uri};

use super::{FINE, demo, pushed};
use crate::PROGRAM;

const GUIDE: &str = "# Guide\n\n## Set up\n\nBack to [the skill](../SKILL.md#demo).\n\n## Use\n";

const LINKS: &str = "---\nname: demo\ndescription: Shows links. Use when a link has to be shown.\n---\n\n# Demo\n\nSee [the guide](docs/guide.md), [setting up](docs/guide.md#set-up) and `docs/guide.md`.\n";

fn linked() -> (World, PathBuf, PathBuf) {
    let (world, main) = demo(LINKS);
    write_files(
        main.parent().expect("a folder"),
        &[("docs/guide.md", GUIDE)],
    );
    let guide = main.with_file_name("docs").join("guide.md");
    (world, main, guide)
}

/// Returns the lines of the locations in a file, sorted.
fn lines(places: &Value, file: &std::path::Path) -> Vec<u64> {
    let places = places.as_array().expect("a list").iter();
    let here = places.filter(|place| place["uri"] == *uri(file));
    let mut lines: Vec<u64> = here
        .map(|place| place["range"]["start"]["line"].as_u64().expect("a line"))
        .collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_link_leads_to_its_file_or_heading() {
    let (world, main, guide) = linked();
    let mut editor = pushed(&world);
    editor.open(&main, LINKS);
    let method = "textDocument/definition";
    let start = range((0, 0), (0, 0));
    for (mark, expected) in [
        ("](docs/gui", start.clone()),
        ("[the gui", start.clone()),
        ("`docs/gui", start),
        ("setting", range((2, 0), (2, 9))),
    ] {
        let place = editor.at(method, &main, &after(LINKS, mark));
        assert_eq!(place["uri"], *uri(&guide), "{mark}");
        assert_eq!(place["range"]["start"], expected["start"], "{mark}");
    }
    let nowhere = editor.at(method, &main, &at(7, 1));
    assert_eq!(nowhere, Value::Null);
}

#[test]
fn references_to_a_heading_and_to_a_file_are_found() {
    let (world, main, guide) = linked();
    let mut editor = pushed(&world);
    editor.open(&guide, GUIDE);
    let mut asked = |position: &Value, declared: bool| {
        let params = json!({
            "textDocument": {"uri": uri(&guide)},
            "position": position,
            "context": {"includeDeclaration": declared},
        });
        editor.result("textDocument/references", &params)
    };
    let of_heading = asked(&after(GUIDE, "## Set"), true);
    assert_eq!(lines(&of_heading, &main), [7]);
    assert_eq!(lines(&of_heading, &guide), [2]);
    // The first heading represents the file, so its references are the link without a fragment and the mention of the
    // file.
    let of_file = asked(&after(GUIDE, "# Gui"), false);
    assert_eq!(lines(&of_file, &main), [7, 7]);
    // At a link, the result contains all links to the same heading.
    let of_target = asked(&after(GUIDE, "SKILL.md#de"), false);
    assert_eq!(lines(&of_target, &guide), [4]);
    assert_eq!(asked(&at(3, 0), false), Value::Null);
}

#[test]
fn symbols_are_fields_and_headings() {
    let (world, main) = demo(FINE);
    let text = FINE.replace("Text.", "## Part\n\n### Deep\n\n## Other");
    let able = json!({"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}});
    let mut editor = Editor::new(&world, PROGRAM, &json!({"textDocument": able}));
    editor.open(&main, &text);
    let params = json!({"textDocument": {"uri": uri(&main)}});
    let symbols = editor.result("textDocument/documentSymbol", &params);
    assert_eq!(symbols[0]["name"], "frontmatter");
    assert_eq!(symbols[0]["children"][1]["name"], "description");
    let demo = &symbols[1];
    assert_eq!(demo["name"], "Demo");
    assert_eq!(demo["children"][0]["children"][0]["name"], "Deep");
    assert_eq!(demo["children"][1]["name"], "Other");
    let mut old = pushed(&world);
    old.open(&main, &text);
    let flat = old.result("textDocument/documentSymbol", &params);
    let names: Vec<&Value> = flat
        .as_array()
        .unwrap()
        .iter()
        .map(|of| &of["name"])
        .collect();
    assert_eq!(names, ["Demo", "Part", "Deep", "Other"]);
    assert_eq!(flat[0]["location"]["uri"], *uri(&main));
}

#[test]
fn the_number_of_symbols_is_limited() {
    let text = format!("{FINE}{}", "\n## Part\n".repeat(6000));
    let (world, main) = demo(&text);
    let able = json!({"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}});
    let mut editor = Editor::new(&world, PROGRAM, &json!({"textDocument": able}));
    let params = json!({"textDocument": {"uri": uri(&main)}});
    let symbols = editor.result("textDocument/documentSymbol", &params);
    let count = |of: &Value| of["children"].as_array().unwrap().len();
    assert_eq!(count(&symbols[0]), 2);
    // The other symbols are the two fields and the first heading.
    assert_eq!(count(&symbols[1]), 5000 - 3);
    let flat = pushed(&world).result("textDocument/documentSymbol", &params);
    assert_eq!(flat.as_array().unwrap().len(), 5000);
}

#[test]
fn a_file_in_no_skill_has_no_symbols() {
    let world = World::new();
    let notes = world.cwd.join("notes.md");
    let mut editor = pushed(&world);
    editor.open(&notes, "# A\n");
    let params = json!({"textDocument": {"uri": uri(&notes)}});
    let symbols = editor.result("textDocument/documentSymbol", &params);
    assert_eq!(symbols, Value::Null);
}
