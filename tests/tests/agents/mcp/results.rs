//! Results of successful calls equal the output of the command line.

use std::fs;
use std::path::Path;

use jsonschema::{Validator, draft202012};
use serde_json::{Value, json};
use skillc_tests::mcp::{Client, texts};
use skillc_tests::{MINIMAL, World, snapshot};

use crate::mcp::calls::{FILES, reading, world, writing};
use crate::mcp::support::{server, server_with, skc, skc_json};

/// Unwraps a structured result: a list is wrapped in an object that also contains the skill's root.
fn unwrapped(structured: &Value) -> &Value {
    let members = structured.as_object().expect("an object");
    let mut others = members.keys().filter(|key| *key != "root");
    match (others.next().map(String::as_str), others.next()) {
        (Some("result"), None) if structured["result"].is_array() => &structured["result"],
        _ => structured,
    }
}

/// The output schemas of the tools.
struct Schemas(Vec<(String, Validator)>);

impl Schemas {
    fn new(client: &mut Client) -> Self {
        let list = client.result("tools/list", &json!({}));
        let tools = list["tools"].as_array().expect("a list");
        let schema = |tool: &Value| {
            let validator = draft202012::new(&tool["outputSchema"]).expect("a schema");
            (tool["name"].as_str().expect("a name").to_owned(), validator)
        };
        Self(tools.iter().map(schema).collect())
    }

    #[track_caller]
    fn allow(&self, tool: &str, structured: &Value) {
        let (_, validator) = self
            .0
            .iter()
            .find(|(name, _)| name == tool)
            .expect("a tool");
        let faults: Vec<String> = validator
            .iter_errors(structured)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{tool}: {faults:?}: {structured}");
    }
}

/// Asserts that a call succeeded; returns its structured content.
#[track_caller]
fn succeeded(result: &Value) -> &Value {
    assert_eq!(result["isError"], false, "{result}");
    let structured = &result["structuredContent"];
    assert!(structured.is_object(), "{result}");
    structured
}

/// C-MCP-SERVER.5, D-MCP-RESULTS, C-MCP-OVERVIEW.1, ADR3.1, G-INTRO.3, F-55.
#[test]
fn reading_tools_return_what_the_command_line_prints_as_json() {
    let world = world();
    let mut client = server(&world);
    let schemas = Schemas::new(&mut client);
    for (tool, arguments, words) in reading() {
        let result = client.call(tool, &arguments);
        let structured = succeeded(&result);
        // If there are findings, the command line fails, but the tool succeeds.
        let printed = skc(&world, &[&words[..], &["--format", "json"]].concat());
        assert!(printed.ok || tool == "skc_lint", "{printed:?}");
        assert_eq!(*unwrapped(structured), printed.json(), "{tool} {arguments}");
        schemas.allow(tool, structured);
    }
}

/// C-MCP-SERVER.5: if a tool returns data, its text block is the JSON of the data.
#[test]
fn the_text_block_of_data_is_its_json() {
    let world = world();
    let mut client = server(&world);
    for (tool, arguments, _) in reading() {
        if !["skc_show", "skc_open"].contains(&tool) {
            let result = client.call(tool, &arguments);
            let texts = texts(&result);
            assert_eq!(texts.len(), 1, "{tool} {arguments}: {texts:?}");
            let value: Value = serde_json::from_str(texts[0]).expect("JSON");
            assert_eq!(value, *unwrapped(succeeded(&result)), "{tool}");
            assert!(!texts[0].contains('\n'), "{tool}");
        }
    }
}

/// C-MCP-SERVER.5: the text is returned verbatim.
#[test]
fn the_text_of_show_and_open_is_the_command_line_output() {
    let world = world();
    let mut client = server(&world);
    for (tool, arguments, words) in reading() {
        if ["skc_show", "skc_open"].contains(&tool) && arguments["path"] != "logo.png" {
            let result = client.call(tool, &arguments);
            let printed = skc(&world, &words).success();
            let expected = format!("{}{}", printed.text(), printed.stderr);
            assert_eq!(texts(&result), [expected], "{tool} {arguments}");
        }
    }
}

/// C-MCP-SERVER.5, D-MCP-RESULTS.
#[test]
fn a_binary_file_is_base64_in_both_forms() {
    let world = world();
    let result = server(&world).call("skc_open", &json!({"skill": "demo", "path": "logo.png"}));
    let structured = succeeded(&result);
    assert_eq!(structured["encoding"], "base64");
    assert_eq!(structured["content"], "iVBORw0KGgoA/w==");
    let text: Value = serde_json::from_str(texts(&result)[0]).expect("JSON");
    assert_eq!(text, *structured);
}

/// C-MCP-SERVER.5, D-MCP-RESULTS, F-03, C-COMMANDS.9, ADR3.1: the skill is written to its store, built into the runtime
/// directory next to the store, and deployed as a symlink.
#[test]
fn writing_tools_write_the_same_files_as_the_command_line() {
    let build = |by_server: bool| {
        let world = World::demo(&FILES);
        world.directory(
            "outside",
            &[("SKILL.md", &MINIMAL.replace("demo", "outside"))],
        );
        let here = world.cwd.parent().expect("a root").to_path_buf();
        let here = here.to_str().expect("UTF-8").to_owned();
        // The server runs without the catalog tools, which would also write a registry.
        let mut client = server_with(&world, "skc");
        let schemas = Schemas::new(&mut client);
        let mut answers = Vec::new();
        for (tool, arguments, words) in writing() {
            let answer = if by_server {
                let result = client.call(tool, &arguments);
                let structured = succeeded(&result).clone();
                schemas.allow(tool, &structured);
                assert_eq!(texts(&result).len(), 1, "{result}");
                structured
            } else {
                skc_json(&world, &words)
            };
            assert_eq!(answer["success"], true);
            answers.push(answer.to_string().replace(&here, "[ROOT]"));
        }
        drop(client.end());
        let mut files = snapshot(Path::new(&here));
        // Only a server writes an audit log, and indexes and manifests contain timestamps: ignore these files.
        files.retain(|path, _| {
            let name = path.to_string_lossy();
            !name.contains("state.db") && !name.contains(".skillc-meta/")
        });
        let files: Vec<String> = files
            .into_iter()
            .map(|(path, content)| {
                let content = String::from_utf8_lossy(&content).replace(&here, "[ROOT]");
                let is_time = |line: &&str| line.trim_start().starts_with("\"built_at\"");
                let lines: Vec<&str> = content.lines().filter(|line| !is_time(line)).collect();
                format!("{}: {}", path.display(), lines.join("\n"))
            })
            .collect();
        (answers, files)
    };
    let (answers, files) = build(true);
    let (printed, expected) = build(false);
    assert_eq!(answers, printed);
    assert_eq!(files, expected);
    assert!(
        answers[4].contains("\"deploys\":[{\"method\":\"symlink\""),
        "{}",
        answers[4]
    );
}

/// F-03.
#[test]
fn a_build_does_not_overwrite_a_foreign_directory() {
    let world = World::demo(&[]);
    let theirs = world.home.join(".claude/skills/demo");
    fs::create_dir_all(&theirs).expect("a directory");
    fs::write(theirs.join("SKILL.md"), "by hand").expect("a file");
    let mut client = server(&world);
    let result = client.call("skc_build", &json!({"skill": "demo"}));
    assert_eq!(result["isError"], true, "{result}");
    let refused = skc(&world, &["build", "demo"]);
    assert_eq!(texts(&result), [refused.stderr.trim_end()]);
    assert_eq!(
        fs::read(theirs.join("SKILL.md")).expect("should exist"),
        b"by hand"
    );
    // Only the user can force the replacement.
    let result = client.call("skc_build", &json!({"skill": "demo", "force": true}));
    assert_eq!(result["isError"], true, "{result}");
    skc(&world, &["build", "demo", "--force"]).success();
    assert_ne!(
        fs::read(theirs.join("SKILL.md")).expect("should exist"),
        b"by hand"
    );
}

/// The tool works like the command, except that it does not replace the stub of another skill, and that it rejects
/// globs, because access rules apply to named skills.
#[test]
fn a_build_accepts_a_scope_replaces_no_other_stub_and_rejects_globs() {
    let world = World::demo(&[]);
    let other = world.global_skill("demo", &[]);
    let mut client = server(&world);
    let built = client.call("skc_build", &json!({"skill": "demo", "scope": "project"}));
    let place = world.cwd.join(".claude/skills/demo");
    assert_eq!(
        built["structuredContent"]["deploys"][0]["path"],
        place.to_str().expect("a path")
    );
    client.call("skc_build", &json!({"skill": "demo"}));
    // Users trust a stub by its name, so only a user may reassign that name to another skill.
    let kept = client.call("skc_build", &json!({"skill": other.to_str()}));
    assert_eq!(kept["isError"], true, "{kept}");
    let text = kept.to_string();
    assert!(
        text.contains("the stub of another skill is already there"),
        "{text}"
    );
    let run = skc(&world, &["build", other.to_str().expect("a path")]).success();
    assert!(run.stderr.contains("W066"), "{run:?}");
    assert!(run.stderr.contains(".skillc/skills/demo"), "{run:?}");
    let refused = client.call("skc_build", &json!({"skill": "de*"}));
    assert_eq!(refused["isError"], true);
    assert!(refused.to_string().contains("is a glob"), "{refused}");
}
