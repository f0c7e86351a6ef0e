//! The server over HTTP for a team: health, metrics, a token in a file, read-only mode, load.

use std::fs;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use skillc_core::layout::{RuntimeDir, local_runtime};
use skillc_tests::mcp_http::{HttpClient, HttpServer, Reply, with};
use skillc_tests::{World, database};

use crate::mcp::support::SKC;
#[cfg(unix)]
use crate::mcp::support::skc;

fn start(world: &World, more: &[&str]) -> HttpServer {
    let args = [&["mcp", "--http", "127.0.0.1:0"], more].concat();
    HttpServer::new(world.process(SKC, &args))
}

fn get(http: &HttpServer, path: &str, more: &[(&str, &str)]) -> Reply {
    let mut connection = http.connect();
    connection.send("GET", path, &with(http.headers(), more), b"");
    connection.reply()
}

#[test]
fn the_health_endpoint_needs_no_token() {
    let world = World::project();
    let http = start(&world, &[]);
    let reply = get(&http, "/healthz", &[("Authorization", "")]);
    assert_eq!((reply.status, &reply.body[..]), (200, &b"ok"[..]));
    assert_eq!(
        get(&http, "/healthz/x", &[("Authorization", "")]).status,
        401
    );
    let mut connection = http.connect();
    let without = with(http.headers(), &[("Authorization", "")]);
    connection.send("POST", "/healthz", &without, b"");
    assert_eq!(connection.reply().status, 401);
}

/// Hostile: a web page could otherwise read these responses by pointing its own host name at this server (DNS
/// rebinding).
#[test]
fn health_and_metrics_are_only_for_the_hosts_of_this_server() {
    let world = World::project();
    let http = start(&world, &["--metrics"]);
    for path in ["/healthz", "/metrics"] {
        for (host, status) in [
            ("localhost", 200),
            ("127.0.0.1:1", 200),
            ("evil.example", 403),
            ("evil.example@127.0.0.1", 400),
        ] {
            let reply = get(&http, path, &[("Host", host)]);
            assert_eq!(reply.status, status, "{path} {host}");
        }
        for (origin, status) in [("http://localhost:3000", 200), ("http://evil.example", 403)] {
            let reply = get(&http, path, &[("Origin", origin)]);
            assert_eq!(reply.status, status, "{path} {origin}");
        }
    }
    // Some load balancers check a server with HTTP/1.0 and without `Host`.
    let mut connection = http.connect();
    connection
        .write(b"GET /healthz HTTP/1.0\r\n\r\n")
        .expect("the server listens");
    assert_eq!(connection.reply().status, 200);
}

#[test]
fn metrics_count_calls_by_tool_and_outcome() {
    let world = World::built(&[]);
    let http = start(&world, &["--metrics"]);
    let mut client = HttpClient::new(&http);
    for _ in 0..2 {
        client.call("skc_list", &json!({}));
    }
    client.call("skc_outline", &json!({"skill": "none"}));
    client.ask(
        "tools/call",
        &json!({"name": "no_such_tool", "arguments": {}}),
    );
    assert_eq!(get(&http, "/metrics", &[("Authorization", "")]).status, 401);
    let reply = get(&http, "/metrics", &[]);
    assert_eq!(reply.status, 200);
    let kind = &reply.headers["content-type"];
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let text = String::from_utf8(reply.body).expect("text");
    for line in [
        "skc_calls_total{tool=\"skc_list\",outcome=\"ok\"} 2",
        "skc_calls_total{tool=\"skc_outline\",outcome=\"error\"} 1",
        "skc_call_seconds_bucket{tool=\"skc_list\",le=\"+Inf\"} 2",
        "skc_call_seconds_count{tool=\"skc_outline\"} 1",
        "skc_sessions 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(!text.contains("no_such_tool") && text.ends_with("# EOF\n"));
    let without = start(&world, &[]);
    assert_eq!(get(&without, "/metrics", &[]).status, 404);
}

#[test]
fn a_read_only_server_has_no_tool_that_writes() {
    let world = World::built(&[]);
    let http = start(&world, &["--read-only"]);
    let mut client = HttpClient::new(&http);
    let list = client.ask("tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().expect("tools");
    let is_read_only = |tool: &serde_json::Value| tool["annotations"]["readOnlyHint"] == true;
    assert!(
        !tools.is_empty() && tools.iter().all(is_read_only),
        "{list}"
    );
    let call = json!({"name": "skc_build", "arguments": {"skill": "demo"}});
    let refused = client.ask("tools/call", &call);
    let message = refused["error"]["message"].as_str().expect("an error");
    assert!(message.contains("this server is read-only"), "{message}");
    let found = client.call("skc_search", &json!({"skill": "demo", "query": "hello"}));
    assert_eq!(found["isError"], false, "{found}");
}

#[test]
fn a_read_only_server_writes_no_usage_logs() {
    let world = World::built(&[]);
    let rows = || -> i64 {
        let log = database::read(&RuntimeDir(world.demo_runtime()).logs());
        let count = log.query_row("SELECT count(*) FROM access_log", [], |row| row.get(0));
        count.expect("a log")
    };
    let runs: [(&[&str], i64); 2] = [(&["--read-only"], 0), (&[], 2)];
    for (more, logged) in runs {
        let http = start(&world, more);
        let mut client = HttpClient::new(&http);
        let before = rows();
        for (tool, arguments) in [
            ("skc_outline", json!({"skill": "demo"})),
            ("skc_search", json!({"skill": "demo", "query": "hello"})),
        ] {
            let result = client.call(tool, &arguments);
            assert_eq!(result["isError"], false, "{result}");
        }
        assert_eq!(rows() - before, logged, "{more:?}");
        let local = local_runtime(&world.cwd, "demo").logs();
        assert!(!local.exists(), "{more:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_token_can_come_from_a_private_file() {
    use std::os::unix::fs::PermissionsExt;

    let world = World::project();
    let file = world.cwd.join("token");
    let set = |text: &str, mode: u32| {
        fs::write(&file, text).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("our own");
    };
    let token = "s3cret-".repeat(6);
    set(&format!("{token}\n"), 0o600);
    let mut http = start(&world, &["--token-file", "token"]);
    assert!(!http.token.contains("s3cret"), "{}", http.token);
    assert_eq!(get(&http, "/mcp", &[]).status, 401);
    http.token.clone_from(&token);
    HttpClient::new(&http).call("skc_list", &json!({}));
    for (text, mode, says) in [
        (&*token, 0o640, "chmod 600"),
        (&*token, 0o604, "chmod 600"),
        ("short", 0o600, "must have 32 to 4096"),
        ("", 0o600, "must have 32 to 4096"),
        (&"two words ".repeat(9), 0o600, "must have 32 to 4096"),
    ] {
        set(text, mode);
        let args = ["mcp", "--http", "127.0.0.1:0", "--token-file", "token"];
        let run = skc(&world, &args);
        run.code("E100");
        assert!(run.stderr.contains(says), "{says}: {run:?}");
        assert!(!run.stderr.contains("s3cret"), "{run:?}");
    }
    let args = ["mcp", "--http", "127.0.0.1:0", "--token-file", "missing"];
    skc(&world, &args).code("E999");
    for option in [&["--read-only"][..], &["--metrics"], &["--token-file", "x"]] {
        skc(&world, &[&["mcp"], option].concat()).code("E100");
    }
}

/// On a slow machine, the test stops at a time limit: all calls made until then must have succeeded.
#[test]
#[expect(clippy::print_stderr, reason = "the latency is information")]
fn two_hundred_sessions_search_at_once_without_an_error() {
    const SESSIONS: usize = 200;
    const SEARCHES: usize = 50;
    const MOST: Duration = Duration::from_secs(15);
    let world = World::built(&[("guide.md", "# Guide\n\nHow to use it.\n")]);
    let http = start(&world, &["--read-only", "--metrics"]);
    let begun = Instant::now();
    let times = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..SESSIONS {
            scope.spawn(|| {
                let mut client = HttpClient::new(&http);
                let arguments = json!({"skill": "demo", "query": "use"});
                for number in 0..SEARCHES {
                    if number > 0 && begun.elapsed() > MOST {
                        break;
                    }
                    let asked = Instant::now();
                    let found = client.call("skc_search", &arguments);
                    let took = asked.elapsed();
                    assert_eq!(found["isError"], false, "{found}");
                    times.lock().expect("no panic").push(took);
                }
            });
        }
    });
    let mut times = times.into_inner().expect("no panic");
    times.sort_unstable();
    let p99 = times[times.len() * 99 / 100];
    eprintln!("{} searches, p99 {} ms", times.len(), p99.as_millis());
    assert!(times.len() >= SESSIONS);
    let reply = get(&http, "/metrics", &[]);
    let text = String::from_utf8(reply.body).expect("text");
    let count = times.len();
    for line in [
        format!("skc_calls_total{{tool=\"skc_search\",outcome=\"ok\"}} {count}"),
        format!("skc_sessions {SESSIONS}"),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
}
