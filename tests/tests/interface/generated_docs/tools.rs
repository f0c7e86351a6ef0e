//! The page of MCP tools, generated from their schemas.

use serde_json::Value;

use super::{cell, header, row};

pub(super) fn page() -> String {
    let mut page = "# Tools\n\n[The server](../mcp.md) offers these tools to agents. The structured content of a \
        tool's result is the output of the corresponding command with `--format json`; a list is wrapped as \
        `{\"result\": […]}`.\n"
        .to_owned();
    for tool in skillc::tool_list() {
        page += &section(&tool);
    }
    page
}

fn section(tool: &Value) -> String {
    let text = |key: &str| tool[key].as_str().unwrap_or_default();
    let mut section = format!(
        "\n## {}\n\n{}. {} {}\n",
        text("name"),
        text("title"),
        text("description"),
        effect(&tool["annotations"])
    );
    let schema = &tool["inputSchema"];
    let required = schema["required"].as_array();
    let properties = schema["properties"].as_object();
    section += "\n";
    section += &header(&["argument", "", "default", "meaning"]);
    for (name, property) in properties.into_iter().flatten() {
        let is_required = required.is_some_and(|names| names.iter().any(|of| of == name));
        let default = match &property["default"] {
            Value::Null if is_required => "required".to_owned(),
            Value::Null => String::new(),
            value => format!("`{value}`"),
        };
        let meaning = property["description"].as_str().unwrap_or_default();
        section += &row(&[
            &format!("`{name}`"),
            &cell(&kind(property)),
            &cell(&default),
            &cell(meaning),
        ]);
    }
    section
}

fn effect(annotations: &Value) -> &'static str {
    match (
        &annotations["readOnlyHint"],
        &annotations["destructiveHint"],
    ) {
        (Value::Bool(true), _) => "Changes nothing.",
        (_, Value::Bool(true)) => "May overwrite existing data.",
        _ => "Never overwrites existing data.",
    }
}

fn kind(property: &Value) -> String {
    if let Some(names) = property["enum"].as_array() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return names.join(", ");
    }
    if let Some(several) = property["anyOf"].as_array() {
        let kinds: Vec<String> = several.iter().map(kind).collect();
        return kinds.join(" or ");
    }
    let name = match &property["type"] {
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" or "),
        name => name.as_str().unwrap_or_default().to_owned(),
    };
    match (name.as_str(), &property["minimum"], &property["maximum"]) {
        ("array", ..) => format!("list of {}", kind(&property["items"])),
        (_, Value::Number(least), Value::Number(most)) => format!("{name}, {least} to {most}"),
        _ => name,
    }
}
