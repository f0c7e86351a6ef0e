//! How rows are counted.

use serde_json::json;
use skillc_tests::World;

use crate::stats::support::{data, forget, log_of, open, row, search, show, stats};

/// D-STATS-COUNTING, F-52: a failure counts as an access, but no section was read.
#[test]
fn failures_count_as_accesses_but_not_as_sections_or_files() {
    let world = World::demo(&[]);
    show(&world, "SKILL.md", "Demo").log();
    show(&world, "SKILL.md", "Nope")
        .failed("error[E020]: section not found: 'Nope'")
        .log();
    open(&world, "none.md")
        .failed("error[E021]: file not found: 'none.md'")
        .log();
    assert_eq!(
        stats(&world, &[])["data"],
        json!({"total_accesses": 3, "unique_sections": 1, "unique_files": 1, "error_count": 2})
    );
    assert_eq!(
        data(&world, "sections"),
        json!([{"section": "Demo", "file": "SKILL.md", "count": 1}])
    );
    assert_eq!(
        data(&world, "files"),
        json!([{"file": "SKILL.md", "count": 1}])
    );
}

/// D-STATS-COUNTING: the same heading in two files counts as two sections.
#[test]
fn a_section_is_a_heading_in_a_file() {
    let world = World::demo(&[]);
    show(&world, "a.md", "Use").log();
    show(&world, "b.md", "Use").log();
    assert_eq!(stats(&world, &[])["data"]["unique_sections"], 2);
    assert_eq!(data(&world, "sections").as_array().map(Vec::len), Some(2));
}

/// D-STATS-COUNTING: the heading that was found counts, however the request was written. This is tested end to end.
#[test]
fn variants_of_a_name_are_one_section() {
    let world = World::built(&[("guide.md", "# Guide\n\n## Getting Started\n")]);
    forget(&log_of(&world));
    for asked in [
        "Getting Started",
        "getting started",
        " GETTING STARTED — how to begin",
    ] {
        world.skc(["show", "demo", "--section", asked]).success();
    }
    assert_eq!(
        data(&world, "sections"),
        json!([{"section": "Getting Started", "file": "guide.md", "count": 3}])
    );
}

/// D-STATS-COUNTING: a run of `skc stats` does not count itself; the next run counts it.
#[test]
fn statistics_are_logged_after_they_were_computed() {
    let world = World::demo(&[]);
    let total = || {
        world.skc(["stats", "demo", "-o", "json"]).success().json()["data"]["total_accesses"]
            .clone()
    };
    assert_eq!([total(), total(), total()], [json!(0), json!(1), json!(2)]);
}

/// C-QUERIES.3: different spellings of a path count as one file.
#[test]
fn spellings_of_a_path_are_one_file() {
    let world = World::demo(&[]);
    for path in ["docs/a.md", "./docs/a.md", "docs//b/../a.md"] {
        open(&world, path).log();
    }
    assert_eq!(
        data(&world, "files"),
        json!([{"file": "docs/a.md", "count": 3}])
    );
}

/// C-QUERIES.7: a search counts whether it succeeded or not.
#[test]
fn failed_searches_are_searches() {
    let world = World::demo(&[]);
    search(&world, "auth", 0).failed("error[E002]: x").log();
    search(&world, "auth", 4).log();
    assert_eq!(
        data(&world, "search"),
        json!([{"query": "auth", "count": 2}])
    );
    assert_eq!(data(&world, "zero-results"), json!([]));
}

/// C-QUERIES.2: a row of another command does not count as reading a section, even if it has a `section` argument.
#[test]
fn only_show_counts_sections_and_only_search_counts_searches() {
    let world = World::demo(&[]);
    let args = json!({"section": "Demo", "file": "SKILL.md", "query": "x", "path": "SKILL.md"});
    for command in ["outline", "build", "lint", "shows", "SHOW"] {
        row(&world, command, &args).log();
    }
    for group in ["sections", "files", "search"] {
        assert_eq!(data(&world, group), json!([]), "{group}");
    }
}

/// C-QUERIES.1: the rows have more distinct arguments than the cache of arguments can hold.
#[test]
fn a_great_many_different_rows_are_counted() {
    let world = World::demo(&[]);
    search(&world, "first", 0).log();
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
        INSERT INTO access_log (timestamp, run_id, command, skill, skill_path, cwd, args)
        SELECT '2026-01-02T00:00:00Z', 'r' || (i % 3), 'search', skill, skill_path, cwd,
            '{\"query\":\"q' || (i % 7) || '\",\"result_count\":' || i || '}' FROM n, access_log WHERE id = 1";
    skillc_tests::database::change(&log_of(&world), rows);
    let counts = data(&world, "search");
    let counts = counts.as_array().expect("a list");
    assert_eq!(counts.len(), 8);
    let sum: u64 = counts
        .iter()
        .filter_map(|entry| entry["count"].as_u64())
        .sum();
    assert_eq!(sum, 150_001);
    assert_eq!(counts[0], json!({"query": "q1", "count": 21_429}));
    let sessions = data(&world, "sessions");
    let counts: Vec<_> = sessions
        .as_array()
        .expect("a list")
        .iter()
        .map(|run| run["count"].clone())
        .collect();
    assert_eq!(
        counts,
        [json!(50_000), json!(50_000), json!(50_000), json!(1)]
    );
}
