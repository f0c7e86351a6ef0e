//! `skc doctor`: which skills each client finds and which it misses, and the bytes of a file that are the cause.

mod faults;
mod folders;
mod installed;
mod named_skill;
mod names;
mod output;
mod real_skills;
mod stubs;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skillc_tests::{Output, World};

/// The path of the program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// Returns a skill without faults.
fn valid_skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Makes things. Use it for things.\n---\n\n# Things\n")
}

/// Creates a repository without skills and without clients.
fn repository() -> World {
    let world = World::new();
    fs::create_dir_all(world.cwd.join(".git")).expect("a folder");
    world
}

/// Writes a skill; returns its directory.
fn write(skills: &Path, dir: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let dir = skills.join(dir);
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join("SKILL.md"), text).expect("a file");
    dir
}

/// Runs the program.
#[track_caller]
fn doctor(world: &World, args: &[&str]) -> Output {
    let mut command = world.process(PROGRAM, &[&["doctor"], args].concat());
    Output::new(command.output().expect("the program starts"))
}

/// Runs the program for one client, with JSON output.
#[track_caller]
fn doctor_json(world: &World, client: &str) -> Value {
    doctor(world, &["--client", client, "-o", "json"]).json()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Returns the skills that a client sees, formatted as `root name state`.
fn skills(view: &Value) -> Vec<String> {
    let line = |skill: &Value| {
        let root = usize::try_from(skill["root"].as_u64().expect("a number")).expect("small");
        let root = text(&view["roots"][root]["root"]);
        format!("{root} {} {}", text(&skill["name"]), text(&skill["state"]))
    };
    list(&view["skills"]).iter().map(line).collect()
}
