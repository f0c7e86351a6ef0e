//! The server exits at the end of its input, and not before.

use std::io::Write;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;

use serde_json::json;
use skillc_tests::World;
use skillc_tests::mcp::{Client, PATIENCE, WITH_HANDSHAKE, handshake, request};

use crate::mcp::support::{SKC, server};

/// C-MCP-SERVER.1, C-MCP-SERVER.2.
#[test]
fn the_server_exits_at_the_end_of_input() {
    let world = World::project();
    let ended = server(&world).end();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.answers.is_empty() && ended.strays.is_empty());
}

/// C-MCP-SERVER.1.
#[test]
fn a_client_may_disconnect_without_sending_anything() {
    let world = World::project();
    let ended = Client::silent(&world, SKC).end();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
}

/// C-MCP-SERVER.1.
#[test]
fn an_unterminated_last_line_is_ignored() {
    for begun in [
        &b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth"[..],
        b"\xff",
        b" ",
    ] {
        let world = World::project();
        let mut client = server(&world);
        client.write(begun);
        let ended = client.end();
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
        assert!(ended.answers.is_empty() && ended.strays.is_empty());
    }
}

/// C-MCP-SERVER.1.
#[test]
fn requests_in_flight_at_the_end_of_input_are_answered() {
    let world = World::built(&[("guide.md", "# Guide\n\nHow to use it.\n")]);
    let mut client = server(&world);
    let asked: Vec<u64> = (0..50)
        .map(|number| match number % 5 {
            0 => client.ask_call("skc_build", &json!({"skill": "demo", "force": true})),
            1 => client.ask_call("skc_search", &json!({"skill": "demo", "query": "use"})),
            2 => client.ask("resources/list", &json!({})),
            3 => client.ask_call("skc_nothing", &json!({})),
            _ => client.ask("tools/list", &json!({})),
        })
        .collect();
    let ended = client.end();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    let answered: Vec<&String> = ended.answers.keys().collect();
    let mut asked: Vec<String> = asked.iter().map(u64::to_string).collect();
    asked.sort();
    assert_eq!(answered, asked.iter().collect::<Vec<_>>());
    let failed = ended.answers.values().filter(|a| a.get("error").is_some());
    assert_eq!(failed.count(), 10);
}

/// C-MCP-SERVER.1, R20: the server must not wait forever for its output to be read.
#[test]
fn the_server_exits_if_input_is_closed_and_output_is_not_read() {
    // The responses exceed a pipe's buffer, and then also the server's queue.
    for requests in [300, 5_000] {
        let world = World::project();
        let mut command = world.process(SKC, &["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let output = child.stdout.take().expect("a pipe");
        let mut input = child.stdin.take().expect("a pipe");
        thread::spawn(move || {
            let hello = request(0, "initialize", &handshake(WITH_HANDSHAKE));
            let _ = writeln!(input, "{hello}");
            for id in 1..=requests {
                let _ = writeln!(input, "{}", request(id, "tools/list", &json!({})));
            }
        });
        let (done, status) = channel();
        thread::spawn(move || {
            let status = child.wait().expect("our own process");
            let _ = done.send(status.code());
        });
        assert_eq!(status.recv_timeout(PATIENCE), Ok(Some(0)), "{requests}");
        drop(output);
    }
}

/// C-MCP-SERVER.1.
#[test]
fn the_server_exits_if_both_streams_are_closed() {
    let world = World::built(&[]);
    let mut command = world.process(SKC, &["mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a process");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    let hello = request(1, "initialize", &handshake(WITH_HANDSHAKE));
    // The server may exit before it has read everything.
    let _ = writeln!(input, "{hello}");
    drop(input);
    let (done, status) = channel();
    thread::spawn(move || {
        let status = child.wait().expect("our own process");
        let _ = done.send(status.code());
    });
    assert_eq!(status.recv_timeout(PATIENCE), Ok(Some(0)));
}
