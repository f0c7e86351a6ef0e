//! Existing entries with the server's name: our own, and entries that start another program.

use std::fs;

use serde_json::{Value, json};
use skillc_tests::{World, snapshot};

use crate::mcp_install::support::{cursor, put, run, server, text, with_cursor};

/// Returns a configuration file with this entry.
fn file(entry: &Value) -> String {
    json!({"mcpServers": {"skillc": entry, "other": {"command": "o"}}}).to_string()
}

#[test]
fn installing_twice_changes_nothing() {
    for client in ["cursor", "codex", "opencode"] {
        let world = World::new();
        run(&world, &["install", "--client", client]).success();
        let before = snapshot(&world.home);
        let out = run(&world, &["install", "--client", client, "--format", "json"])
            .success()
            .json();
        assert_eq!(out["clients"][0]["change"], json!("unchanged"));
        assert_eq!(out["clients"][0]["backup"], Value::Null);
        assert_eq!(snapshot(&world.home), before);
    }
}

#[test]
fn other_fields_of_our_entry_are_preserved() {
    let ours = [
        json!({"command": "skc", "args": ["mcp"], "env": {"SKILLC_HOME": "/x"}}),
        json!({"command": "skc", "args": ["mcp"], "disabled": true, "timeout": 5}),
        json!({"type": "stdio", "command": "skc", "args": ["mcp"]}),
    ];
    for entry in ours {
        let world = with_cursor(file(&entry));
        for force in [
            &["install", "--client", "cursor"][..],
            &["install", "--client", "cursor", "--force"],
        ] {
            let out = run(&world, &[force, &["--format", "json"]].concat())
                .success()
                .json();
            assert_eq!(out["clients"][0]["change"], json!("unchanged"), "{entry}");
            assert_eq!(text(&cursor(&world)), file(&entry));
        }
        run(&world, &["uninstall", "--client", "cursor"]).success();
        assert_eq!(
            text(&cursor(&world)),
            r#"{"mcpServers":{"other":{"command":"o"}}}"#
        );
    }
}

/// Entries that start another program or run it differently, and how errors describe each.
fn foreign() -> [(Value, &'static str); 7] {
    [
        (
            json!({"command": "node", "args": ["x.js"]}),
            "starts 'node x.js'",
        ),
        (
            json!({"command": "skc", "args": ["mcp", "--http", "127.0.0.1:1"]}),
            "starts 'skc mcp --http 127.0.0.1:1'",
        ),
        (json!({"command": "skc"}), "starts 'skc'"),
        (
            json!({"type": "http", "command": "skc", "args": ["mcp"]}),
            "starts 'skc mcp'",
        ),
        (
            json!({"url": "http://127.0.0.1:1"}),
            "does not start a known program",
        ),
        (json!(7), "does not start a known program"),
        (
            json!({"command": ["skc"], "args": ["mcp"]}),
            "does not start a known program",
        ),
    ]
}

#[test]
fn a_foreign_entry_is_not_changed() {
    for (entry, does) in foreign() {
        let world = with_cursor(file(&entry));
        let before = snapshot(&world.home);
        let path = cursor(&world);
        for command in ["install", "uninstall"] {
            let out = run(&world, &[command, "--client", "cursor"]);
            out.error(&format!(
                "error[E999]: 'skillc' in '{}' {does}",
                path.display()
            ));
            assert!(
                out.stderr.contains("Nothing was changed. "),
                "{}",
                out.stderr
            );
            assert!(out.stderr.contains("--force"), "{}", out.stderr);
        }
        assert_eq!(snapshot(&world.home), before);
    }
}

#[test]
fn force_replaces_or_removes_a_foreign_entry() {
    for (entry, _) in foreign() {
        let world = with_cursor(file(&entry));
        let args = [
            "install", "--client", "cursor", "--force", "--format", "json",
        ];
        let out = run(&world, &args).success().json();
        assert_eq!(out["clients"][0]["change"], json!("replaced"));
        let found = server(&cursor(&world), &["mcpServers"]);
        assert_eq!(found, json!({"command": "skc", "args": ["mcp"]}));

        let world = with_cursor(file(&entry));
        run(&world, &["uninstall", "--client", "cursor", "--force"]).success();
        assert_eq!(
            text(&cursor(&world)),
            r#"{"mcpServers":{"other":{"command":"o"}}}"#
        );
    }
}

#[test]
fn an_skc_at_another_path_can_be_removed_but_not_replaced_without_force() {
    let entry = json!({"command": "/old/bin/skc", "args": ["mcp"]});
    let world = with_cursor(file(&entry));
    run(&world, &["install", "--client", "cursor"]).code("E999");
    assert_eq!(text(&cursor(&world)), file(&entry));
    run(&world, &["uninstall", "--client", "cursor"]).success();
    assert!(server(&cursor(&world), &["mcpServers"]).is_null());
}

#[test]
fn removing_a_missing_entry_is_not_an_error() {
    let world = World::new();
    let remove = ["uninstall", "--client", "cursor,codex", "--format", "json"];
    let out = run(&world, &remove).success().json();
    assert_eq!(out["clients"][0]["change"], json!("absent"));
    assert!(snapshot(&world.home).is_empty());

    let world = with_cursor("{}");
    run(&world, &["uninstall", "--client", "cursor"]).success();
    assert_eq!(text(&cursor(&world)), "{}");
    assert_eq!(
        fs::read_dir(world.home.join(".cursor"))
            .expect("a directory")
            .count(),
        1
    );
}

#[test]
fn nested_tables_are_removed_with_the_entry() {
    let world = World::new();
    let path = world.home.join(".codex/config.toml");
    let mine = "[profiles.x]\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"o\"\n";
    run(&world, &["install", "--client", "codex"]).success();
    let ours = text(&path);
    put(
        &path,
        format!(
            "{ours}\n[mcp_servers.skillc.tools.skc_build]\napproval_mode = \"approve\"\n\n{mine}"
        ),
    );
    run(&world, &["uninstall", "--client", "codex"]).success();
    assert_eq!(text(&path).trim_start(), mine);
}
