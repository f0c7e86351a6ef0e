//! The command in an entry: `skc` or an absolute path.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use skillc_tests::{Output, World};

use crate::mcp_install::support::{cursor, put, run_as, server, with_cursor};

/// The path of the program under test.
const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// The program's file name in a `PATH` directory.
const NAME: &str = if cfg!(windows) { "skc.exe" } else { "skc" };

/// Creates a world with a program in `bin`, and one with the same name in `other`.
fn with_programs() -> (World, PathBuf) {
    let world = World::new();
    put(&world.home.join("bin").join(NAME), "one");
    put(&world.home.join("other").join(NAME), "two");
    let program = world.home.join("bin").join(NAME);
    (world, program)
}

fn search(world: &mut World, dirs: &[&str]) {
    let dirs = dirs
        .iter()
        .map(|dir| world.home.join(dir).display().to_string());
    let separator = if cfg!(windows) { ";" } else { ":" };
    let path = dirs.collect::<Vec<_>>().join(separator);
    world.set("PATH", &path);
}

fn install(world: &World, program: &Path) -> serde_json::Value {
    run_as(
        world,
        Some(program),
        &["install", "--client", "cursor", "--force"],
    )
    .success();
    server(&cursor(world), &["mcpServers"])["command"].clone()
}

#[test]
fn a_program_in_path_is_written_by_name() {
    let (mut world, program) = with_programs();
    search(&mut world, &["none", "bin", "other"]);
    assert_eq!(install(&world, &program), json!("skc"));
}

#[test]
fn a_program_not_first_in_path_is_written_by_path() {
    let (mut world, program) = with_programs();
    assert_eq!(install(&world, &program), json!(program));
    search(&mut world, &["other", "bin"]);
    assert_eq!(install(&world, &program), json!(program));
}

#[cfg(unix)]
#[test]
fn a_symlink_in_path_to_the_program_counts() {
    let (mut world, _) = with_programs();
    let real = world.home.join("lib/skc-0.3");
    put(&real, "three");
    fs::create_dir_all(world.home.join("links")).expect("a directory");
    std::os::unix::fs::symlink(&real, world.home.join("links/skc")).expect("a link");
    search(&mut world, &["links", "bin"]);
    assert_eq!(install(&world, &real), json!("skc"));
}

#[test]
fn a_projects_file_always_has_the_plain_name() {
    let (world, program) = with_programs();
    run_as(
        &world,
        Some(&program),
        &["install", "--client", "cursor", "--project"],
    )
    .success();
    let found = server(&world.cwd.join(".cursor/mcp.json"), &["mcpServers"]);
    assert_eq!(found["command"], json!("skc"));
}

#[test]
fn entries_with_the_name_or_path_of_this_program_are_ours() {
    let (mut world, program) = with_programs();
    let change = |world: &World| {
        let args = ["install", "--client", "cursor", "--format", "json"];
        run_as(world, Some(&program), &args).success().json()["clients"][0]["change"].clone()
    };
    put(
        &cursor(&world),
        r#"{"mcpServers": {"skillc": {"command": "skc", "args": ["mcp"]}}}"#,
    );
    assert_eq!(change(&world), json!("unchanged"));
    search(&mut world, &["bin"]);
    let entry = json!({"mcpServers": {"skillc": {"command": program, "args": ["mcp"]}}});
    put(&cursor(&world), entry.to_string());
    assert_eq!(change(&world), json!("unchanged"));
}

#[test]
fn the_real_program_writes_its_own_path() {
    let world = World::new();
    let mut command = world.process(SKC, &["mcp", "install", "--client", "cursor,codex"]);
    Output::new(command.output().expect("a process")).success();
    let found = server(&cursor(&world), &["mcpServers"]);
    let path = found["command"].as_str().expect("a path");
    let same = |path: &str| Path::new(path).canonicalize().expect("a program");
    assert_eq!(same(path), same(SKC));
    let codex = server(&world.home.join(".codex/config.toml"), &["mcp_servers"]);
    assert_eq!(codex["command"], found["command"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf8_is_an_error() {
    use std::os::unix::ffi::OsStrExt;

    let world = with_cursor("{}");
    let program = Path::new(std::ffi::OsStr::from_bytes(b"/opt/\xff/skc"));
    let out = run_as(&world, Some(program), &["install", "--client", "cursor"]);
    out.error("error[E999]: this program's path is not UTF-8: '/opt/\u{fffd}/skc'");
    assert!(out.stderr.contains("PATH"), "{}", out.stderr);
    run_as(&world, Some(program), &["uninstall", "--client", "cursor"]).success();
    run_as(
        &world,
        Some(program),
        &["install", "--client", "cursor", "--project"],
    )
    .success();
}
