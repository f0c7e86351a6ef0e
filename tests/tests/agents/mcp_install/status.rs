//! `skc mcp status`.

use serde_json::{Value, json};
use skillc_tests::{World, snapshot};

use crate::mcp_install::support::{CLIENTS, OTHERS, cursor, put, run, with_cursor};

fn status(world: &World, args: &[&str]) -> Vec<Value> {
    let out = run(world, &[&["status", "--format", "json"], args].concat())
        .success()
        .json();
    out["clients"].as_array().expect("a list").clone()
}

/// Returns the state and the detail that `status` reports if the file of `cursor` has this content.
fn state(content: &str) -> (Value, Value) {
    let world = with_cursor(content);
    let found = status(&world, &["--client", "cursor"]);
    (found[0]["state"].clone(), found[0]["detail"].clone())
}

#[test]
fn every_client_is_shown_with_its_files() {
    let world = World::new();
    let found = status(&world, &[]);
    for client in &CLIENTS {
        let shown: Vec<&Value> = found
            .iter()
            .filter(|status| status["client"] == client.id)
            .collect();
        let expected: Vec<Value> = [
            client.user.map(|path| (world.home.join(path), "global")),
            client.project.map(|path| (world.cwd.join(path), "project")),
        ]
        .into_iter()
        .flatten()
        .map(|(path, scope)| {
            json!({"client": client.id, "scope": scope, "path": path, "state": "no-file", "detail": null})
        })
        .collect();
        assert_eq!(shown, expected.iter().collect::<Vec<_>>(), "{}", client.id);
    }
    for id in OTHERS {
        assert!(found.iter().any(|status| status["client"] == id), "{id}");
    }
    let pi = found
        .iter()
        .find(|status| status["client"] == "pi")
        .expect("it is shown");
    assert_eq!(pi["state"], json!("unsupported"));
    assert!(
        pi["detail"]
            .as_str()
            .is_some_and(|detail| detail.starts_with("pi does not support MCP"))
    );
}

/// Hostile: an entry from a repository runs the program in a different environment or directory.
#[test]
fn additional_settings_of_an_entry_are_reported() {
    let content = r#"{"mcpServers": {"skillc": {"command": "skc", "args": ["mcp"], "env": {"SKILLC_HOME": "x"}, "cwd": "y"}}}"#;
    let (state, detail) = state(content);
    assert_eq!(state, json!("installed"));
    assert_eq!(detail, json!("it also sets cwd, env"));
}

#[test]
fn each_state_of_a_file_is_reported() {
    let ours = r#"{"command": "skc", "args": ["mcp"]"#;
    let with = |entry: String| state(&format!("{{\"mcpServers\": {{\"skillc\": {entry}}}}}"));
    assert_eq!(with(format!("{ours}}}")), (json!("installed"), Value::Null));
    assert_eq!(
        with(format!("{ours}, \"disabled\": true}}")),
        (json!("disabled"), Value::Null)
    );
    assert_eq!(
        with(format!("{ours}, \"enabled\": false}}")),
        (json!("disabled"), Value::Null)
    );
    let other = with(r#"{"command": "node", "args": ["x"]}"#.to_owned());
    assert_eq!(other, (json!("different"), json!("node x")));
    let elsewhere = with(r#"{"command": "/old/skc", "args": ["mcp"]}"#.to_owned());
    assert_eq!(elsewhere, (json!("different"), json!("/old/skc mcp")));
    assert_eq!(state("{}"), (json!("absent"), Value::Null));
    assert_eq!(state(""), (json!("absent"), Value::Null));
    let (broken, why) = state("{");
    assert_eq!(broken, json!("unreadable"));
    assert!(
        why.as_str()
            .is_some_and(|why| why.starts_with("it is not valid JSON: ")),
        "{why}"
    );
}

#[test]
fn an_unreadable_file_does_not_affect_others() {
    let world = with_cursor([0xff]);
    run(&world, &["install", "--client", "kiro"]).success();
    let found = status(&world, &["--client", "cursor,kiro"]);
    let why = format!(
        "error[E999]: '{}' is not UTF-8 text",
        cursor(&world).display()
    );
    assert_eq!(
        (&found[0]["state"], &found[0]["detail"]),
        (&json!("unreadable"), &json!(why))
    );
    assert_eq!(found[2]["state"], json!("installed"));
}

#[test]
fn files_that_skc_does_not_edit_are_reported() {
    let world = World::new();
    if cfg!(not(windows)) {
        put(
            &world.home.join(".config/goose/config.yaml"),
            "extensions: {}\n",
        );
        assert_eq!(
            status(&world, &["--client", "goose"])[0]["state"],
            json!("by-hand")
        );
    }
}

#[test]
fn status_can_be_limited_to_the_project() {
    let world = World::new();
    run(&world, &["install", "--client", "cursor", "--project"]).success();
    let found = status(&world, &["--project", "--client", "cursor,windsurf"]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0]["scope"], &found[0]["state"]),
        (&json!("project"), &json!("installed"))
    );
}

#[test]
fn status_changes_nothing() {
    let world = with_cursor("{}");
    let before = (snapshot(&world.home), snapshot(&world.cwd));
    status(&world, &[]);
    assert_eq!((snapshot(&world.home), snapshot(&world.cwd)), before);
}
