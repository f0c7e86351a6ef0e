//! A project may come from anybody: its links do not lead set-up to files elsewhere. The user's own links do.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use skillc_tests::{World, snapshot};

use crate::mcp_install::support::{put, run, text};

const ELSEWHERE: &str = "{\"private\": 1}";

/// Makes a world with a file and a directory that are none of the project's.
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
fn a_file_that_is_a_link_out_of_the_project_is_refused() {
    let world = with_elsewhere();
    let path = world.cwd.join(".mcp.json");
    symlink(world.home.join("private/mcp.json"), &path).expect("a link");
    refused(
        &world,
        "claude-code",
        &path,
        "is a symlink out of the project",
    );
}

#[test]
fn a_directory_that_is_a_link_out_of_the_project_is_refused() {
    let world = with_elsewhere();
    symlink("../home/private", world.cwd.join(".cursor")).expect("a link");
    let path = world.cwd.join(".cursor/mcp.json");
    refused(&world, "cursor", &path, "is a symlink out of the project");
    fs::remove_file(world.home.join("private/mcp.json")).expect("it is ours");
    refused(&world, "cursor", &path, "is a symlink out of the project");
}

#[test]
fn a_directory_whose_name_begins_like_the_projects_is_not_in_it() {
    let world = with_elsewhere();
    put(&world.cwd.with_file_name("work-2").join("mcp.json"), "{}");
    symlink("../work-2", world.cwd.join(".cursor")).expect("a link");
    let path = world.cwd.join(".cursor/mcp.json");
    refused(&world, "cursor", &path, "is a symlink out of the project");
}

#[test]
fn a_directory_that_leads_nowhere_is_told() {
    let world = World::project();
    let dir = world.cwd.join(".cursor");
    symlink("../gone", &dir).expect("a link");
    refused(&world, "cursor", &dir, "is a dangling symlink");
}

#[test]
fn the_status_does_not_look_outside_of_the_project() {
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
        detail.ends_with("is a symlink out of the project"),
        "{detail}"
    );
}

#[test]
fn a_link_within_the_project_is_followed_also_where_the_project_is_reached_by_a_link() {
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
fn the_users_own_links_are_followed_anywhere() {
    let world = with_elsewhere();
    symlink(world.home.join("private"), world.home.join(".cursor")).expect("a link");
    run(&world, &["install", "--client", "cursor"]).success();
    assert!(text(&world.home.join("private/mcp.json")).contains("skillc"));
}
