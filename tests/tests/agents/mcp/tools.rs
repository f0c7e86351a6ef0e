//! The tool list.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Arg, ArgAction};
use jsonschema::draft202012;
use serde_json::{Map, Value, json};
use skillc_tests::mcp::{Client, Era};
use skillc_tests::{NOT_OF_REQUESTS, World};

use crate::mcp::support::{SKC, server_with};

/// The tools and their parameters. Each parameter is followed by its type, range, choices and default; `*` marks a
/// required one. Not in the specification: `scan`; the rules and clients of `lint`; and, for `stats`, `all`, `limit`
/// and the groups from `zero-results` on.
const TOOLS: [(&str, &[&str]); 11] = [
    ("skc_init", &["global: boolean = false", "name: string"]),
    (
        "skc_lint",
        &[
            "client: array of string",
            "extend_select: array of string",
            "force: boolean = false",
            "ignore: array of string",
            "preset: string recommended, spec, strict",
            "select: array of string",
            "skill*: string or array of string",
        ],
    ),
    (
        "skc_scan",
        &[
            "skill*: string or array of string",
            "strict: boolean = false",
        ],
    ),
    (
        "skc_build",
        &[
            "client: array of string",
            "copy: boolean = false",
            "force: boolean = false",
            "global: boolean = false",
            "in_place: boolean = false",
            "scope: string project, user",
            "skill*: string",
            "target: array of string",
        ],
    ),
    (
        "skc_list",
        &[
            "check_obsolete: boolean = false",
            "limit: integer from 0",
            "pattern: string",
            "scope: string project, user, all = \"all\"",
            "status: string normal, not-built, obsolete, all = \"all\"",
        ],
    ),
    (
        "skc_outline",
        &["level: integer from 1 to 6", "skill*: string"],
    ),
    (
        "skc_search",
        &[
            "file: string",
            "limit: integer from 0 = 10",
            "phrase: boolean = false",
            "query*: string",
            "raw: boolean = false",
            "skill*: string",
            "type: array of string",
        ],
    ),
    (
        "skc_show",
        &[
            "file: string",
            "line: integer from 1",
            "max_lines: integer from 0",
            "nth: integer from 1",
            "section: string",
            "skill*: string",
        ],
    ),
    (
        "skc_open",
        &[
            "lines: string",
            "max_lines: integer from 0",
            "path*: string",
            "skill*: string",
        ],
    ),
    (
        "skc_sources",
        &[
            "depth: integer from 1",
            "dir: string",
            "limit: integer from 0 = 100",
            "pattern: string",
            "skill*: string",
        ],
    ),
    (
        "skc_stats",
        &[
            "all: boolean = false",
            "group_by: string sections, files, commands, projects, errors, search, summary, zero-results, sessions, \
             timeline = \"summary\"",
            "limit: integer from 0 = 100",
            "project: array of string",
            "since: string",
            "skill*: string or null",
            "until: string",
        ],
    ),
];

fn tools() -> Vec<Value> {
    let world = World::project();
    let list = server_with(&world, "skc").result("tools/list", &json!({}));
    assert!(list.get("nextCursor").is_none());
    list["tools"].as_array().expect("a list").clone()
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().expect("a name")
}

fn properties(tool: &Value) -> &Map<String, Value> {
    let properties = tool["inputSchema"]["properties"].as_object();
    properties.expect("properties")
}

fn is_required(tool: &Value, argument: &str) -> bool {
    let required = tool["inputSchema"]["required"].as_array();
    required.is_some_and(|names| names.contains(&json!(argument)))
}

fn kind(schema: &Value) -> String {
    if let Some(several) = schema["anyOf"].as_array() {
        return several.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::Array(names) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            names.join(" or ")
        }
        Value::String(name) if name == "array" => format!("array of {}", kind(&schema["items"])),
        name => name.as_str().unwrap_or_default().to_owned(),
    }
}

/// Formats a parameter as in the table.
fn parameter(tool: &Value, name: &str, schema: &Value) -> String {
    let star = if is_required(tool, name) { "*" } else { "" };
    let mut text = format!("{name}{star}: {}", kind(schema));
    for (key, word) in [("minimum", "from"), ("maximum", "to")] {
        if let Some(limit) = schema.get(key) {
            text += &format!(" {word} {limit}");
        }
    }
    if let Some(choices) = schema["enum"].as_array() {
        let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        text += &format!(" {}", choices.join(", "));
    }
    if let Some(default) = schema.get("default") {
        text += &format!(" = {default}");
    }
    text
}

/// C-MCP-SERVER.4, C-COMMANDS.1, C-COMMANDS.9, G-INTRO.3, ADR3.1: there is no `skc_sync`, and `skc_open` opens no
/// editor.
#[test]
fn there_are_exactly_these_tools_with_these_parameters() {
    let tools = tools();
    let found: Vec<(&str, Vec<String>)> = tools
        .iter()
        .map(|tool| {
            let all = properties(tool).iter();
            let parameters = all.map(|(name, schema)| parameter(tool, name, schema));
            (name(tool), parameters.collect())
        })
        .collect();
    let expected = TOOLS.map(|(name, parameters)| {
        (
            name,
            parameters.iter().map(|text| (*text).to_owned()).collect(),
        )
    });
    assert_eq!(found, expected);
}

/// C-COMMANDS.9, ADR3.1.
#[test]
fn tools_have_the_parameters_help_and_choices_of_their_commands() {
    let commands = skillc::command();
    for tool in tools() {
        let command = name(&tool).trim_start_matches("skc_");
        let command = commands.find_subcommand(command).expect("a command");
        let arguments = command.get_arguments();
        let arguments: BTreeMap<&str, &Arg> = arguments
            .map(|arg| (arg.get_id().as_str(), arg))
            .filter(|(id, _)| !NOT_OF_REQUESTS.contains(id))
            .collect();
        let names: Vec<&str> = properties(&tool).keys().map(String::as_str).collect();
        assert_eq!(arguments.keys().copied().collect::<Vec<_>>(), names);
        for (name, arg) in arguments {
            let property = &properties(&tool)[name];
            let help = arg.get_help().map(ToString::to_string);
            assert_eq!(property["description"].as_str(), help.as_deref(), "{name}");
            let choices: Vec<String> = arg
                .get_possible_values()
                .iter()
                .filter(|_| !matches!(arg.get_action(), ArgAction::SetTrue))
                .map(|value| value.get_name().to_owned())
                .collect();
            if !choices.is_empty() {
                assert_eq!(property["enum"], json!(choices), "{name}");
            }
        }
    }
}

/// C-MCP-SERVER.4: the list of tools costs tokens in each session.
#[test]
fn the_list_of_tools_is_short() {
    let world = World::project();
    for era in Era::BOTH {
        let options = ["--toolset", "skc"];
        let (mut client, _) = Client::begun(&world, SKC, &options, era, &json!({}));
        let id = client.ask("tools/list", &json!({}));
        let answer = client.answer(id);
        let tools = answer.pointer("/result/tools").expect("tools").to_string();
        assert!(tools.len() <= 15_360, "{} bytes", tools.len());
    }
}

/// C-MCP-SERVER.4, F-55.
#[test]
fn a_tool_has_a_title_a_description_and_two_schemas_without_references() {
    let mut titles = BTreeSet::new();
    for tool in tools() {
        let title = tool["title"].as_str().expect("a title");
        assert!(titles.insert(title.to_owned()), "{title} twice");
        let about = tool["description"].as_str().expect("a description");
        assert!(about.ends_with('.') && about.len() < 200, "{about}");
        for property in properties(&tool).values() {
            let about = property["description"].as_str().expect("a description");
            assert!(!about.is_empty() && !about.contains("--"), "{about}");
        }
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["type"], "object", "{}", name(&tool));
            let text = schema.to_string();
            assert!(!text.contains("$ref") && !text.contains("$defs"), "{text}");
            draft202012::meta::validate(schema).expect("a schema");
            draft202012::new(schema).expect("a schema");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        for key in ["anyOf", "oneOf", "allOf"] {
            assert!(tool["inputSchema"].get(key).is_none(), "{key}");
        }
    }
}

/// C-MCP-SERVER.4.
#[test]
fn defaults_are_valid_by_their_own_schema() {
    for tool in tools() {
        for (argument, property) in properties(&tool) {
            if let Some(default) = property.get("default") {
                let validator = draft202012::new(property).expect("a schema");
                assert!(validator.is_valid(default), "{} {argument}", name(&tool));
            }
        }
    }
}

/// C-MCP-SERVER.4: clients use the annotations to decide which calls need confirmation.
#[test]
fn annotations_match_the_effect_of_a_call() {
    let reads = json!({"readOnlyHint": true, "openWorldHint": false});
    for tool in tools() {
        let expected = match name(&tool) {
            "skc_init" => json!({
                "readOnlyHint": false, "destructiveHint": false,
                "idempotentHint": true, "openWorldHint": false,
            }),
            "skc_build" => json!({
                "readOnlyHint": false, "destructiveHint": true,
                "idempotentHint": true, "openWorldHint": false,
            }),
            _ => reads.clone(),
        };
        assert_eq!(tool["annotations"], expected, "{}", name(&tool));
    }
}
