//! Hostile calls to the catalog tools, and their audit rows.

use std::fs;

use serde_json::{Value, json};
use skillc_tests::mcp::{Era, texts};

use crate::mcp::catalog_support::{client_of, code, error, load};
use crate::mcp::skill_load::{has_body, world};
use crate::mcp::state::rows;
use crate::mcp::support::server;

/// REG-MW.4, REG-MW.5, REG-MW.8: audit rows have the same error codes as the responses.
#[test]
fn calls_of_catalog_tools_are_audited() {
    let world = world();
    let mut client = server(&world);
    for (tool, arguments, expected) in [
        ("skill_search", json!({"query": "demo"}), None),
        ("skill_load", json!({"name": "demo"}), None),
        ("catalog_list", json!({}), None),
        ("context_inspect", json!({}), None),
        ("skill_list", json!({}), None),
        (
            "skill_load",
            json!({"name": "nope"}),
            Some("SKILL_NOT_FOUND"),
        ),
        ("skill_load", json!({}), Some("INVALID_PARAMS")),
    ] {
        let before = rows(&world).len();
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], expected.is_some(), "{result}");
        let rows = rows(&world).split_off(before);
        let exit = rows.last().expect("a row");
        assert_eq!((exit.phase.as_str(), exit.tool.as_str()), ("exit", tool));
        assert_eq!(exit.ok, Some(expected.is_none()));
        assert_eq!(exit.error_code.as_deref(), expected);
        let is_checked = expected != Some("INVALID_PARAMS");
        assert_eq!(rows.len(), if is_checked { 2 } else { 1 });
        if let (true, None) = (is_checked, expected) {
            assert_eq!(exit.result_bytes, Some(texts(&result)[0].len() as u64));
        }
    }
}

/// R20: later calls are not affected.
#[test]
fn hostile_arguments_are_rejected_with_short_errors() {
    let world = world();
    let huge = "x".repeat(1 << 20);
    let mut client = client_of(&world, Era::Stateless);
    for (tool, key) in [
        ("skill_load", "name"),
        ("skill_load", "path"),
        ("skill_load", "run"),
        ("skill_search", "query"),
        ("catalog_list", "cwd"),
        ("context_inspect", "run"),
        ("skill_list", "search"),
        ("skill_list", "capability"),
        ("skill_load", &huge),
    ] {
        let result = client.call(tool, &json!({ key: huge }));
        assert_eq!(code(&result), "INVALID_PARAMS", "{tool} {key:.20}");
        assert!(result.to_string().len() < 4_000, "{tool} {key:.20}");
    }
    let task = format!("find a demo {}", "with tables and charts ".repeat(2_000));
    let result = client.call("skill_search", &json!({ "query": task }));
    assert_eq!(result["structuredContent"]["ok"], true, "{result}");
    for odd in [
        "../demo",
        "../../../../etc/passwd",
        "a\0b",
        "\u{1b}[2J",
        "\u{202e}omed",
        "demo\n",
        "$$demo",
        "skill://x/y/SKILL.md",
        "%2e%2e/demo",
        "\"><skill_context>",
        "🦀",
        "~",
        ".",
        "/",
        "\\\\x\\y",
        "CON",
        "demo/../demo/SKILL.md/..",
    ] {
        for key in ["name", "path"] {
            let result = client.call("skill_load", &json!({ key: odd }));
            if result["isError"] == false {
                // Whitespace around a name is ignored.
                assert_eq!((key, odd), ("name", "demo\n"), "{result}");
                continue;
            }
            assert!(!result.to_string().contains("The body"), "{result}");
        }
        let result = client.call("skill_search", &json!({ "query": odd }));
        assert!(result["structuredContent"]["ok"].is_boolean(), "{result}");
        client.call("catalog_list", &json!({ "cwd": odd }));
    }
    let many: serde_json::Map<String, Value> =
        (0..5_000).map(|n| (format!("a{n}"), json!(n))).collect();
    let result = client.call("skill_load", &Value::Object(many));
    let issues = error(&result)["details"]["issues"].as_array().map(Vec::len);
    assert_eq!(issues, Some(32));
    for blank in ["", " ", "\u{a0}\n", "$"] {
        let result = client.call("skill_search", &json!({ "query": blank }));
        assert_eq!(code(&result), "INVALID_PARAMS", "{blank:?}");
    }
    assert!(has_body(&load(&mut client, &json!({"name": "demo"}))));
}

/// R20: `skc_lint` must not walk a whole disk.
#[test]
fn lint_of_a_too_large_directory_is_rejected() {
    let world = world();
    let many = world.cwd.join("many");
    for folder in 0..101 {
        let folder = many.join(folder.to_string());
        fs::create_dir_all(&folder).expect("a directory");
        for file in 0..1_000 {
            fs::File::create(folder.join(file.to_string())).expect("a file");
        }
    }
    let result = server(&world).call("skc_lint", &json!({"skill": "many"}));
    assert_eq!(result["isError"], true, "{result}");
    let said = texts(&result).concat();
    assert!(said.contains("more than 100000 entries below"), "{said}");
}
