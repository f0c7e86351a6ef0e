//! Soak test: many concurrent calls by several clients. No response is lost or mixed up, and memory does not grow.
//!
//! `SKC_SOAK_CALLS` sets the number of calls per test (default: 10,000).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, resident_kib, texts};
use skillc_tests::mcp_http::{HttpClient, HttpServer};

use crate::mcp::state::rows;
use crate::mcp::support::{SKC, skc_json};

/// The default number of calls.
const USUAL: usize = 10_000;

/// In longer runs, the page cache of each open database (the audit log, and one database per skill) grows to 2 MiB.
const CACHES_KIB: u64 = ((CLIENTS as u64 + 1) * 2) << 10;

/// Number of clients.
const CLIENTS: usize = 8;

/// Number of requests in flight per client over pipes.
const WINDOW: usize = 6;

/// Memory must be stable after the first fifth of the calls.
const WARM: usize = 5;

/// Creates a world with a skill for each client, with unique words.
fn world() -> World {
    let world = World::project();
    for client in 0..CLIENTS {
        let name = format!("skill-{client}");
        let head = format!("---\nname: {name}\ndescription: Of {client}.\n---\n\n# Top {client}\n");
        let sections = (0..20).map(|section| {
            format!("\n## Part {section}\n\nThe word is w{client}x{section}y, of {client} only.\n")
        });
        let text = head + sections.collect::<String>().as_str();
        let path = format!("own-{client}.txt");
        world.project_skill(
            &name,
            &[("SKILL.md", &text), (&path, &format!("file of {client}\n"))],
        );
        world.skc(["build", &name]).success();
    }
    world
}

/// Returns call `number` of a client, and text that its response must contain.
fn call(client: usize, number: usize) -> (&'static str, Value, String) {
    let skill = format!("skill-{client}");
    let section = number % 20;
    let word = format!("w{client}x{section}y");
    match number % 10 {
        0 | 1 => (
            "skc_search",
            json!({"skill": skill, "query": word}),
            format!("Part {section}"),
        ),
        2 | 3 => (
            "skc_show",
            json!({"skill": skill, "section": format!("Part {section}")}),
            word,
        ),
        4 => {
            let path = format!("own-{client}.txt");
            (
                "skc_open",
                json!({"skill": skill, "path": path}),
                format!("file of {client}"),
            )
        }
        5 => (
            "skc_outline",
            json!({"skill": skill, "level": 1}),
            format!("Top {client}"),
        ),
        6 => (
            "skc_sources",
            json!({"skill": skill}),
            format!("own-{client}.txt"),
        ),
        7 => {
            let path = format!("nope-{client}-{number}");
            let said = format!("error[E021]: file not found: '{path}'");
            ("skc_open", json!({"skill": skill, "path": path}), said)
        }
        8 => {
            let level = 1_000 * client + number + 7;
            let said = format!("level: expected at most 6, not {level}");
            ("skc_outline", json!({"skill": skill, "level": level}), said)
        }
        _ if number % 100 == 9 => ("skc_build", json!({"skill": skill}), format!("{skill}\"")),
        _ => (
            "skc_list",
            json!({"pattern": skill}),
            format!("\"{skill}\""),
        ),
    }
}

/// Asserts that a response belongs to its call.
#[track_caller]
fn check(client: usize, number: usize, result: &Value) {
    let (tool, _, expected) = call(client, number);
    let is_error = expected.starts_with("error[") || expected.starts_with("level:");
    assert_eq!(result["isError"], is_error, "{client}: {number}: {result}");
    let text = texts(result)[0];
    assert!(
        text.contains(&expected),
        "{client}: {number}: {tool}: {text}"
    );
}

#[expect(clippy::disallowed_methods, reason = "an option of the test run")]
fn calls_of_each() -> usize {
    let all = std::env::var("SKC_SOAK_CALLS").ok();
    let all = all.and_then(|all| all.parse().ok()).unwrap_or(USUAL);
    all / CLIENTS
}

/// Asserts that memory has not grown since warm-up.
#[track_caller]
fn is_flat(warm: u64, end: u64) {
    let caches = if calls_of_each() > USUAL / CLIENTS {
        CACHES_KIB
    } else {
        0
    };
    let bound = (warm + warm / 10).max(warm + (8 << 10)) + caches;
    assert!(end <= bound, "memory grew from {warm} KiB to {end} KiB");
}

/// Asserts that each call has two audit rows, or one if it was rejected.
fn check_audit(world: &World, calls: usize) {
    let rows = rows(world);
    let exits = rows.iter().filter(|row| row.phase == "exit").count();
    assert_eq!(exits, calls);
    let refused = rows
        .iter()
        .filter(|row| row.error_code.as_deref() == Some("E100"));
    assert_eq!(rows.len(), 2 * calls - refused.count());
    assert_eq!(skc_json(world, &["audit", "--limit", "1"])["total"], calls);
}

/// C-MCP-SERVER.9, REG-MW.7: eight clients call one server process, half of them with sessions.
#[test]
fn many_calls_over_http_are_correct_and_do_not_leak() {
    let world = world();
    let http = HttpServer::start(&world, SKC);
    let each = calls_of_each();
    let warm = AtomicU64::new(0);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (http, warm) = (&http, &warm);
            scope.spawn(move || {
                let mut connected = match client % 2 {
                    0 => HttpClient::new(http),
                    _ => HttpClient::without_handshake(http),
                };
                for number in 0..each {
                    let (tool, arguments, _) = call(client, number);
                    check(client, number, &connected.call(tool, &arguments));
                    if client == 0 && number == each / WARM {
                        warm.store(resident_kib(http.process()), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    is_flat(warm.into_inner(), resident_kib(http.process()));
    assert!(http.said().iter().all(|line| !line.contains("panic")));
    check_audit(&world, each * CLIENTS);
}

/// C-MCP-SERVER.9, REG-MW.7: eight server processes share one home, each with several requests in flight.
#[test]
fn many_calls_to_many_servers_are_correct_and_do_not_leak() {
    let world = world();
    let each = calls_of_each();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let world = &world;
            scope.spawn(move || {
                let mut connected = Client::new(world, SKC);
                let (mut warm, mut asked) = (0, 0);
                let mut in_flight = VecDeque::new();
                for number in 0..each {
                    while asked < each && in_flight.len() < WINDOW {
                        let (tool, arguments, _) = call(client, asked);
                        in_flight.push_back(connected.ask_call(tool, &arguments));
                        asked += 1;
                    }
                    let id = in_flight.pop_front().expect("a request in flight");
                    check(client, number, &connected.result_of(id));
                    if number == each / WARM {
                        warm = resident_kib(connected.process());
                    }
                }
                is_flat(warm, resident_kib(connected.process()));
                let ended = connected.end();
                assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""));
                assert!(ended.answers.is_empty() && ended.strays.is_empty());
            });
        }
    });
    check_audit(&world, each * CLIENTS);
}
