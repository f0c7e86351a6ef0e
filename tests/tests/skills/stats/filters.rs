//! Row filters.

use std::fs;

use serde_json::json;
use skillc_tests::World;

use crate::stats::support::{log_of, run, show, stats, total};

/// Creates five rows: three rows one second apart around midnight, an earlier row, and a later row.
fn spread() -> World {
    let world = World::demo(&[]);
    for time in [
        "2024-06-01T12:00:00Z",
        "2026-01-09T23:59:59Z",
        "2026-01-10T00:00:00Z",
        "2026-01-10T00:00:01Z",
        "2026-01-30T08:15:00Z",
    ] {
        show(&world, "SKILL.md", "Demo").at(time).log();
    }
    world
}

/// C-FILTERS.1, C-FILTERS.3, G-STATS.3: both bounds are inclusive, and a date means its first second, even as the upper
/// bound.
#[test]
fn bounds_are_inclusive_and_a_date_is_its_first_second() {
    let world = spread();
    for (args, expected) in [
        (&[][..], 5),
        (&["--since", "2026-01-10"], 3),
        (&["--since", "2026-01-10T00:00:01Z"], 2),
        (&["--since", "2026-01-10T00:00:02Z"], 1),
        (&["--until", "2026-01-10"], 3),
        (&["--until", "2026-01-09T23:59:59Z"], 2),
        (&["--until", "2026-01-09T23:59:58Z"], 1),
        (&["--since", "2026-01-10", "--until", "2026-01-10"], 1),
        (&["--since", "2024-01-01"], 5),
        (&["--since", "0000-01-01", "--until", "9999-12-31"], 5),
    ] {
        assert_eq!(total(&world, args), expected, "{args:?}");
    }
}

/// C-FILTERS.2.
#[test]
fn offsets_are_converted_to_utc() {
    let world = spread();
    for since in [
        "2026-01-10T02:00:01+02:00",
        "2026-01-09T19:30:01-04:30",
        "2026-01-10t00:00:01z",
    ] {
        let answer = stats(&world, &["--since", since]);
        assert_eq!(answer["data"]["total_accesses"], 2, "{since}");
        assert_eq!(
            answer["filters"]["since"], "2026-01-10T00:00:01Z",
            "{since}"
        );
    }
}

/// D-SINCE-RELATIVE, G-STATS.3: the test clock is at 2026-01-31T08:15:00Z.
#[test]
fn ages_count_back_from_now_and_filters_show_the_resolved_time() {
    let world = spread();
    for (age, since, expected) in [
        ("1d", "2026-01-30T08:15:00Z", 1),
        ("24h", "2026-01-30T08:15:00Z", 1),
        ("1439m", "2026-01-30T08:16:00Z", 0),
        ("3w", "2026-01-10T08:15:00Z", 1),
        ("30d", "2026-01-01T08:15:00Z", 4),
        ("0m", "2026-01-31T08:15:00Z", 0),
    ] {
        let answer = stats(&world, &["--since", age]);
        assert_eq!(
            answer["filters"],
            json!({"since": since, "until": null, "projects": []}),
            "{age}"
        );
        assert_eq!(answer["data"]["total_accesses"], expected, "{age}");
    }
    let answer = stats(&world, &["--until", "2d"]);
    assert_eq!(answer["filters"]["until"], "2026-01-29T08:15:00Z");
    assert_eq!(answer["data"]["total_accesses"], 4);
}

/// C-FILTERS.5: filters apply before counting, for every grouping.
#[test]
fn filters_apply_to_every_grouping() {
    let world = World::demo(&[]);
    show(&world, "a.md", "Old")
        .at("2025-12-31")
        .run("old")
        .failed("error[E020]: x")
        .log();
    show(&world, "a.md", "Old")
        .at("2025-12-31")
        .run("old")
        .log();
    show(&world, "b.md", "New")
        .at("2026-01-02")
        .run("new")
        .log();
    let since = |group| stats(&world, &["--since", "2026-01-01", "--group-by", group]);
    for (group, expected) in [
        (
            "sections",
            json!([{"section": "New", "file": "b.md", "count": 1}]),
        ),
        ("files", json!([{"file": "b.md", "count": 1}])),
        ("commands", json!({"show": 1})),
        ("projects", json!([{"project": world.cwd, "count": 1}])),
        ("errors", json!([])),
        (
            "timeline",
            json!([{"date": "2026-01-02", "count": 1, "error_count": 0}]),
        ),
    ] {
        let answer = since(group);
        assert_eq!(answer["data"], expected, "{group}");
        assert_eq!(
            answer["period"],
            json!({"start": "2026-01-02T00:00:00Z", "end": "2026-01-02T00:00:00Z"})
        );
    }
    assert_eq!(since("sessions")["data"][0]["run_id"], "new");
    assert_eq!(since("sessions")["data"].as_array().map(Vec::len), Some(1));
}

/// C-FILTERS.4: a path matches if it equals the project's path or is below it. Only whole components are compared.
#[test]
fn projects_match_themselves_and_paths_below_by_whole_components() {
    let world = World::demo(&[]);
    for dir in ["web", "web/src/deep", "webapp", "other", "."] {
        fs::create_dir_all(world.cwd.join(dir)).expect("a directory");
        show(&world, "SKILL.md", "Demo")
            .cwd(&world.cwd.join(dir).canonicalize().expect("exists"))
            .log();
    }
    let dir = |name: &str| world.cwd.join(name).to_str().expect("UTF-8").to_owned();
    for (project, expected) in [
        ("web", 2),
        ("webapp", 1),
        ("web/src", 1),
        ("./web/../web/", 2),
        (".", 5),
        ("..", 5),
        (&dir("other"), 1),
    ] {
        assert_eq!(
            total(&world, &["--project", project]),
            expected,
            "{project}"
        );
    }
    let both = stats(&world, &["--project", "web", "--project", "other"]);
    assert_eq!(both["data"]["total_accesses"], 3);
    assert_eq!(
        both["filters"]["projects"],
        json!([dir("web"), dir("other")])
    );
}

/// C-FILTERS.4: both the path given as a filter and the logged path may contain symlinks.
#[cfg(unix)]
#[test]
fn projects_are_compared_with_symlinks_resolved() {
    let world = World::demo(&[]);
    let real = world.cwd.join("real");
    fs::create_dir_all(real.join("src")).expect("a directory");
    std::os::unix::fs::symlink(&real, world.cwd.join("link")).expect("a link");
    show(&world, "SKILL.md", "Demo")
        .cwd(&real.join("src"))
        .log();
    show(&world, "SKILL.md", "Demo")
        .cwd(&world.cwd.join("link/src"))
        .log();
    show(&world, "SKILL.md", "Demo")
        .cwd(&real.join("src/../src/."))
        .log();
    for project in ["real", "link", "link/src"] {
        assert_eq!(total(&world, &["--project", project]), 3, "{project}");
    }
    let answer = stats(&world, &["--project", "link"]);
    assert_eq!(answer["filters"]["projects"], json!([real]));
}

/// C-FILTERS.4: paths that no longer exist are compared literally.
#[test]
fn deleted_directories_still_match_their_project() {
    let world = World::demo(&[]);
    fs::create_dir_all(world.cwd.join("web")).expect("a directory");
    show(&world, "SKILL.md", "Demo")
        .cwd(&world.cwd.join("web/gone"))
        .log();
    show(&world, "SKILL.md", "Demo")
        .cwd(&world.cwd.join("webgone"))
        .log();
    assert_eq!(total(&world, &["--project", "web"]), 1);
}

/// D-PROJECT-FILTER, CL.9, C-ERRORS@3.1.
#[test]
fn a_missing_project_is_e031() {
    let world = World::demo(&[("notes.txt", "x")]);
    run(&world, &["--project", "no/such"])
        .error("error[E031]: invalid filter: 'project path not found: no/such'");
    let file = world.demo_source().join("notes.txt");
    let file = file.to_str().expect("UTF-8");
    run(&world, &["--project", file]).error(&format!(
        "error[E031]: invalid filter: 'project path is not a directory: {file}'"
    ));
    run(&world, &["--project", "", "-o", "json"]).code("E031");
}

/// C-FILTERS.1, C-FILTERS.2: the times were written by an older version, with fractional seconds and another notation
/// for UTC.
#[test]
fn fractional_seconds_fall_within_their_second() {
    let world = spread();
    let change = "UPDATE access_log SET timestamp = '2026-01-10T00:00:00.895705713+00:00'";
    skillc_tests::database::change(&log_of(&world), change);
    for bound in ["--since", "--until"] {
        assert_eq!(
            total(&world, &[bound, "2026-01-10T00:00:00Z"]),
            5,
            "{bound}"
        );
    }
    assert_eq!(total(&world, &["--since", "2026-01-10T00:00:01Z"]), 0);
    assert_eq!(total(&world, &["--until", "2026-01-09T23:59:59Z"]), 0);
    let period = stats(&world, &[])["period"].take();
    assert_eq!(
        period,
        json!({"start": "2026-01-10T00:00:00Z", "end": "2026-01-10T00:00:00Z"})
    );
}
