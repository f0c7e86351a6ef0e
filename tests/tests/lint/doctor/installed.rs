//! Client selection: installed clients, named clients, or all.

use std::fs;

use serde_json::{Value, json};
use skillc_tests::World;

use super::{doctor, list, repository, text, valid_skill, write};

/// Returns the clients that were checked, with the evidence that they are installed.
fn checked_clients(json: &Value) -> Vec<String> {
    let line = |client: &Value| {
        let because = client.get("because").map_or("-", text);
        format!("{} {because}", text(&client["client"]))
    };
    list(&json["clients"]).iter().map(line).collect()
}

#[track_caller]
fn found(world: &World, args: &[&str]) -> Vec<String> {
    let output = doctor(world, &[args, &["-o", "json"]].concat()).success();
    checked_clients(&output.json())
}

#[test]
fn a_client_with_its_own_directory_is_installed() {
    let world = repository();
    for dir in [".claude", ".config/goose", ".agents/skills", ".trae-cn"] {
        fs::create_dir_all(world.home.join(dir)).expect("a folder");
    }
    fs::create_dir_all(world.cwd.join(".cursor/skills")).expect("a folder");
    fs::create_dir_all(world.cwd.join(".agents/skills")).expect("a folder");
    assert_eq!(
        found(&world, &[]),
        [
            "claude-code ~/.claude",
            "cursor .cursor/skills",
            "goose ~/.config/goose",
        ]
    );
}

#[test]
fn a_client_with_a_configuration_file_is_installed() {
    let mut world = repository();
    fs::write(world.home.join(".claude.json"), "{}").expect("a file");
    fs::create_dir_all(world.home.join(".codelia")).expect("a folder");
    let elsewhere = world.home.join("elsewhere");
    fs::create_dir_all(&elsewhere).expect("a folder");
    world.set("CODEX_HOME", elsewhere.to_str().expect("a text"));
    assert_eq!(
        found(&world, &[]),
        [
            "claude-code ~/.claude.json",
            "codex ~/elsewhere",
            "codelia ~/.codelia"
        ]
    );
}

#[test]
fn other_clients_are_listed_and_all_includes_them() {
    let world = repository();
    fs::create_dir_all(world.home.join(".claude")).expect("a folder");
    let output = doctor(&world, &["-o", "json"]).success();
    let others = output.json()["not_installed"].clone();
    let others: Vec<&str> = list(&others).iter().map(text).collect();
    assert_eq!(&others[..3], ["codex", "copilot-cli", "vscode"]);
    let all = doctor(&world, &["--all", "-o", "json"]).success().json();
    assert_eq!(all["not_installed"], json!([]));
    assert_eq!(list(&all["clients"]).len(), others.len() + 1);
    // The entries for the specification and for uploads are not installed programs.
    assert!(
        checked_clients(&all)
            .iter()
            .all(|line| !line.starts_with("spec"))
    );
}

#[test]
fn clients_are_selected_by_id_or_alias_without_duplicates() {
    let world = repository();
    assert_eq!(
        found(&world, &["--client", "gemini,spec", "-c", "gemini-cli"]),
        ["gemini-cli -", "spec -"]
    );
    let output = doctor(&world, &["--client", "claude-upload"]).success();
    assert!(
        output.text().contains("Its folders are not known."),
        "{output:?}"
    );
}

#[test]
fn without_a_client_the_output_says_how_to_select_one() {
    let world = repository();
    write(
        &world.cwd.join(".agents/skills"),
        "demo",
        valid_skill("demo"),
    );
    let output = doctor(&world, &[]).success();
    let text = output.text();
    assert!(text.starts_with("No agent client detected"), "{text}");
    assert!(
        text.contains("skc doctor --client ID") && text.contains("skc doctor --all"),
        "{text}"
    );
}

#[test]
fn an_unknown_client_is_rejected_with_a_suggestion() {
    let world = repository();
    let output = doctor(&world, &["--client", "cursr"]);
    output.error("error[E100]: invalid option: 'unknown client \"cursr\"'");
    assert!(
        output.stderr.contains("Did you mean 'cursor'?"),
        "{output:?}"
    );
    doctor(&world, &["--all", "--client", "codex"])
        .error("error[E100]: invalid option: '--all cannot be used with --client'");
}
