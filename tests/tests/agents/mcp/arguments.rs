//! Invalid tool arguments: the error names the argument and the problem.

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::texts;

use crate::mcp::support::{failed, server};

/// Tools with invalid arguments, and the expected message for each.
const REFUSED: [(&str, &str, &str); 30] = [
    ("skc_outline", "{}", "skill: is required"),
    ("skc_show", "{}", "skill: is required"),
    ("skc_open", r#"{"skill": "demo"}"#, "path: is required"),
    ("skc_search", r#"{"skill": "demo"}"#, "query: is required"),
    ("skc_stats", "{}", "skill: is required"),
    ("skc_lint", "{}", "skill: is required"),
    (
        "skc_outline",
        r#"{"skill": null}"#,
        "skill: expected a string, not null",
    ),
    (
        "skc_outline",
        r#"{"skill": 1}"#,
        "skill: expected a string, not 1",
    ),
    (
        "skc_outline",
        r#"{"skill": ["demo"]}"#,
        r#"skill: expected a string, not ["demo"]"#,
    ),
    (
        "skc_outline",
        r#"{"skill": "demo", "level": 0}"#,
        "level: expected at least 1, not 0",
    ),
    (
        "skc_outline",
        r#"{"skill": "demo", "level": 7}"#,
        "level: expected at most 6, not 7",
    ),
    (
        "skc_outline",
        r#"{"skill": "demo", "level": "1"}"#,
        r#"level: expected an integer, not "1""#,
    ),
    (
        "skc_outline",
        r#"{"skill": "demo", "level": 1.5}"#,
        "level: expected an integer, not 1.5",
    ),
    (
        "skc_outline",
        r#"{"skill": "demo", "level": true}"#,
        "level: expected an integer, not true",
    ),
    (
        "skc_list",
        r#"{"limit": -1}"#,
        "limit: expected at least 0, not -1",
    ),
    (
        "skc_list",
        r#"{"limit": 18446744073709551616}"#,
        "limit: expected at most 18446744073709551615, not 1.8446744073709552e+19",
    ),
    (
        "skc_sources",
        r#"{"skill": "demo", "depth": 0}"#,
        "depth: expected at least 1, not 0",
    ),
    (
        "skc_list",
        r#"{"scope": "moon"}"#,
        r#"scope: expected one of "project", "user", "all", not "moon""#,
    ),
    (
        "skc_list",
        r#"{"status": 1}"#,
        "status: expected a string, not 1",
    ),
    (
        "skc_list",
        r#"{"check_obsolete": "yes"}"#,
        r#"check_obsolete: expected true or false, not "yes""#,
    ),
    (
        "skc_build",
        r#"{"skill": "demo", "target": "claude"}"#,
        r#"target: expected a list, not "claude""#,
    ),
    (
        "skc_build",
        r#"{"skill": "demo", "target": ["claude", 1]}"#,
        "target.1: expected a string, not 1",
    ),
    (
        "skc_lint",
        r#"{"skill": {}}"#,
        "skill: expected a string or a list, not {}",
    ),
    (
        "skc_stats",
        r#"{"skill": "demo", "group_by": 1}"#,
        "group_by: expected a string, not 1",
    ),
    (
        "skc_search",
        r#"{"skill": "demo", "query": "x", "limits": 3}"#,
        "limits: unknown argument; did you mean \"limit\"?",
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "section": "x", "max-lines": 3}"#,
        "max-lines: unknown argument; did you mean \"max_lines\"?",
    ),
    // An option that exists only on the command line.
    (
        "skc_show",
        r#"{"skill": "demo", "heading": "x"}"#,
        "heading: unknown argument; known arguments: file, line, max_lines, nth, section, skill",
    ),
    (
        "skc_show",
        r#"{"skill": "demo", "section": "x", "nth": 0}"#,
        "nth: expected at least 1, not 0",
    ),
    (
        "skc_open",
        r#"{"skill": "demo", "path": "a.md", "lines": 3}"#,
        "lines: expected a string, not 3",
    ),
    (
        "skc_init",
        r#"{"colour": "red"}"#,
        "colour: unknown argument; known arguments: global, name",
    ),
];

/// C-MCP-SERVER.6, C-COMMANDS.9, F-55: an invalid argument is not silently replaced by a default, and the error tells a
/// model how to fix its call.
#[test]
fn each_kind_of_invalid_argument_is_named() {
    let world = World::built(&[]);
    let mut client = server(&world);
    for (tool, arguments, said) in REFUSED {
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        let result = client.call(tool, &arguments);
        let expected = format!("error[E100]: invalid option: '{said}'");
        assert_eq!(failed(&result), expected, "{tool} {arguments}");
    }
}

/// C-MCP-SERVER.6.
#[test]
fn missing_arguments_equal_empty_arguments() {
    let world = World::project();
    let mut client = server(&world);
    for arguments in [
        json!({"name": "skc_list"}),
        json!({"name": "skc_list", "arguments": null}),
    ] {
        let result = client.result("tools/call", &arguments);
        assert_eq!(result["structuredContent"]["total"], 0);
    }
    let result = client.result("tools/call", &json!({"name": "skc_outline"}));
    let expected = "error[E100]: invalid option: 'skill: is required'";
    assert_eq!(failed(&result), expected);
}

/// C-COMMANDS.9: some clients send every argument of the schema.
#[test]
fn null_means_the_default() {
    let world = World::built(&[("guide.md", "# Guide\n\nUse it.\n")]);
    let mut client = server(&world);
    let pairs = [
        (
            "skc_list",
            json!({"scope": null, "status": null, "limit": null, "check_obsolete": null}),
            json!({}),
        ),
        (
            "skc_outline",
            json!({"skill": "demo", "level": null}),
            json!({"skill": "demo"}),
        ),
        (
            "skc_search",
            json!({"skill": "demo", "query": "use", "limit": null}),
            json!({"skill": "demo", "query": "use"}),
        ),
        (
            "skc_build",
            json!({"skill": "demo", "target": null, "copy": null, "force": null, "global": null}),
            json!({"skill": "demo"}),
        ),
    ];
    for (tool, with_nulls, without) in pairs {
        let expected = client.call(tool, &without);
        assert_eq!(expected["isError"], false, "{expected}");
        assert_eq!(client.call(tool, &with_nulls), expected, "{tool}");
    }
}

/// C-COMMANDS.9: in JSON, 1.0 is an integer.
#[test]
fn an_integer_may_have_a_decimal_point() {
    let world = World::built(&[("guide.md", "# Guide\n\n## Use\n\n### Deep\n")]);
    let mut client = server(&world);
    let expected = client.call("skc_outline", &json!({"skill": "demo", "level": 2}));
    assert_eq!(expected["isError"], false, "{expected}");
    for level in [json!(2.0), json!(20e-1)] {
        let arguments = json!({"skill": "demo", "level": level});
        assert_eq!(client.call("skc_outline", &arguments), expected);
    }
    let many = client.call("skc_list", &json!({"limit": 9_007_199_254_740_992.0}));
    assert_eq!(many["isError"], false, "{many}");
    let result = client.call("skc_list", &json!({"limit": 1e30}));
    assert!(failed(&result).contains("'limit: expected "), "{result}");
}

/// C-MCP-SERVER.6: `skc_stats` reports E030 for an unknown group, as on the command line.
#[test]
fn arguments_with_a_specific_error_code_keep_it() {
    let world = World::built(&[]);
    let arguments = json!({"skill": "demo", "group_by": "moon"});
    let result = server(&world).call("skc_stats", &arguments);
    let first = failed(&result).lines().next().map(str::to_owned);
    let expected = "error[E030]: invalid query type: 'moon'";
    assert_eq!(first.as_deref(), Some(expected));
}

/// C-MCP-SERVER.6: only the first error is reported, and long values in it are truncated.
#[test]
fn errors_of_arguments_are_one_short_line() {
    let world = World::built(&[]);
    let mut client = server(&world);
    let long = json!({"skill": {"text": "x".repeat(100_000)}, "level": "\u{1b}[31m\n", "more": 1});
    let result = client.call("skc_outline", &long);
    let said = failed(&result);
    assert!(said.len() < 200 && !said.contains('\n'), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    assert_eq!(texts(&result).len(), 1);
}

/// C-MCP-SERVER.6.
#[test]
fn the_length_of_strings_is_limited_as_on_the_command_line() {
    let world = World::built(&[]);
    let mut client = server(&world);
    let query = json!({"skill": "demo", "query": "x ".repeat(3_000)});
    let result = client.call("skc_search", &query);
    let expected = "error[E100]: invalid option: 'query is longer than 4096 bytes'";
    assert_eq!(failed(&result), expected);
    let section = json!({"skill": "demo", "section": "x".repeat(5_000)});
    let result = client.call("skc_show", &section);
    let expected = "error[E100]: invalid option: 'section is longer than 4096 bytes'";
    assert_eq!(failed(&result), expected);
}

/// D-NAME-SAFETY: a name that an agent chooses is safe in every shell and valid in every client.
#[test]
fn an_agent_can_only_create_skills_with_standard_names() {
    let world = World::project();
    let mut client = server(&world);
    let long = "a".repeat(65);
    for name in [
        "*", "~", "$s", "--------", "--fix", "s ", " s", "\u{ff53}", "(a+)+$", "a--b", "a-", "-a",
        "a_b", "it's", &long,
    ] {
        let result = client.call("skc_init", &json!({ "name": name }));
        let refused = "error[E100]: invalid option: 'invalid skill name ";
        assert!(failed(&result).starts_with(refused), "{name}: {result}");
    }
    let made = |world: &World| {
        let skills = world.cwd.join(".skillc/skills").read_dir();
        skills.expect("a folder").count()
    };
    assert_eq!(made(&world), 0);
    for name in ["a", "Pdf-Forms-2", &long[1..]] {
        let result = client.call("skc_init", &json!({ "name": name }));
        assert_eq!(result["isError"], false, "{result}");
    }
    assert_eq!(made(&world), 3);
}
