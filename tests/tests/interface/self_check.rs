//! `skc self check`.

use std::path::Path;

use serde_json::{Value, json};
use skillc_tests::World;

use crate::PROGRAM;

/// Runs the program with this `PATH`; returns the exit status and the result.
fn check(world: &World, path: &Path) -> (Option<i32>, Value) {
    let mut command = world.process(PROGRAM, &["self", "check", "-o", "json"]);
    let output = command.env("PATH", path).output().expect("should run");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let read = serde_json::from_slice(&output.stdout).expect("JSON");
    (output.status.code(), read)
}

#[test]
fn the_program_describes_itself() {
    let world = World::new();
    let (status, found) = check(&world, &world.cwd);
    assert_eq!(status, Some(0), "{found}");
    assert_eq!(found["version"], env!("CARGO_PKG_VERSION"));
    let program = Path::new(PROGRAM).canonicalize().expect("the program");
    assert_eq!(found["program"], json!(program));
    assert_eq!(found["installed"], "source");
    assert_eq!(found["features"], json!(["http", "lsp", "mcp", "picker"]));
    assert_eq!(found["on_path"], json!([]));
    assert_eq!(found["problems"], json!([]));
    let home = world.home.join(".skillc");
    assert_eq!(found["places"][0]["path"], json!(home));
    let text = world.skc(["self", "check"]).success();
    assert!(text.text().contains("config     "), "{text:?}");
}

#[cfg(unix)]
#[test]
fn another_program_that_comes_first_on_the_path_is_named_but_not_run() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    let world = World::new();
    let [first, second] = ["first", "second"].map(|name| world.cwd.join(name));
    for dir in [&first, &second] {
        fs::create_dir(dir).expect("a folder");
    }
    let other = first.join("skc");
    fs::write(&other, "#!/bin/sh\ntouch was-run\n").expect("a script");
    symlink(PROGRAM, second.join("skc")).expect("a link");
    let both = std::env::join_paths([&first, &second]).expect("a path");
    // A file that is not executable does not count.
    let (status, found) = check(&world, Path::new(&both));
    assert_eq!(status, Some(0), "{found}");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("our own");
    let (status, found) = check(&world, Path::new(&both));
    assert_eq!(status, Some(1), "{found}");
    assert_eq!(found["on_path"], json!([other, second.join("skc")]));
    let problem = found["problems"][0].as_str().expect("a problem");
    assert!(problem.contains("comes first on PATH"), "{problem}");
    assert!(!world.cwd.join("was-run").exists());
}
