//! The text to paste into a file that skc does not edit. The documentation shows it, too.

use skillc_core::mcp_config::{EntryValue, McpConfig, McpFormat};
use skillc_core::source::frontmatter::scalar;

use crate::mcp_install::entry::{ARGS, PROGRAM, SERVER, filled};
use crate::mcp_install::json_write::{Style, Tree, whole};
use crate::mcp_install::toml_text;

/// Returns the text that a client's file must contain to start a command: a complete file, with a final newline.
pub fn snippet(config: &McpConfig, command: &str) -> String {
    let entry = filled(config, command);
    match config.format {
        McpFormat::Json | McpFormat::Json5 => json(&config.preamble, &config.key, &entry),
        McpFormat::Toml => toml_text::block(&config.key, &entry, "\n"),
        McpFormat::Yaml => yaml(&config.key, &entry),
    }
}

/// Returns the text to paste in the form that most other clients accept.
pub fn common_snippet() -> String {
    let pair = |key: &str, value| (key.to_owned(), value);
    let args = ARGS.iter().copied().map(str::to_owned).collect();
    let entry = [
        pair("command", EntryValue::Text(PROGRAM.to_owned())),
        pair("args", EntryValue::List(args)),
    ];
    json(&[], &["mcpServers".to_owned()], &entry)
}

fn json(
    preamble: &[(String, EntryValue)],
    keys: &[String],
    entry: &[(String, EntryValue)],
) -> String {
    whole(preamble, keys, Tree::from_pairs(entry)).write(&Style::new("\n"), "") + "\n"
}

fn yaml(keys: &[String], entry: &[(String, EntryValue)]) -> String {
    let mut text = String::new();
    let mut indent = String::new();
    for key in keys.iter().map(String::as_str).chain([SERVER]) {
        text += &format!("{indent}{key}:\n");
        indent += "  ";
    }
    for (key, value) in entry {
        let value = match value {
            EntryValue::Bool(value) => value.to_string(),
            EntryValue::Number(value) => value.to_string(),
            EntryValue::Text(text) => scalar(text),
            EntryValue::List(list) => {
                let list: Vec<String> = list.iter().map(|text| scalar(text)).collect();
                format!("[{}]", list.join(", "))
            }
        };
        text += &format!("{indent}{key}: {value}\n");
    }
    text
}
