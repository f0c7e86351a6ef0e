//! Failing calls: each documented error of each tool equals that of the command line.

use std::fs::{self, File};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use skillc_core::hash::path_hash16;
use skillc_core::layout::local_runtime;
use skillc_core::testkit::write_files;
use skillc_tests::mcp::texts;
use skillc_tests::{MINIMAL, World, database};

use crate::mcp::support::{failed, server, skc};

/// A failing call: the tool, its arguments, the equivalent command line, and the error code.
type Failure = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
);

/// Creates a world in which every documented error can occur.
fn world() -> World {
    let world = World::built(&[
        ("docs/guide.md", "# Guide\n\nUse it.\n"),
        ("data.bin", "\0"),
    ]);
    world.project_skill(
        "unbuilt",
        &[("SKILL.md", &MINIMAL.replace("demo", "unbuilt"))],
    );
    world.project_skill(
        "nameless",
        &[("SKILL.md", "---\nname: nameless\n---\n\n# N\n")],
    );
    fs::create_dir_all(world.cwd.join(".skillc/skills/empty")).expect("a directory");
    let moved = world.project_skill("moved", &[("SKILL.md", &MINIMAL.replace("demo", "moved"))]);
    world.skc(["build", "moved"]).success();
    let runtime = world.cwd.join(".skillc/runtime/moved");
    let elsewhere = "UPDATE index_meta SET value = '/elsewhere' WHERE key = 'skill_path'";
    database::change(&skillc_tests::index_in(&runtime, &moved), elsewhere);
    assert_eq!(path_hash16(&moved).len(), 16);
    world.directory("outside", &[("SKILL.md", MINIMAL)]);
    world
}

const FAILURES: [Failure; 36] = [
    ("skc_init", r#"{"name": "demo"}"#, &["init", "demo"], "E050"),
    (
        "skc_init",
        r#"{"name": "../up"}"#,
        &["init", "../up"],
        "E100",
    ),
    (
        "skc_lint",
        r#"{"skill": "nope"}"#,
        &["lint", "nope"],
        "E001",
    ),
    (
        "skc_lint",
        r#"{"skill": "empty"}"#,
        &["lint", "empty"],
        "E010",
    ),
    (
        "skc_lint",
        r#"{"skill": "demo", "select": ["NOPE"]}"#,
        &["lint", "demo", "--select", "NOPE"],
        "E100",
    ),
    (
        "skc_build",
        r#"{"skill": "nope"}"#,
        &["build", "nope"],
        "E001",
    ),
    (
        "skc_build",
        r#"{"skill": "empty"}"#,
        &["build", "empty"],
        "E010",
    ),
    (
        "skc_build",
        r#"{"skill": "nameless"}"#,
        &["build", "nameless"],
        "E011",
    ),
    (
        "skc_build",
        r#"{"skill": "./outside"}"#,
        &["build", "./outside"],
        "E050",
    ),
    (
        "skc_build",
        r#"{"skill": "demo", "target": ["moon"]}"#,
        &["build", "demo", "--target", "moon"],
        "E100",
    ),
    (
        "skc_list",
        r#"{"pattern": "["}"#,
        &["list", "--pattern", "["],
        "E100",
    ),
    (
        "skc_outline",
        r#"{"skill": "nope"}"#,
        &["outline", "nope"],
        "E001",
    ),
    (
        "skc_outline",
        r#"{"skill": "dmo"}"#,
        &["outline", "dmo"],
        "E001",
    ),
    (
        "skc_outline",
        r#"{"skill": "empty"}"#,
        &["outline", "empty"],
        "E010",
    ),
    (
        "skc_search",
        r#"{"skill": "nope", "query": "use"}"#,
        &["search", "nope", "use"],
        "E001",
    ),
    (
        "skc_search",
        r#"{"skill": "unbuilt", "query": "use"}"#,
        &["search", "unbuilt", "use"],
        "E002",
    ),
    (
        "skc_search",
        r#"{"skill": "moved", "query": "use"}"#,
        &["search", "moved", "use"],
        "E003",
    ),
    (
        "skc_search",
        r#"{"skill": "demo", "query": " \t"}"#,
        &["search", "demo", " \t"],
        "E004",
    ),
    (
        "skc_show",
        r#"{"skill": "nope", "section": "Guide"}"#,
        &["show", "nope", "--section", "Guide"],
        "E001",
    ),
    (
        "skc_show",
        r#"{"skill": "unbuilt", "section": "Guide"}"#,
        &["show", "unbuilt", "--section", "Guide"],
        "E002",
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "section": "Giude"}"#,
        &["show", "demo", "--section", "Giude"],
        "E020",
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "section": "Guide", "file": "nope.md"}"#,
        &["show", "demo", "--section", "Guide", "--file", "nope.md"],
        "E021",
    ),
    (
        "skc_show",
        r#"{"skill": "demo"}"#,
        &["show", "demo"],
        "E100",
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "line": 99}"#,
        &["show", "demo", "--line", "99"],
        "E100",
    ),
    (
        "skc_open",
        r#"{"skill": "demo", "path": "guide.md", "lines": "3-2"}"#,
        &["open", "demo", "guide.md", "--lines", "3-2"],
        "E100",
    ),
    (
        "skc_open",
        r#"{"skill": "nope", "path": "SKILL.md"}"#,
        &["open", "nope", "SKILL.md"],
        "E001",
    ),
    (
        "skc_open",
        r#"{"skill": "demo", "path": "../../config.toml"}"#,
        &["open", "demo", "../../config.toml"],
        "E012",
    ),
    (
        "skc_open",
        r#"{"skill": "demo", "path": "nope.md"}"#,
        &["open", "demo", "nope.md"],
        "E021",
    ),
    (
        "skc_sources",
        r#"{"skill": "nope"}"#,
        &["sources", "nope"],
        "E001",
    ),
    (
        "skc_sources",
        r#"{"skill": "demo", "dir": "../up"}"#,
        &["sources", "demo", "--dir", "../up"],
        "E012",
    ),
    (
        "skc_sources",
        r#"{"skill": "demo", "dir": "nope"}"#,
        &["sources", "demo", "--dir", "nope"],
        "E022",
    ),
    (
        "skc_sources",
        r#"{"skill": "demo", "pattern": "["}"#,
        &["sources", "demo", "--pattern", "["],
        "E100",
    ),
    (
        "skc_stats",
        r#"{"skill": "nope"}"#,
        &["stats", "nope"],
        "E001",
    ),
    (
        "skc_stats",
        r#"{"skill": "demo", "group_by": "moon"}"#,
        &["stats", "demo", "--group-by", "moon"],
        "E030",
    ),
    (
        "skc_stats",
        r#"{"skill": "demo", "since": "moon"}"#,
        &["stats", "demo", "--since", "moon"],
        "E031",
    ),
    ("skc_stats", r#"{"skill": null}"#, &["stats"], "E100"),
];

/// C-MCP-SERVER.6, F-55, ADR3.1: the text includes suggestions, but no second `error:` prefix.
#[test]
fn tool_errors_equal_command_line_errors() {
    let world = world();
    let mut client = server(&world);
    for (tool, arguments, words, code) in FAILURES {
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        let result = client.call(tool, &arguments);
        let said = failed(&result);
        let printed = skc(&world, words);
        assert!(!printed.ok, "{words:?}: {printed:?}");
        assert_eq!(said, printed.stderr.trim_end(), "{tool} {arguments}");
        assert!(
            said.starts_with(&format!("error[{code}]: ")),
            "{tool} {arguments}: {said}"
        );
        assert_eq!(said.matches("error[").count(), 1, "{said}");
    }
    let still = client.call("skc_outline", &json!({"skill": "demo"}));
    assert_eq!(still["isError"], false, "the server must still work");
}

/// C-MCP-SERVER.6.
#[test]
fn errors_include_suggestions() {
    let world = World::built(&[("guide.md", "# Installation\n")]);
    let arguments = json!({"skill": "demo", "section": "install"});
    let result = server(&world).call("skc_show", &arguments);
    let said = failed(&result);
    assert!(said.contains("Did you mean one of these?"), "{said}");
    assert!(said.contains("Installation (guide.md)"), "{said}");
}

/// C-MCP-SERVER.6: findings are a successful result of the linter.
#[test]
fn lint_findings_are_not_a_tool_error() {
    let world = World::demo(&[("SKILL.md", "---\ndescription: D.\n---\n\n# Demo\n")]);
    let result = server(&world).call("skc_lint", &json!({"skill": "demo"}));
    assert_eq!(result["isError"], false, "{result}");
    assert_ne!(result["structuredContent"]["error_count"], 0);
    assert_eq!(
        result["structuredContent"]["diagnostics"][0]["rule"],
        "SKL101"
    );
}

/// C-MCP-SERVER.6, tested with an error from the operating system.
#[test]
fn internal_errors_name_what_failed() {
    let world = World::demo(&[]);
    let runtime = world.cwd.join(".skillc/runtime");
    fs::write(&runtime, "in the way").expect("a file");
    let mut client = server(&world);
    let result = client.call("skc_build", &json!({"skill": "demo"}));
    let said = texts(&result)[0];
    assert_eq!(result["isError"], true, "{result}");
    let expected = format!("error[E999]: creating '{}", runtime.display());
    assert!(said.starts_with(&expected), "{said}");
}

/// C-MCP-SERVER.8.
#[test]
fn warnings_are_returned_with_the_result() {
    let world = World::built(&[("a.md", "# Same\n\nFirst.\n"), ("b.md", "# Same\n")]);
    let arguments = json!({"skill": "demo", "section": "Same"});
    let mut client = server(&world);
    for _ in 0..2 {
        let result = client.call("skc_show", &arguments);
        assert_eq!(result["isError"], false, "{result}");
        let warning =
            "warning[W001]: multiple matches for 'Same'; showing first\n  b.md:1 (--nth 2)";
        assert_eq!(texts(&result), ["# Same\n\nFirst.\n", warning]);
    }
    assert_eq!(client.end().stderr, "");
}

/// C-MCP-SERVER.8, C-MCP-SERVER.2: warnings are not printed as raw lines on standard output.
#[test]
fn build_warnings_are_returned_with_the_result() {
    let world = World::demo(&[("data.json", "{ not json")]);
    let mut client = server(&world);
    let result = client.call("skc_build", &json!({"skill": "demo"}));
    let texts = texts(&result);
    assert_eq!(texts.len(), 2, "{result}");
    let expected = "warning[W025]: indexed as plain text: 'data.json' (";
    assert!(texts[1].starts_with(expected), "{result}");
}

/// C-MCP-SERVER.8: warnings about the environment do not depend on the call.
#[test]
fn warnings_about_the_environment_are_given_once() {
    let world = World::built(&[]);
    let log = local_runtime(&world.cwd, "demo").logs();
    write_files(
        &world.cwd,
        &[(".skillc/logs/demo/.skillc-meta/logs.db", "")],
    );
    let file = File::options().write(true).open(log).expect("a file");
    let long_ago = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    file.set_modified(long_ago).expect("our own");
    let mut client = server(&world);
    let arguments = json!({"skill": "demo"});
    let counts: Vec<usize> = (0..3)
        .map(|_| texts(&client.call("skc_outline", &arguments)).len())
        .collect();
    assert_eq!(counts, [2, 1, 1]);
}
