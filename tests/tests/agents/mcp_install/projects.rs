//! Projects are untrusted: symlinks out of a project are not followed, but the user's own symlinks are.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use skillc_tests::{World, snapshot};

use crate::mcp_install::support::{put, run, text};

const ELSEWHERE: &str = "{\"private\": 1}";

/// Creates a world with a file and a directory outside the project.
fn with_elsewhere() -> World {
    let world = World::project();
    put(&world.home.join("private/mcp.json"), ELSEWHERE);
    world
}

#[track_caller]
fn refused(world: &World, client: &str, path: &Path, why: &str) {
    let before = (snapshot(&world.home), snapshot(&world.cwd));
    for command in [&["install"][..], &["install", "--dry-run"], &["uninstall"]] {
        let out = run(
            world,
            &[command, &["--client", client, "--project"]].concat(),
        );
        out.error(&format!("error[E999]: '{}' {why}", path.display()));
        assert!(
            out.stderr.contains("Nothing was changed. "),
            "{}",
            out.stderr
        );
    }
    assert_eq!((snapshot(&world.home), snapshot(&world.cwd)), before);
}

#[test]
fn a_file_symlink_out_of_the_project_is_rejected() {
    let world = with_elsewhere();
    let path = world.cwd.join(".mcp.json");
    symlink(world.home.join("private/mcp.json"), &path).expect("a link");
    refused(
        &world,
        "claude-code",
        &path,
        "is a symlink that leads out of the project",
    );
}

#[test]
fn a_directory_symlink_out_of_the_project_is_rejected() {
    let world = with_elsewhere();
    symlink("../home/private", world.cwd.join(".cursor")).expect("a link");
    let path = world.cwd.join(".cursor/mcp.json");
    refused(
        &world,
        "cursor",
        &path,
        "is a symlink that leads out of the project",
    );
    fs::remove_file(world.home.join("private/mcp.json")).expect("our own file");
    refused(
        &world,
        "cursor",
        &path,
        "is a symlink that leads out of the project",
    );
}

#[test]
fn a_sibling_whose_name_has_the_projects_as_a_prefix_is_outside() {
    let world = with_elsewhere();
    put(&world.cwd.with_file_name("work-2").join("mcp.json"), "{}");
    symlink("../work-2", world.cwd.join(".cursor")).expect("a link");
    let path = world.cwd.join(".cursor/mcp.json");
    refused(
        &world,
        "cursor",
        &path,
        "is a symlink that leads out of the project",
    );
}

#[test]
fn a_dangling_directory_symlink_is_an_error() {
    let world = World::project();
    let dir = world.cwd.join(".cursor");
    symlink("../gone", &dir).expect("a link");
    refused(&world, "cursor", &dir, "is a dangling symlink");
}

#[test]
fn status_does_not_read_outside_the_project() {
    let world = World::project();
    let entry = r#"{"mcpServers": {"skillc": {"command": "secret"}}}"#;
    put(&world.home.join("private.json"), entry);
    symlink(world.home.join("private.json"), world.cwd.join(".mcp.json")).expect("a link");
    let args = ["status", "--client", "claude-code", "--project", "--format"];
    let out = run(&world, &[&args[..], &["json"]].concat())
        .success()
        .json();
    assert_eq!(out["clients"][0]["state"], "unreadable");
    let detail = out["clients"][0]["detail"].as_str().expect("a text");
    assert!(
        detail.ends_with("is a symlink that leads out of the project"),
        "{detail}"
    );
}

#[test]
fn symlinks_within_the_project_are_followed() {
    let world = World::project();
    let shared = world.cwd.join("shared/mcp.json");
    put(&shared, "{}");
    symlink("shared", world.cwd.join(".cursor")).expect("a link");
    let link = world.cwd.with_file_name("link");
    symlink(&world.cwd, &link).expect("a link");
    let args = ["mcp", "install", "--client", "cursor", "--project"];
    skillc_tests::run_in(world.context_at(&link), &args).success();
    assert!(text(&shared).contains("skillc"));
}

#[test]
fn the_users_own_symlinks_are_followed_anywhere() {
    let world = with_elsewhere();
    symlink(world.home.join("private"), world.home.join(".cursor")).expect("a link");
    run(&world, &["install", "--client", "cursor"]).success();
    assert!(text(&world.home.join("private/mcp.json")).contains("skillc"));
}

/// Hostile: a repository's entry starts skc, but with a different library or search path.
#[test]
fn an_entry_that_changes_how_the_program_runs_is_not_accepted() {
    let entry = r#"{"command": "skc", "args": ["mcp"], "env": {"LD_PRELOAD": "./x.so"}, "url": "https://x.example", "timeout": 5}"#;
    let content = format!("{{\"mcpServers\": {{\"skillc\": {entry}}}}}");
    let world = World::project();
    let path = world.cwd.join(".mcp.json");
    put(&path, &content);
    let install = ["install", "--client", "claude-code", "--project"];
    run(&world, &install).error(&format!(
        "error[E999]: 'skillc' in '{}' starts 'skc mcp'; it also sets env, url",
        path.display()
    ));
    assert_eq!(text(&path), content);
    run(&world, &[&install[..], &["--force"]].concat()).success();
    assert!(!text(&path).contains("LD_PRELOAD"), "{}", text(&path));
}

/// Hostile: if an entry contains two commands, some client might start the first.
#[test]
fn an_entry_with_two_commands_is_not_accepted() {
    let world = World::project();
    let path = world.cwd.join(".mcp.json");
    let entry = r#"{"command": "./evil", "command": "skc", "args": ["mcp"]}"#;
    put(
        &path,
        format!("{{\"mcpServers\": {{\"skillc\": {entry}}}}}"),
    );
    let install = ["install", "--client", "claude-code", "--project"];
    run(&world, &install).error(&format!(
        "error[E999]: 'skillc' in '{}' does not start a known program",
        path.display()
    ));
}
