//! How the server ends: when its input does, and not before.

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
fn the_end_of_input_is_the_end_of_the_server() {
    let world = World::project();
    let ended = server(&world).end();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.answers.is_empty() && ended.strays.is_empty());
}

/// C-MCP-SERVER.1.
#[test]
fn a_client_that_says_nothing_may_go() {
    let world = World::project();
    let ended = Client::silent(&world, SKC).end();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
}

/// C-MCP-SERVER.1: half a line is no message.
#[test]
fn an_end_within_a_line_is_an_end() {
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

/// C-MCP-SERVER.1: what was asked for before the end is answered.
#[test]
fn requests_under_way_at_the_end_are_answered() {
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

/// C-MCP-SERVER.1, R20: a client that has closed its input is not waited for if it does not read its answers.
#[test]
fn a_client_that_closes_its_input_and_reads_nothing_leaves_no_server_behind() {
    // More than a pipe holds, and more than may wait.
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

/// C-MCP-SERVER.1: a client that has gone altogether takes no answers.
#[test]
fn a_client_that_closes_both_streams_leaves_no_server_behind() {
    let world = World::built(&[]);
    let mut command = world.process(SKC, &["mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a process");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    let hello = request(1, "initialize", &handshake(WITH_HANDSHAKE));
    // The server may end before it has read all.
    let _ = writeln!(input, "{hello}");
    drop(input);
    let (done, status) = channel();
    thread::spawn(move || {
        let status = child.wait().expect("our own process");
        let _ = done.send(status.code());
    });
    assert_eq!(status.recv_timeout(PATIENCE), Ok(Some(0)));
}
