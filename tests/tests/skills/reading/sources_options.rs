//! Filters of `skc sources`. Design: C-SOURCES, D-DEPTH, D-SOURCES-LIMIT, D-SOURCES-JSON.

use serde_json::{Value, json};
use skillc_tests::World;

/// Creates a skill with two levels of directories, and files on each level.
fn world() -> World {
    World::demo(&[
        ("assets/logo.png", ""),
        ("references/api/v1/a.md", ""),
        ("references/api/b.md", ""),
        ("references/api/c.txt", ""),
        ("references/guide.md", ""),
        ("notes.txt", ""),
    ])
}

fn text(options: &[&str]) -> String {
    let world = world();
    let args = [&["sources", "demo"], options].concat();
    world.skc_at(&world.cwd, &args).success().text().to_owned()
}

fn json(options: &[&str]) -> Value {
    let world = world();
    let args = [&["sources", "demo", "-o", "json"], options].concat();
    world.skc_at(&world.cwd, &args).success().json()
}

/// C-SOURCES.3, D-DEPTH, F-24.
#[test]
fn depth_limits_the_levels_and_counts_the_rest() {
    let one = "demo/
├── assets/ (1 files)
├── references/ (4 files)
├── SKILL.md
└── notes.txt
";
    assert_eq!(text(&["--depth", "1"]), one);
    let two = "demo/
├── assets/
│   └── logo.png
├── references/
│   ├── api/ (3 files)
│   └── guide.md
├── SKILL.md
└── notes.txt
";
    assert_eq!(text(&["--depth", "2"]), two);
    assert_eq!(text(&["--depth", "4"]), text(&[]));
    assert_eq!(text(&["--depth", "99"]), text(&[]));
}

/// C-SOURCES.3, D-DEPTH, D-SOURCES-JSON, F-24.
#[test]
fn depth_means_the_same_in_json() {
    let expected = json!([
        {"type": "dir", "path": "assets", "files": 1},
        {"type": "dir", "path": "references", "files": 4},
        {"type": "file", "path": "SKILL.md"},
        {"type": "file", "path": "notes.txt"},
    ]);
    assert_eq!(json(&["--depth", "1"]), expected);
}

/// C-SOURCES.3.
#[test]
fn depth_is_relative_to_the_directory_and_counts_only_matching_files() {
    let out = text(&["--dir", "references", "--depth", "1", "--pattern", "*.md"]);
    assert_eq!(out, "demo/references/\n├── api/ (2 files)\n└── guide.md\n");
}

/// D-DEPTH.
#[test]
fn a_depth_of_zero_is_refused() {
    let world = world();
    for bad in ["0", "-1", "x", ""] {
        let depth = format!("--depth={bad}");
        world.skc(["sources", "demo", &depth]).code("E100");
    }
}

/// C-SOURCES.5, D-SOURCES-LIMIT.
#[test]
fn past_the_limit_the_last_line_counts_what_is_missing() {
    let out = text(&["--limit", "3"]);
    let expected = "demo/
├── assets/
│   └── logo.png
└── references/
... (8 more)
";
    assert_eq!(out, expected);
    assert_eq!(text(&["-l", "3"]), expected);
    assert_eq!(text(&["--limit", "11"]), text(&[]));
    assert!(text(&["--limit", "10"]).ends_with("\n... (1 more)\n"));
    assert_eq!(text(&["--limit", "0"]), "demo/\n... (11 more)\n");
}

/// C-SOURCES.5, C-SOURCES.7, D-SOURCES-JSON, F-24.
#[test]
fn past_the_limit_json_says_so_as_well() {
    let expected = json!([
        {"type": "dir", "path": "assets"},
        {"type": "file", "path": "assets/logo.png"},
        {"type": "truncated", "remaining": 9},
    ]);
    assert_eq!(json(&["--limit", "2"]), expected);
}

/// C-SOURCES.5.
#[test]
fn a_hundred_entries_are_shown_unless_asked_otherwise() {
    let names: Vec<String> = (0..99).map(|n| format!("f{n:03}")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let lines = |files: &[(&str, &str)]| {
        let out = World::demo(files).skc(["sources", "demo"]).success();
        out.text().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&files).last().expect("a line"), "└── f098");
    files.push(("g", ""));
    let cut = lines(&files);
    assert_eq!(cut.len(), 1 + 100 + 1);
    assert_eq!(cut.last().expect("a line"), "... (1 more)");
}

/// C-SOURCES.6, F-24.
#[test]
fn a_pattern_keeps_matching_files_and_their_directories() {
    let expected = "demo/
├── references/
│   ├── api/
│   │   ├── v1/
│   │   │   └── a.md
│   │   └── b.md
│   └── guide.md
└── SKILL.md
";
    assert_eq!(text(&["--pattern", "*.md"]), expected);
    assert_eq!(text(&["-p", "*.md"]), expected);
    assert_eq!(text(&["-p", "none"]), "demo/\n");
    assert_eq!(
        text(&["-p", "api"]),
        "demo/\n",
        "directory names are not matched"
    );
}

/// C-SOURCES.6.
#[test]
fn a_pattern_with_a_slash_is_matched_against_whole_paths() {
    let only = |pattern| {
        let found = json(&["-p", pattern]);
        let files = found.as_array().expect("a list").iter();
        let files = files.filter(|entry| entry["type"] == "file");
        files
            .map(|file| file["path"].as_str().expect("a path").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(only("references/*.md"), ["references/guide.md"]);
    assert_eq!(only("references/**/a.md"), ["references/api/v1/a.md"]);
    assert_eq!(
        only("./references/api/*"),
        ["references/api/b.md", "references/api/c.txt"]
    );
    assert_eq!(
        only("[bc].{md,txt}"),
        ["references/api/b.md", "references/api/c.txt"]
    );
    assert_eq!(
        only("?.md"),
        ["references/api/v1/a.md", "references/api/b.md"]
    );
}

/// C-SOURCES.6, F-24.
#[test]
fn an_invalid_glob_is_refused() {
    let world = world();
    for bad in ["[", "a{b", "[z-a]"] {
        world
            .skc(["sources", "demo", "--pattern", bad])
            .code("E100");
    }
}

/// C-SOURCES.7.
#[test]
fn json_respects_directory_depth_limit_and_pattern_together() {
    let found = json(&[
        "--dir",
        "references",
        "--depth",
        "2",
        "--limit",
        "2",
        "--pattern",
        "*.md",
    ]);
    let expected = json!([
        {"type": "dir", "path": "references/api"},
        {"type": "dir", "path": "references/api/v1", "files": 1},
        {"type": "truncated", "remaining": 2},
    ]);
    assert_eq!(found, expected);
    let world = world();
    world
        .skc(["sources", "demo", "--format", "xml"])
        .code("E100");
}
