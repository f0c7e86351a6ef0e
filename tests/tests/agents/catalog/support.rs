//! Writes skills of a project and of the user, and runs the real program.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use skillc_tests::{Output, World};

/// The path of the program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// Returns the text of a `SKILL.md`.
pub(crate) fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nBODY-OF-{name}\n")
}

/// Writes a project skill; returns the path of its `SKILL.md`.
pub(crate) fn skill(world: &World, name: &str, description: &str) -> PathBuf {
    in_dir(world, ".agents/skills", name, description)
}

/// Writes a skill into a directory of the project; returns the path of its `SKILL.md`.
pub(crate) fn in_dir(world: &World, dir: &str, name: &str, description: &str) -> PathBuf {
    let files = [("SKILL.md", &*text(name, description))];
    world
        .directory(&format!("{dir}/{name}"), &files)
        .join("SKILL.md")
}

/// Writes a user skill; returns the path of its `SKILL.md`.
pub(crate) fn user_skill(world: &World, name: &str, description: &str) -> PathBuf {
    let dir = world.home.join(".agents/skills").join(name);
    fs::create_dir_all(&dir).expect("a directory");
    let path = dir.join("SKILL.md");
    fs::write(&path, text(name, description)).expect("a file");
    path
}

/// Runs the program.
pub(crate) fn skc(world: &World, args: &[&str]) -> Output {
    Output::new(world.process(PROGRAM, args).output().expect("should run"))
}

/// Runs `skc catalog` and returns its JSON.
pub(crate) fn json(world: &World, args: &[&str]) -> Value {
    let all = [&["catalog"], args, &["--format", "json"]].concat();
    skc(world, &all).success().json()
}

/// Returns the names in a list.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    let items = list.as_array().expect("a list").iter();
    items
        .map(|item| item["name"].as_str().expect("a name"))
        .collect()
}

/// Writes the project's configuration.
pub(crate) fn configure(world: &World, text: &str) {
    fs::create_dir_all(world.cwd.join(".skillc")).expect("a directory");
    fs::write(world.cwd.join(".skillc/config.toml"), text).expect("a file");
}

/// Writes the user's configuration.
pub(crate) fn configure_user(world: &World, text: &str) {
    fs::create_dir_all(world.home.join(".skillc")).expect("a directory");
    fs::write(world.home.join(".skillc/config.toml"), text).expect("a file");
}

/// Returns the project's configuration.
pub(crate) fn project_file(world: &World) -> String {
    fs::read_to_string(world.cwd.join(".skillc/config.toml")).unwrap_or_default()
}

/// Returns the user's configuration.
pub(crate) fn user_file(world: &World) -> String {
    fs::read_to_string(world.home.join(".skillc/config.toml")).unwrap_or_default()
}
