//! Protocol errors: unknown methods, malformed messages, ids, batches.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, error_in, request};

use crate::mcp::support::server;

/// Asserts that the server still answers.
#[track_caller]
fn assert_alive(client: &mut Client) {
    assert_eq!(client.result("ping", &json!({})), json!({}));
    let list = client.call("skc_list", &json!({}));
    assert_eq!(list["isError"], false, "{list}");
}

/// Sends a line and returns the error response without an id.
#[track_caller]
fn stray(client: &mut Client, line: &[u8]) -> (i64, String) {
    let before = client.strays.len();
    client.write(&[line, b"\n"].concat());
    let has_come = client.wait_for(|client| client.strays.len() > before);
    assert!(has_come, "{}", String::from_utf8_lossy(line));
    error_in(&client.strays[before])
}

/// C-MCP-SERVER.6, C-COMMANDS.1: commands that are not tools count as unknown.
#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let world = World::built(&[]);
    let mut client = server(&world);
    for name in [
        "skc_nothing",
        "skc_sync",
        "skc_mcp",
        "skc_mcp install",
        "skc_audit",
        "skc_explain",
        "skc_rules",
        "skc_tour",
        "search",
        "SKC_LIST",
        "skills_list",
        "",
        "../skc_list",
    ] {
        let params = json!({"name": name, "arguments": {}});
        let (code, message) = client.error("tools/call", &params);
        assert_eq!(code, -32602, "{name}");
        let expected = format!("unknown tool '{name}'");
        assert!(message.starts_with(&expected), "{message}");
    }
    let params = json!({"name": "skc_serch", "arguments": {}});
    let (_, message) = client.error("tools/call", &params);
    assert_eq!(
        message,
        "unknown tool 'skc_serch'; did you mean 'skc_search'?"
    );
    assert_alive(&mut client);
}

/// C-MCP-SERVER.9.
#[test]
fn an_unknown_method_is_not_found() {
    let world = World::project();
    let mut client = server(&world);
    for method in [
        "nope",
        "tools/nope",
        "",
        "rpc.discover",
        "logging/setLevel",
        "resources/subscribe",
        "sampling/createMessage",
        "roots/list",
        "tasks/get",
        "notifications/initialized",
        "notifications/nope",
    ] {
        let params = json!({"level": "debug", "uri": "skill://x", "taskId": "1"});
        assert_eq!(client.error(method, &params).0, -32601, "{method}");
    }
    assert_alive(&mut client);
}

/// C-MCP-SERVER.9, C-MCP-SERVER.6.
#[test]
fn parameters_of_the_wrong_shape_are_invalid() {
    let world = World::project();
    let mut client = server(&world);
    let wrong = [
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 1})),
        ("tools/call", json!({"name": "skc_list", "arguments": []})),
        ("tools/call", json!({"name": "skc_list", "arguments": "x"})),
        ("tools/call", json!(["skc_list"])),
        ("tools/call", Value::Null),
        ("tools/list", json!([])),
        ("resources/read", json!({})),
        ("resources/read", json!({"uri": 1})),
        ("resources/directory/read", json!({})),
        ("skills/get", json!({"uri": []})),
        ("prompts/get", json!({})),
        (
            "prompts/get",
            json!({"name": "use_skill", "arguments": "x"}),
        ),
        ("completion/complete", json!({})),
        ("completion/complete", json!({"ref": {"type": "ref/moon"}})),
        ("initialize", json!({"protocolVersion": 1})),
    ];
    for (method, params) in wrong {
        assert_eq!(client.error(method, &params).0, -32602, "{method} {params}");
    }
    assert_alive(&mut client);
}

/// C-MCP-SERVER.9.
#[test]
fn a_line_that_is_not_json_is_a_parse_error() {
    let world = World::project();
    let mut client = server(&world);
    let deep = b"[".repeat(10_000);
    let nested = [b"{\"a\":".repeat(1_000), b"1".to_vec(), b"}".repeat(1_000)].concat();
    let lines: [&[u8]; 12] = [
        b"hello",
        b"{",
        b"\xff\xfe{\"jsonrpc\"",
        b"\0",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"} trailing",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\",}",
        b"{'jsonrpc': '2.0'}",
        b"{\"jsonrpc\": \"2.0\", \"id\": \"\xc3\x28\", \"method\": \"ping\"}",
        b"Content-Length: 2",
        &deep,
        &nested,
    ];
    for line in lines {
        let (code, message) = stray(&mut client, line);
        assert_eq!(code, -32700, "{message}");
        assert!(message.starts_with("invalid JSON: "), "{message}");
    }
    assert_alive(&mut client);
}

/// C-MCP-SERVER.9.
#[test]
fn json_that_is_not_a_message_is_an_invalid_request() {
    let world = World::project();
    let mut client = server(&world);
    let lines: [&[u8]; 11] = [
        b"{}",
        b"[]",
        b"null",
        b"1",
        b"\"ping\"",
        b"{\"jsonrpc\": \"2.0\"}",
        b"{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"ping\"}",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}",
        b"{\"jsonrpc\": \"2.0\", \"id\": [1], \"method\": \"ping\"}",
        b"{\"jsonrpc\": \"2.0\", \"id\": true, \"method\": \"ping\"}",
        b"{\"jsonrpc\": \"2.0\", \"id\": 99999999999999999999, \"method\": \"ping\"}",
    ];
    for line in lines {
        assert_eq!(stray(&mut client, line).0, -32600);
    }
    // The response contains the request's id if the id could be parsed.
    for message in [
        json!({"id": "a", "method": "ping"}),
        json!({"jsonrpc": "1.0", "id": "b", "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": "c", "method": 1}),
        json!({"jsonrpc": "2.0", "id": "d", "method": "ping", "result": {}}),
    ] {
        client.send(&message);
        let answer = client.answer(message["id"].clone());
        assert_eq!(error_in(&answer).0, -32600, "{message}");
    }
    assert_alive(&mut client);
}

/// Once parsed, four megabytes of `[0],` would occupy hundreds of megabytes for as long as the call waits for other
/// builds.
#[test]
fn a_message_of_too_many_values_is_rejected_before_it_is_parsed() {
    let world = World::project();
    let mut client = server(&world);
    let arguments = json!({"skill": "demo", "x": vec![[0]; 20_000]});
    client.send(&request(
        "many",
        "tools/call",
        &json!({"name": "skc_build", "arguments": arguments}),
    ));
    let answer = client.answer("many");
    assert_eq!(error_in(&answer).0, -32600);
    let text = json!({"name": "skc_build", "arguments": {"skill": "[,".repeat(20_000)}});
    client.send(&request("text", "tools/call", &text));
    assert_eq!(client.answer("text")["result"]["isError"], true);
    assert_alive(&mut client);
}

/// C-MCP-SERVER.9, R20.
#[test]
fn a_too_long_line_is_rejected_and_the_next_is_read() {
    let world = World::project();
    let mut client = server(&world);
    for size in [4 << 20, 5 << 20, 9 << 20] {
        let long = [b"{\"a\":\"", &b"x".repeat(size)[..], b"\"}"].concat();
        let (code, message) = stray(&mut client, &long);
        assert_eq!(code, -32600);
        assert_eq!(message, "the message is longer than 4194304 bytes");
    }
    // A message just below the limit is accepted.
    let frame = request("fits", "ping", &json!({"pad": ""}))
        .to_string()
        .len()
        + 1;
    let pad = "x".repeat((4 << 20) - frame);
    client.send(&request("fits", "ping", &json!({"pad": pad})));
    assert_eq!(client.result_of("fits"), json!({}));
    assert_alive(&mut client);
}

/// C-MCP-SERVER.9.
#[test]
fn notifications_are_never_answered() {
    let world = World::project();
    let mut client = server(&world);
    for (method, params) in [
        ("notifications/nope", json!({})),
        ("notifications/cancelled", json!({})),
        ("notifications/cancelled", json!({"requestId": 12_345})),
        ("notifications/cancelled", json!({"requestId": {"no": 1}})),
        (
            "notifications/progress",
            json!({"progressToken": 1, "progress": 1}),
        ),
        ("notifications/roots/list_changed", json!({})),
        (
            "tools/call",
            json!({"name": "skc_init", "arguments": {"name": "quiet"}}),
        ),
        ("ping", json!([1])),
    ] {
        client.notify(method, &params);
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 77, "result": {"nobody": "asked"}}));
    client.send(&json!({"jsonrpc": "2.0", "id": 78, "error": {"code": 1, "message": "x"}}));
    client.write(b"\n \r\n\t\n");
    assert_alive(&mut client);
    let ended = client.end();
    assert!(
        ended.answers.is_empty() && ended.strays.is_empty(),
        "{ended:?}"
    );
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    assert!(!world.cwd.join(".skillc/skills/quiet").exists());
}

/// C-MCP-SERVER.1, C-MCP-SERVER.9.
#[test]
fn ids_are_returned_unchanged() {
    let world = World::project();
    let mut client = server(&world);
    let long = "x".repeat(100_000);
    for id in [
        json!(0),
        json!(-1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("1"),
        json!("\u{1F600} \"quoted\"\n"),
        json!(long),
    ] {
        client.send(&request(id.clone(), "ping", &json!({})));
        assert_eq!(client.result_of(id), json!({}));
    }
}

/// C-MCP-SERVER.9.
#[test]
fn lines_may_have_crlf_and_a_byte_order_mark() {
    let world = World::project();
    let mut client = server(&world);
    client.write(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":\"bom\",\"method\":\"ping\"}\r\n");
    assert_eq!(client.result_of("bom"), json!({}));
    client.write(b"  {\"jsonrpc\": \"2.0\", \"id\": \"split\",");
    client.write(b" \"method\": \"ping\"}  \n");
    assert_eq!(client.result_of("split"), json!({}));
}

/// C-MCP-SERVER.9.
#[test]
fn requests_in_quick_succession_are_all_answered() {
    let world = World::built(&[]);
    let mut client = server(&world);
    let ids: Vec<u64> = (0..300)
        .map(|number| match number % 3 {
            0 => client.ask("ping", &json!({})),
            1 => client.ask_call("skc_outline", &json!({"skill": "demo"})),
            _ => client.ask("nope", &json!({})),
        })
        .collect();
    for (number, id) in ids.into_iter().enumerate() {
        let answer = client.answer(id);
        assert_eq!(answer.get("error").is_some(), number % 3 == 2, "{answer}");
    }
}

/// C-MCP-SERVER.9: tested in the protocol revisions that have batches.
#[test]
fn a_line_may_be_a_batch_of_messages() {
    let world = World::project();
    let mut client = server(&world);
    let message = |id: &str| request(id, "ping", &json!({}));
    let nonsense = json!({"jsonrpc": "2.0", "id": "c", "method": 1});
    client.send(&json!([message("a"), {"jsonrpc": "2.0", "method": "x"}, message("b"), nonsense]));
    assert_eq!(client.result_of("a"), json!({}));
    assert_eq!(client.result_of("b"), json!({}));
    assert_eq!(error_in(&client.answer("c")).0, -32600);
    let many: Vec<Value> = (0..101)
        .map(|number| message(&number.to_string()))
        .collect();
    let line = json!(many).to_string();
    assert_eq!(stray(&mut client, line.as_bytes()).0, -32600);
    let inner = json!([[message("inner")]]).to_string();
    assert_eq!(stray(&mut client, inner.as_bytes()).0, -32600);
    assert_alive(&mut client);
}

/// C-MCP-SERVER.9: two responses with the same id would be ambiguous.
#[test]
fn an_id_in_flight_is_rejected_but_may_be_reused_later() {
    let world = World::built(&[]);
    let mut client = server(&world);
    let build = json!({"name": "skc_build", "arguments": {"skill": "demo", "force": true}});
    let twice = format!(
        "{}\n{}\n",
        request("same", "tools/call", &build),
        request("same", "ping", &json!({}))
    );
    client.write(twice.as_bytes());
    // The test client stores at most one response per id.
    let mut codes = BTreeSet::new();
    for _ in 0..2 {
        let answer = client.answer("same");
        codes.insert(answer["error"]["code"].as_i64());
    }
    assert_eq!(codes, BTreeSet::from([None, Some(-32600)]));
    client.send(&request("same", "ping", &json!({})));
    assert_eq!(client.result_of("same"), json!({}));
}
