//! Concurrent calls.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use skillc_core::testkit::write_files;

use crate::cache::support::{Call, Given, Server, given, rows, search, settle, toolkit};

const THREADS: usize = 8;
const CALLS: usize = 200;

const CARD: &str =
    "---\nname: {name}\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\nHello world.\n";

/// Returns calls of all kinds, including failing ones.
fn calls(skill: &str) -> Vec<Call> {
    let call = |tool, arguments: Value| {
        let mut arguments = arguments;
        arguments["skill"] = skill.into();
        Call { tool, arguments }
    };
    vec![
        call("search", json!({"query": "hello"})),
        call("search", json!({"query": "alpha", "limit": 1})),
        call("search", json!({"query": "nowhere"})),
        call("search", json!({"query": " "})),
        call("show", json!({"section": "Letters"})),
        call("show", json!({"section": "Nowhere"})),
        call("open", json!({"path": "a.md"})),
        call("open", json!({"path": "b.md"})),
        call("outline", json!({})),
    ]
}

/// C-LOGGING@7.1.
#[test]
fn concurrent_calls_get_their_own_answers_and_log_rows() {
    let server = Server::new(&[("a.md", "# Letters\n\nalpha\n")]);
    let other = CARD.replace("{name}", "other");
    let files = [
        ("SKILL.md", &*other),
        ("a.md", "# Letters\n\nother alpha\n"),
    ];
    server.world.project_skill("other", &files);
    settle(&server.world);
    server.world.skc(["build", "other"]).success();
    let calls = [calls("demo"), calls("other")].concat();
    let expected: Vec<Given> = calls
        .iter()
        .map(|call| given(&toolkit(&server.world), call))
        .collect();
    let logs = ["demo", "other"].map(|name| {
        let runtime = server.world.cwd.join(".skillc/runtime").join(name);
        runtime.join(".skillc-meta/logs.db")
    });
    let before: usize = logs.iter().map(|log| rows(log)).sum();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (server, calls, expected) = (&server, &calls, &expected);
            scope.spawn(move || {
                for round in 0..CALLS {
                    let at = (thread * 7 + round * 5) % calls.len();
                    assert_eq!(server.call(&calls[at]), expected[at], "{:?}", calls[at]);
                }
            });
        }
    });
    let after: usize = logs.iter().map(|log| rows(log)).sum();
    assert_eq!(after - before, THREADS * CALLS);
}

/// D-STALE: an answer matches either the old files or the new ones.
#[test]
fn calls_during_edits_and_builds_never_mix_old_and_new() {
    let server = Server::new(&[]);
    let source = server.world.demo_source();
    let (server, is_done) = (&server, AtomicBool::new(false));
    let is_done = &is_done;
    let check = move || {
        let mut answers = 0;
        while !is_done.load(Ordering::Relaxed) {
            let Ok(response) = server.call(&search("edition")).0 else {
                continue;
            };
            let hits = response["results"].as_array().expect("a list");
            let snippets = hits
                .iter()
                .map(|hit| hit["snippet"].as_str().expect("a text"));
            let numbers: Vec<&str> = snippets
                .filter_map(|text| text.split_whitespace().last())
                .collect();
            assert!(matches!(numbers[..], [] | [_, _, _]), "{response}");
            assert!(
                numbers.windows(2).all(|pair| pair[0] == pair[1]),
                "{response}"
            );
            answers += 1;
        }
        answers
    };
    let answers: usize = thread::scope(|scope| {
        let readers: Vec<_> = (0..2).map(|_| scope.spawn(check)).collect();
        for edition in 0..12 {
            let text = format!("# Part\n\nedition {edition}\n");
            let files = ["a.md", "b.md", "c.md"].map(|path| (path, &*text));
            write_files(&source, &files);
            server.world.skc(["build", "demo"]).success();
            assert!(server.call(&search("edition")).0.is_ok());
        }
        is_done.store(true, Ordering::Relaxed);
        readers
            .into_iter()
            .map(|reader| reader.join().expect("no panic"))
            .sum()
    });
    assert!(answers > 0);
}
