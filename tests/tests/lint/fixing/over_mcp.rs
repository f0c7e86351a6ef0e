//! Agents cannot modify a skill: no MCP tool accepts the fix options.

use serde_json::json;
use skillc_tests::World;
use skillc_tests::mcp::{Client, texts};

const DEEP: &str =
    "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n### Deep\n";

/// R22: tools neither offer nor accept these arguments, under any name.
#[test]
fn no_mcp_tool_applies_fixes() {
    let world = World::demo(&[("SKILL.md", DEEP)]);
    let mut client = Client::new(&world, env!("CARGO_BIN_EXE_skc-under-test"));
    let tools = client.result("tools/list", &json!({}));
    let mut tools = tools["tools"].as_array().expect("a list").iter();
    let tool = tools.find(|tool| tool["name"] == "skc_lint");
    let offered = tool.expect("the tool")["inputSchema"]["properties"].to_string();
    for name in ["fix", "diff", "unsafe_fixes", "fixing"] {
        assert!(!offered.contains(&format!("\"{name}\":")), "{offered}");
        let result = client.call("skc_lint", &json!({ "skill": "demo", name: true }));
        assert_eq!(result["isError"], true, "{name}");
        let said = texts(&result).concat();
        assert!(
            said.contains(&format!("{name}: unknown argument")),
            "{said}"
        );
    }
    let result = client.call(
        "skc_lint",
        &json!({ "skill": "demo", "fixing": { "fix": true } }),
    );
    assert_eq!(result["isError"], true);
    let file = world.demo_source().join("SKILL.md");
    assert_eq!(std::fs::read_to_string(file).expect("a file"), DEEP);
}
