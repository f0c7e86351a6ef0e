//! The tree of `skc sources`. Design: C-SOURCES, D-SOURCES-ROOT.

use std::fs;

use serde_json::json;
use skillc_tests::World;

const FILES: [(&str, &str); 8] = [
    ("b.md", ""),
    ("B.md", ""),
    ("zeta/only.txt", ""),
    ("docs/guide.md", ""),
    ("docs/api/v1/a.md", ""),
    ("docs/api/v1/b.md", ""),
    ("docs/api/index.md", ""),
    ("Alpha/x", ""),
];

fn tree(world: &World, options: &[&str]) -> String {
    let args = [&["sources", "demo"], options].concat();
    let out = world.skc_at(&world.cwd, &args).success();
    out.text().to_owned()
}

/// C-SOURCES.1, C-SOURCES.2.
#[test]
fn the_tree_has_directories_before_files_each_bytewise() {
    let expected = "demo/
├── Alpha/
│   └── x
├── docs/
│   ├── api/
│   │   ├── v1/
│   │   │   ├── a.md
│   │   │   └── b.md
│   │   └── index.md
│   └── guide.md
├── zeta/
│   └── only.txt
├── B.md
├── SKILL.md
└── b.md
";
    assert_eq!(tree(&World::demo(&FILES), &[]), expected);
}

/// C-SOURCES.1.
#[test]
fn a_branch_below_the_last_directory_has_no_trunk() {
    let world = World::demo(&[("a/b/c.md", "")]);
    fs::remove_file(world.demo_source().join("SKILL.md")).expect("removed");
    fs::create_dir_all(world.demo_source().join("empty")).expect("made");
    fs::write(world.demo_source().join("a/SKILL.md"), "").expect("written");
    let inner = world.cwd.join(".skillc/skills/demo/a");
    let out = world
        .skc(["sources", inner.to_str().expect("UTF-8")])
        .success();
    assert_eq!(out.text(), "a/\n├── b/\n│   └── c.md\n└── SKILL.md\n");
    let out = world.skc([
        "sources",
        inner.to_str().expect("UTF-8"),
        "--pattern",
        "c.md",
    ]);
    assert_eq!(out.success().text(), "a/\n└── b/\n    └── c.md\n");
}

/// C-SOURCES.1, F-24.
#[test]
fn hidden_files_and_directories_are_left_out() {
    let world = World::demo(&[
        (".hidden.md", ""),
        (".git/config", ""),
        ("docs/.cache/deep/x.md", ""),
        ("docs/a.md", ""),
    ]);
    let expected = "demo/\n├── docs/\n│   └── a.md\n└── SKILL.md\n";
    assert_eq!(tree(&world, &[]), expected);
    let json = world.skc(["sources", "demo", "-o", "json"]).success();
    let expected = json!([
        {"type": "dir", "path": "docs"},
        {"type": "file", "path": "docs/a.md"},
        {"type": "file", "path": "SKILL.md"},
    ]);
    assert_eq!(json.json(), expected);
}

/// C-SOURCES.7, D-SOURCES-JSON, F-24.
#[test]
fn json_is_the_tree_as_a_flat_list_in_the_same_order() {
    let world = World::demo(&FILES);
    let out = world.skc(["sources", "demo", "--format", "json"]).success();
    let expected = json!([
        {"type": "dir", "path": "Alpha"},
        {"type": "file", "path": "Alpha/x"},
        {"type": "dir", "path": "docs"},
        {"type": "dir", "path": "docs/api"},
        {"type": "dir", "path": "docs/api/v1"},
        {"type": "file", "path": "docs/api/v1/a.md"},
        {"type": "file", "path": "docs/api/v1/b.md"},
        {"type": "file", "path": "docs/api/index.md"},
        {"type": "file", "path": "docs/guide.md"},
        {"type": "dir", "path": "zeta"},
        {"type": "file", "path": "zeta/only.txt"},
        {"type": "file", "path": "B.md"},
        {"type": "file", "path": "SKILL.md"},
        {"type": "file", "path": "b.md"},
    ]);
    assert_eq!(out.json(), expected);
}

/// C-SOURCES.4, D-SOURCES-ROOT, F-24.
#[test]
fn a_directory_is_the_root_of_its_own_tree() {
    let world = World::demo(&FILES);
    let expected = "demo/docs/api/
├── v1/
│   ├── a.md
│   └── b.md
└── index.md
";
    for dir in ["docs/api", "./docs/api/", "zeta/../docs//api"] {
        assert_eq!(tree(&world, &["--dir", dir]), expected, "{dir}");
    }
    for root in [".", "", "docs/.."] {
        assert!(
            tree(&world, &["--dir", root]).starts_with("demo/\n├── Alpha/"),
            "{root}"
        );
    }
}

/// C-SOURCES.4, D-SOURCES-JSON.
#[test]
fn paths_in_json_are_relative_to_the_skill_below_a_directory_too() {
    let out = World::demo(&FILES).skc([
        "sources", "demo", "--dir", "docs/api", "--depth", "1", "-o", "json",
    ]);
    let expected = json!([
        {"type": "dir", "path": "docs/api/v1", "files": 2},
        {"type": "file", "path": "docs/api/index.md"},
    ]);
    assert_eq!(out.success().json(), expected);
}

/// C-SOURCES.4, F-24.
#[test]
fn a_directory_outside_the_skill_is_e012_and_a_missing_one_e022() {
    let world = World::demo(&FILES);
    for dir in ["..", "../missing", "docs/../../x", "/", "/none"] {
        let message = format!("error[E012]: path escapes skill root: '{dir}'");
        world.skc(["sources", "demo", "--dir", dir]).error(&message);
    }
    for dir in ["none", "b.md", "docs/none", "b.md/x"] {
        let message = format!("error[E022]: directory not found: '{dir}'");
        world.skc(["sources", "demo", "--dir", dir]).error(&message);
    }
}

/// C-SOURCES.8.
#[test]
fn two_hundred_nested_directories_are_listed_read_and_counted() {
    let deep = "d/".repeat(200) + "leaf.md";
    let world = World::built(&[(&deep, "# Leaf\n")]);
    let all = tree(&world, &["--limit", "1000"]);
    assert_eq!(all.lines().count(), 1 + 200 + 2);
    let leaf = format!("{}└── leaf.md", "    ".repeat(199));
    assert!(all.contains(&format!("│   {leaf}\n")), "{all}");
    assert!(tree(&world, &["--depth", "1"]).contains("├── d/ (1 files)"));
    assert!(
        world
            .skc(["outline", "demo"])
            .success()
            .text()
            .contains(&deep)
    );
    assert_eq!(
        world.skc(["open", "demo", &deep]).success().text(),
        "# Leaf\n"
    );
    assert_eq!(
        world
            .skc(["show", "demo", "--section", "leaf"])
            .success()
            .text(),
        "# Leaf\n"
    );
    assert!(world.skc(["lint", "demo"]).ok);
}
