//! Scripts over MCP: each call uses the current text of the scripts.

use std::fs;

use serde_json::{Value, json};
use skillc_core::testkit::write_files;
use skillc_tests::World;
use skillc_tests::mcp::Client;

use crate::plugins::support::{PROJECT, TODO, world};

const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

fn linted(client: &mut Client) -> String {
    let result = client.call("skc_lint", &json!({"skill": "demo"}));
    result["structuredContent"]["diagnostics"].to_string()
}

/// R5, R7.
#[test]
fn an_edited_script_is_seen_by_the_next_call() {
    let world = world(&[]);
    let mut client = Client::new(&world, PROGRAM);
    assert!(!linted(&mut client).contains("TEAM001"));
    let script = world.cwd.join(PROJECT).join("a.rhai");
    write_files(&world.cwd, &[(".skillc/plugins/a.rhai", TODO)]);
    assert!(linted(&mut client).contains("a TODO was left"));
    fs::write(&script, TODO.replace("was left", "stayed")).unwrap();
    assert!(linted(&mut client).contains("a TODO stayed"));
    fs::write(&script, "rule(").unwrap();
    assert!(linted(&mut client).contains("CFG201"));
    fs::remove_file(&script).unwrap();
    let diagnostics = linted(&mut client);
    assert!(
        !diagnostics.contains("TEAM001") && !diagnostics.contains("CFG201"),
        "{diagnostics}"
    );
}

/// R20: a script that exceeded a limit in one call is retried in the next.
#[test]
fn each_call_is_a_separate_run() {
    let endless = TODO.replace("for word in out", "loop { } for word in out");
    let world = world(&[("a.rhai", &endless)]);
    let mut client = Client::new(&world, PROGRAM);
    let first = linted(&mut client);
    assert!(first.contains("CFG201"), "{first}");
    assert_eq!(linted(&mut client), first);
}

#[test]
fn only_scripts_named_at_startup_are_loaded_and_no_tool_adds_others() {
    let world = World::demo(&[("SKILL.md", crate::plugins::support::UNDONE)]);
    write_files(&world.cwd, &[("rules/a.rhai", TODO)]);
    let command = world.process(PROGRAM, &["mcp", "--plugin", "rules"]);
    let mut client = Client::spawn(command);
    let hello = skillc_tests::mcp::handshake("2025-06-18");
    client.result("initialize", &hello);
    client.notify("notifications/initialized", &json!({}));
    assert!(linted(&mut client).contains("a TODO was left"));
    let tools = client.result("tools/list", &json!({})).to_string();
    assert!(!tools.contains("\"plugin\""), "{tools}");
    let arguments = json!({"skill": "demo", "plugin": ["rules"]});
    let refused: Value = client.call("skc_lint", &arguments);
    assert_eq!(refused["isError"], true);
}
