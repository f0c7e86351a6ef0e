//! The life cycle of a connection, and the capabilities of client and server.

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::lsp::{Editor, at, uri};

use super::pushed;
use crate::PROGRAM;

#[test]
fn a_server_says_what_it_can_do_and_ends_with_status_0() {
    let world = World::new();
    let editor = pushed(&world);
    let able = &editor.welcome["capabilities"];
    assert_eq!(able["positionEncoding"], "utf-16");
    assert_eq!(able["textDocumentSync"]["change"], 2);
    assert_eq!(able["diagnosticProvider"]["workspaceDiagnostics"], true);
    assert_eq!(editor.welcome["serverInfo"]["name"], "skc");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn utf_8_is_used_if_the_client_offers_it() {
    let world = World::new();
    for (offered, used) in [
        (json!(["utf-32", "utf-8"]), "utf-8"),
        (json!(["utf-32"]), "utf-16"),
        (json!("utf-8"), "utf-16"),
    ] {
        let capabilities = json!({"general": {"positionEncodings": offered}});
        let editor = Editor::new(&world, PROGRAM, &capabilities);
        let able = &editor.welcome["capabilities"];
        assert_eq!(able["positionEncoding"], used, "{offered}");
    }
}

#[test]
fn requests_before_and_after_the_session_are_errors() {
    let world = World::new();
    let mut editor = Editor::silent(&world, PROGRAM);
    let document = json!({"textDocument": {"uri": "file:///x"}});
    let (code, _) = editor.error("textDocument/diagnostic", &document);
    assert_eq!(code, -32002);
    editor.notify("textDocument/didOpen", &json!({}));
    editor.result("initialize", &json!({"capabilities": {}}));
    assert_eq!(editor.error("initialize", &json!({})).0, -32600);
    assert_eq!(editor.error("textDocument/nonsense", &document).0, -32601);
    editor.result("shutdown", &Value::Null);
    assert_eq!(editor.error("textDocument/diagnostic", &document).0, -32600);
    assert_eq!(editor.hang_up(), Some(0));
}

/// Each request is answered once: with its result, or as cancelled. There are more requests than fit in a queue.
#[test]
fn every_request_before_shutdown_is_answered() {
    let world = World::new();
    for n in 0..60 {
        let name = format!("skill-{n}");
        let text = skillc_tests::MINIMAL.replace("demo", &name);
        world.directory(&name, &[("SKILL.md", &text)]);
    }
    let file = uri(&world.cwd.join("skill-7/SKILL.md"));
    let params = json!({"textDocument": {"uri": file}, "position": at(0, 0)});
    for end in ["nothing", "exit", "the end of the input"] {
        let mut editor = pushed(&world);
        let all = json!({"previousResultIds": []});
        let mut ids = vec![editor.ask("workspace/diagnostic", &all)];
        for _ in 0..300 {
            ids.push(editor.ask("textDocument/diagnostic", &params));
            ids.push(editor.ask("textDocument/hover", &params));
        }
        let shutdown = editor.ask("shutdown", &Value::Null);
        let late = editor.ask("textDocument/hover", &params);
        match end {
            "exit" => editor.notify("exit", &Value::Null),
            "nothing" => {}
            _ => editor.close_input(),
        }
        let answer = editor.answer(shutdown);
        assert!(answer.get("error").is_none(), "{end}: {answer}");
        for id in ids {
            assert!(editor.is_answered(id), "{end}: {id} after shutdown");
            let answer = editor.answer(id);
            let code = answer["error"]["code"].as_i64();
            assert!(matches!(code, None | Some(-32800)), "{end}: {answer}");
        }
        let answer = editor.answer(late);
        assert_eq!(answer["error"]["code"], -32600, "{end}: {answer}");
        assert_eq!(editor.hang_up(), Some(0), "{end}");
    }
}

/// Before `initialize`, `shutdown` is an error without effect.
#[test]
fn shutdown_before_the_session_has_no_effect() {
    let world = World::new();
    let mut editor = Editor::silent(&world, PROGRAM);
    assert_eq!(editor.error("shutdown", &Value::Null).0, -32002);
    editor.result("initialize", &json!({"capabilities": {}}));
    // The delay is long enough for a shutdown to cancel later requests.
    std::thread::sleep(std::time::Duration::from_millis(500));
    editor.result("workspace/diagnostic", &json!({"previousResultIds": []}));
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn without_shutdown_the_exit_status_is_1() {
    let world = World::new();
    assert_eq!(pushed(&world).hang_up(), Some(1));
    let mut editor = Editor::silent(&world, PROGRAM);
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.hang_up(), Some(1));
}

#[test]
fn the_client_is_asked_to_watch_files_if_it_can() {
    let world = World::new();
    let can = json!({"didChangeWatchedFiles": {"dynamicRegistration": true}});
    let mut editor = Editor::new(&world, PROGRAM, &json!({"workspace": can}));
    editor.wait_for(|editor| {
        let mut asked = editor.notifications.iter();
        asked.any(|of| of["method"] == "client/registerCapability")
    });
}

#[test]
fn progress_is_shown_for_a_large_workspace() {
    let world = World::new();
    for n in 0..60 {
        let name = format!("skill-{n}");
        let text = skillc_tests::MINIMAL.replace("demo", &name);
        world.directory(&name, &[("SKILL.md", &text)]);
    }
    let capabilities = json!({"window": {"workDoneProgress": true}});
    let mut editor = Editor::new(&world, PROGRAM, &capabilities);
    let has = |editor: &Editor, kind: &str| {
        let mut all = editor.notifications.iter();
        all.any(|of| of["method"] == "$/progress" && of["params"]["value"]["kind"] == *kind)
    };
    editor.wait_for(|editor| has(editor, "end"));
    assert!(has(&editor, "begin") && has(&editor, "report"));
}

#[test]
fn a_cancelled_request_is_answered_at_once() {
    let world = World::new();
    let mut editor = pushed(&world);
    let params = json!({"textDocument": {"uri": uri(&world.cwd)}, "previousResultIds": []});
    let id = editor.ask("workspace/diagnostic", &params);
    editor.notify("$/cancelRequest", &json!({"id": id}));
    // A result and an error are both valid: the server may already have answered when the request was cancelled.
    let answer = editor.answer(id);
    let code = answer["error"]["code"].as_i64();
    assert!(code.is_none() || code == Some(-32800), "{answer}");
}
