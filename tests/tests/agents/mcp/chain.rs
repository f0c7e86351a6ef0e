//! The chain that handles each call: locking, argument validation, audit, operation.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use skillc_core::hash::Sha;
use skillc_tests::mcp::{Client, texts};
use skillc_tests::{MINIMAL, World};

use crate::mcp::state::{exits, rows, state};
use crate::mcp::support::{SKC, failed, server, skc_json};

/// Returns a successful call of each tool.
fn calls() -> [(&'static str, Value); 10] {
    [
        ("skc_init", json!({"name": "fresh"})),
        ("skc_lint", json!({"skill": "demo"})),
        ("skc_build", json!({"skill": "demo"})),
        ("skc_list", json!({})),
        ("skc_outline", json!({"skill": "demo"})),
        ("skc_search", json!({"skill": "demo", "query": "hello"})),
        ("skc_show", json!({"skill": "demo", "section": "demo"})),
        ("skc_open", json!({"skill": "demo", "path": "SKILL.md"})),
        ("skc_sources", json!({"skill": "demo"})),
        ("skc_stats", json!({"skill": "demo"})),
    ]
}

/// REG-MW.1, REG-MW.3: invalid input does not reach the operation.
#[test]
fn rejected_arguments_skip_the_operation_and_are_audited() {
    let world = World::demo(&[]);
    let mut client = server(&world);
    let result = client.call("skc_init", &json!({"name": "wrong", "colour": "red"}));
    assert!(failed(&result).starts_with("error[E100]"));
    assert!(!world.cwd.join(".skillc/skills/wrong").exists());
    let rows = rows(&world);
    let [row] = &rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!(
        (row.phase.as_str(), row.tool.as_str(), row.ok),
        ("exit", "skc_init", Some(false))
    );
    assert_eq!(row.args, Some(json!({"name": "wrong", "colour": "red"})));
    assert_eq!(row.error_code.as_deref(), Some("E100"));
    let message = row.error_message.as_deref().expect("a message");
    assert!(message.contains("colour: unknown argument"), "{message}");
    assert!(row.duration_ms.is_some_and(|duration| duration >= 0.0));
}

/// REG-MW.1, REG-MW.4, REG-MW.5, REG-MW.7, REG-MW.8: no tool bypasses the audit.
#[test]
fn a_successful_call_has_an_enter_and_an_exit_row() {
    let world = World::demo(&[]);
    let mut client = server(&world);
    for (number, (tool, arguments)) in calls().into_iter().enumerate() {
        let result = client.call(tool, &arguments);
        let text = texts(&result)[0];
        let rows = rows(&world).split_off(2 * number);
        let [enter, exit] = &rows[..] else {
            panic!("{tool}: {rows:?}");
        };
        let ends = (enter.phase.as_str(), exit.phase.as_str());
        assert_eq!(ends, ("enter", "exit"));
        for row in [enter, exit] {
            assert_eq!(row.tool, tool);
            assert_eq!(row.cwd, world.cwd.to_str().expect("UTF-8"));
            assert_eq!(row.call_id, enter.call_id);
        }
        assert_eq!(enter.args, Some(arguments), "{tool}");
        assert_eq!(
            (enter.ok, enter.duration_ms, enter.result_bytes),
            (None, None, None)
        );
        assert_eq!((exit.ok, exit.error_code.as_deref()), (Some(true), None));
        assert!(exit.duration_ms.is_some_and(|duration| duration >= 0.0));
        assert_eq!(exit.result_bytes, Some(text.len() as u64), "{tool}");
        let sha = Sha::digest(text.as_bytes()).to_string();
        assert_eq!(exit.result_sha256, Some(sha), "{tool}");
    }
    let calls: BTreeSet<String> = rows(&world).into_iter().map(|row| row.call_id).collect();
    assert_eq!(calls.len(), 10);
}

/// REG-MW.5, REG-MW.7.
#[test]
fn a_failed_call_is_audited_with_code_and_message() {
    let world = World::built(&[]);
    let mut client = server(&world);
    let failures = [
        ("skc_outline", json!({"skill": "nope"}), "E001"),
        ("skc_search", json!({"skill": "demo", "query": ""}), "E004"),
        (
            "skc_show",
            json!({"skill": "demo", "section": "Nowhere"}),
            "E020",
        ),
        (
            "skc_stats",
            json!({"skill": "demo", "group_by": "moon"}),
            "E030",
        ),
        ("skc_init", json!({"name": "demo"}), "E050"),
    ];
    for (number, (tool, arguments, code)) in failures.into_iter().enumerate() {
        let result = client.call(tool, &arguments);
        let said = failed(&result).lines().next().expect("a line").to_owned();
        let rows = rows(&world).split_off(2 * number);
        let [enter, exit] = &rows[..] else {
            panic!("{tool}: {rows:?}");
        };
        assert_eq!((&*enter.phase, &*exit.phase), ("enter", "exit"));
        assert_eq!(enter.call_id, exit.call_id);
        assert_eq!(exit.ok, Some(false));
        assert_eq!(exit.error_code.as_deref(), Some(code));
        let message = exit.error_message.as_deref().expect("a message");
        assert!(said.ends_with(message), "{message}: {said}");
        assert!(exit.duration_ms.is_some_and(|duration| duration >= 0.0));
        assert_eq!((exit.result_bytes, &exit.result_sha256), (None, &None));
    }
}

/// REG-MW.6.
#[test]
fn a_failed_call_does_not_block_the_next_one() {
    let world = World::demo(&[]);
    let mut client = server(&world);
    for wrong in [json!({"skill": "nope"}), json!({"skill": 1}), json!({})] {
        let failing = client.ask_call("skc_build", &wrong);
        let building = client.ask_call("skc_build", &json!({"skill": "demo"}));
        assert_eq!(client.result_of(failing)["isError"], true, "{wrong}");
        assert_eq!(client.result_of(building)["isError"], false, "{wrong}");
    }
}

/// C-MCP-SERVER.6.
#[test]
fn unknown_tools_are_not_audited() {
    let world = World::demo(&[]);
    let mut client = server(&world);
    let params = json!({"name": "skc_nothing", "arguments": {}});
    assert_eq!(client.error("tools/call", &params).0, -32602);
    client.result("tools/list", &json!({}));
    client.result("resources/list", &json!({}));
    assert_eq!(rows(&world), []);
}

/// D-RUN-ID-MCP.
#[test]
fn each_server_has_one_run_id() {
    let world = World::demo(&[]);
    let mut runs = BTreeSet::new();
    for number in 1..=2 {
        let mut client = server(&world);
        for _ in 0..3 {
            client.call("skc_outline", &json!({"skill": "demo"}));
            client.call("skc_outline", &json!({"skill": 1}));
        }
        assert_eq!(client.end().status, Some(0));
        runs.extend(rows(&world).into_iter().map(|row| row.run_id));
        assert_eq!(runs.len(), number);
    }
}

/// D-RUN-ID-MCP.
#[test]
fn a_run_id_from_the_environment_applies_to_all_calls() {
    let mut world = World::demo(&[]);
    world.set("SKC_RUN_ID", "named");
    let mut client = server(&world);
    client.call("skc_list", &json!({}));
    client.call("skc_outline", &json!({"skill": "nope"}));
    let rows = rows(&world);
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row.run_id == "named"), "{rows:?}");
}

/// REG-MW.7: `skc audit` combines the enter and exit rows of a call.
#[test]
fn the_audit_command_shows_the_calls() {
    let world = World::demo(&[]);
    let mut client = server(&world);
    client.call("skc_outline", &json!({"skill": "demo"}));
    client.call("skc_outline", &json!({"skill": "nope"}));
    client.call("skc_outline", &json!({"level": 0}));
    let audit = skc_json(&world, &["audit"]);
    assert_eq!(audit["total"], 3);
    let found: Vec<Value> = audit["calls"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|call| json!([call["args"], call["ok"], call["error_code"]]))
        .collect();
    let expected = [
        json!([{"level": 0}, false, "E100"]),
        json!([{"skill": "nope"}, false, "E001"]),
        json!([{"skill": "demo"}, true, null]),
    ];
    assert_eq!(found, expected);
}

/// REG-MW.5: an unwritable audit log is reported once.
#[test]
fn calls_work_without_an_audit_log() {
    let world = World::built(&[]);
    fs::create_dir_all(state(&world)).expect("a directory in the way");
    fs::write(world.cwd.join(".skillc/logs"), "in the way").expect("a file");
    let mut client = server(&world);
    let counts: Vec<usize> = (0..3)
        .map(|_| {
            let result = client.call("skc_list", &json!({}));
            assert_eq!(result["isError"], false, "{result}");
            let texts = texts(&result);
            assert!(
                texts.len() == 1 || texts[1].starts_with("warning[W002]: "),
                "{texts:?}"
            );
            texts.len()
        })
        .collect();
    assert_eq!(counts, [2, 1, 1]);
}

/// REG-MW.4.
#[test]
fn long_arguments_are_truncated_in_the_audit() {
    let world = World::built(&[]);
    let mut client = server(&world);
    let path = "x".repeat(100_000);
    client.call("skc_open", &json!({"skill": "demo", "path": path}));
    let audit = skc_json(&world, &["audit"]);
    let kept = audit["calls"][0]["args"].to_string();
    assert!((100..5_000).contains(&kept.len()), "{}", kept.len());
}

/// REG-MW.1, REG-MW.8.
#[test]
fn calls_without_a_handshake_are_audited_too() {
    let world = World::demo(&[]);
    let mut client = Client::without_handshake(&world, SKC);
    client.call("skc_outline", &json!({"skill": "demo"}));
    client.call("skc_outline", &json!({"level": 0}));
    let rows = rows(&world);
    let phases: Vec<&str> = rows.iter().map(|row| row.phase.as_str()).collect();
    assert_eq!(phases, ["enter", "exit", "exit"]);
    assert_eq!(rows[0].call_id, rows[1].call_id);
    assert_eq!(exits(&world, "skc_outline").len(), 2);
}

/// REG-MW.5: a running server notices a change to the setting.
#[test]
fn the_audit_can_be_disabled_while_the_server_runs() {
    let world = World::demo(&[("SKILL.md", MINIMAL)]);
    let mut client = server(&world);
    client.call("skc_list", &json!({}));
    assert_eq!(rows(&world).len(), 2);
    let config = world.home.join(".skillc/config.toml");
    fs::create_dir_all(config.parent().expect("a folder")).expect("should be creatable");
    fs::write(config, "[audit]\nenabled = false\n").expect("a file");
    let result = client.call("skc_list", &json!({}));
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(rows(&world).len(), 2);
}
