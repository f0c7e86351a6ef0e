//! The pre-commit hooks: runs their commands in a repository, as pre-commit would.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;
use skillc_tests::{Output, World};

use crate::ci::{NAMELESS, PROGRAM, check_command, read};

#[derive(Deserialize)]
struct Hook {
    id: String,
    name: String,
    entry: String,
    args: Vec<String>,
    language: String,
    pass_filenames: bool,
}

fn hooks() -> Vec<Hook> {
    serde_yaml::from_str(&read(".pre-commit-hooks.yaml")).expect("hooks")
}

/// Runs git without user configuration; `None` if git is not installed.
fn git(world: &World, args: &[&str]) -> Option<Output> {
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let output = Command::new("git")
        .args(who)
        .args(args)
        .current_dir(&world.cwd)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", Path::new("/dev/null"))
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .output();
    output.ok().map(Output::new)
}

/// Runs a hook's command as pre-commit does: without file names, because of `pass_filenames: false`.
fn run(world: &World, hook: &Hook) -> Output {
    let line = [std::slice::from_ref(&hook.entry), &hook.args]
        .concat()
        .join(" ");
    let words = check_command(&line);
    let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let mut command = world.process(PROGRAM, &args);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    Output::new(command.output().expect("the program runs"))
}

#[test]
fn hooks_run_valid_skc_commands_without_file_names() {
    let hooks = hooks();
    let ids: Vec<&str> = hooks.iter().map(|hook| &*hook.id).collect();
    assert_eq!(ids, ["skc-lint", "skc-lint-all"]);
    for hook in &hooks {
        assert!(!hook.name.is_empty());
        assert_eq!((&*hook.language, hook.pass_filenames), ("system", false));
        check_command(&[&hook.entry, " ", &hook.args.join(" ")].concat());
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_hook_rejects_faulty_changes() {
    let world = World::new();
    if git(&world, &["init", "--quiet"]).is_none() {
        eprintln!("skipped: there is no git");
        return;
    }
    let git = |args: &[&str]| git(&world, args).expect("git").success();
    world.directory("skills/demo", &[]);
    world.directory("skills/bad", &[("SKILL.md", NAMELESS)]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "first"]);
    let hooks = hooks();
    assert!(run(&world, &hooks[0]).ok, "nothing has changed");
    let all = run(&world, &hooks[1]);
    assert!(!all.ok && all.stderr.contains("SKL101"), "{all:?}");
    world.directory("skills/other", &[("SKILL.md", NAMELESS)]);
    git(&["add", "."]);
    let staged = run(&world, &hooks[0]);
    assert!(
        !staged.ok && staged.stderr.contains("skills/other"),
        "{staged:?}"
    );
    assert!(!staged.stderr.contains("skills/bad"), "{staged:?}");
}
