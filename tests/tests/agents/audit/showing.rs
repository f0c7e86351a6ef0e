//! Output and filters of `skc audit`.

use serde_json::{Value, json};
use skillc_storage::{AuditLog, CallBegun, CallEnded};
use skillc_tests::World;

use crate::audit::support::{audit, begun, ended, failed, primary, shown, write};

/// Logs four calls: a successful, a failed, a rejected and an unfinished one.
fn day() -> World {
    let world = World::new();
    let mut log = AuditLog::open(&primary(&world)).expect("should succeed");
    let show = begun(
        "c1",
        "skc_show",
        3_600,
        &json!({"skill": "demo", "section": "Usage"}),
    );
    log.enter(&show).expect("should succeed");
    log.exit(&CallEnded {
        warnings: vec!["multiple matches".into()],
        duration_ms: 1_234.5,
        ..ended(&show)
    })
    .expect("should succeed");
    let search = begun(
        "c2",
        "skc_search",
        120,
        &json!({"skill": "none", "query": "x"}),
    );
    log.enter(&search).expect("should succeed");
    log.exit(&failed(
        &search,
        "E001",
        "error[E001]: skill 'none' not found",
    ))
    .expect("should succeed");
    let refused = begun("c3", "skc_search", 60, &json!({"limits": 3}));
    log.exit(&CallEnded {
        args: refused.args.clone(),
        ..failed(
            &refused,
            "E100",
            "error[E100]: invalid option: 'limits: unknown'",
        )
    })
    .expect("should succeed");
    log.enter(&begun("c4", "skc_build", 1, &json!({"skill": "demo"})))
        .expect("should succeed");
    world
}

#[test]
fn json_has_all_fields_of_a_call() {
    let answer = audit(&day(), &[]).success().json();
    assert_eq!(answer["total"], 4);
    let none = Value::Null;
    let expected = [
        json!({
            "call_id": "c4", "tool": "skc_build", "run_id": "run", "cwd": "/w", "at": "2026-01-31T08:14:59.000Z",
            "args": {"skill": "demo"}, "ok": none, "error_code": none, "error_message": none, "duration_ms": none,
            "result_bytes": none, "result_sha256": none, "warnings": [], "source": "user",
        }),
        json!({
            "call_id": "c3", "tool": "skc_search", "run_id": "run", "cwd": "/w", "at": "2026-01-31T08:14:00.004Z",
            "args": {"limits": 3}, "ok": false, "error_code": "E100",
            "error_message": "error[E100]: invalid option: 'limits: unknown'", "duration_ms": 3.75,
            "result_bytes": none, "result_sha256": none, "warnings": [], "source": "user",
        }),
        json!({
            "call_id": "c2", "tool": "skc_search", "run_id": "run", "cwd": "/w", "at": "2026-01-31T08:13:00.000Z",
            "args": {"skill": "none", "query": "x"}, "ok": false, "error_code": "E001",
            "error_message": "error[E001]: skill 'none' not found", "duration_ms": 3.75,
            "result_bytes": none, "result_sha256": none, "warnings": [], "source": "user",
        }),
        json!({
            "call_id": "c1", "tool": "skc_show", "run_id": "run", "cwd": "/w", "at": "2026-01-31T07:15:00.000Z",
            "args": {"skill": "demo", "section": "Usage"}, "ok": true, "error_code": none, "error_message": none,
            "duration_ms": 1234.5, "result_bytes": 120, "result_sha256": "ab".repeat(32),
            "warnings": ["multiple matches"], "source": "user",
        }),
    ];
    for (number, call) in expected.iter().enumerate() {
        assert_eq!(&answer["calls"][number], call);
    }
}

#[test]
fn text_output_is_a_table() {
    let text = day().skc(["audit"]).success();
    assert_eq!(
        text.text(),
        "\
TIME                  TOOL          TOOK  OUTCOME     ARGUMENTS
2026-01-31T08:14:59Z  skc_build        -  unfinished  {\"skill\":\"demo\"}
2026-01-31T08:14:00Z  skc_search  3.8 ms  E100        {\"limits\":3}
    error[E100]: invalid option: 'limits: unknown'
2026-01-31T08:13:00Z  skc_search  3.8 ms  E001        {\"query\":\"x\",\"skill\":\"none\"}
    error[E001]: skill 'none' not found
2026-01-31T07:15:00Z  skc_show     1.2 s  ok          {\"section\":\"Usage\",\"skill\":\"demo\"}
"
    );
    assert_eq!(text.stderr, "");
}

#[test]
fn the_number_of_omitted_calls_is_shown() {
    let world = World::new();
    for call in 0..53 {
        write(
            &primary(&world),
            &begun(&call.to_string(), "skc_list", 100 - call, &json!({})),
        );
    }
    let text = world.skc(["audit"]).success();
    assert_eq!(text.text().lines().last(), Some("... (3 more)"));
    assert_eq!(text.text().lines().count(), 52);
    assert_eq!(shown(&world, &["--limit", "2"]), ["52", "51"]);
    assert_eq!(audit(&world, &["-l", "2"]).success().json()["total"], 53);
    let none = world.skc(["audit", "--limit", "0"]).success();
    assert_eq!(none.text(), "... (53 more)\n");
}

#[test]
fn the_tool_filter_accepts_names_with_or_without_prefix() {
    let world = day();
    for name in ["skc_search", "search"] {
        assert_eq!(shown(&world, &["--tool", name]), ["c3", "c2"]);
    }
    write(&primary(&world), &begun("c5", "skill_list", 0, &json!({})));
    assert_eq!(shown(&world, &["--tool", "skill_list"]), ["c5"]);
    let none = world.skc(["audit", "--tool", "sear"]).success();
    assert_eq!(none.text(), "No matching calls\n");
}

#[test]
fn times_are_parsed_as_in_stats() {
    let world = day();
    assert_eq!(shown(&world, &["--since", "3m"]), ["c4", "c3", "c2"]);
    assert_eq!(shown(&world, &["--until", "1h"]), ["c1"]);
    let from_to = [
        "--since",
        "2026-01-31T08:13:00Z",
        "--until",
        "2026-01-31T08:14:00Z",
    ];
    assert_eq!(shown(&world, &from_to), ["c3", "c2"]);
    assert_eq!(shown(&world, &["--since", "2026-02-01"]), [""; 0]);
    world
        .skc(["audit", "--since", "yesterday"])
        .error("error[E031]: invalid filter: 'since is not a date (2026-01-31), a time (2026-01-31T08:15:00Z) or an age (90m, 12h, 7d, 4w): yesterday'");
    world
        .skc(["audit", "--since", "1d", "--until", "2d"])
        .code("E031");
}

#[test]
fn errors_shows_failures_only() {
    let world = day();
    assert_eq!(shown(&world, &["--errors"]), ["c3", "c2"]);
    assert_eq!(
        shown(&world, &["--errors", "--since", "90m", "--tool", "show"]),
        [""; 0]
    );
}

#[test]
fn arguments_are_truncated_to_a_line_unless_verbose() {
    let world = World::new();
    let words = json!({"query": "é".repeat(400)});
    let call = begun("c1", "skc_search", 0, &words);
    let mut log = AuditLog::open(&primary(&world)).expect("should succeed");
    log.enter(&call).expect("should succeed");
    log.exit(&failed(&call, "E999", &"m".repeat(400)))
        .expect("should succeed");
    let text = world.skc(["audit"]).success();
    let widths: Vec<usize> = text
        .text()
        .lines()
        .map(|line| line.chars().count())
        .collect();
    assert_eq!(widths[1..], [120, 120], "{text:?}");
    assert!(
        text.text()
            .lines()
            .nth(1)
            .expect("should succeed")
            .ends_with("éé…"),
        "{text:?}"
    );
    let whole = world.skc(["audit", "-v"]).success();
    assert!(whole.text().contains(&words.to_string()), "{whole:?}");
    assert!(whole.text().contains(&"m".repeat(400)), "{whole:?}");
}

#[test]
fn truncated_arguments_are_a_string() {
    let world = World::new();
    let long = json!({"query": "q".repeat(9_000)});
    write(&primary(&world), &begun("c1", "skc_search", 0, &long));
    let answer = audit(&world, &[]).success().json();
    let args = answer["calls"][0]["args"]
        .as_str()
        .expect("a text")
        .to_owned();
    assert!(
        args.len() > 4_000 && long.to_string().starts_with(&args),
        "{args}"
    );
}

#[test]
fn control_sequences_in_a_log_are_escaped() {
    let world = World::new();
    let evil = "\u{1b}]0;x\u{7}\r\n\u{202e}";
    let call = CallBegun {
        tool: format!("t{evil}"),
        args: Some(evil.into()),
        ..begun("c1", "", 0, &json!({}))
    };
    let mut log = AuditLog::open(&primary(&world)).expect("should succeed");
    log.enter(&call).expect("should succeed");
    log.exit(&failed(&call, &format!("E{evil}"), &format!("m{evil}")))
        .expect("should succeed");
    let text = world.skc(["audit"]).success();
    let is_bad = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
    assert!(!text.text().contains(is_bad), "{text:?}");
    assert_eq!(text.text().lines().count(), 3, "{text:?}");
    assert!(text.text().contains("m\\u{1b}]0;x"), "{text:?}");
}

#[test]
fn without_a_server_no_log_is_created() {
    let world = World::new();
    let text = world.skc(["audit"]).success();
    assert_eq!((text.text(), &*text.stderr), ("No calls recorded\n", ""));
    assert_eq!(
        audit(&world, &["--errors"]).success().json(),
        json!({"calls": [], "total": 0})
    );
    assert!(!world.home.join(".skillc").exists());
    assert!(!world.cwd.join(".skillc").exists());
}
