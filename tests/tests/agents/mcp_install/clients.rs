//! The configuration file of each client.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;
use skillc_core::clients::Clients;
use skillc_ops::mcp_install::paste::snippet;
use skillc_tests::{World, snapshot};

use crate::mcp_install::support::{CLIENTS, OTHERS, entry, put, run, server, text};

#[test]
fn every_known_client_is_covered() {
    let known: BTreeSet<String> = Clients::builtin()
        .clients
        .into_iter()
        .map(|c| c.id)
        .collect();
    let tested = CLIENTS.iter().map(|client| client.id).chain(OTHERS);
    assert_eq!(known, tested.map(str::to_owned).collect());
}

#[test]
fn the_users_file_gets_the_entry_of_its_client() {
    for client in &CLIENTS {
        let Some(path) = client.user else { continue };
        let world = World::new();
        run(&world, &["install", "--client", client.id]).success();
        let found = server(&world.home.join(path), client.keys);
        assert_eq!(found, entry(client.id, "skc"), "{}", client.id);
        assert!(snapshot(&world.cwd).is_empty(), "{}", client.id);
    }
}

#[test]
fn the_projects_file_gets_the_entry_of_its_client() {
    for client in &CLIENTS {
        let Some(path) = client.project else { continue };
        let world = World::new();
        run(&world, &["install", "--client", client.id, "--project"]).success();
        let found = server(&world.cwd.join(path), client.keys);
        assert_eq!(found, entry(client.id, "skc"), "{}", client.id);
        assert!(snapshot(&world.home).is_empty(), "{}", client.id);
    }
}

#[test]
fn a_new_file_equals_the_documented_snippet() {
    for client in CLIENTS.iter().filter(|client| client.user.is_some()) {
        let world = World::new();
        run(&world, &["install", "--client", client.id]).success();
        let clients = Clients::builtin();
        let found = clients.client(client.id).expect("a client");
        let pasted = snippet(found.mcp.as_ref().expect("it has MCP"), "skc");
        let written = text(&world.home.join(client.user.unwrap_or_default()));
        assert_eq!(written, pasted, "{}", client.id);
    }
}

/// Existing servers and settings stay the same, byte for byte.
#[test]
fn other_content_of_a_file_is_preserved() {
    for client in &CLIENTS {
        let Some(path) = client
            .user
            .map(|path| (path, false))
            .or(client.project.map(|p| (p, true)))
        else {
            continue;
        };
        let world = World::new();
        let (file, args) = match path {
            (path, false) => (world.home.join(path), vec!["--client", client.id]),
            (path, true) => (
                world.cwd.join(path),
                vec!["--client", client.id, "--project"],
            ),
        };
        let before = if client.id == "codex" {
            "# mine\nmodel = 'x'\n\n[mcp_servers.other]\ncommand = \"o\" # why\n".to_owned()
        } else {
            let inner = "{\n  \"other\": {\"command\": \"o\"}\n}".to_owned();
            let nested = client
                .keys
                .iter()
                .rev()
                .fold(inner, |inner, key| format!("{{\"{key}\": {inner}}}"));
            format!("{}\n", nested.replacen('{', "{\"mine\": [1, 2], ", 1))
        };
        put(&file, &before);
        run(&world, &[&["install"][..], &args].concat()).success();
        assert_eq!(
            server(&file, client.keys),
            entry(client.id, "skc"),
            "{}",
            client.id
        );
        let after = text(&file);
        let mut rest = after.as_str();
        for line in before.lines().map(|line| line.trim_end_matches('}')) {
            let at = rest
                .find(line)
                .unwrap_or_else(|| panic!("{line} is not in {after}"));
            rest = &rest[at + line.len()..];
        }
        run(&world, &[&["uninstall"][..], &args].concat()).success();
        assert_eq!(text(&file), before, "{}", client.id);
    }
}

#[test]
fn an_entry_in_a_new_file_can_be_removed() {
    for client in CLIENTS.iter().filter(|client| client.user.is_some()) {
        let world = World::new();
        let path = world.home.join(client.user.unwrap_or_default());
        run(&world, &["install", "--client", client.id]).success();
        let out = run(
            &world,
            &["uninstall", "--client", client.id, "--format", "json"],
        )
        .success();
        assert_eq!(
            out.json()["clients"][0]["change"],
            json!("removed"),
            "{}",
            client.id
        );
        assert!(server(&path, client.keys).is_null(), "{}", client.id);
    }
}

#[test]
fn clients_without_an_editable_file_print_a_snippet() {
    let world = World::new();
    let cases = [
        (
            "goose",
            "error[E100]: invalid option: 'the file of client \"goose\" is YAML, which skc does not edit'",
        ),
        (
            "pi",
            "error[E100]: invalid option: 'client \"pi\" has no MCP configuration file'",
        ),
        (
            "spec",
            "error[E100]: invalid option: 'client \"spec\" has no MCP configuration file'",
        ),
        (
            "claude-upload",
            "error[E100]: invalid option: 'client \"claude-upload\" has no MCP configuration file'",
        ),
        (
            "trae",
            "error[E100]: invalid option: 'client \"trae\" has no MCP configuration file for the user'",
        ),
    ];
    for (id, line) in cases {
        let out = run(&world, &["install", "--client", id]);
        out.error(line);
        let (_, pasted) = out.stderr.split_once("\n\n").expect("a snippet");
        let value: serde_json::Value = serde_yaml::from_str(pasted).expect("JSON or YAML");
        let servers = value
            .get("mcpServers")
            .or_else(|| value.get("extensions"))
            .expect("servers");
        let program = servers["skillc"]
            .get("command")
            .or_else(|| servers["skillc"].get("cmd"));
        assert_eq!(program, Some(&json!("skc")), "{pasted}");
        assert_eq!(servers["skillc"]["args"], json!(["mcp"]), "{pasted}");
    }
    assert!(snapshot(&world.home).is_empty());
}

#[test]
fn a_client_without_a_project_file_names_the_users_file() {
    let world = World::new();
    for client in CLIENTS.iter().filter(|client| client.project.is_none()) {
        let out = run(&world, &["install", "--client", client.id, "--project"]);
        let id = client.id;
        out.error(&format!(
            "error[E100]: invalid option: 'client \"{id}\" has no MCP configuration file for a project'"
        ));
        let user = world.home.join(client.user.expect("a file"));
        assert!(
            out.stderr.contains(&*user.display().to_string()),
            "{}",
            out.stderr
        );
    }
    assert!(snapshot(&world.cwd).is_empty());
}

#[test]
fn several_clients_can_be_set_up_at_once() {
    let world = World::new();
    let args = [
        "install",
        "--client",
        "cursor,kiro",
        "--client",
        "cursor",
        "--format",
        "json",
    ];
    let out = run(&world, &args).success().json();
    let ids: Vec<_> = out["clients"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| &c["client"])
        .collect();
    assert_eq!(ids, [&json!("cursor"), &json!("kiro")]);
    assert!(world.home.join(".kiro/settings/mcp.json").exists());
}

#[test]
fn short_client_names_are_accepted() {
    let world = World::new();
    run(&world, &["install", "--client", "claude,gemini,copilot"]).success();
    for path in [
        ".claude.json",
        ".gemini/settings.json",
        ".copilot/mcp-config.json",
    ] {
        assert!(world.home.join(path).exists(), "{path}");
    }
}

#[test]
fn a_known_client_is_required() {
    let world = World::new();
    for command in ["install", "uninstall"] {
        let out = run(&world, &[command]);
        out.error("error[E100]: invalid option: 'no client given'");
        assert!(
            CLIENTS.iter().all(|client| out.stderr.contains(client.id)),
            "{}",
            out.stderr
        );
        let out = run(&world, &[command, "--client", "cursor,cursr"]);
        out.error("error[E100]: invalid option: 'unknown client \"cursr\"'");
        assert!(
            out.stderr.contains("Did you mean 'cursor'?"),
            "{}",
            out.stderr
        );
    }
    assert!(snapshot(&world.home).is_empty());
    let out = run(&world, &["status", "--client", "nope"]);
    out.error("error[E100]: invalid option: 'unknown client \"nope\"'");
}

/// The files have unusual formatting: a byte order mark, CRLF, comments, trailing commas.
#[test]
fn install_and_uninstall_restore_files_byte_for_byte() {
    let texts = [
        "{\"mcpServers\":{}}",
        "{ \"mcpServers\": { } }\n",
        "\u{feff}{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}, // one\r\n\t},\r\n}\r\n",
        "// mine\n{\n    \"mcpServers\": {\n        // none yet\n    }\n}",
    ];
    for before in texts {
        let world = World::new();
        let path = world.home.join(".cursor/mcp.json");
        put(&path, before);
        run(&world, &["install", "--client", "cursor"]).success();
        assert_ne!(text(&path), before);
        run(&world, &["uninstall", "--client", "cursor"]).success();
        assert_eq!(fs::read(&path).expect("a file"), before.as_bytes());
    }
}
