//! Rejected HTTP requests, and overload.

use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{
    PATIENCE, WITH_HANDSHAKE, WITHOUT_HANDSHAKE, client_meta, handshake, request,
};
use skillc_tests::mcp_http::{HttpClient, HttpServer, PATH, with};

use crate::mcp::support::SKC;

fn hello() -> Value {
    request(1, "initialize", &handshake(WITH_HANDSHAKE))
}

/// Asserts that the server still answers.
#[track_caller]
fn assert_alive(http: &HttpServer) {
    let list = HttpClient::new(http).call("skc_list", &json!({}));
    assert_eq!(list["isError"], false, "{list}");
}

/// R20: responses without a token reveal nothing.
#[test]
fn every_request_needs_the_token() {
    let world = World::project();
    let http = HttpServer::start(&world, SKC);
    let token = http.token.clone();
    let capitals = format!("Bearer {}", token.to_uppercase());
    let longer = format!("Bearer {token}0");
    let shorter = format!("Bearer {}", &token[..63]);
    let twice = format!("Bearer {token}, Bearer {token}");
    let basic = format!("Basic {token}");
    let wrong = [
        "", "Bearer", "Bearer ", "Bearer x", &token, &basic, &longer, &shorter, &twice, &capitals,
    ];
    for value in wrong {
        let reply = http.post(&hello(), &[("Authorization", value)]);
        assert_eq!(reply.status, 401, "{value}");
        assert_eq!(reply.headers["www-authenticate"], "Bearer");
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(
            !text.contains(&token) && !text.contains("jsonrpc"),
            "{text}"
        );
    }
    let without = with(http.headers(), &[("Authorization", "")]);
    let in_query = format!("{PATH}?token={token}&access_token={token}");
    for (method, path) in [
        ("GET", PATH),
        ("DELETE", PATH),
        ("PUT", PATH),
        ("OPTIONS", PATH),
        ("POST", &in_query),
        ("GET", "/"),
        ("GET", "/other"),
        ("GET", "/.well-known/oauth-protected-resource"),
    ] {
        let mut connection = http.connect();
        connection.send(method, path, &without, b"");
        assert_eq!(connection.reply().status, 401, "{method} {path}");
    }
    let small = [("Authorization", format!("bearer {token}"))];
    let small = [("Authorization", small[0].1.as_str())];
    assert_eq!(http.post(&hello(), &small).status, 200);
}

/// R20: prevents cross-site requests and DNS rebinding.
#[test]
fn foreign_origins_and_hosts_are_rejected() {
    let world = World::project();
    let http = HttpServer::start(&world, SKC);
    let port = http.address.port();
    for origin in [
        "http://evil.example",
        "https://evil.example",
        "http://localhost.evil.example",
        "http://evil.example:80",
        "https://127.0.0.1.evil.example",
        "file://",
        "null",
        "nonsense",
    ] {
        assert_eq!(
            http.post(&hello(), &[("Origin", origin)]).status,
            403,
            "{origin}"
        );
    }
    let own = format!("http://localhost:{port}");
    for origin in [
        "http://localhost:3000",
        "http://127.0.0.1:1",
        "http://[::1]:80",
        &own,
    ] {
        assert_eq!(
            http.post(&hello(), &[("Origin", origin)]).status,
            200,
            "{origin}"
        );
    }
    for host in [
        "evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "0.0.0.0",
    ] {
        assert_eq!(http.post(&hello(), &[("Host", host)]).status, 403, "{host}");
    }
    for host in ["localhost", "localhost:1234", "127.0.0.1"] {
        assert_eq!(http.post(&hello(), &[("Host", host)]).status, 200, "{host}");
    }
}

/// R20.
#[test]
fn a_too_large_body_is_rejected() {
    let world = World::project();
    let http = HttpServer::start(&world, SKC);
    let large = vec![b' '; (4 << 20) + 1];
    assert_eq!(http.post_bytes(&large, &[]).status, 413);
    // A chunked body, without a length.
    let more = [("Transfer-Encoding", "chunked")];
    let mut connection = http.connect();
    let piece = [b"100000\r\n", &vec![b' '; 1 << 20][..], b"\r\n"].concat();
    connection.send("POST", PATH, &with(http.headers(), &more), &piece);
    for _ in 0..5 {
        // The server may stop reading.
        if connection.write(&piece).is_err() {
            break;
        }
    }
    let status = connection.try_reply().map(|reply| reply.status);
    assert!(matches!(status, Some(413) | None), "{status:?}");
    // A body just below the limit is accepted.
    let pad = "x".repeat((4 << 20) - 1_000);
    let mut client = HttpClient::new(&http);
    assert_eq!(
        client.ask("ping", &json!({"pad": pad}))["result"],
        json!({})
    );
    // A slow body only blocks its own connection.
    let mut waiting = http.connect();
    let more = [("Content-Length", "1000000")];
    waiting.send("POST", PATH, &with(http.headers(), &more), b"{");
    assert_alive(&http);
}

/// C-MCP-SERVER.9.
#[test]
fn malformed_requests_are_rejected_and_the_server_continues() {
    let world = World::project();
    let http = HttpServer::start(&world, SKC);
    for body in [
        &b""[..],
        b"garbage",
        b"{",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1}",
        &b"[".repeat(100_000),
    ] {
        let status = http.post_bytes(body, &[]).status;
        assert!((400..500).contains(&status), "{status}: {body:?}");
    }
    let json_only = [("Accept", "text/plain")];
    let status = http.post(&hello(), &json_only).status;
    assert!(status == 200 || status == 406, "{status}");
    for (header, value) in [
        ("Content-Type", "text/plain"),
        ("Mcp-Protocol-Version", "1999-01-01"),
        ("Mcp-Session-Id", "../../x"),
    ] {
        let status = http.post(&hello(), &[(header, value)]).status;
        assert!((400..500).contains(&status), "{header}: {status}");
    }
    let raw: [&[u8]; 6] = [
        b"\r\n\r\n",
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /mcp HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    for bytes in raw {
        let mut connection = http.connect();
        connection.write(bytes).expect("the server listens");
        connection.stop_writing();
        let status = connection.try_reply().map(|reply| reply.status);
        assert!(
            status.is_none_or(|status| (400..600).contains(&status)),
            "{status:?}"
        );
    }
    let long = "x".repeat(1 << 20);
    let mut connection = http.connect();
    connection.send(
        "POST",
        PATH,
        &with(http.headers(), &[("X-Long", &long)]),
        b"{}",
    );
    let status = connection.try_reply().map(|reply| reply.status);
    assert!(status.is_none_or(|status| status == 431), "{status:?}");
    assert_alive(&http);
    assert!(http.said().iter().all(|line| !line.contains("panic")));
}

/// R20: every request ends with success or 503; none hangs.
#[test]
fn requests_beyond_the_limit_are_all_answered() {
    const MANY: usize = 200;
    let world = World::built(&[("guide.md", "# Guide\n\nUse it.\n")]);
    let http = HttpServer::start(&world, SKC);
    let more = [
        ("Mcp-Protocol-Version", WITHOUT_HANDSHAKE),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "skc_build"),
    ];
    let headers = with(http.headers(), &more);
    let (sender, answers) = channel();
    thread::scope(|scope| {
        for number in 0..MANY {
            let (sender, headers) = (sender.clone(), &headers);
            let mut connection = http.connect();
            scope.spawn(move || {
                // Builds are serialized, so all other builds have to wait.
                let params = json!({
                    "name": "skc_build",
                    "arguments": {"skill": "demo", "force": true},
                    "_meta": client_meta(WITHOUT_HANDSHAKE),
                });
                let body = request(number, "tools/call", &params).to_string();
                connection.send("POST", PATH, headers, body.as_bytes());
                let reply = connection.reply();
                let id = (reply.status == 200).then(|| reply.answer()["id"].clone());
                sender
                    .send((number, reply.status, id))
                    .expect("the receiver waits");
            });
        }
        let mut answered = 0;
        for _ in 0..MANY {
            let (number, status, id) = answers.recv_timeout(PATIENCE).expect("an answer");
            match id {
                Some(id) => assert_eq!(id, number),
                None => assert_eq!(status, 503),
            }
            answered += usize::from(status == 200);
        }
        assert!(answered >= 32, "{answered} of {MANY}");
    });
    assert_alive(&http);
}

/// R20: the limit on requests in flight also applies per session.
#[test]
fn many_requests_of_one_session_are_all_answered() {
    const MANY: usize = 200;
    let world = World::built(&[]);
    let http = HttpServer::start(&world, SKC);
    let client = HttpClient::new(&http);
    let session = client.session().expect("a session").to_owned();
    let more = [
        ("Mcp-Session-Id", session.as_str()),
        ("Mcp-Protocol-Version", WITH_HANDSHAKE),
    ];
    let headers = with(http.headers(), &more);
    let mut open = Vec::new();
    for number in 0..MANY {
        let params = json!({"name": "skc_outline", "arguments": {"skill": "demo"}});
        let body = request(number, "tools/call", &params).to_string();
        let mut connection = http.connect();
        connection.send("POST", PATH, &headers, body.as_bytes());
        open.push(connection);
    }
    let mut answered = 0;
    for (number, connection) in open.iter_mut().enumerate() {
        let reply = connection.reply();
        if reply.status == 200 {
            assert_eq!(reply.answer()["id"], number);
            answered += 1;
        } else {
            assert_eq!(reply.status, 503);
        }
    }
    assert!(answered >= 32, "{answered} of {MANY}");
    assert_alive(&http);
}

/// Hostile: the headers that control access are ambiguous.
#[test]
fn a_request_must_name_exactly_one_host_origin_and_token() {
    let world = World::project();
    let http = HttpServer::start(&world, SKC);
    let body = hello().to_string();
    let headers = http.headers();
    let headers: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let token = headers.join("\r\n") + "\r\n";
    let rest = format!("{token}Content-Length: {}\r\n\r\n{body}", body.len());
    for (head, status) in [
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\n", 200),
        (
            "POST http://localhost/mcp HTTP/1.1\r\nHost: localhost\r\n",
            200,
        ),
        (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
            400,
        ),
        (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n",
            400,
        ),
        (
            "POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n",
            400,
        ),
        ("POST /mcp HTTP/1.1\r\n", 400),
        (
            "POST /mcp HTTP/1.1\r\nHost: evil.example@localhost\r\n",
            400,
        ),
        (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:1\r\n",
            200,
        ),
        (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:1\r\nOrigin: http://evil.example\r\n",
            400,
        ),
        (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n",
            400,
        ),
    ] {
        let mut connection = http.connect();
        connection
            .write(format!("{head}{rest}").as_bytes())
            .expect("the server listens");
        assert_eq!(connection.reply().status, status, "{head}");
    }
}

/// R20.
#[test]
fn idle_connections_do_not_block_others() {
    let world = World::project();
    let http = HttpServer::start(&world, SKC);
    let mut silent: Vec<_> = (0..200).map(|_| http.connect()).collect();
    for connection in silent.iter_mut().step_by(2) {
        connection
            .write(b"POST /mcp HTTP/1.1\r\nHost: loc")
            .expect("the server listens");
    }
    assert_alive(&http);
}

/// R20: an attacker without a token opens more connections than the server allows, and sends an unfinished request on
/// each.
#[test]
fn unfinished_request_heads_do_not_lock_out_other_clients() {
    let world = World::project();
    let http = HttpServer::start(&world, SKC);
    let mut halves: Vec<_> = (0..300).map(|_| http.connect()).collect();
    for connection in &mut halves {
        // The server may have closed the connection already to make room.
        let _ = connection.write(b"POST /mcp HTTP/1.1\r\nHost: loc");
    }
    let begun = Instant::now();
    assert_alive(&http);
    // A client that is locked out would wait for 30 seconds.
    assert!(begun.elapsed() < Duration::from_secs(25), "{begun:?}");
    let mut oldest = halves.remove(0);
    assert!(oldest.try_reply().is_none(), "the oldest must be closed");
}

/// R20.
#[test]
fn a_missing_body_times_out() {
    let world = World::project();
    let http = HttpServer::start(&world, SKC);
    let mut waiting = http.connect();
    let more = [("Content-Length", "1000000")];
    waiting.send("POST", PATH, &with(http.headers(), &more), b"{");
    assert_eq!(waiting.reply().status, 408);
    assert_alive(&http);
}
