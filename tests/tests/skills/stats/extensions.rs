//! Additions to the specification: searches without results, sessions, days.

use serde_json::{Value, json};
use skillc_tests::{World, database};

use crate::stats::support::{data, log_of, open, row, run, search, show, stats};

/// C-LOGGING@4.4: searches that failed do not count.
#[test]
fn zero_results_are_searches_that_ran_and_found_nothing() {
    let world = World::demo(&[]);
    search(&world, "zebra", 0).log_times(2);
    search(&world, "zebra", 1).log();
    search(&world, "alpaca", 0).log_times(2);
    search(&world, "yak", 0).log();
    search(&world, "lost", 0).failed("error[E002]: x").log();
    search(&world, "unknown", 0)
        .args("{\"query\":\"unknown\"}")
        .log();
    assert_eq!(
        data(&world, "zero-results"),
        json!([
            {"query": "alpaca", "count": 2},
            {"query": "zebra", "count": 2},
            {"query": "yak", "count": 1},
        ])
    );
}

/// C-LOGGING@4.4: for each query, the output lists the words that no section contained, from all searches for this
/// query.
#[test]
fn zero_results_name_the_words_without_matches() {
    let world = World::demo(&[]);
    for words in [json!(["yak"]), json!(["zebra", "yak"]), json!([])] {
        let args = json!({"query": "zebra yak", "result_count": 0, "unmatched": words});
        row(&world, "search", &args).log();
    }
    let expected = json!([{"query": "zebra yak", "unmatched": ["yak", "zebra"], "count": 3}]);
    assert_eq!(data(&world, "zero-results"), expected);
    assert_eq!(
        data(&world, "search"),
        json!([{"query": "zebra yak", "count": 3}])
    );
    let text = world.skc(["stats", "demo", "--group-by", "zero-results"]);
    let text = text.success();
    let expected = "zebra yak (unmatched: yak, zebra) (3 accesses)";
    assert!(text.text().contains(expected), "{text:?}");
}

/// The commands of a run are in the order of their rows, and runs are ordered by their last command.
#[test]
fn sessions_list_the_commands_of_each_run_in_order() {
    let world = World::demo(&[]);
    row(&world, "outline", &json!({"level": 2}))
        .run("one")
        .at("2026-01-01T10:00:00Z")
        .log();
    show(&world, "SKILL.md", "Demo")
        .run("two")
        .at("2026-01-01T10:00:01Z")
        .log();
    search(&world, "auth", 2)
        .run("one")
        .at("2026-01-01T10:00:02Z")
        .log();
    open(&world, "none")
        .run("one")
        .at("2026-01-01T10:00:03Z")
        .failed("error[E021]: x")
        .log();
    let command = |time: &str, command: &str, target: Value, error: Value| json!({"timestamp": time, "command": command, "target": target, "error": error});
    assert_eq!(
        data(&world, "sessions"),
        json!([
            {
                "run_id": "one",
                "start": "2026-01-01T10:00:00Z",
                "end": "2026-01-01T10:00:03Z",
                "count": 3,
                "error_count": 1,
                "commands": [
                    command("2026-01-01T10:00:00Z", "outline", Value::Null, Value::Null),
                    command("2026-01-01T10:00:02Z", "search", json!("auth"), Value::Null),
                    command("2026-01-01T10:00:03Z", "open", json!("none"), json!("error[E021]: x")),
                ],
            },
            {
                "run_id": "two",
                "start": "2026-01-01T10:00:01Z",
                "end": "2026-01-01T10:00:01Z",
                "count": 1,
                "error_count": 0,
                "commands": [command("2026-01-01T10:00:01Z", "show", json!("Demo"), Value::Null)],
            },
        ])
    );
}

#[test]
fn a_clock_set_back_does_not_change_the_order_of_commands() {
    let world = World::demo(&[]);
    show(&world, "a.md", "First")
        .run("one")
        .at("2026-01-02")
        .log();
    show(&world, "a.md", "Second")
        .run("one")
        .at("2026-01-01")
        .log();
    show(&world, "a.md", "Third")
        .run("two")
        .at("2025-12-31")
        .log();
    let answer = stats(&world, &["--group-by", "sessions"]);
    assert_eq!(answer["data"][0]["run_id"], "two");
    let one = &answer["data"][1];
    assert_eq!(one["commands"][0]["target"], "First");
    assert_eq!(one["commands"][1]["target"], "Second");
    let span = json!(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]);
    assert_eq!(json!([one["start"], one["end"]]), span);
    assert_eq!(answer["period"]["start"], "2025-12-31T00:00:00Z");
    assert_eq!(answer["period"]["end"], "2026-01-02T00:00:00Z");
}

#[test]
fn the_newest_hundred_sessions_are_listed_by_default() {
    let world = World::demo(&[]);
    show(&world, "a.md", "A").run("0").log();
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
        INSERT INTO access_log (timestamp, run_id, command, skill, skill_path, cwd, args)
        SELECT timestamp, i, command, skill, skill_path, cwd, args FROM n, access_log WHERE id = 1";
    database::change(&log_of(&world), rows);
    let ids = |args: &[&str]| -> Vec<String> {
        let answer = stats(&world, &[&["--group-by", "sessions"], args].concat());
        let sessions = answer["data"].as_array().expect("a list").iter();
        sessions
            .map(|run| run["run_id"].as_str().expect("a text").to_owned())
            .collect()
    };
    let numbers = |from: u32, to: u32| -> Vec<String> {
        (from..=to).rev().map(|id| id.to_string()).collect()
    };
    assert_eq!(ids(&[]), numbers(51, 150));
    assert_eq!(ids(&["--limit", "3"]), numbers(148, 150));
    assert_eq!(ids(&["-l", "1000"]), numbers(0, 150));
    assert_eq!(ids(&["-l", "0"]), numbers(1, 0));
}

/// A server may run for a long time, so its session can have any number of commands.
#[test]
fn a_session_lists_its_first_thousand_commands() {
    let world = World::demo(&[]);
    show(&world, "a.md", "A").run("server").log();
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
        INSERT INTO access_log (timestamp, run_id, command, skill, skill_path, cwd, args)
        SELECT timestamp, run_id, command, skill, skill_path, cwd, json_object('section', 'S' || i) FROM n, access_log WHERE id = 1";
    database::change(&log_of(&world), rows);
    let session = data(&world, "sessions")[0].take();
    let commands = session["commands"].as_array().expect("a list");
    assert_eq!((commands.len(), &session["count"]), (1_000, &json!(1_501)));
    assert_eq!(commands[999]["target"], "S999");
    let text = run(&world, &["--group-by", "sessions"]).success();
    assert!(text.text().contains("\n    ... (501 more)\n"));
}

#[test]
fn the_timeline_has_the_days_with_accesses_in_order() {
    let world = World::demo(&[]);
    show(&world, "a.md", "A")
        .at("2026-01-10T00:00:00Z")
        .log_times(2);
    show(&world, "a.md", "A").at("2026-01-09T23:59:59Z").log();
    show(&world, "a.md", "A")
        .at("2025-12-31T12:00:00Z")
        .failed("error[E020]: x")
        .log();
    show(&world, "a.md", "A")
        .at("2026-01-10T23:59:59Z")
        .failed("error[E020]: x")
        .log();
    assert_eq!(
        data(&world, "timeline"),
        json!([
            {"date": "2025-12-31", "count": 1, "error_count": 1},
            {"date": "2026-01-09", "count": 1, "error_count": 0},
            {"date": "2026-01-10", "count": 3, "error_count": 1},
        ])
    );
}
