//! Randomly malformed messages, from a fixed seed so that failures are reproducible.

use std::thread;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, client_meta, request};
use skillc_tests::mcp_http::{HttpClient, HttpServer, PATH, with};

use crate::mcp::support::{SKC, server};

/// Number of messages.
const MESSAGES: usize = 10_000;

/// The number of messages after which the test checks that the server still answers.
const BLOCK: usize = 200;

/// A deterministic pseudo-random number generator.
struct Dice(u64);

impl Dice {
    /// Returns a number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound.max(1)
    }

    fn one_of<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// Generates a valid message, to be mutated.
fn valid(dice: &mut Dice) -> Value {
    let id = dice.below(50);
    let call = |tool: &str, arguments: Value| {
        request(
            id,
            "tools/call",
            &json!({"name": tool, "arguments": arguments}),
        )
    };
    match dice.below(18) {
        0 => request(id, "ping", &json!({})),
        1 => request(id, "tools/list", &json!({})),
        2 => call("skc_outline", json!({"skill": "demo", "level": 2})),
        3 => call(
            "skc_search",
            json!({"skill": "demo", "query": "hello world", "limit": 3}),
        ),
        4 => call(
            "skc_show",
            json!({"skill": "demo", "section": "Demo", "max_lines": 3}),
        ),
        5 => call("skc_open", json!({"skill": "demo", "path": "SKILL.md"})),
        6 => call(
            "skc_sources",
            json!({"skill": "demo", "depth": 2, "pattern": "*.md"}),
        ),
        7 => call(
            "skc_stats",
            json!({"skill": "demo", "group_by": "files", "project": ["."]}),
        ),
        8 => call("skc_lint", json!({"skill": ["demo"], "select": ["SKL2"]})),
        9 => call(
            "skc_list",
            json!({"scope": "all", "status": "all", "limit": 5}),
        ),
        10 => request(id, "resources/list", &json!({"cursor": "0"})),
        11 => request(
            id,
            "resources/read",
            &json!({"uri": "skill://0123456789abcdef/demo/SKILL.md"}),
        ),
        12 => request(id, "skills/list", &json!({})),
        13 => request(
            id,
            "prompts/get",
            &json!({"name": "use_skill", "arguments": {"name": "demo"}}),
        ),
        14 => {
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
        }
        15 => json!({"jsonrpc": "2.0", "id": id, "result": {"roots": []}}),
        16 => request(
            id,
            "tools/list",
            &json!({"_meta": client_meta("2026-07-28")}),
        ),
        _ => json!([
            request(id, "ping", &json!({})),
            request(id + 1, "tools/list", &json!({}))
        ]),
    }
}

/// Generates a replacement value.
fn odd(dice: &mut Dice) -> Value {
    match dice.below(16) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(1e300),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(0.1),
        7 => json!(""),
        8 => json!("\u{0}\u{1b}[31m\u{202e}\u{feff}"),
        9 => json!("x".repeat(dice.below(20_000))),
        10 => json!("../".repeat(50)),
        11 => json!([]),
        12 => json!({}),
        13 => json!([[[[[[[[]]]]]]]]),
        14 => json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        _ => json!("\u{d7ff}\u{10ffff} \u{6280}\u{80fd}"),
    }
}

/// Mutates one member somewhere in a message.
fn change(value: &mut Value, dice: &mut Dice) {
    let deeper = dice.below(3) > 0;
    match value {
        Value::Object(members) if !members.is_empty() => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let key = &keys[dice.below(keys.len())];
            match dice.below(6) {
                _ if deeper => change(&mut members[key], dice),
                0 => drop(members.remove(key)),
                1 => {
                    let moved = members.remove(key).expect("should exist");
                    members.insert(format!("{key}\u{0}"), moved);
                }
                2 => drop(members.insert("more".into(), odd(dice))),
                _ => drop(members.insert(key.clone(), odd(dice))),
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = dice.below(items.len());
            change(&mut items[at], dice);
        }
        other => *other = odd(dice),
    }
}

/// Mutates bytes somewhere in a line.
fn spoil(line: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..=dice.below(4) {
        let at = dice.below(line.len());
        match dice.below(8) {
            0 => line.truncate(at),
            1 if !line.is_empty() => line[at] ^= 1 << dice.below(8),
            2 => line.insert(at.min(line.len()), 0xff),
            3 => line.insert(
                at.min(line.len()),
                *dice.one_of(&[&b'"', &b'{', &b'}', &b'\\', &0, &b'\r']),
            ),
            4 if !line.is_empty() => drop(line.remove(at)),
            5 => {
                let piece = line[at..].to_vec();
                line.extend(piece);
            }
            6 if !line.is_empty() => line.swap(at, 0),
            _ => line.splice(at..at, *b"\xed\xa0\x80").for_each(drop),
        }
    }
}

/// Generates a line, without the line end.
fn line(dice: &mut Dice) -> Vec<u8> {
    let mut message = valid(dice);
    match dice.below(20) {
        0..7 => {
            change(&mut message, dice);
            message.to_string().into_bytes()
        }
        7..14 => {
            let mut line = message.to_string().into_bytes();
            spoil(&mut line, dice);
            line
        }
        14 => {
            let text = message.to_string().replace("\"id\":", "\"id\":\"again\",\"id\":");
            text.into_bytes()
        }
        15 => {
            let digits = "9".repeat(1 + dice.below(2_000));
            let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{digits},\"method\":\"ping\"}}");
            text.into_bytes()
        }
        16 => {
            let depth = 1 + dice.below(5_000);
            [b"[".repeat(depth), message.to_string().into_bytes(), b"]".repeat(depth)].concat()
        }
        17 => json!(vec![message; 1 + dice.below(150)]).to_string().into_bytes(),
        18 => (0..dice.below(500)).map(|_| u8::try_from(dice.below(256)).expect("a byte")).collect(),
        // Out-of-order messages: messages of a handshake, and messages about requests that have ended.
        _ => dice
            .one_of::<[u8]>(&[
                b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{}}",
                b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"server/discover\"}",
                b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}",
                b"{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-1,\"message\":\"late\"}}",
                b"",
            ])
            .to_vec(),
    }
}

/// Asserts that the server still answers.
#[track_caller]
fn assert_alive(client: &mut Client, round: &str) {
    let id = format!("still there {round}");
    client.send(&request(id.as_str(), "ping", &json!({})));
    assert_eq!(client.result_of(id), json!({}));
    let id = format!("still at work {round}");
    let params = json!({"name": "skc_outline", "arguments": {"skill": "demo"}});
    client.send(&request(id.as_str(), "tools/call", &params));
    assert_eq!(client.result_of(id)["isError"], false);
}

/// C-MCP-SERVER.9, C-MCP-SERVER.2: the test client accepts only JSON-RPC.
#[test]
fn random_messages_do_not_stop_the_server_or_corrupt_its_output() {
    let world = World::built(&[]);
    let mut client = server(&world).lenient();
    let mut dice = Dice(5);
    for round in 0..MESSAGES / BLOCK {
        for _ in 0..BLOCK {
            let mut line = line(&mut dice);
            line.retain(|byte| *byte != b'\n');
            line.push(b'\n');
            client.write(&line);
        }
        if round % 12 == 3 {
            let long = [
                b"{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"x\":\"",
                &b"x".repeat(5 << 20)[..],
            ];
            client.write(&[&long.concat()[..], b"\"}\n"].concat());
        }
        assert_alive(&mut client, &round.to_string());
    }
    let ended = client.end();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
}

/// C-MCP-SERVER.9: the input may end at any byte.
#[test]
fn the_server_exits_cleanly_wherever_the_input_ends() {
    let world = World::built(&[]);
    let mut dice = Dice(6);
    let hello = request(0, "initialize", &skillc_tests::mcp::handshake("2025-11-25"));
    let whole = [hello, valid(&mut dice), valid(&mut dice)];
    let whole = whole.map(|message| format!("{message}\n")).concat();
    for _ in 0..40 {
        let mut client = Client::silent(&world, SKC).lenient();
        client.write(&whole.as_bytes()[..dice.below(whole.len())]);
        let ended = client.end();
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    }
}

/// C-MCP-SERVER.9: requests have random bodies and headers.
#[test]
fn random_http_requests_do_not_stop_the_server() {
    let world = World::built(&[]);
    let http = HttpServer::start(&world, SKC);
    let http = &http;
    thread::scope(|scope| {
        for seed in 0..2 {
            scope.spawn(move || {
                let mut dice = Dice(seed);
                let mut client = HttpClient::new(http);
                let session = client.session().expect("a session").to_owned();
                for round in 0..500 {
                    let body = line(&mut dice);
                    let mut more = vec![("Mcp-Session-Id", session.as_str())];
                    more.push((
                        "Mcp-Protocol-Version",
                        dice.one_of(&["2025-11-25", "2026-07-28", "x", ""]),
                    ));
                    more.push((
                        "Mcp-Method",
                        dice.one_of(&["tools/call", "ping", "", "\u{1}"]),
                    ));
                    if dice.below(4) == 0 {
                        more.remove(0);
                    }
                    let method: &str =
                        dice.one_of(&["POST", "POST", "POST", "POST", "PUT", "PATCH"]);
                    let mut connection = http.connect();
                    connection.send(method, PATH, &with(http.headers(), &more), &body);
                    connection.stop_writing();
                    // Any status will do, as long as the server responds or closes the connection in time.
                    let status = connection.head().map(|(status, _)| status);
                    assert!(status.is_none_or(|status| status < 600), "{status:?}");
                    if round % 50 == 0 {
                        let list = client.call("skc_list", &json!({}));
                        assert_eq!(list["isError"], false, "{list}");
                    }
                }
            });
        }
    });
    assert!(http.said().iter().all(|line| !line.contains("panic")));
}
