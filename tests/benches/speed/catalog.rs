//! Catalog search on a machine with many skills: cold, with a warm registry, and over MCP.
//!
//! Design: limits-catalog.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use skillc_tests::World;

use crate::mcp::Server;
use crate::race::{median, time};
use crate::skills::{Prose, word};
use crate::table::Row;

/// Number of skill directories, and skills per directory.
const ROOTS: usize = 50;
const SKILLS: usize = 400;

/// Sizes in bytes of a `SKILL.md` and of its reference file.
const MAIN_BYTES: usize = 3_000;
const REFERENCE_BYTES: usize = 500;

/// The query, which matches some descriptions.
const QUERY: &str = "release notes";

/// Number of searches over MCP to measure.
const CALLS: usize = 200;

/// Maximum median time of a search over MCP.
const MOST_OF_SEARCH: Duration = Duration::from_millis(10);

/// A user with many skill directories.
pub(crate) struct Machine {
    world: World,
    roots: Vec<PathBuf>,
}

impl Machine {
    /// Generates the skills.
    pub(crate) fn new() -> Self {
        let world = World::project();
        let mut prose = Prose::new();
        let roots: Vec<PathBuf> = (0..ROOTS)
            .map(|at| world.home.join(format!("roots/team-{at:02}")))
            .collect();
        let main = prose.file(MAIN_BYTES);
        let reference = prose.file(REFERENCE_BYTES);
        for (at, number) in (0..ROOTS * SKILLS).enumerate() {
            let name = format!("{}-{number:05}", word(number as u64 % 997));
            let what = if number % 100 == 0 {
                QUERY.to_owned()
            } else {
                format!("{} {}", word(number as u64), word(number as u64 % 91))
            };
            let about = format!("Draft {what} in one go. Use when somebody asks for {what}.");
            let text = format!("---\nname: {name}\ndescription: {about}\n---\n\n{main}");
            let dir = roots[at % ROOTS].join(&name);
            fs::create_dir_all(dir.join("references")).expect("a directory");
            fs::write(dir.join("SKILL.md"), text).expect("a file");
            fs::write(dir.join("references/guide.md"), &reference).expect("a file");
        }
        let mut config = String::from("version = 1\n[catalog]\nextra_roots = [\n");
        for root in &roots {
            writeln!(config, "  {:?},", root.display().to_string()).expect("a string");
        }
        config += "]\n";
        let file = world.home.join(".skillc/config.toml");
        fs::create_dir_all(file.parent().expect("a folder")).expect("a directory");
        fs::write(file, config).expect("a file");
        let machine = Self { world, roots };
        machine.check();
        machine
    }

    /// Asserts that the product and the floor see the same skills.
    fn check(&self) {
        let count = (ROOTS * SKILLS).to_string();
        for command in ["heads", "stats"] {
            let output = self.floor(command).output().expect("should run");
            let printed = String::from_utf8_lossy(&output.stdout);
            assert_eq!(
                printed.split_whitespace().next(),
                Some(&*count),
                "{command}"
            );
        }
        let output = self.search().output().expect("should run");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(found["count"], json!(8), "{found}");
        assert_eq!(found["truncated"], json!(true), "{found}");
    }

    /// Returns a command that runs the floor on the roots.
    fn floor(&self, command: &str) -> Command {
        let program = env!("CARGO_BIN_EXE_skc-floor");
        let mut run = self.world.process(program, &[command]);
        run.args(&self.roots);
        run
    }

    fn skc(&self, args: &[&str]) -> Command {
        self.world
            .process(env!("CARGO_BIN_EXE_skc-under-test"), args)
    }

    fn search(&self) -> Command {
        self.skc(&["catalog", "search", QUERY, "--format", "json"])
    }

    /// Runs a search; returns how long the process took.
    pub(crate) fn time_search(&self) -> Duration {
        time(self.search())
    }

    /// Walks the roots and reads the head of every `SKILL.md`.
    pub(crate) fn time_heads(&self) -> Duration {
        time(self.floor("heads"))
    }

    /// Walks the roots and stats every `SKILL.md`.
    pub(crate) fn time_stats(&self) -> Duration {
        time(self.floor("stats"))
    }

    /// Updates the registry.
    pub(crate) fn sync(&self) {
        time(self.skc(&["registry", "sync"]));
    }

    /// Searches repeatedly over MCP.
    pub(crate) fn searches(&self, what: &str) -> Row {
        let mut server = Server::start(self.skc(&["mcp"]));
        let params = json!({"name": "skill_search", "arguments": {"query": QUERY}});
        let answer = server.call("tools/call", &params);
        let answer: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
        let found = &answer["result"]["structuredContent"]["data"];
        assert_eq!(found["count"], json!(8), "{answer}");
        let times = (0..CALLS).flat_map(|_| server.times("tools/call", &params, 1));
        Row::from_limit(what, median(times.collect()), MOST_OF_SEARCH)
    }
}
