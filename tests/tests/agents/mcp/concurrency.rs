//! Concurrent calls, cancellation, and progress.

use serde_json::{Value, json};
use skillc_tests::mcp::{Client, request};
use skillc_tests::{MINIMAL, World, snapshot};

use crate::mcp::state::{Row, big, exits, rows};
use crate::mcp::support::{SKC, server};

/// Starts a build of `big` with a progress token, and waits until it is running.
fn begin_build(client: &mut Client, token: &Value) -> u64 {
    let params = json!({
        "name": "skc_build",
        "arguments": {"skill": "big", "force": true},
        "_meta": {"progressToken": token},
    });
    let id = client.ask("tools/call", &params);
    let has_begun = |client: &Client| client.notifications.iter().any(|n| has_token(n, token));
    assert!(client.wait_for(has_begun), "no progress");
    id
}

fn has_token(notification: &Value, token: &Value) -> bool {
    notification["method"] == "notifications/progress"
        && notification["params"]["progressToken"] == *token
}

fn cancel(client: &mut Client, id: u64) {
    client.notify(
        "notifications/cancelled",
        &json!({"requestId": id, "reason": "a test"}),
    );
}

/// Waits for the exit row of the only build, which must have failed.
#[track_caller]
fn cancelled(client: &mut Client, world: &World) -> Row {
    // A cancelled call gets no response, so poll with pings.
    for _ in 0..10_000 {
        let mut exits = exits(world, "skc_build");
        exits.retain(|row| row.ok == Some(false));
        if let Some(row) = exits.pop() {
            return row;
        }
        client.result("ping", &json!({}));
    }
    panic!("the build does not end");
}

/// REG-MW.2.
#[test]
fn calls_of_a_writing_tool_are_serialized_in_order() {
    let world = World::demo(&[]);
    let names: Vec<String> = (0..30).map(|number| format!("skill-{number}")).collect();
    for name in &names {
        world.project_skill(name, &[("SKILL.md", &MINIMAL.replace("demo", name))]);
    }
    let mut client = server(&world);
    let ids: Vec<u64> = names
        .iter()
        .map(|name| client.ask_call("skc_build", &json!({"skill": name})))
        .collect();
    for id in ids {
        assert_eq!(client.result_of(id)["isError"], false);
    }
    let rows = rows(&world);
    assert_eq!(rows.len(), 60);
    for (pair, name) in rows.chunks(2).zip(&names) {
        let phases = (pair[0].phase.as_str(), pair[1].phase.as_str());
        assert_eq!(phases, ("enter", "exit"));
        assert_eq!(pair[0].call_id, pair[1].call_id);
        assert_eq!(pair[0].args, Some(json!({"skill": name})));
    }
}

/// REG-MW.2, R17.
#[test]
fn read_only_calls_run_concurrently() {
    let world = World::project();
    big(&world, 1_000);
    let mut client = server(&world);
    let lint = json!({"skill": "big"});
    let ids: Vec<u64> = (0..6).map(|_| client.ask_call("skc_lint", &lint)).collect();
    for id in ids {
        assert_eq!(client.result_of(id)["isError"], false);
    }
    let (mut at_once, mut most) = (0, 0);
    for row in rows(&world) {
        at_once = if row.phase == "enter" {
            at_once + 1
        } else {
            at_once - 1
        };
        most = most.max(at_once);
    }
    assert!(most > 1, "the calls were serialized");
}

/// REG-MW.2, REG-MW.4: the enter row of a build is written when the build starts.
#[test]
fn a_long_build_blocks_only_other_builds() {
    let world = World::demo(&[]);
    big(&world, 4_000);
    let mut client = server(&world);
    let building = begin_build(&mut client, &json!("long"));
    let waiting = client.ask_call("skc_build", &json!({"skill": "demo"}));
    let result = client.call("skc_init", &json!({"name": "passing"}));
    assert_eq!(result["isError"], false, "{result}");
    client.call("skc_outline", &json!({"skill": "demo"}));
    client.result("tools/list", &json!({}));
    let begun = rows(&world);
    let first = &begun[0];
    assert_eq!((&*first.phase, &*first.tool), ("enter", "skc_build"));
    let others: Vec<&str> = begun[1..].iter().map(|row| row.tool.as_str()).collect();
    assert_eq!(
        others,
        ["skc_init", "skc_init", "skc_outline", "skc_outline"]
    );
    assert_eq!(client.result_of(building)["isError"], false);
    assert_eq!(client.result_of(waiting)["isError"], false);
}

/// REG-MW.5, REG-MW.6, REG-MW.7: the lock is released, so the next call proceeds.
#[test]
fn a_cancelled_build_stops_and_changes_nothing() {
    let world = World::demo(&[]);
    big(&world, 200);
    world.skc(["build", "big"]).success();
    big(&world, 4_000);
    let before = snapshot(&world.cwd.join(".skillc/runtime"));
    let mut client = server(&world);
    let token = json!("given up");
    let id = begin_build(&mut client, &token);
    cancel(&mut client, id);
    let row = cancelled(&mut client, &world);
    assert_eq!(row.error_code.as_deref(), Some("CANCELLED"));
    assert!(row.duration_ms.is_some_and(|duration| duration > 0.0));
    let entered = rows(&world)
        .into_iter()
        .filter(|of| of.call_id == row.call_id);
    assert_eq!(entered.count(), 2);
    let after = snapshot(&world.cwd.join(".skillc/runtime"));
    assert!(before == after, "the runtime store has changed");
    let mut progress = client.notifications.iter().filter(|n| has_token(n, &token));
    let last = progress.next_back().expect("progress");
    let (done, total) = (&last["params"]["progress"], &last["params"]["total"]);
    assert!(
        done.as_f64() < total.as_f64(),
        "the build was completed: {last}"
    );
    let next = client.call("skc_build", &json!({"skill": "demo"}));
    assert_eq!(next["isError"], false, "{next}");
    let ended = client.end();
    assert!(!ended.answers.contains_key(&id.to_string()), "{ended:?}");
    let audit = exits(&world, "skc_build");
    assert_eq!(audit.last().and_then(|row| row.ok), Some(true));
}

/// C-MCP-SERVER.9: the id of a cancelled request stays in use until its work has ended.
#[test]
fn a_reused_id_of_a_cancelled_call_never_gets_its_response() {
    let world = World::project();
    big(&world, 1_000);
    for _ in 0..3 {
        let mut client = server(&world);
        let id = begin_build(&mut client, &json!("again"));
        cancel(&mut client, id);
        client.send(&request(id, "ping", &json!({})));
        let answer = client.answer(id);
        let is_refused = answer["error"]["code"] == -32600;
        assert!(is_refused || answer["result"] == json!({}), "{answer}");
        client.result("ping", &json!({}));
        assert!(client.end().answers.is_empty());
        std::fs::remove_dir_all(world.cwd.join(".skillc/runtime")).unwrap_or_default();
    }
}

/// REG-MW.5, REG-MW.6.
#[test]
fn calls_cancelled_in_the_queue_are_not_executed() {
    const MANY: usize = 12;
    let world = World::demo(&[]);
    big(&world, 2_000);
    let mut client = server(&world);
    let building = begin_build(&mut client, &json!(1));
    let build = json!({"skill": "demo"});
    let waiting: Vec<u64> = (0..MANY)
        .map(|_| client.ask_call("skc_build", &build))
        .collect();
    for id in &waiting {
        cancel(&mut client, *id);
    }
    assert_eq!(client.result_of(building)["isError"], false);
    let next = client.call("skc_build", &json!({"skill": "big"}));
    assert_eq!(next["isError"], false, "{next}");
    assert!(!world.demo_runtime().exists(), "the skill was built");
    let rows = exits(&world, "skc_build");
    let codes = rows.iter().filter_map(|row| row.error_code.as_deref());
    assert_eq!(codes.collect::<Vec<_>>(), ["CANCELLED"; MANY]);
    assert_eq!(rows.len(), MANY + 2);
    let ended = client.end();
    assert!(ended.answers.is_empty(), "{ended:?}");
}

/// C-MCP-SERVER.2, C-MCP-OVERVIEW.1.
#[test]
fn progress_of_a_build_is_sent_if_there_is_a_token() {
    let makers = [Client::new, Client::without_handshake];
    for (make, token) in makers.into_iter().zip([json!("a token"), json!(0)]) {
        let world = World::project();
        big(&world, 1_500);
        let mut client = make(&world, SKC);
        let id = begin_build(&mut client, &token);
        let result = client.result_of(id);
        assert_eq!(result["isError"], false, "{result}");
        let sent = client.notifications.len();
        let mut before = 0.0;
        for notification in &client.notifications {
            assert!(has_token(notification, &token), "{notification}");
            let params = &notification["params"];
            let done = params["progress"].as_f64().expect("a number");
            assert!(done > before, "{notification}");
            before = done;
            assert!(done <= params["total"].as_f64().expect("a number"));
            assert!(
                params["message"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty())
            );
        }
        assert!((1..100).contains(&sent), "{sent}");
        client.result("tools/list", &json!({}));
        assert_eq!(
            client.notifications.len(),
            sent,
            "progress after the response"
        );
    }
}

/// C-MCP-SERVER.2.
#[test]
fn without_a_token_no_progress_is_sent() {
    let world = World::project();
    big(&world, 500);
    let mut client = server(&world);
    let result = client.call("skc_build", &json!({"skill": "big"}));
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(client.notifications, Vec::<Value>::new());
    let ended = client.end();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
}

/// REG-MW.5.
#[test]
fn a_build_in_flight_at_the_end_of_input_is_audited() {
    let world = World::project();
    big(&world, 1_500);
    let mut client = server(&world);
    let id = begin_build(&mut client, &json!("end"));
    let ended = client.end();
    assert_eq!(ended.status, Some(0));
    let exits = exits(&world, "skc_build");
    assert_eq!(exits.len(), 1);
    // On a slow machine, the build may exceed the shutdown timeout; the server then cancels the build and audits the
    // cancellation.
    let was_answered = ended.answers.contains_key(&id.to_string());
    assert_eq!(exits[0].ok, Some(was_answered));
}
