//! `skc search --all` over many small skills, compared with plain queries on their indexes.

use std::process::Command;
use std::time::Duration;

use skillc_tests::{World, index_in};

use crate::race::time;
use crate::skills::{Prose, words};

/// Bytes of each generated file.
const FILE_BYTES: usize = 6_000;

/// Many built skills.
pub(crate) struct Everywhere {
    world: World,
    /// The index of each skill.
    indexes: Vec<String>,
    query: String,
}

impl Everywhere {
    /// Generates and builds this many skills.
    pub(crate) fn new(count: usize) -> Self {
        let world = World::project();
        let mut prose = Prose::new();
        let mut indexes = Vec::with_capacity(count);
        for at in 0..count {
            let name = format!("made-up-{at:04}");
            let head = format!(
                "---\nname: {name}\ndescription: A made-up skill, the {at}th. Use when measuring.\n---\n\n"
            );
            let main = format!("{head}{}", prose.file(FILE_BYTES));
            let guide = prose.file(FILE_BYTES);
            let files = [("SKILL.md", &*main), ("references/guide.md", &*guide)];
            let source = world.project_skill(&name, &files);
            let runtime = world.cwd.join(".skillc/runtime").join(&name);
            indexes.push(index_in(&runtime, &source).to_string_lossy().into_owned());
        }
        let new = Self {
            world,
            indexes,
            query: words([20, 60]),
        };
        time(new.skc(&["build", "--all"]));
        new.check();
        new
    }

    /// Asserts that all skills are searched; the timing alone would not show that.
    fn check(&self) {
        let args = ["search", "--all", &self.query, "--format", "json"];
        let output = self.skc(&args).output().expect("the program starts");
        let found = String::from_utf8_lossy(&output.stdout);
        assert!(found.contains("\"snippet\""), "no results: {found}");
        assert!(!found.contains("not_searched"), "skipped skills: {found}");
    }

    /// Searches all skills.
    pub(crate) fn search(&self) -> Duration {
        time(self.skc(&["search", "--all", &self.query]))
    }

    /// Runs the same query on each index, in one process.
    pub(crate) fn floor(&self) -> Duration {
        let floor = env!("CARGO_BIN_EXE_skc-floor");
        let mut run = self.world.process(floor, &["searches", &self.query]);
        run.args(&self.indexes);
        time(run)
    }

    fn skc(&self, args: &[&str]) -> Command {
        self.world
            .process(env!("CARGO_BIN_EXE_skc-under-test"), args)
    }
}
