//! Helpers shared by several of these tests.

use std::fs;
use std::path::Path;

use skillc_tests::database::meta;
use skillc_tests::{Output, World};

/// Returns a `SKILL.md` with this body. Tests write the location of the skill there, to tell skills with the same name
/// apart.
pub(crate) fn skill(name: &str, body: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Says where it lives. Use when testing.\n---\n\n# Place\n\n{body}\n"
    )
}

/// Returns the names of a JSON list, in order.
pub(crate) fn names(list: &Output) -> Vec<String> {
    column(list, "name")
}

/// Returns one field of each skill in a JSON list, in order.
pub(crate) fn column(list: &Output, field: &str) -> Vec<String> {
    let json = list.json();
    let skills = json["skills"].as_array().expect("a list");
    skills
        .iter()
        .map(|skill| skill[field].as_str().expect("a text").to_owned())
        .collect()
}

/// Returns the location of the skill to which a name or path resolves in `cwd`. The location is the last line of the
/// `SKILL.md`: see [`skill`].
#[track_caller]
pub(crate) fn place(world: &World, cwd: &Path, asked: &str) -> String {
    let opened = world.skc_at(cwd, &["open", asked, "SKILL.md"]).success();
    opened.text().lines().last().unwrap_or_default().to_owned()
}

/// Builds `demo` and returns the tokenizer of the index: `porter` for ascii and `unicode61` for cjk.
#[track_caller]
pub(crate) fn tokenizer(world: &World) -> String {
    world.skc(["build", "demo"]).success();
    meta(&world.demo_index(), "tokenizer").expect("a tokenizer")
}

/// Returns the names in a directory, sorted; none if the directory does not exist.
pub(crate) fn entries(dir: &Path) -> Vec<String> {
    let entries = dir.read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Writes the configuration file of a project's directory or of a home.
pub(crate) fn configure(root: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(root.join(".skillc")).expect("a directory");
    fs::write(root.join(".skillc/config.toml"), bytes).expect("a file");
}
