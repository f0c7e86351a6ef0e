//! Replacing a file: backups, symlinks, permissions, and no leftovers.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use skillc_tests::{World, snapshot};

use crate::mcp_install::support::{cursor, put, run, server, text, with_cursor};

/// Returns the names in the file's directory, sorted.
fn names(world: &World) -> Vec<String> {
    let entries = fs::read_dir(world.home.join(".cursor"))
        .expect("a directory")
        .flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

fn install(world: &World) -> Value {
    let args = ["install", "--client", "cursor", "--format", "json"];
    run(world, &args).success().json()["clients"][0].clone()
}

fn uninstall(world: &World) -> Value {
    let args = ["uninstall", "--client", "cursor", "--format", "json"];
    run(world, &args).success().json()["clients"][0].clone()
}

#[test]
fn the_old_file_is_kept_as_a_backup() {
    let world = with_cursor("{\"mine\": 1}");
    let backup = world.home.join(".cursor/mcp.json.skc-bak");
    assert_eq!(install(&world)["backup"], json!(backup));
    assert_eq!(text(&backup), "{\"mine\": 1}");
    assert_eq!(names(&world), ["mcp.json", "mcp.json.skc-bak"]);
}

#[test]
fn a_new_file_has_no_backup() {
    let world = World::new();
    assert_eq!(install(&world)["backup"], Value::Null);
    assert_eq!(names(&world), ["mcp.json"]);
}

#[test]
fn backups_are_numbered_and_reused_for_equal_content() {
    let world = with_cursor("{\"mcpServers\": {}}");
    let backup = |name: &str| json!(world.home.join(".cursor").join(name));
    assert_eq!(install(&world)["backup"], backup("mcp.json.skc-bak"));
    assert_eq!(uninstall(&world)["backup"], backup("mcp.json.skc-bak-1"));
    assert_eq!(install(&world)["backup"], backup("mcp.json.skc-bak"));
    assert_eq!(uninstall(&world)["backup"], backup("mcp.json.skc-bak-1"));
    put(&cursor(&world), "{\"mcpServers\": {}, \"x\": 1}");
    assert_eq!(install(&world)["backup"], backup("mcp.json.skc-bak-2"));
    assert_eq!(names(&world).len(), 4);
}

#[test]
fn a_directory_with_the_name_of_a_backup_is_not_touched() {
    let world = with_cursor("{}");
    fs::create_dir_all(world.home.join(".cursor/mcp.json.skc-bak")).expect("a directory");
    let backup = world.home.join(".cursor/mcp.json.skc-bak-1");
    assert_eq!(install(&world)["backup"], json!(backup));
}

/// Similarly named files and directories are neither deleted nor counted.
#[test]
fn the_last_five_backups_are_kept() {
    let world = with_cursor("");
    let dir = world.home.join(".cursor");
    put(&dir.join("mcp.json.skc-bak-old"), "mine");
    put(&dir.join("mcp.json.skc-bak-01"), "mine");
    fs::create_dir_all(dir.join("mcp.json.skc-bak-0")).expect("a directory");
    fs::create_dir_all(dir.join("mcp.json.skc-bak-1")).expect("a directory");
    let content = |number: u32| format!("{{\"x\": {number}}}");
    for number in 0..14 {
        put(&cursor(&world), content(number));
        let backup = install(&world)["backup"].clone();
        let backup = Path::new(backup.as_str().expect("a backup"));
        assert_eq!(text(backup), content(number));
    }
    let mut kept: Vec<String> = names(&world)
        .iter()
        .filter(|name| name.contains(".skc-bak") && dir.join(name).is_file())
        .map(|name| text(&dir.join(name)))
        .collect();
    kept.sort();
    let mut expected: Vec<String> = (9..14).map(content).collect();
    expected.extend(["mine".to_owned(), "mine".to_owned()]);
    expected.sort();
    assert_eq!(kept, expected);
    assert!(dir.join("mcp.json.skc-bak-1").is_dir());
}

#[test]
fn a_dry_run_shows_the_diff_and_changes_nothing() {
    let world = with_cursor("{\n  \"x\": 1\n}\n");
    let before = snapshot(&world.home);
    let args = [
        "install",
        "--client",
        "cursor,codex",
        "--dry-run",
        "--format",
        "json",
    ];
    let out = run(&world, &args).success().json();
    assert_eq!(out["dry_run"], json!(true));
    let path = cursor(&world).display().to_string();
    let expected = format!(
        "--- {path}\n+++ {path}\n@@ -1,3 +1,9 @@\n {{\n-  \"x\": 1\n+  \"x\": 1,\n+  \"mcpServers\": {{\n+    \"skillc\": {{\n+      \"command\": \"skc\",\n+      \"args\": [\"mcp\"]\n+    }}\n+  }}\n }}\n"
    );
    assert_eq!(out["clients"][0]["diff"], json!(expected));
    assert_eq!(out["clients"][0]["change"], json!("added"));
    assert!(
        out["clients"][1]["diff"]
            .as_str()
            .is_some_and(|diff| diff.starts_with("--- /dev/null\n"))
    );
    run(&world, &["uninstall", "--client", "cursor", "--dry-run"]).success();
    assert_eq!(snapshot(&world.home), before);
}

#[test]
fn a_dry_run_without_changes_has_no_diff() {
    let world = World::new();
    install(&world);
    let args = [
        "install",
        "--client",
        "cursor",
        "--dry-run",
        "--format",
        "json",
    ];
    let out = run(&world, &args).success().json();
    assert_eq!(out["clients"][0]["diff"], Value::Null);
}

#[cfg(unix)]
mod on_unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("a file").permissions().mode() & 0o777
    }

    #[test]
    fn file_and_backup_keep_the_permissions_of_the_file() {
        for bits in [0o600, 0o640, 0o664] {
            let world = with_cursor("{}");
            fs::set_permissions(cursor(&world), Permissions::from_mode(bits))
                .expect("our own file");
            install(&world);
            assert_eq!(mode(&cursor(&world)), bits);
            assert_eq!(mode(&world.home.join(".cursor/mcp.json.skc-bak")), bits);
        }
    }

    #[test]
    fn a_reused_backup_gets_the_permissions_of_the_file() {
        let world = with_cursor("{\"mcpServers\": {}}");
        let backup = world.home.join(".cursor/mcp.json.skc-bak");
        install(&world);
        uninstall(&world);
        fs::set_permissions(&backup, Permissions::from_mode(0o644)).expect("our own file");
        fs::set_permissions(cursor(&world), Permissions::from_mode(0o600)).expect("our own file");
        assert_eq!(install(&world)["backup"], json!(backup));
        assert_eq!(mode(&backup), 0o600);
    }

    #[test]
    fn a_symlink_is_preserved_and_its_target_is_written() {
        let world = World::new();
        let real = world.home.join("dotfiles/cursor.json");
        put(&real, "{}");
        fs::create_dir_all(world.home.join(".cursor")).expect("a directory");
        symlink("../dotfiles/cursor.json", cursor(&world)).expect("a link");
        let out = install(&world);
        assert_eq!(out["path"], json!(cursor(&world)));
        assert_eq!(
            out["backup"],
            json!(world.home.join("dotfiles/cursor.json.skc-bak"))
        );
        assert!(
            cursor(&world)
                .symlink_metadata()
                .expect("a link")
                .is_symlink()
        );
        assert_eq!(server(&real, &["mcpServers"])["command"], "skc");
        uninstall(&world);
        assert!(
            cursor(&world)
                .symlink_metadata()
                .expect("a link")
                .is_symlink()
        );
        assert_eq!(names(&world), ["mcp.json"]);
    }

    #[test]
    fn two_clients_with_one_file_are_set_up_once() {
        let world = World::new();
        let shared = world.home.join("shared.json");
        put(&shared, "{}");
        for path in [".cursor/mcp.json", ".kiro/settings/mcp.json"] {
            let link = world.home.join(path);
            fs::create_dir_all(link.parent().expect("a directory")).expect("a directory");
            symlink(&shared, link).expect("a link");
        }
        let args = ["install", "--client", "cursor,kiro", "--format", "json"];
        let out = run(&world, &args).success().json();
        assert_eq!(out["clients"][0]["change"], json!("added"));
        assert_eq!(out["clients"][1]["change"], json!("unchanged"));
        assert_eq!(server(&shared, &["mcpServers"])["command"], "skc");
    }
}
