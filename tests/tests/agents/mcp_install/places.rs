//! Which file is edited: environment variables of the clients, alternative names, the project root.

use std::path::PathBuf;

use skillc_tests::{World, run_in};

use crate::mcp_install::support::{CLIENTS, put, run, server, text};

/// Environment variables that move a client's file. Each row: the client, the variable, and the path of the file in the
/// directory that the variable names.
const MOVED: [(&str, &str, &str); 8] = [
    ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
    ("codex", "CODEX_HOME", "config.toml"),
    ("copilot-cli", "COPILOT_HOME", "mcp-config.json"),
    ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json"),
    ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ("openclaw", "OPENCLAW_STATE_DIR", "openclaw.json"),
    ("openclaw", "OPENCLAW_CONFIG_PATH", ""),
    ("codelia", "CODELIA_CONFIG_PATH", ""),
];

fn keys(id: &str) -> &'static [&'static str] {
    let client = CLIENTS.iter().find(|client| client.id == id);
    client.expect("a client").keys
}

#[test]
fn variables_of_the_clients_move_their_files() {
    for (id, variable, below) in MOVED {
        let mut world = World::new();
        let value = world.home.join("else where");
        world.set(variable, &value.display().to_string());
        run(&world, &["install", "--client", id]).success();
        let path = if below.is_empty() {
            value
        } else {
            value.join(below)
        };
        assert!(server(&path, keys(id)).is_object(), "{variable}");
    }
}

#[test]
fn an_empty_variable_has_no_effect() {
    let mut world = World::new();
    world.set("CODEX_HOME", "");
    run(&world, &["install", "--client", "codex"]).success();
    assert!(world.home.join(".codex/config.toml").exists());
}

#[test]
fn a_relative_xdg_variable_has_no_effect() {
    let mut world = World::new();
    for value in [".", "config", "../config"] {
        world.set("XDG_CONFIG_HOME", value);
        run(&world, &["install", "--client", "opencode"]).success();
        let path = world.home.join(".config/opencode/opencode.json");
        assert!(server(&path, keys("opencode")).is_object(), "{value}");
        std::fs::remove_file(path).expect("the file");
    }
}

#[test]
fn variables_do_not_move_a_projects_file() {
    for (id, variable, _) in MOVED {
        let Some(path) = CLIENTS
            .iter()
            .find(|client| client.id == id)
            .and_then(|c| c.project)
        else {
            continue;
        };
        let mut world = World::new();
        world.set(variable, "/nowhere");
        run(&world, &["install", "--client", id, "--project"]).success();
        assert!(world.cwd.join(path).exists(), "{variable}");
    }
}

#[test]
fn an_existing_alternative_name_is_used() {
    for (id, other) in [
        ("opencode", "opencode/opencode.jsonc"),
        ("amp", "amp/settings.jsonc"),
    ] {
        let world = World::new();
        let path = world.home.join(".config").join(other);
        put(&path, "// mine\n{}\n");
        run(&world, &["install", "--client", id]).success();
        assert!(text(&path).contains("skillc"), "{id}");
        assert!(!path.with_extension("json").exists(), "{id}");
    }
}

#[test]
fn the_file_with_the_entry_is_used_and_otherwise_the_first() {
    let world = World::new();
    let dir = world.home.join(".config/opencode");
    let (first, second) = (dir.join("opencode.json"), dir.join("opencode.jsonc"));
    let entry = r#"{"mcp": {"skillc": {"type": "local", "command": ["skc", "mcp"]}}}"#;
    put(&first, "{}");
    put(&second, entry);
    run(&world, &["install", "--client", "opencode"]).success();
    assert_eq!(
        (text(&first), text(&second)),
        ("{}".to_owned(), entry.to_owned())
    );
    run(&world, &["uninstall", "--client", "opencode"]).success();
    assert_eq!(text(&second), r#"{"mcp": {}}"#);
    run(&world, &["install", "--client", "opencode"]).success();
    assert!(text(&first).contains("skillc"));
}

#[test]
fn the_projects_file_is_at_its_root() {
    let world = World::project();
    let below: PathBuf = world.cwd.join("a/b");
    put(&below.join("x"), "");
    let context = world.context_at(&below);
    run_in(
        context,
        &["mcp", "install", "--client", "claude-code", "--project"],
    )
    .success();
    assert!(world.cwd.join(".mcp.json").exists());
    assert!(!below.join(".mcp.json").exists());
}
