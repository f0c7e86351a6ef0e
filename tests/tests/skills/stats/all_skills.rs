//! Statistics of all skills together.

use std::fs;

use serde_json::json;
use skillc_tests::World;

use crate::stats::support::{Row, log_of, search, show};

/// Creates three skills, one of which shadows another with the same name.
fn world() -> World {
    let world = World::demo(&[]);
    world.project_skill("other", &[]);
    world.global_skill("demo", &[]);
    world.global_skill("tools", &[]);
    let log = |row: Row<'_>, store: &std::path::Path, skill: &str| {
        let source = store.join(".skillc/skills").join(skill);
        row.of(&source).log_in(
            &store
                .join(".skillc/runtime")
                .join(skill)
                .join(".skillc-meta/logs.db"),
        );
    };
    log(show(&world, "a.md", "A").run("r1"), &world.cwd, "demo");
    log(show(&world, "a.md", "A").run("r2"), &world.cwd, "demo");
    log(
        show(&world, "a.md", "A").run("r1").at("2026-01-02"),
        &world.cwd,
        "other",
    );
    log(
        search(&world, "x", 0).run("r3").at("2026-01-03"),
        &world.home,
        "tools",
    );
    log(show(&world, "a.md", "Hidden"), &world.home, "demo");
    world
}

fn all(world: &World, group_by: &str) -> serde_json::Value {
    let output = world
        .skc(["stats", "--all", "--group-by", group_by, "-o", "json"])
        .success();
    assert_eq!(output.stderr, "");
    output.json()
}

#[test]
fn every_skill_that_resolves_by_name_is_counted_once() {
    let world = world();
    let answer = all(&world, "summary");
    let project = |name: &str| world.cwd.join(".skillc/skills").join(name);
    assert_eq!(
        answer,
        json!({
            "skill": null,
            "skill_path": null,
            "query": "summary",
            "filters": {"since": null, "until": null, "projects": []},
            "period": {"start": "2026-01-01T00:00:00Z", "end": "2026-01-03T00:00:00Z"},
            "data": {"total_accesses": 4, "unique_sections": 2, "unique_files": 2, "error_count": 0},
            "skills": [
                {"skill": "demo", "skill_path": project("demo"), "count": 2},
                {"skill": "other", "skill_path": project("other"), "count": 1},
                {"skill": "tools", "skill_path": world.home.join(".skillc/skills/tools"), "count": 1},
            ],
        })
    );
}

#[test]
fn entries_of_a_skill_name_it_and_the_rest_is_summed() {
    let world = world();
    let section = |skill: &str, count: u64| json!({"skill": skill, "section": "A", "file": "a.md", "count": count});
    assert_eq!(
        all(&world, "sections")["data"],
        json!([section("demo", 2), section("other", 1)])
    );
    assert_eq!(
        all(&world, "zero-results")["data"],
        json!([{"skill": "tools", "query": "x", "count": 1}])
    );
    assert_eq!(
        all(&world, "commands")["data"],
        json!({"show": 3, "search": 1})
    );
    assert_eq!(
        all(&world, "projects")["data"],
        json!([{"project": world.cwd, "count": 4}])
    );
    assert_eq!(
        all(&world, "timeline")["data"].as_array().map(Vec::len),
        Some(3)
    );
}

#[test]
fn a_session_can_span_several_skills() {
    let world = world();
    let sessions = all(&world, "sessions")["data"].take();
    let ids: Vec<_> = sessions
        .as_array()
        .expect("a list")
        .iter()
        .map(|run| run["run_id"].clone())
        .collect();
    assert_eq!(ids, ["r3", "r1", "r2"]);
    assert_eq!(sessions[1]["count"], 2);
    assert_eq!(sessions[1]["commands"][0]["skill"], "demo");
    assert_eq!(sessions[1]["commands"][1]["skill"], "other");
}

#[test]
fn an_unreadable_log_is_skipped_with_a_warning() {
    let world = world();
    fs::write(
        log_of(&world),
        "not a database at all, but long enough to look like one",
    )
    .expect("owned by this test");
    for group in ["summary", "sessions"] {
        let output = world
            .skc(["stats", "--all", "--group-by", group, "-o", "json"])
            .success();
        let warning = format!(
            "warning[W028]: skipped usage log '{}': it is damaged\n",
            log_of(&world).display()
        );
        assert_eq!(output.stderr, warning, "{group}");
        let counts = output.json()["skills"].take();
        assert_eq!(
            json!([counts[0]["count"], counts[1]["count"]]),
            json!([0, 1]),
            "{group}"
        );
    }
}

#[test]
fn statistics_of_all_skills_are_not_logged() {
    let world = world();
    all(&world, "summary");
    assert_eq!(
        all(&world, "commands")["data"],
        json!({"show": 3, "search": 1})
    );
}

#[test]
fn without_skills_there_is_nothing_to_count() {
    let answer = all(&World::new(), "summary");
    assert_eq!(answer["data"]["total_accesses"], 0);
    assert_eq!(answer["skills"], json!([]));
}

/// C-CLI.4: the text also shows the names and counts of the skills.
#[test]
fn the_text_names_the_skills() {
    let world = world();
    let output = world.skc(["stats", "--all"]).success();
    let text = output.text();
    assert!(
        text.starts_with("All skills: usage statistics (all time)\nTotal accesses: 4\n"),
        "{text}"
    );
    for line in [
        "  1. demo: A (2 accesses)",
        "  2. other: A (1 access)",
        "  - tools: Demo",
        "  show: 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let path = world.home.join(".skillc/skills/tools");
    assert!(
        text.contains(&format!("Skill: tools (1 access), {}\n", path.display())),
        "{text}"
    );
}
