//! The server over HTTP: the same tools with and without sessions, startup and shutdown.

use std::net::TcpListener;
use std::time::Instant;

use serde_json::json;
use skillc_tests::World;
use skillc_tests::mcp::{PATIENCE, WITH_HANDSHAKE, WITHOUT_HANDSHAKE, handshake, request};
use skillc_tests::mcp_http::{Connection, HttpClient, HttpServer, PATH, with};

use crate::mcp::state::{Row, big, exits, rows};
use crate::mcp::support::{SKC, server, skc};

/// C-MCP-SERVER.5, C-MCP-SERVER.3: tested in every revision with sessions.
#[test]
fn a_session_gets_the_same_responses_as_pipes() {
    let world = World::built(&[("guide.md", "# Guide\n\nUse it.\n")]);
    let http = HttpServer::start(&world, SKC);
    let mut pipes = server(&world);
    let mut session = HttpClient::new(&http);
    for (method, params) in [
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("skills/list", json!({})),
        ("prompts/list", json!({})),
        (
            "tools/call",
            json!({"name": "skc_outline", "arguments": {"skill": "demo"}}),
        ),
        (
            "tools/call",
            json!({"name": "skc_search", "arguments": {"skill": "demo", "query": "use"}}),
        ),
        (
            "tools/call",
            json!({"name": "skc_open", "arguments": {"skill": "nope", "path": "x"}}),
        ),
        (
            "tools/call",
            json!({"name": "skc_outline", "arguments": {"skill": 1}}),
        ),
        ("ping", json!({})),
    ] {
        let expected = pipes.result(method, &params);
        assert_eq!(session.ask(method, &params)["result"], expected, "{method}");
    }
    let params = json!({"name": "skc_nothing", "arguments": {}});
    assert_eq!(session.ask("tools/call", &params)["error"]["code"], -32602);
    assert_eq!(session.ask("nope", &json!({}))["error"]["code"], -32601);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", WITH_HANDSHAKE] {
        let hello = request("hello", "initialize", &handshake(version));
        let answer = http.post(&hello, &[]).answer();
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "skillc");
    }
}

/// C-MCP-SERVER.3, C-MCP-SERVER.5.
#[test]
fn without_sessions_each_request_is_self_contained() {
    let world = World::built(&[("guide.md", "# Guide\n\nUse it.\n")]);
    let http = HttpServer::start(&world, SKC);
    let mut client = HttpClient::without_handshake(&http);
    assert_eq!(client.session(), None);
    let found = client.ask("server/discover", &json!({}));
    let versions = found["result"]["supportedVersions"].as_array();
    assert!(
        versions.is_some_and(|all| all.contains(&json!(WITHOUT_HANDSHAKE))),
        "{found}"
    );
    let expected = server(&world).call("skc_search", &json!({"skill": "demo", "query": "use"}));
    let result = client.call("skc_search", &json!({"skill": "demo", "query": "use"}));
    assert_eq!(result["structuredContent"], expected["structuredContent"]);
    assert_eq!(result["resultType"], "complete");
    assert_eq!(client.ask("nope", &json!({}))["error"]["code"], -32601);
    let tools = client.ask("tools/list", &json!({}));
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(16));
}

/// C-MCP-SERVER.9.
#[test]
fn sessions_are_separate_and_can_be_ended() {
    let world = World::built(&[]);
    let http = HttpServer::start(&world, SKC);
    let (mut one, mut other) = (HttpClient::new(&http), HttpClient::new(&http));
    assert_ne!(one.session(), other.session());
    assert_eq!(
        one.call("skc_list", &json!({}))["structuredContent"]["total"],
        1
    );
    let session = one.session().expect("a session").to_owned();
    let headers = with(http.headers(), &[("Mcp-Session-Id", &session)]);
    let mut connection = http.connect();
    connection.send("DELETE", PATH, &headers, b"");
    assert!([200, 202, 204].contains(&connection.reply().status));
    let ping = request(1, "ping", &json!({}));
    assert_eq!(one.post(&ping).status, 404);
    let unknown = [("Mcp-Session-Id", "00000000-0000-4000-8000-000000000000")];
    assert_eq!(http.post(&ping, &unknown).status, 404);
    assert_eq!(http.post(&ping, &[]).status, 400);
    assert_eq!(
        other.call("skc_list", &json!({}))["structuredContent"]["total"],
        1
    );
}

/// R20.
#[test]
fn the_least_recently_used_session_is_evicted() {
    let world = World::built(&[]);
    let http = HttpServer::start(&world, SKC);
    let mut first = HttpClient::new(&http);
    let mut second = HttpClient::new(&http);
    // Close each connection, because the number of connections is limited, too. Its session stays open.
    let mut last = HttpClient::new(&http);
    for _ in 0..260 {
        last = HttpClient::new(&http);
        assert_eq!(second.ask("ping", &json!({}))["result"], json!({}));
    }
    assert_eq!(first.post(&request(1, "ping", &json!({}))).status, 404);
    assert_eq!(
        last.call("skc_list", &json!({}))["structuredContent"]["total"],
        1
    );
}

/// C-MCP-SERVER.2, D-RUN-ID-MCP.
#[test]
fn all_clients_of_a_process_share_one_run() {
    let world = World::built(&[]);
    let http = HttpServer::start(&world, SKC);
    HttpClient::new(&http).call("skc_list", &json!({}));
    HttpClient::new(&http).call("skc_outline", &json!({"skill": "demo"}));
    HttpClient::without_handshake(&http).call("skc_outline", &json!({"skill": "demo"}));
    let rows = rows(&world);
    assert_eq!(rows.len(), 6);
    assert!(
        rows.iter().all(|row| row.run_id == rows[0].run_id),
        "{rows:?}"
    );
}

/// REG-MW.5.
#[test]
fn progress_of_a_build_is_sent_on_its_response_stream() {
    let world = World::project();
    big(&world, 1_000);
    let http = HttpServer::start(&world, SKC);
    let mut client = HttpClient::new(&http);
    let params = json!({
        "name": "skc_build",
        "arguments": {"skill": "big"},
        "_meta": {"progressToken": "http"},
    });
    let reply = client.post(&request(7, "tools/call", &params));
    let messages = reply.messages();
    let (last, before) = messages.split_last().expect("messages");
    assert_eq!(last["id"], 7, "{messages:?}");
    assert_eq!(last["result"]["isError"], false);
    assert!(!before.is_empty(), "no progress");
    let tokens = before
        .iter()
        .map(|message| &message["params"]["progressToken"]);
    assert!(
        tokens.into_iter().all(|token| token == "http"),
        "{before:?}"
    );
}

/// Waits for the end of the only build while `client` sends pings.
fn ended(world: &World, client: &mut HttpClient) -> Row {
    for _ in 0..10_000 {
        if let Some(row) = exits(world, "skc_build").pop() {
            return row;
        }
        client.ask("ping", &json!({}));
    }
    panic!("the build does not end");
}

/// REG-MW.5: without a session, a client cancels a call by closing the connection of its request.
#[test]
fn a_closed_connection_cancels_its_call() {
    let world = World::project();
    big(&world, 3_000);
    let http = HttpServer::start(&world, SKC);
    let more = [
        ("Mcp-Protocol-Version", WITHOUT_HANDSHAKE),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "skc_build"),
    ];
    let mut meta = skillc_tests::mcp::client_meta(WITHOUT_HANDSHAKE);
    meta["progressToken"] = json!("gone");
    let params = json!({"name": "skc_build", "arguments": {"skill": "big"}, "_meta": meta});
    let body = request(1, "tools/call", &params).to_string();
    let mut connection = http.connect();
    connection.send("POST", PATH, &with(http.headers(), &more), body.as_bytes());
    assert_eq!(connection.head().map(|(status, _)| status), Some(200));
    assert!(connection.wait_for("progress"), "no progress");
    drop(connection);
    let row = ended(&world, &mut HttpClient::new(&http));
    assert_eq!(row.error_code.as_deref(), Some("CANCELLED"));
}

/// REG-MW.5: with sessions, a message cancels a call. Calls are audited even if their session ends first.
#[test]
fn a_call_of_a_session_can_be_cancelled() {
    for by_message in [true, false] {
        let world = World::project();
        big(&world, 4_000);
        let http = HttpServer::start(&world, SKC);
        let mut client = HttpClient::new(&http);
        let session = client.session().expect("a session").to_owned();
        let headers = with(http.headers(), &[("Mcp-Session-Id", &session)]);
        let params = json!({
            "name": "skc_build",
            "arguments": {"skill": "big"},
            "_meta": {"progressToken": "session"},
        });
        let body = request("build", "tools/call", &params).to_string();
        let mut building = http.connect();
        building.send("POST", PATH, &headers, body.as_bytes());
        assert_eq!(building.head().map(|(status, _)| status), Some(200));
        assert!(building.wait_for("progress"), "no progress");
        if by_message {
            let params = json!({"requestId": "build"});
            let message =
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
            assert_eq!(client.post(&message).status, 202);
        } else {
            let mut connection = http.connect();
            connection.send("DELETE", PATH, &headers, b"");
            assert!((200..300).contains(&connection.reply().status));
            client = HttpClient::new(&http);
        }
        let row = ended(&world, &mut client);
        // A build that is nearly done may complete although its session has ended.
        let is_cancelled = row.error_code.as_deref() == Some("CANCELLED");
        assert!(is_cancelled || !by_message, "{row:?}");
        // The response stream must be closed, not left hanging.
        let begun = Instant::now();
        while building.chunk().is_some() {}
        assert!(begun.elapsed() < PATIENCE / 2);
    }
}

/// C-MCP-SERVER.1: tested with open connections and a running build.
#[cfg(unix)]
#[test]
fn sigterm_ends_the_server_promptly_with_success() {
    let world = World::built(&[]);
    let idle = HttpServer::start(&world, SKC);
    let (status, seconds) = idle.terminate();
    assert_eq!(status, Some(0));
    assert!(seconds < 6.0, "{seconds}");

    big(&world, 3_000);
    let busy = HttpServer::start(&world, SKC);
    let mut client = HttpClient::new(&busy);
    client.call("skc_list", &json!({}));
    // This client listens for server messages.
    let session = client.session().expect("a session").to_owned();
    let mut listening = busy.connect();
    let headers = with(busy.headers(), &[("Mcp-Session-Id", &session)]);
    listening.send("GET", PATH, &headers, b"");
    assert_eq!(listening.head().map(|(status, _)| status), Some(200));
    // One client has sent a part of a request, and another client has sent nothing.
    let mut half = busy.connect();
    half.write(b"POST /mcp HT").expect("the server listens");
    let silent = busy.connect();
    // This client waits for a build.
    let mut building = busy.connect();
    let params =
        json!({"name": "skc_build", "arguments": {"skill": "big"}, "_meta": {"progressToken": 1}});
    let body = request(5, "tools/call", &params).to_string();
    building.send("POST", PATH, &headers, body.as_bytes());
    assert_eq!(building.head().map(|(status, _)| status), Some(200));
    assert!(building.wait_for("progress"), "no progress");
    let (status, seconds) = busy.terminate();
    assert_eq!(status, Some(0));
    assert!(seconds < 6.0, "{seconds}");
    drop(silent);
    let exits = exits(&world, "skc_build");
    assert_eq!(exits.len(), 1, "the build has no end: {exits:?}");
}

/// C-MCP-SERVER.2: the token is printed on standard error instead.
#[test]
fn each_start_has_a_new_token_and_does_not_print_it_on_stdout() {
    let world = World::project();
    let (one, other) = (
        HttpServer::start(&world, SKC),
        HttpServer::start(&world, SKC),
    );
    for token in [&one.token, &other.token] {
        assert_eq!(token.len(), 64);
        assert!(
            token.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{token}"
        );
    }
    assert_ne!(one.token, other.token);
    assert_ne!(one.address, other.address);
    assert!(one.address.ip().is_loopback());
    let theirs = [("Authorization", format!("Bearer {}", other.token))];
    let hello = request(1, "initialize", &handshake(WITH_HANDSHAKE));
    let theirs = [("Authorization", theirs[0].1.as_str())];
    assert_eq!(one.post(&hello, &theirs).status, 401);
}

/// R20: remote access requires an explicit option.
#[test]
fn non_loopback_addresses_need_allow_remote() {
    let world = World::project();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:8765"] {
        let refused = skc(&world, &["mcp", "--http", address]);
        refused.code("E100");
        assert!(
            refused.stderr.contains("--allow-remote"),
            "{}",
            refused.stderr
        );
    }
    for wrong in [
        "8765",
        "localhost",
        "127.0.0.1",
        "127.0.0.1:99999",
        "http://127.0.0.1:1",
    ] {
        skc(&world, &["mcp", "--http", wrong]).code("E100");
    }
    skc(&world, &["mcp", "--allow-remote"]).code("E100");
    let command = world.process(SKC, &["mcp", "--http", "0.0.0.0:0", "--allow-remote"]);
    let mut http = HttpServer::new(command);
    http.address.set_ip([127, 0, 0, 1].into());
    let hello = request(1, "initialize", &handshake(WITH_HANDSHAKE));
    assert_eq!(http.post(&hello, &[("Authorization", "")]).status, 401);
    assert_eq!(http.post(&hello, &[]).status, 200);
    assert_eq!(
        http.post(&hello, &[("Host", "my-machine.example:80")])
            .status,
        200
    );
    let foreign = [("Origin", "http://evil.example")];
    assert_eq!(http.post(&hello, &foreign).status, 403);
}

#[test]
fn a_port_in_use_is_an_error_that_names_it() {
    let world = World::project();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let refused = skc(&world, &["mcp", "--http", &address]);
    let expected = format!("error[E999]: listening on {address}: ");
    assert!(refused.stderr.starts_with(&expected), "{}", refused.stderr);
    assert!(!refused.ok && refused.stdout.is_empty());
    let _open = Connection::open(taken.local_addr().expect("an address"));
}
