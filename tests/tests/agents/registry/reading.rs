//! `skc registry list` and `get`.

use std::fs;

use serde_json::json;
use skillc_tests::World;

use crate::registry::support::{db, get, listed, project, registry, skill, sync, with, write};

/// Creates skills that differ in the searched fields.
fn some() -> World {
    let world = project();
    skill(&world, "draft", "capabilities: [read, Write]\n");
    skill(&world, "release", "capabilities: readwrite\n");
    skill(&world, "review", "");
    let odd = "---\nname: odd\ndescription: 100% of a_b \\ Ünïcode 🦀 \"x\"\ncapabilities: ['a\"b', 'c\\d', '%']\n---\n";
    write(&world.cwd.join(".agents/skills/odd/SKILL.md"), odd);
    world
}

/// Case: get, hit a. REG-READ.1.
#[test]
fn get_returns_the_whole_row() {
    let world = project();
    skill(&world, "a", "version: 1\n");
    let row = get(&world, "a");
    let expected = json!({
        "name": "a", "description": "Does a things.", "version": "1", "entrypoint": null, "capabilities": [],
        "greek_letter": null, "source_path": ".agents/skills/a/SKILL.md",
        "frontmatter_json": r#"{"name":"a","description":"Does a things.","version":1}"#,
        "loaded_at": "2026-01-31T08:15:00.000Z", "body": "# a\n",
        "root": world.cwd.join(".agents/skills/a"),
    });
    assert_eq!(row, expected);
}

/// Case: get, hit b. REG-READ.1.
#[test]
fn capabilities_are_decoded() {
    let world = some();
    assert_eq!(
        get(&world, "draft")["capabilities"],
        json!(["read", "Write"])
    );
    assert_eq!(
        get(&world, "odd")["capabilities"],
        json!(["a\"b", "c\\d", "%"])
    );
}

/// Case: get, miss a. REG-READ.2.
#[test]
fn an_unknown_name_is_an_error_with_suggestions() {
    let world = some();
    let missed = registry(&world, &["get", "reveiw"]);
    missed.error("error[E001]: skill 'reveiw' not found");
    assert!(
        missed.stderr.contains("Did you mean 'review'?"),
        "{missed:?}"
    );
}

/// Case: get, miss b. REG-READ.2.
#[test]
fn empty_and_blank_names_are_unknown() {
    let world = some();
    registry(&world, &["get", ""]).error("error[E001]: skill '' not found");
    registry(&world, &["get", "  "]).error("error[E001]: skill '  ' not found");
}

/// Case: list, plain. REG-READ.3.
#[test]
fn a_plain_list_has_everything_sorted_by_name() {
    assert_eq!(listed(&some(), &[]), "draft,odd,release,review");
    assert_eq!(
        listed(&some(), &["--search", "", "--capability", ""]),
        "draft,odd,release,review"
    );
}

/// Case: list, search a. REG-READ.4.
#[test]
fn a_search_matches_names() {
    assert_eq!(listed(&some(), &["--search", "re"]), "release,review");
}

/// Case: list, search b. REG-READ.4.
#[test]
fn a_search_matches_descriptions() {
    assert_eq!(listed(&some(), &["--search", "does draft"]), "draft");
}

/// Case: list, search c. REG-READ.4.
#[test]
fn a_search_is_case_insensitive() {
    let world = some();
    assert_eq!(listed(&world, &["--search", "RELEASE"]), "release");
    assert_eq!(listed(&world, &["--search", "üNÏCODE"]), "odd");
}

/// Case: list, search d. REG-READ.4.
#[test]
fn a_search_without_matches_is_an_empty_list() {
    let world = some();
    assert_eq!(listed(&world, &["--search", "zzz"]), "");
    let text = world.skc(["registry", "list", "--search", "zzz"]).success();
    assert_eq!(text.text(), "No matching skills.\n");
}

/// Case: list, search, wildcards. REG-READ.5.
#[test]
fn a_search_has_no_wildcards() {
    let world = some();
    for odd in ["100%", "a_b", "\\", "%", "_", "🦀", "\"x\""] {
        assert_eq!(listed(&world, &["--search", odd]), "odd", "{odd}");
    }
    for none in [
        "10%",
        "a_",
        "r%e",
        "d____",
        "'",
        "' OR 1=1 --",
        "*",
        "?",
        "🦀🦀",
    ] {
        let expected = if none == "a_" { "odd" } else { "" };
        assert_eq!(listed(&world, &["--search", none]), expected, "{none}");
    }
}

/// Case: list, capability a. REG-READ.6, REG-READ.7.
#[test]
fn a_capability_matches() {
    let world = some();
    assert_eq!(listed(&world, &["--capability", "read"]), "draft");
    for odd in ["a\"b", "c\\d", "%"] {
        assert_eq!(listed(&world, &["--capability", odd]), "odd", "{odd}");
    }
}

/// Case: list, capability b. REG-READ.6.
#[test]
fn a_part_of_a_capability_does_not_match() {
    let world = some();
    assert_eq!(listed(&world, &["--capability", "readwrite"]), "release");
    for part in ["Read", "write", "rea", "readwrit", "_", "a%b", "a\\\"b"] {
        assert_eq!(listed(&world, &["--capability", part]), "", "{part}");
    }
}

/// Case: list, capability c. REG-READ.6.
#[test]
fn a_skill_without_capabilities_does_not_match() {
    let world = with(&["a"]);
    assert_eq!(listed(&world, &["--capability", "a"]), "");
    assert_eq!(listed(&world, &["--capability", "[]"]), "");
}

/// Case: list, both a. REG-READ.8.
#[test]
fn search_and_capability_can_be_combined() {
    let both = ["--search", "draft", "--capability", "read"];
    assert_eq!(listed(&some(), &both), "draft");
}

/// Case: list, both b. REG-READ.8.
#[test]
fn both_search_and_capability_must_match() {
    let world = some();
    assert_eq!(
        listed(&world, &["--search", "review", "--capability", "read"]),
        ""
    );
    assert_eq!(
        listed(&world, &["--search", "draft", "--capability", "none"]),
        ""
    );
}

/// REG-READ.9.
#[test]
fn reading_writes_nothing() {
    let world = some();
    sync(&world);
    let file = db(&world);
    let before = fs::read(&file).expect("a file");
    listed(&world, &["--search", "x"]);
    get(&world, "draft");
    registry(&world, &["get", "none"]).code("E001");
    assert!(fs::read(&file).expect("a file") == before);
}

/// R20.
#[test]
fn the_length_of_a_search_is_limited() {
    let world = some();
    let long = "x".repeat(4097);
    for option in ["--search", "--capability"] {
        registry(&world, &["list", option, &long]).code("E100");
    }
    assert_eq!(listed(&world, &["--search", &long[1..]]), "");
}

#[test]
fn text_output_escapes_control_sequences() {
    let world = project();
    skill(
        &world,
        "a",
        "version: 1\ncapabilities: [read, \"b\\e[31m\"]\n",
    );
    let list = world.skc(["registry", "list"]).success();
    let expected = "SKILL  VERSION  CAPABILITIES       DESCRIPTION\n\
                    a      1        read, b\\u{1b}[31m  Does a things.\n";
    assert_eq!(list.text(), expected);
    let get = world.skc(["registry", "get", "a"]).success();
    assert!(
        get.text()
            .starts_with("name          a\ndescription   Does a things.\n"),
        "{get:?}"
    );
    assert!(get.text().ends_with("\n\n# a\n"), "{get:?}");
    let synced = world.skc(["registry", "sync"]).success();
    let expected = format!(
        "Loaded 1 skill, skipped 0, pruned 0\nSkill registry: {}\n",
        db(&world).display()
    );
    assert_eq!(synced.text(), expected);
}
