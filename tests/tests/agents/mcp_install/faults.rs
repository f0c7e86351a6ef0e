//! Unusable files: clear errors, and no changes.

use std::fs;
use std::path::Path;

use skillc_tests::{Output, World, snapshot};

use crate::mcp_install::support::{cursor, put, run, with_cursor};

/// Asserts that every command fails with this reason and changes nothing.
#[track_caller]
fn refused(world: &World, client: &str, path: &Path, why: &str) {
    let before = snapshot(&world.home);
    for command in [
        &["install"][..],
        &["install", "--force"],
        &["uninstall"],
        &["install", "--dry-run"],
    ] {
        let out = run(world, &[command, &["--client", client]].concat());
        let line = out.stderr.lines().next().unwrap_or_default().to_owned();
        let start = format!("error[E999]: '{}' {why}", path.display());
        assert!(!out.ok && line.starts_with(&start), "{command:?}: {line}");
        assert!(
            out.stderr.contains("Nothing was changed. "),
            "{}",
            out.stderr
        );
    }
    assert_eq!(snapshot(&world.home), before);
}

#[test]
fn invalid_json_is_an_error_with_its_position() {
    let cases = [
        (
            "{\n  \"a\": 1,\n  \"b\" 2\n}",
            "is not valid JSON: Expected colon after the string or word in object property on line 3",
        ),
        ("{", "is not valid JSON: "),
        ("{} {}", "is not valid JSON: "),
        ("{'mcpServers': {}}", "is not valid JSON: "),
        ("[]", "is a list, not an object"),
        ("null", "is null, not an object"),
        (
            "{\"mcpServers\": []}",
            "sets 'mcpServers' to a list instead of an object",
        ),
        (
            "{\"mcpServers\": \"x\"}",
            "sets 'mcpServers' to a string instead of an object",
        ),
        (
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "has 'mcpServers' twice",
        ),
    ];
    for (text, why) in cases {
        let world = with_cursor(text);
        refused(&world, "cursor", &cursor(&world), why);
    }
}

#[test]
fn invalid_toml_is_an_error_with_its_position() {
    let cases = [
        (
            "a = 1\nb = [\n",
            "is not valid TOML: unclosed array, expected `]` on line 2",
        ),
        (
            "mcp_servers = []\n",
            "sets 'mcp_servers' to a value of type array instead of a table",
        ),
        (
            "mcp_servers = \"x\"\n",
            "sets 'mcp_servers' to a value of type string instead of a table",
        ),
    ];
    for (text, why) in cases {
        let world = World::new();
        let path = world.home.join(".codex/config.toml");
        put(&path, text);
        refused(&world, "codex", &path, why);
    }
}

#[test]
fn invalid_utf8_is_an_error() {
    for bytes in [&b"{\"a\": \"\xff\"}"[..], b"\xff\xfe{\0}\0"] {
        let world = with_cursor(bytes);
        refused(&world, "cursor", &cursor(&world), "is not UTF-8 text");
    }
}

#[test]
fn files_larger_than_4_mib_are_rejected() {
    let text = |bytes: usize| format!("{{\"x\": \"{}\"}}", "y".repeat(bytes - 9));
    let limit = 4 * 1024 * 1024;
    let world = with_cursor(text(limit + 1));
    refused(&world, "cursor", &cursor(&world), "is larger than 4 MiB");
    let world = with_cursor(text(limit));
    run(&world, &["install", "--client", "cursor"]).success();
}

#[test]
fn a_directory_instead_of_the_file_is_an_error() {
    let world = World::new();
    fs::create_dir_all(cursor(&world)).expect("a directory");
    refused(&world, "cursor", &cursor(&world), "is not a file");
}

#[cfg(unix)]
#[test]
fn a_fifo_instead_of_the_file_is_not_read() {
    let world = World::new();
    fs::create_dir_all(world.home.join(".cursor")).expect("a directory");
    let made = std::process::Command::new("mkfifo")
        .arg(cursor(&world))
        .status();
    assert!(made.expect("a process").success());
    let out = run(&world, &["install", "--client", "cursor"]);
    out.error(&format!(
        "error[E999]: '{}' is not a file",
        cursor(&world).display()
    ));
}

#[cfg(unix)]
#[test]
fn a_dangling_symlink_is_an_error() {
    let world = World::new();
    fs::create_dir_all(world.home.join(".cursor")).expect("a directory");
    std::os::unix::fs::symlink(world.home.join("gone.json"), cursor(&world)).expect("a link");
    refused(&world, "cursor", &cursor(&world), "is a dangling symlink");
}

#[test]
fn a_file_instead_of_the_directory_is_an_error() {
    let world = World::new();
    put(&world.home.join(".kiro"), "a file");
    let before = snapshot(&world.home);
    run(&world, &["install", "--client", "kiro"]).code("E999");
    assert_eq!(snapshot(&world.home), before);
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let world = with_cursor("{}");
    let path = cursor(&world);
    let mut permissions = fs::metadata(&path).expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("our own file");
    let before = snapshot(&world.home);
    let out = run(&world, &["install", "--client", "cursor"]);
    out.error(&format!("error[E999]: '{}' is read-only", path.display()));
    assert_eq!(snapshot(&world.home), before);
    run(&world, &["install", "--client", "cursor", "--dry-run"]).success();
}

#[test]
fn if_one_of_several_files_is_unusable_none_is_written() {
    let world = World::new();
    put(&world.home.join(".kiro/settings/mcp.json"), "{");
    let before = snapshot(&world.home);
    run(&world, &["install", "--client", "cursor,kiro,codex"]).code("E999");
    run(&world, &["install", "--client", "cursor,goose"]).code("E100");
    assert_eq!(snapshot(&world.home), before);
}

#[test]
fn errors_show_a_snippet_to_add_by_hand() {
    let world = with_cursor("{");
    let out: Output = run(&world, &["install", "--client", "cursor"]);
    let (_, pasted) = out.stderr.split_once("\n\n").expect("a snippet");
    let value: serde_json::Value = serde_json::from_str(pasted).expect("JSON");
    assert_eq!(value["mcpServers"]["skillc"]["command"], "skc");
}

#[cfg(target_os = "linux")]
mod without_privilege {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use skillc_tests::unreadable::{Unreadable, run_without_privilege};

    use super::*;

    /// The path of the program under test.
    const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");
    const INSTALL: [&str; 4] = ["mcp", "install", "--client", "cursor"];

    #[test]
    fn an_unreadable_file_is_an_error() {
        let world = with_cursor("{}");
        let closed = Unreadable::new(cursor(&world));
        if let Some(out) = run_without_privilege(&world, SKC, &INSTALL) {
            let path = cursor(&world);
            out.error(&format!(
                "error[E999]: reading '{}': permission denied",
                path.display()
            ));
        }
        drop(closed);
        assert_eq!(fs::read(cursor(&world)).expect("a file"), b"{}");
    }

    #[test]
    fn an_unwritable_directory_is_an_error_and_the_file_stays_intact() {
        let world = with_cursor("{}");
        let dir = world.home.join(".cursor");
        let set =
            |mode| fs::set_permissions(&dir, Permissions::from_mode(mode)).expect("our own file");
        set(0o555);
        let out = run_without_privilege(&world, SKC, &INSTALL);
        set(0o755);
        if let Some(out) = out {
            out.code("E999");
            assert!(out.stderr.contains("permission denied"), "{}", out.stderr);
        }
        assert_eq!(fs::read(cursor(&world)).expect("a file"), b"{}");
        assert_eq!(fs::read_dir(&dir).expect("a directory").count(), 1);
    }
}
