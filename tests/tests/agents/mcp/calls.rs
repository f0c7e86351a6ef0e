//! Sample tool calls with equivalent command lines, and a world in which they succeed.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use skillc_core::time::Timestamp;
use skillc_storage::Access;
use skillc_storage::access_log::append;
use skillc_tests::{MINIMAL, World};

/// A tool, its arguments, and the arguments of the equivalent `skc` command.
pub(crate) type Call = (&'static str, Value, Vec<&'static str>);

/// The files of a skill on which every tool can be tried.
pub(crate) const FILES: [(&str, &str); 5] = [
    (
        "SKILL.md",
        "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\nSee [guide](docs/guide.md).\n\n\
         ## Usage\n\nRun it.\nThen stop it.\nAnd run it again.\n",
    ),
    (
        "docs/guide.md",
        "# Guide\n\nHow to use it.\n\n#### Deep\n\nWords.\n",
    ),
    ("docs/more/a.md", "# A\n\nUse me.\n"),
    ("docs/more/b.md", "# B\n\nUse me too.\n"),
    ("data.csv", "name,value\none,1\n"),
];

/// Read-only calls with equivalent command lines.
const READING: [(&str, &str, &[&str]); 24] = [
    ("skc_list", "{}", &["list"]),
    (
        "skc_list",
        r#"{"scope": "global", "limit": 1, "pattern": "d*"}"#,
        &[
            "list",
            "--scope",
            "global",
            "--limit",
            "1",
            "--pattern",
            "d*",
        ],
    ),
    (
        "skc_list",
        r#"{"status": "not-built", "check_obsolete": true}"#,
        &["list", "--status", "not-built", "--check-obsolete"],
    ),
    ("skc_lint", r#"{"skill": "demo"}"#, &["lint", "demo"]),
    ("skc_lint", r#"{"skill": []}"#, &["lint"]),
    (
        "skc_lint",
        r#"{"skill": ["demo", "plain"], "select": ["SKL2"]}"#,
        &["lint", "demo", "plain", "--select", "SKL2"],
    ),
    (
        "skc_lint",
        r#"{"skill": "demo", "ignore": ["SKL205"]}"#,
        &["lint", "demo", "--ignore", "SKL205"],
    ),
    ("skc_outline", r#"{"skill": "demo"}"#, &["outline", "demo"]),
    (
        "skc_outline",
        r#"{"skill": "demo", "level": 1}"#,
        &["outline", "demo", "--level", "1"],
    ),
    (
        "skc_search",
        r#"{"skill": "demo", "query": "use"}"#,
        &["search", "demo", "use"],
    ),
    (
        "skc_search",
        r#"{"skill": "demo", "query": "run it", "limit": 1}"#,
        &["search", "demo", "run it", "--limit", "1"],
    ),
    (
        "skc_search",
        r#"{"skill": "demo", "query": "nowhere"}"#,
        &["search", "demo", "nowhere"],
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "section": "usage"}"#,
        &["show", "demo", "--section", "usage"],
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "section": "usage", "file": "SKILL.md", "max_lines": 2}"#,
        &[
            "show",
            "demo",
            "--section",
            "usage",
            "--file",
            "SKILL.md",
            "--max-lines",
            "2",
        ],
    ),
    (
        "skc_open",
        r#"{"skill": "demo", "path": "docs/guide.md"}"#,
        &["open", "demo", "docs/guide.md"],
    ),
    (
        "skc_open",
        r#"{"skill": "demo", "path": "docs/guide.md", "max_lines": 1}"#,
        &["open", "demo", "docs/guide.md", "--max-lines", "1"],
    ),
    (
        "skc_open",
        r#"{"skill": "demo", "path": "docs/guide.md", "lines": "2-4"}"#,
        &["open", "demo", "docs/guide.md", "--lines", "2-4"],
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "file": "data.csv", "line": 2}"#,
        &["show", "demo", "--file", "data.csv", "--line", "2"],
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "section": "Demo > Usage", "nth": 1}"#,
        &["show", "demo", "Demo > Usage", "--nth", "1"],
    ),
    (
        "skc_open",
        r#"{"skill": "demo", "path": "logo.png"}"#,
        &["open", "demo", "logo.png"],
    ),
    ("skc_sources", r#"{"skill": "demo"}"#, &["sources", "demo"]),
    (
        "skc_sources",
        r#"{"skill": "demo", "depth": 1, "dir": "docs"}"#,
        &["sources", "demo", "--depth", "1", "--dir", "docs"],
    ),
    (
        "skc_sources",
        r#"{"skill": "demo", "limit": 2, "pattern": "*.md"}"#,
        &["sources", "demo", "--limit", "2", "--pattern", "*.md"],
    ),
    (
        "skc_stats",
        r#"{"skill": null, "all": true, "until": "2026-01-31"}"#,
        &["stats", "--all", "--until", "2026-01-31"],
    ),
];

/// Returns all read-only calls, including statistics by every group.
pub(crate) fn reading() -> Vec<Call> {
    let read = |text: &str| serde_json::from_str(text).expect("JSON");
    let calls = READING.iter();
    let calls = calls.map(|(tool, arguments, words)| (*tool, read(arguments), words.to_vec()));
    let mut calls: Vec<Call> = calls.collect();
    for group in [
        "summary",
        "sections",
        "files",
        "commands",
        "projects",
        "errors",
        "search",
        "zero-results",
        "sessions",
        "timeline",
    ] {
        calls.push((
            "skc_stats",
            json!({"skill": "demo", "group_by": group, "since": "2025-12-01", "until": "2026-01-31", "project": ["."]}),
            vec![
                "stats", "demo", "--group-by", group, "--since", "2025-12-01", "--until", "2026-01-31", "--project", ".",
            ],
        ));
    }
    calls
}

/// Creates a project with skills in both stores; one of the skills has a usage log.
pub(crate) fn world() -> World {
    let world = World::built(&FILES);
    fs::write(
        world.demo_source().join("logo.png"),
        b"\x89PNG\r\n\x1a\n\0\xff",
    )
    .expect("a file");
    world.skc(["build", "demo"]).success();
    world.project_skill(
        "plain",
        &[("SKILL.md", "---\nname: plain\n---\n\n# Plain\n")],
    );
    world.global_skill(
        "distant",
        &[("SKILL.md", &MINIMAL.replace("demo", "distant"))],
    );
    let log = world.demo_runtime().join(".skillc-meta/logs.db");
    let rows = [
        (
            "show",
            json!({"section": "Usage", "file": "SKILL.md", "max_lines": null}),
            None,
        ),
        (
            "show",
            json!({"section": "Nowhere", "file": null, "max_lines": null}),
            Some("E020"),
        ),
        ("open", json!({"path": "data.csv", "max_lines": null}), None),
        (
            "search",
            json!({"query": "zebra", "limit": 10, "result_count": 0}),
            None,
        ),
        (
            "search",
            json!({"query": "use", "limit": 10, "result_count": 2}),
            None,
        ),
    ];
    for (number, (command, args, error)) in (0..).zip(rows) {
        let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let access = Access {
            timestamp: Timestamp(1_767_225_600 + number * 60),
            run_id: "before".into(),
            command: command.into(),
            skill: "demo".into(),
            skill_path: path(&world.demo_source()),
            cwd: path(&world.cwd),
            args: args.to_string(),
            error: error.map(|code| format!("error[{code}]: section not found: 'Nowhere'")),
        };
        append(&log, &access).expect("a log");
    }
    world
}

/// Returns writing calls with equivalent command lines.
pub(crate) fn writing() -> Vec<Call> {
    vec![
        ("skc_init", json!({}), vec!["init"]),
        ("skc_init", json!({}), vec!["init"]),
        ("skc_init", json!({"name": "fresh"}), vec!["init", "fresh"]),
        (
            "skc_init",
            json!({"name": "far", "global": true}),
            vec!["init", "far", "--global"],
        ),
        ("skc_build", json!({"skill": "demo"}), vec!["build", "demo"]),
        (
            "skc_build",
            json!({"skill": "fresh", "target": ["cursor", "kiro"], "copy": true}),
            vec!["build", "fresh", "--target", "cursor,kiro", "--copy"],
        ),
        (
            "skc_build",
            json!({"skill": "demo", "global": true, "force": true}),
            vec!["build", "demo", "--global", "--force"],
        ),
        (
            "skc_build",
            json!({"skill": "./outside"}),
            vec!["build", "./outside"],
        ),
    ]
}
