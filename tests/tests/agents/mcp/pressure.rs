//! Backpressure, large output, and files that disappear while the server runs.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{PATIENCE, WITH_HANDSHAKE, handshake, request, resident_kib, texts};

use crate::mcp::support::{SKC, server};

/// C-MCP-SERVER.9: responses are not buffered without bound, and none is lost.
#[test]
fn a_client_that_does_not_read_gets_backpressure() {
    const MANY: u64 = 10_000;
    let world = World::project();
    let mut command = world.process(SKC, &["mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a process");
    let mut input = child.stdin.take().expect("a pipe");
    let output = child.stdout.take().expect("a pipe");
    let (sender, written) = channel();
    thread::spawn(move || {
        let hello = request(0, "initialize", &handshake(WITH_HANDSHAKE));
        writeln!(input, "{hello}").expect("the server reads");
        for id in 1..=MANY {
            let line = request(id, "tools/list", &json!({}));
            writeln!(input, "{line}").expect("the server reads");
        }
        sender.send(()).expect("the receiver waits");
        input
    });
    // All responses together exceed 100 MB, so the server must stop reading requests.
    let all_taken = written.recv_timeout(Duration::from_secs(2)).is_ok();
    let size = resident_kib(child.id());
    assert!(!all_taken && size < 64 << 10, "{size} KiB");
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            if line.is_ok_and(|line| sender.send(line).is_err()) {
                break;
            }
        }
    });
    let mut ids: Vec<u64> = (0..=MANY)
        .map(|_| {
            let line = lines.recv_timeout(PATIENCE).expect("an answer");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            answer["id"].as_u64().expect("a number")
        })
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..=MANY));
    child.kill().expect("our own process");
    child.wait().expect("our own process");
}

/// C-MCP-SERVER.1: only the line end delimits a message.
#[test]
fn messages_may_arrive_in_pieces_of_any_size() {
    let world = World::project();
    let mut client = server(&world);
    for id in ["one", "two", "three"] {
        for byte in format!("{}\n", request(id, "ping", &json!({}))).bytes() {
            client.write(&[byte]);
        }
    }
    for id in ["three", "one", "two"] {
        assert_eq!(client.result_of(id), json!({}));
    }
}

/// C-MCP-SERVER.5, R20: long content is truncated or rejected with a message.
#[test]
fn a_huge_file_does_not_make_a_huge_response() {
    let world = World::demo(&[]);
    let line = "a line of text that is neither long nor short\n";
    let text = line.repeat((24 << 20) / line.len());
    fs::write(world.demo_source().join("huge.txt"), &text).expect("a file");
    let mut client = server(&world);
    let arguments = json!({"skill": "demo", "path": "huge.txt"});
    let result = client.call("skc_open", &arguments);
    let answer = texts(&result)[0];
    assert!(answer.len() <= (16 << 20) + 1_000, "{}", answer.len());
    let few = json!({"skill": "demo", "path": "huge.txt", "max_lines": 2});
    let result = client.call("skc_open", &few);
    assert_eq!(result["isError"], false);
    assert!(texts(&result)[0].starts_with(&line.repeat(2)));
}

/// C-MCP-SERVER.6: the server keeps running.
#[test]
fn files_deleted_while_the_server_runs_are_errors_of_the_call() {
    let world = World::built(&[("guide.md", "# Guide\n\nUse it.\n")]);
    let mut client = server(&world);
    let search = json!({"skill": "demo", "query": "use"});
    assert_eq!(client.call("skc_search", &search)["isError"], false);
    fs::remove_file(world.demo_index()).expect("our own");
    let result = client.call("skc_search", &search);
    assert!(texts(&result)[0].starts_with("error[E002]: "), "{result}");
    client.call("skc_build", &json!({"skill": "demo"}));
    assert_eq!(client.call("skc_search", &search)["isError"], false);
    fs::write(
        world.demo_source().join("guide.md"),
        "# Guide\n\nAvoid it.\n",
    )
    .expect("a file");
    let result = client.call("skc_search", &search);
    assert!(texts(&result)[0].starts_with("error[E002]: "), "{result}");
    fs::remove_dir_all(world.cwd.join(".skillc")).expect("our own");
    let result = client.call("skc_search", &search);
    assert!(texts(&result)[0].starts_with("error[E001]: "), "{result}");
    fs::remove_dir_all(&world.cwd).expect("our own");
    fs::remove_dir_all(&world.home).expect("our own");
    for tool in ["skc_list", "skc_search", "skc_build"] {
        let arguments = if tool == "skc_list" {
            json!({})
        } else {
            search.clone()
        };
        let id = client.ask_call(tool, &arguments);
        assert!(client.answer(id).get("result").is_some(), "{tool}");
    }
    assert_eq!(client.end().status, Some(0));
}
