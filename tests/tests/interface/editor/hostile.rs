//! Hostile and broken input: the server answers and continues.

use std::fs;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::lsp::{Editor, after, at, range, rules_of, uri};

use super::{BROKEN, FINE, demo, pulling, pushed};
use crate::PROGRAM;

/// Asserts that the server still answers.
#[track_caller]
fn assert_alive(editor: &mut Editor) {
    let report = editor.result("workspace/diagnostic", &json!({"previousResultIds": []}));
    assert!(report["items"].is_array(), "{report}");
}

#[test]
fn messages_that_are_not_messages_are_reported_and_skipped() {
    let world = World::new();
    let mut editor = pulling(&world);
    for (body, code) in [
        ("{", -32700),
        ("[]", -32600),
        ("17", -32600),
        (r#"{"jsonrpc": "2.0"}"#, -32600),
    ] {
        let count = editor.strays.len();
        editor.send_text(body);
        editor.wait_for(|editor| editor.strays.len() > count);
        assert_eq!(editor.strays[count]["error"]["code"], code, "{body}");
    }
    editor.write(b"Content-Type: x\r\n\r\n");
    editor.wait_for(|editor| editor.strays.len() > 4);
    editor.send_text(&format!("{}{}", "[".repeat(5000), "]".repeat(5000)));
    editor.wait_for(|editor| editor.strays.len() > 5);
    assert_alive(&mut editor);
}

#[test]
fn wrong_parameters_are_errors_in_requests_and_ignored_in_notifications() {
    let world = World::new();
    let mut editor = pulling(&world);
    for params in [
        json!(null),
        json!([]),
        json!({}),
        json!({"textDocument": {"uri": 1}}),
        json!({"textDocument": {"uri": "not a uri"}}),
    ] {
        let (code, _) = editor.error("textDocument/diagnostic", &params);
        assert_eq!(code, -32602, "{params}");
        for method in [
            "textDocument/didOpen",
            "textDocument/didChange",
            "textDocument/didClose",
            "textDocument/didSave",
            "workspace/didChangeWatchedFiles",
            "workspace/didChangeWorkspaceFolders",
            "workspace/didChangeConfiguration",
            "$/cancelRequest",
            "$/nonsense",
            "nonsense",
        ] {
            editor.notify(method, &params);
        }
    }
    assert_alive(&mut editor);
}

#[test]
fn positions_outside_the_text_are_moved_into_it() {
    let (world, main) = demo(FINE);
    let mut editor = pushed(&world);
    editor.open(&main, FINE);
    let end = u64::from(u32::MAX);
    editor.change(
        &main,
        2,
        Some(&range((end, end), (end, end))),
        "[x](gone.md)\n",
    );
    assert_eq!(editor.rules(&main, Some(2)), ["SKL301"]);
    // A backward range, from the end to the start.
    editor.change(&main, 3, Some(&range((end, 0), (0, 0))), FINE);
    assert!(editor.rules(&main, Some(3)).is_empty());
    editor.change(&main.with_file_name("closed.md"), 4, None, "x");
    assert_alive(&mut editor);
}

/// Sends every request about a position, for documents and positions that no real editor would send.
#[test]
fn odd_positions_in_odd_texts_are_answered() {
    let (world, main) = demo(FINE);
    let mut editor = pushed(&world);
    let end = u64::from(u32::MAX);
    let texts = [
        "",
        "\u{feff}",
        "---",
        "---\nname: [\n",
        "---\nname: demo\n---",
        "\r\r\n# 😀\r[a](#",
        "[a](<b\n#\n=\n|a|\n|-|\n```",
    ];
    for (version, text) in (2..).zip(texts) {
        editor.open(&main, "x");
        editor.change(&main, version, None, text);
        for position in [at(0, 0), at(0, 2), at(2, 1), at(0, end), at(end, end)] {
            let document = json!({"uri": uri(&main)});
            let range = json!({"start": position, "end": position});
            let params = json!({
                "textDocument": document,
                "position": position,
                "range": range,
                "newName": "x",
                "context": {"includeDeclaration": true, "diagnostics": [], "triggerKind": 1},
            });
            for method in [
                "textDocument/hover",
                "textDocument/completion",
                "textDocument/definition",
                "textDocument/references",
                "textDocument/documentSymbol",
                "textDocument/prepareRename",
                "textDocument/rename",
                "textDocument/codeAction",
                "textDocument/diagnostic",
            ] {
                let id = editor.ask(method, &params);
                let answer = editor.answer(id);
                let code = answer["error"]["code"].as_i64();
                assert!(matches!(code, None | Some(-32803)), "{method}: {answer}");
            }
        }
    }
}

#[test]
fn an_open_file_can_be_deleted_with_its_skill() {
    let (world, main) = demo(BROKEN);
    let mut editor = pulling(&world);
    editor.open(&main, BROKEN);
    let params = json!({"textDocument": {"uri": uri(&main)}});
    fs::remove_file(&main).unwrap();
    editor.changed_on_disk(&main);
    let report = editor.result("textDocument/diagnostic", &params);
    assert_eq!(report["items"][0]["code"], "SKL301");
    fs::remove_dir_all(main.parent().unwrap()).unwrap();
    editor.changed_on_disk(&main);
    let report = editor.result("textDocument/diagnostic", &params);
    assert_eq!(report["items"][0]["code"], "SKL301");
    editor.close(&main);
    let report = editor.result("textDocument/diagnostic", &params);
    assert_eq!(report["items"], json!([]));
    assert_alive(&mut editor);
}

#[test]
fn a_burst_of_edits_ends_with_the_findings_of_the_last_one() {
    let (world, main) = demo(FINE);
    let mut editor = pushed(&world);
    editor.open(&main, FINE);
    for version in 2..3000 {
        let text = if version % 2 == 0 { BROKEN } else { FINE };
        editor.change(&main, version, None, text);
    }
    editor.change(&main, 3000, None, BROKEN);
    assert_eq!(rules_of(&editor.published(&main, Some(3000))), ["SKL301"]);
}

#[test]
fn a_text_that_is_too_large_is_not_linted() {
    let (world, main) = demo(FINE);
    let mut editor = pushed(&world);
    editor.open(&main, &"x".repeat(5 << 20));
    editor.change(&main, 2, Some(&range((0, 0), (0, 0))), "x");
    editor.change(&main, 3, None, BROKEN);
    assert_eq!(editor.rules(&main, Some(3)), ["SKL301"]);
}

/// The column of a finding is not computed by counting from the start of its line: in a long line, this would take
/// quadratic time.
#[test]
fn a_line_of_thousands_of_findings_is_answered() {
    let mut text = FINE.to_owned();
    for at in 0..5000 {
        text += &format!(" [a](b{at}.md)");
    }
    text.push('\n');
    let (world, main) = demo(&text);
    let mut editor = pulling(&world);
    let document = json!({"uri": uri(&main)});
    let params = json!({"textDocument": document});
    let report = editor.result("textDocument/diagnostic", &params);
    let found = report["items"].as_array().unwrap();
    assert_eq!(found.len(), 1000);
    editor.open(&main, &text);
    for method in ["textDocument/documentSymbol", "textDocument/diagnostic"] {
        editor.result(method, &params);
    }
    let end = u64::from(u32::MAX);
    let params = json!({
        "textDocument": document,
        "range": range((0, 0), (end, end)),
        "context": {"diagnostics": []},
    });
    let actions = editor.result("textDocument/codeAction", &params);
    assert!(actions.as_array().unwrap().len() > 900);
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn thousands_of_fields_in_one_line_are_answered() {
    let mut fields = "name: demo, description: Shows links.".to_owned();
    for at in 0..4000 {
        fields += &format!(", k{at}: 1");
    }
    let text = format!("---\n{{{fields}}}\n---\n\n# Demo\n");
    let (world, main) = demo(&text);
    let mut editor = pulling(&world);
    editor.open(&main, &text);
    let params = json!({"textDocument": {"uri": uri(&main)}});
    for method in ["textDocument/documentSymbol", "textDocument/diagnostic"] {
        editor.result(method, &params);
    }
    assert_eq!(editor.end(), Some(0));
}

/// The headings of a file are not read again for each link.
#[test]
fn thousands_of_links_to_headings_are_followed() {
    let mut text = FINE.to_owned();
    for at in 0..2000 {
        text += &format!("\n## H{at}\n\n[a](#h{at}) and [b](#none{at})\n");
    }
    let (world, main) = demo(&text);
    let mut editor = pushed(&world);
    let params = json!({
        "textDocument": {"uri": uri(&main)},
        "position": after(&text, "## H"),
        "newName": "Start",
        "context": {"includeDeclaration": false},
    });
    let places = editor.result("textDocument/references", &params);
    assert_eq!(places.as_array().unwrap().len(), 1);
    let edit = editor.result("textDocument/rename", &params);
    let edits = edit["changes"][uri(&main)].as_array().unwrap();
    assert_eq!(edits.len(), 2, "{edit}");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn characters_that_mislead_are_escaped() {
    let text = BROKEN.replace("# Demo", "# De\u{202e}mo");
    let text = text.replace("guide.md", "g\u{e0041}uide.md");
    let (world, main) = demo(&text);
    let mut editor = pulling(&world);
    let params = json!({"textDocument": {"uri": uri(&main)}});
    let symbols = editor.result("textDocument/documentSymbol", &params);
    assert_eq!(symbols[0]["name"], "De\\u{202e}mo");
    let report = editor.result("textDocument/diagnostic", &params);
    assert!(report.to_string().contains("SKL301"), "{report}");
    assert!(!report.to_string().contains('\u{e0041}'), "{report}");
}

/// An editor would save this file through the symlink, so a fix would change another skill.
#[cfg(unix)]
#[test]
fn an_open_file_that_leads_out_of_its_skill_is_none_of_its_files() {
    let (world, main) = demo(FINE);
    let other = world.directory("other", &[("SKILL.md", FINE)]);
    let linked = main.with_file_name("linked.md");
    std::os::unix::fs::symlink(other.join("SKILL.md"), &linked).unwrap();
    let mut editor = pulling(&world);
    editor.open(&linked, BROKEN);
    let params = json!({"textDocument": {"uri": uri(&linked)}});
    let report = editor.result("textDocument/diagnostic", &params);
    assert!(!report.to_string().contains("SKL301"), "{report}");
    let symbols = editor.result("textDocument/documentSymbol", &params);
    assert_eq!(symbols, Value::Null);
}

/// A workspace can be the whole file system: the search for skills is bounded.
#[cfg(unix)]
#[test]
fn the_root_can_be_a_workspace() {
    let (world, main) = demo(BROKEN);
    let mut editor = Editor::silent(&world, PROGRAM);
    let params = json!({"capabilities": {}, "rootUri": "file:///"});
    editor.result("initialize", &params);
    editor.notify("initialized", &json!({}));
    editor.open(&main, BROKEN);
    assert!(editor.rules(&main, Some(1)).contains(&"SKL301".to_owned()));
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_folder_that_does_not_exist_is_no_problem() {
    let world = World::new();
    let mut editor = Editor::silent(&world, PROGRAM);
    let gone = json!({"uri": uri(&world.cwd.join("gone")), "name": "gone"});
    let odd = json!({"uri": "https://example.org", "name": "odd"});
    let params = json!({"capabilities": 1, "workspaceFolders": [gone, odd, 7]});
    editor.result("initialize", &params);
    editor.notify("initialized", &Value::Null);
    assert_alive(&mut editor);
}
