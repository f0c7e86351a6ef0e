//! Helpers shared by several of these tests.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::Value;
use skillc_tests::{World, snapshot, snapshot_with_logs};

/// The path of the program under test.
pub(crate) const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// The part of a file name that marks a temporary file.
pub(crate) const UNFINISHED: &str = ".skc-tmp-";

/// The files of a skill: their paths and contents.
pub(crate) type Files = BTreeMap<String, String>;

/// Returns a `SKILL.md` with this frontmatter and body.
pub(crate) fn skill_md(frontmatter: &str, body: &str) -> String {
    format!("---\n{frontmatter}\n---\n{body}")
}

/// Returns the smallest `SKILL.md` with this name.
pub(crate) fn named(name: &str) -> String {
    skill_md(
        &format!("name: {name}\ndescription: A skill."),
        "\n# Title\n",
    )
}

/// Returns the compiled `SKILL.md` of `demo`.
pub(crate) fn stub(world: &World) -> String {
    fs::read_to_string(world.demo_runtime().join("SKILL.md")).expect("a stub")
}

/// Builds `demo` from these files and returns the compiled `SKILL.md`.
pub(crate) fn stub_of(files: &[(&str, &str)]) -> String {
    stub(&World::built(files))
}

/// Returns the lines below `## Top Sections`.
pub(crate) fn top_sections(stub: &str) -> Vec<&str> {
    let (_, list) = stub
        .split_once("## Top Sections\n")
        .expect("a list of sections");
    list.lines().filter(|line| !line.is_empty()).collect()
}

/// Parses the frontmatter of a compiled `SKILL.md` with an independent YAML parser.
pub(crate) fn card(stub: &str) -> Value {
    let block = stub
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"));
    let (block, _) = block.expect("a frontmatter block");
    serde_yaml::from_str(block).expect("YAML")
}

/// Returns the manifest of a runtime directory.
pub(crate) fn manifest(runtime: &Path) -> Value {
    let text = fs::read(runtime.join(".skillc-meta/manifest.json")).expect("a manifest");
    serde_json::from_slice(&text).expect("JSON")
}

/// Returns the source hash of the last build of `demo`.
pub(crate) fn source_hash(world: &World) -> String {
    let hash = &manifest(&world.demo_runtime())["source_hash"];
    hash.as_str().expect("a text").to_owned()
}

/// Returns the paths of the files and symlinks below a directory, sorted.
pub(crate) fn files_below(dir: &Path) -> Vec<String> {
    let all = snapshot_with_logs(dir).into_iter();
    all.filter(|(_, content)| content != b"directory")
        .map(|(path, _)| path.to_str().expect("a plain name").to_owned())
        .collect()
}

/// Returns the leftovers of killed builds below a directory.
pub(crate) fn leftovers(dir: &Path) -> Vec<PathBuf> {
    let all = snapshot(dir).into_keys();
    all.filter(|path| path.to_string_lossy().contains(UNFINISHED))
        .collect()
}

/// Replaces the content of a file of `demo`.
pub(crate) fn write(world: &World, path: &str, text: &str) {
    let full = world.demo_source().join(path);
    fs::create_dir_all(full.parent().expect("a file has a parent")).expect("directories");
    fs::write(full, text).expect("a file");
}

/// Calls `text` with each number, and joins the results.
pub(crate) fn numbered(numbers: RangeInclusive<usize>, text: impl Fn(usize) -> String) -> String {
    numbers.map(text).collect::<Vec<_>>().concat()
}

/// Sleeps. Used only to choose the moment of a kill, never to wait for something.
pub(crate) fn sleep(time: Duration) {
    let (_sender, receiver) = channel::<()>();
    assert!(receiver.recv_timeout(time).is_err());
}

/// A pseudo-random number generator that gives the same numbers in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
