//! The expected file and entry of each client, written down independently of the product's own table.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillc_tests::{Output, World, run_in};

/// A client with an editable file.
pub(crate) struct Client {
    pub id: &'static str,
    /// Path below the home directory; `None` if the client has no user file.
    pub user: Option<&'static str>,
    /// Path below a project.
    pub project: Option<&'static str>,
    /// The keys that lead to the table of servers.
    pub keys: &'static [&'static str],
}

const fn client(
    id: &'static str,
    user: Option<&'static str>,
    project: Option<&'static str>,
    keys: &'static [&'static str],
) -> Client {
    Client {
        id,
        user,
        project,
        keys,
    }
}

/// The user's configuration file for VS Code.
const CODE: &str = if cfg!(windows) {
    "AppData/Roaming/Code/User/mcp.json"
} else if cfg!(target_os = "macos") {
    "Library/Application Support/Code/User/mcp.json"
} else {
    ".config/Code/User/mcp.json"
};

/// Every client with an editable file.
pub(crate) const CLIENTS: [Client; 14] = [
    client(
        "claude-code",
        Some(".claude.json"),
        Some(".mcp.json"),
        &["mcpServers"],
    ),
    client(
        "codex",
        Some(".codex/config.toml"),
        Some(".codex/config.toml"),
        &["mcp_servers"],
    ),
    client(
        "copilot-cli",
        Some(".copilot/mcp-config.json"),
        Some(".github/mcp.json"),
        &["mcpServers"],
    ),
    client("vscode", Some(CODE), Some(".vscode/mcp.json"), &["servers"]),
    client(
        "cursor",
        Some(".cursor/mcp.json"),
        Some(".cursor/mcp.json"),
        &["mcpServers"],
    ),
    client(
        "gemini-cli",
        Some(".gemini/settings.json"),
        Some(".gemini/settings.json"),
        &["mcpServers"],
    ),
    client(
        "kiro",
        Some(".kiro/settings/mcp.json"),
        Some(".kiro/settings/mcp.json"),
        &["mcpServers"],
    ),
    client(
        "opencode",
        Some(".config/opencode/opencode.json"),
        Some("opencode.json"),
        &["mcp"],
    ),
    client(
        "openclaw",
        Some(".openclaw/openclaw.json"),
        None,
        &["mcp", "servers"],
    ),
    client(
        "codelia",
        Some(".codelia/config.json"),
        Some(".codelia/config.json"),
        &["mcp", "servers"],
    ),
    client(
        "amp",
        Some(".config/amp/settings.json"),
        Some(".amp/settings.json"),
        &["amp.mcpServers"],
    ),
    client(
        "windsurf",
        Some(".codeium/windsurf/mcp_config.json"),
        None,
        &["mcpServers"],
    ),
    client(
        "junie",
        Some(".junie/mcp/mcp.json"),
        Some(".junie/mcp/mcp.json"),
        &["mcpServers"],
    ),
    client("trae", None, Some(".trae/mcp.json"), &["mcpServers"]),
];

/// Clients without an editable file.
pub(crate) const OTHERS: [&str; 4] = ["spec", "claude-upload", "goose", "pi"];

/// Returns the expected entry of a client.
pub(crate) fn entry(id: &str, command: &str) -> Value {
    match id {
        "claude-code" | "vscode" => json!({"type": "stdio", "command": command, "args": ["mcp"]}),
        "copilot-cli" => {
            json!({"type": "local", "command": command, "args": ["mcp"], "tools": ["*"]})
        }
        "opencode" => json!({"type": "local", "command": [command, "mcp"], "enabled": true}),
        "codelia" => {
            json!({"transport": "stdio", "command": command, "args": ["mcp"], "enabled": true})
        }
        _ => json!({"command": command, "args": ["mcp"]}),
    }
}

/// Parses a file as its client would.
pub(crate) fn parsed(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let text = text.trim_start_matches('\u{feff}');
    if path.extension().is_some_and(|kind| kind == "toml") {
        let table: toml::Table = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        serde_json::to_value(table).expect("TOML is JSON")
    } else {
        serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }
}

/// Returns the server's entry in a file; null if there is none.
pub(crate) fn server(path: &Path, keys: &[&str]) -> Value {
    let root = parsed(path);
    let servers = keys.iter().fold(&root, |value, key| &value[*key]);
    servers["skillc"].clone()
}

/// Runs `skc mcp …` as if the program were at this path.
pub(crate) fn run_as(world: &World, program: Option<&Path>, args: &[&str]) -> Output {
    let mut context = world.context_at(&world.cwd);
    context.program = program.map(Path::to_path_buf);
    run_in(context, &[&["mcp"], args].concat())
}

/// Runs `skc mcp …`.
pub(crate) fn run(world: &World, args: &[&str]) -> Output {
    run_as(world, None, args)
}

/// Returns the file that most tests edit: the user's file of `cursor`.
pub(crate) fn cursor(world: &World) -> PathBuf {
    world.home.join(".cursor/mcp.json")
}

/// Creates a world in which the user's file of `cursor` has this content.
pub(crate) fn with_cursor(content: impl AsRef<[u8]>) -> World {
    let world = World::new();
    put(&cursor(&world), content);
    world
}

/// Writes a file, creating its directories.
pub(crate) fn put(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("should be creatable");
    fs::write(path, content).expect("a file");
}

/// Reads a file as text.
pub(crate) fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
