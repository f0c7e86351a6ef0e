//! Calls at the same time, calls that are given up, and long calls that say how far they are.

use serde_json::{Value, json};
use skillc_tests::mcp::{Client, request};
use skillc_tests::{MINIMAL, World, snapshot};

use crate::mcp::state::{Row, big, exits, rows};
use crate::mcp::support::{SKC, server};

/// Asks for a build of `big` with a token, and waits until it has begun.
fn begin_build(client: &mut Client, token: &Value) -> u64 {
    let params = json!({
        "name": "skc_build",
        "arguments": {"skill": "big", "force": true},
        "_meta": {"progressToken": token},
    });
    let id = client.ask("tools/call", &params);
    let told = |client: &Client| client.notifications.iter().any(|n| has_token(n, token));
    assert!(client.wait_for(told), "no progress");
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

/// Waits for the row in which the only call with an error code ended.
#[track_caller]
fn cancelled(client: &mut Client, world: &World) -> Row {
    // A cancelled call gets no answer; other calls pass the time.
    for _ in 0..10_000 {
        let mut exits = exits(world, "skc_build");
        exits.retain(|row| row.ok == Some(false));
        if let Some(row) = exits.pop() {
            return row;
        }
        client.result("ping", &json!({}));
    }
    panic!("it does not end");
}

/// REG-MW.2: calls of a tool that writes are made one after the other, as they came.
#[test]
fn calls_of_a_writing_tool_do_not_overlap_and_keep_their_order() {
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

/// REG-MW.2, R17: tools that only read share.
#[test]
fn calls_that_only_read_overlap() {
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
    assert!(most > 1, "one after the other");
}

/// REG-MW.2, REG-MW.4: the beginning of a call is there while it is made, and others pass it.
#[test]
fn a_long_build_keeps_only_other_builds_waiting() {
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

/// REG-MW.5, REG-MW.6, REG-MW.7: the work stops, existing data stays, the next call proceeds.
#[test]
fn a_build_that_is_given_up_stops_and_changes_nothing() {
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
    let mut told = client.notifications.iter().filter(|n| has_token(n, &token));
    let last = told.next_back().expect("it had begun");
    let (done, total) = (&last["params"]["progress"], &last["params"]["total"]);
    assert!(done.as_f64() < total.as_f64(), "it went to its end: {last}");
    let next = client.call("skc_build", &json!({"skill": "demo"}));
    assert_eq!(next["isError"], false, "{next}");
    let ended = client.end();
    assert!(!ended.answers.contains_key(&id.to_string()), "{ended:?}");
    let audit = exits(&world, "skc_build");
    assert_eq!(audit.last().and_then(|row| row.ok), Some(true));
}

/// C-MCP-SERVER.9: the id of a cancelled request is not free until work on it has ended.
#[test]
fn an_id_that_was_given_up_never_has_the_answer_of_another() {
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

/// REG-MW.5, REG-MW.6: given up before their turn.
#[test]
fn calls_that_are_given_up_while_they_wait_are_not_made() {
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
    assert!(!world.demo_runtime().exists(), "it was built");
    let rows = exits(&world, "skc_build");
    let codes = rows.iter().filter_map(|row| row.error_code.as_deref());
    assert_eq!(codes.collect::<Vec<_>>(), ["CANCELLED"; MANY]);
    assert_eq!(rows.len(), MANY + 2);
    let ended = client.end();
    assert!(ended.answers.is_empty(), "{ended:?}");
}

/// C-MCP-SERVER.2, C-MCP-OVERVIEW.1: how far a long call is, for those who ask.
#[test]
fn a_long_build_tells_its_progress_to_who_gave_a_token() {
    let makers = [Client::new, Client::without_handshake];
    for (make, token) in makers.into_iter().zip([json!("a token"), json!(0)]) {
        let world = World::project();
        big(&world, 1_500);
        let mut client = make(&world, SKC);
        let id = begin_build(&mut client, &token);
        let result = client.result_of(id);
        assert_eq!(result["isError"], false, "{result}");
        let told = client.notifications.len();
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
        assert!((1..100).contains(&told), "{told}");
        client.result("tools/list", &json!({}));
        assert_eq!(client.notifications.len(), told, "told after the end");
    }
}

/// C-MCP-SERVER.2.
#[test]
fn who_gave_no_token_is_told_nothing() {
    let world = World::project();
    big(&world, 500);
    let mut client = server(&world);
    let result = client.call("skc_build", &json!({"skill": "big"}));
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(client.notifications, Vec::<Value>::new());
    let ended = client.end();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
}

/// REG-MW.5: the end of the input does not cut a build short, nor does the client's end lose its row.
#[test]
fn a_build_under_way_at_the_end_is_audited() {
    let world = World::project();
    big(&world, 1_500);
    let mut client = server(&world);
    let id = begin_build(&mut client, &json!("end"));
    let ended = client.end();
    assert_eq!(ended.status, Some(0));
    let exits = exits(&world, "skc_build");
    assert_eq!(exits.len(), 1);
    // On a slow machine the server does not wait for ever: then the build was given up, and has said so.
    let was_answered = ended.answers.contains_key(&id.to_string());
    assert_eq!(exits[0].ok, Some(was_answered));
}
