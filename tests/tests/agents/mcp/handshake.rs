//! Initialization in every protocol revision.

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, Era, WITH_HANDSHAKE, WITHOUT_HANDSHAKE, client_meta, handshake};

use crate::mcp::support::SKC;

/// Protocol revisions with a handshake.
const HANDSHAKES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", WITH_HANDSHAKE];

/// Asserts the server's name, version and capabilities.
#[track_caller]
fn is_skillc(info: &Value, capabilities: &Value) {
    let expected = json!({"name": "skillc", "version": env!("CARGO_PKG_VERSION")});
    assert_eq!(*info, expected);
    for offered in ["tools", "resources", "prompts", "completions"] {
        assert!(capabilities[offered].is_object(), "{offered}");
    }
    let skills = &capabilities["extensions"]["io.modelcontextprotocol/skills"];
    assert_eq!(*skills, json!({"directoryRead": true}));
    assert!(capabilities.get("logging").is_none());
}

/// C-MCP-SERVER.3, F-55.
#[test]
fn each_revision_with_a_handshake_is_supported() {
    for version in HANDSHAKES {
        let world = World::project();
        let mut client = Client::silent(&world, SKC);
        let result = client.result("initialize", &handshake(version));
        assert_eq!(result["protocolVersion"], version);
        is_skillc(&result["serverInfo"], &result["capabilities"]);
        client.notify("notifications/initialized", &json!({}));
        let tools = client.result("tools/list", &json!({}));
        assert_eq!(tools["tools"].as_array().map(Vec::len), Some(16));
        assert_eq!(client.result("ping", &json!({})), json!({}));
        // Fields that later revisions added are not sent to older clients.
        let outline = client.call("skc_list", &json!({}));
        assert!(outline.get("resultType").is_none(), "{outline}");
        assert_eq!(client.end().status, Some(0));
    }
}

/// C-MCP-SERVER.3.
#[test]
fn unknown_revisions_are_answered_with_the_newest_with_a_handshake() {
    for version in ["1999-01-01", "2031-12-31", "latest", "", WITHOUT_HANDSHAKE] {
        let world = World::project();
        let mut client = Client::silent(&world, SKC);
        let result = client.result("initialize", &handshake(version));
        assert_eq!(result["protocolVersion"], WITH_HANDSHAKE, "{version}");
        assert!(client.result("tools/list", &json!({}))["tools"].is_array());
    }
}

/// C-MCP-SERVER.3.
#[test]
fn without_a_handshake_each_request_names_its_revision() {
    let world = World::project();
    let mut client = Client::without_handshake(&world, SKC);
    let found = client.result("server/discover", &json!({}));
    let versions: Vec<&str> = HANDSHAKES.into_iter().chain([WITHOUT_HANDSHAKE]).collect();
    assert_eq!(found["supportedVersions"], json!(versions));
    let info = &found["_meta"]["io.modelcontextprotocol/serverInfo"];
    is_skillc(info, &found["capabilities"]);
    let tools = client.result("tools/list", &json!({}));
    assert_eq!(tools["tools"].as_array().map(Vec::len), Some(16));
    assert_eq!(tools["resultType"], "complete");
    let list = client.call("skc_list", &json!({}));
    assert_eq!(list["isError"], false);
    assert_eq!(list["structuredContent"]["total"], 0);
    assert_eq!(client.end().status, Some(0));
}

/// C-MCP-SERVER.3: in revisions without a handshake, requests are self-contained.
#[test]
fn without_a_handshake_the_first_request_may_be_a_call() {
    let world = World::project();
    let mut client = Client::without_handshake(&world, SKC);
    let list = client.call("skc_list", &json!({}));
    assert_eq!(list["structuredContent"]["total"], 0);
    let bare = json!({"jsonrpc": "2.0", "id": "bare", "method": "tools/list"});
    client.send(&bare);
    assert_eq!(client.answer("bare")["error"]["code"], -32602);
}

/// C-MCP-SERVER.3.
#[test]
fn without_a_handshake_unknown_revisions_are_rejected_with_known_ones() {
    let world = World::project();
    let mut client = Client::silent(&world, SKC);
    let params = json!({"_meta": client_meta("2031-12-31")});
    let id = client.ask("tools/list", &params);
    let answer = client.answer(id);
    let supported = &answer["error"]["data"]["supported"];
    assert!(
        supported.as_array().is_some_and(|all| all.len() == 5),
        "{answer}"
    );
    let params = json!({"_meta": client_meta(WITHOUT_HANDSHAKE)});
    assert!(client.result("tools/list", &params)["tools"].is_array());
}

/// C-MCP-SERVER.9: the client gets errors, and can then perform the handshake.
#[test]
fn messages_before_the_handshake_do_not_stop_the_server() {
    let world = World::project();
    let mut client = Client::silent(&world, SKC);
    client.notify("notifications/initialized", &json!({}));
    client.send(&json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    client.send(&json!({"jsonrpc": "2.0", "id": 8, "error": {"code": 1, "message": "no"}}));
    client.write(b"GET / HTTP/1.1\r\n\r\n");
    client.send(&json!({"jsonrpc": "2.0", "id": "early", "method": "tools/list"}));
    assert_eq!(client.answer("early")["error"]["code"], -32602);
    assert_eq!(client.result("ping", &json!({})), json!({}));
    client.send(&json!({"jsonrpc": "2.0", "id": "bad", "method": "initialize", "params": {}}));
    assert_eq!(client.answer("bad")["error"]["code"], -32602);
    let result = client.result("initialize", &handshake(WITH_HANDSHAKE));
    assert_eq!(result["serverInfo"]["name"], "skillc");
    assert_eq!(client.strays[0]["error"]["code"], -32700);
    assert!(client.result("tools/list", &json!({}))["tools"].is_array());
}

/// C-MCP-SERVER.9: the server does not wait for `notifications/initialized`.
#[test]
fn requests_may_follow_initialize_at_once_and_a_second_one_fails() {
    let world = World::project();
    let mut client = Client::silent(&world, SKC);
    let first = client.ask("initialize", &handshake(WITH_HANDSHAKE));
    let tools = client.ask("tools/list", &json!({}));
    assert!(client.result_of(tools)["tools"].is_array());
    assert_eq!(client.result_of(first)["serverInfo"]["name"], "skillc");
    let (code, message) = client.error("initialize", &handshake("2025-06-18"));
    assert_eq!((code, &*message), (-32600, "already initialized"));
    assert!(client.result("tools/list", &json!({}))["tools"].is_array());
}

/// C-MCP-SERVER.3.
#[test]
fn the_instructions_name_existing_tools() {
    let world = World::demo(&[]);
    for toolset in ["skc", "catalog", "all"] {
        let options = ["--toolset", toolset];
        assert_named_tools_exist(Client::begun(
            &world,
            SKC,
            &options,
            Era::Handshake,
            &json!({}),
        ));
    }
}

fn assert_named_tools_exist((mut client, instructions): (Client, String)) {
    let tools = client.result("tools/list", &json!({}));
    let tools: Vec<&str> = tools["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let words = instructions.split(|c: char| !c.is_alphanumeric() && c != '_');
    let named: Vec<&str> = words
        .filter(|word| word.starts_with("skc_") || word.starts_with("skill_"))
        .collect();
    assert!(!named.is_empty());
    for name in named {
        assert!(tools.contains(&name), "{name}");
    }
}
