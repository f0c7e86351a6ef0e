//! Each grouping: entries, order, and JSON shape.

use serde_json::{Value, json};
use skillc_tests::World;

use crate::stats::support::{GROUPS, data, open, row, run, search, show, stats};

/// Creates rows of every kind.
fn used() -> World {
    let world = World::demo(&[("b.md", "# B\n"), ("a.md", "# A\n\n## Use\n\n## Limits\n")]);
    show(&world, "a.md", "Use")
        .at("2026-01-03T10:00:00Z")
        .log_times(2);
    show(&world, "b.md", "B")
        .at("2026-01-02T10:00:00Z")
        .log_times(2);
    show(&world, "a.md", "Limits")
        .at("2026-01-04T10:00:00Z")
        .log_times(2);
    show(&world, "SKILL.md", "Demo")
        .at("2026-01-05T10:00:00Z")
        .log_times(3);
    open(&world, "b.md").at("2026-01-01T09:00:00Z").log_times(2);
    search(&world, "install", 3).log_times(2);
    search(&world, "auth", 0).log_times(2);
    search(&world, "zebra", 0).log_times(3);
    row(&world, "outline", &json!({"level": null})).log();
    row(&world, "teleport", &json!({"where": 7})).log();
    world
}

/// C-QUERIES.1, C-SCHEMA.1, C-SCHEMA.2, C-OVERVIEW@3.1, D-STATS-JSON, G-STATS.4: the summary has exactly these keys.
#[test]
fn the_summary_is_the_default_and_has_exactly_the_keys_of_the_schema() {
    let world = used();
    let expected = json!({
        "skill": "demo",
        "skill_path": world.demo_source(),
        "query": "summary",
        "filters": {"since": null, "until": null, "projects": []},
        "period": {"start": "2026-01-01T00:00:00Z", "end": "2026-01-05T10:00:00Z"},
        "data": {"total_accesses": 20, "unique_sections": 4, "unique_files": 3, "error_count": 0},
        "root": world.demo_source(),
    });
    assert_eq!(stats(&world, &[]), expected);
    assert_eq!(stats(&world, &["--group-by", "summary"]), expected);
}

/// C-QUERIES.2, C-SCHEMA.2.
#[test]
fn sections_are_ordered_by_count_then_file_then_heading() {
    assert_eq!(
        data(&used(), "sections"),
        json!([
            {"section": "Demo", "file": "SKILL.md", "count": 3},
            {"section": "Limits", "file": "a.md", "count": 2},
            {"section": "Use", "file": "a.md", "count": 2},
            {"section": "B", "file": "b.md", "count": 2},
        ])
    );
}

/// C-QUERIES.3, C-SCHEMA.2: both showing a section and opening a file count for the file.
#[test]
fn files_are_ordered_by_count_then_path() {
    assert_eq!(
        data(&used(), "files"),
        json!([
            {"file": "a.md", "count": 4},
            {"file": "b.md", "count": 4},
            {"file": "SKILL.md", "count": 3},
        ])
    );
}

/// C-QUERIES.4, C-SCHEMA.2, F-52: the object contains only commands that were used. These can be commands that this
/// version does not have.
#[test]
fn commands_are_an_object_of_used_commands() {
    let expected = json!({"show": 9, "open": 2, "search": 7, "outline": 1, "teleport": 1});
    assert_eq!(data(&used(), "commands"), expected);
}

/// C-QUERIES.5, C-SCHEMA.2.
#[test]
fn projects_are_ordered_by_count_then_path() {
    let world = World::demo(&[]);
    for (dir, count) in [("c", 1), ("b", 2), ("a", 1)] {
        show(&world, "SKILL.md", "Demo")
            .cwd(&world.cwd.join(dir))
            .log_times(count);
    }
    let entry = |dir: &str, count: u64| json!({"project": world.cwd.join(dir), "count": count});
    assert_eq!(
        data(&world, "projects"),
        json!([entry("b", 2), entry("a", 1), entry("c", 1)])
    );
}

/// C-QUERIES.6, C-SCHEMA.2.
#[test]
fn errors_have_their_target_and_are_ordered_by_count_command_target() {
    let world = World::demo(&[]);
    open(&world, "z.md").failed("error[E021]: z").log_times(2);
    show(&world, "", "Nope").failed("error[E020]: b").log();
    show(&world, "", "Nope").failed("error[E020]: a").log();
    show(&world, "", "Else").failed("error[E020]: c").log();
    search(&world, "words", 0).failed("error[E002]: d").log();
    row(&world, "sources", &json!({"dir": "deep"}))
        .failed("error[E022]: e")
        .log();
    row(&world, "build", &json!({"global": false}))
        .failed("error[E011]: f")
        .log();
    show(&world, "SKILL.md", "Demo").log();
    let entry = |target: &str, command: &str, error: &str, count: u64| json!({"target": target, "command": command, "error": error, "count": count});
    assert_eq!(
        data(&world, "errors"),
        json!([
            entry("z.md", "open", "error[E021]: z", 2),
            entry("demo", "build", "error[E011]: f", 1),
            entry("words", "search", "error[E002]: d", 1),
            entry("Else", "show", "error[E020]: c", 1),
            entry("Nope", "show", "error[E020]: a", 1),
            entry("Nope", "show", "error[E020]: b", 1),
            entry("deep", "sources", "error[E022]: e", 1),
        ])
    );
    assert_eq!(stats(&world, &[])["data"]["error_count"], 8);
}

/// C-QUERIES.7, C-SCHEMA.2.
#[test]
fn searches_are_ordered_by_count_then_query() {
    assert_eq!(
        data(&used(), "search"),
        json!([
            {"query": "zebra", "count": 3},
            {"query": "auth", "count": 2},
            {"query": "install", "count": 2},
        ])
    );
}

/// C-SCHEMA.1, C-SCHEMA.3: every answer has the same members, and standard output contains nothing else.
#[test]
fn each_grouping_has_the_same_members() {
    let world = used();
    let keys = |value: &Value| -> Vec<String> {
        value
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect()
    };
    for group in GROUPS {
        let answer = stats(&world, &["--group-by", group]);
        assert_eq!(
            keys(&answer),
            [
                "data",
                "filters",
                "period",
                "query",
                "root",
                "skill",
                "skill_path"
            ],
            "{group}"
        );
        assert_eq!(answer["query"], group);
        assert_eq!(answer["period"]["start"], "2026-01-01T00:00:00Z", "{group}");
        assert_eq!(answer["skill"], "demo", "{group}");
    }
}

/// D-GROUP-BY, C-CLI.1.
#[test]
fn query_is_a_hidden_alias_of_group_by() {
    let world = used();
    assert_eq!(
        stats(&world, &["--query", "files"]),
        stats(&world, &["--group-by", "files"])
    );
    let help = world.skc(["stats", "--help"]).success();
    assert!(help.text().contains("--group-by") && !help.text().contains("--query"));
}

/// C-CLI.3, C-CLI.5: tested without a log, and with a log in which no row matches.
#[test]
fn nothing_to_count_is_an_empty_answer() {
    let empty = |world: &World, args: &[&str]| {
        for (group, expected) in [
            (
                "summary",
                json!({"total_accesses": 0, "unique_sections": 0, "unique_files": 0, "error_count": 0}),
            ),
            ("sections", json!([])),
            ("files", json!([])),
            ("commands", json!({})),
            ("projects", json!([])),
            ("errors", json!([])),
            ("search", json!([])),
            ("zero-results", json!([])),
            ("sessions", json!([])),
            ("timeline", json!([])),
        ] {
            let answer = stats(world, &[args, &["--group-by", group]].concat());
            assert_eq!(answer["data"], expected, "{group}");
            assert_eq!(
                answer["period"],
                json!({"start": null, "end": null}),
                "{group}"
            );
            run(world, args).success();
        }
    };
    empty(&World::demo(&[]), &[]);
    empty(&used(), &["--since", "2030-01-01"]);
}
