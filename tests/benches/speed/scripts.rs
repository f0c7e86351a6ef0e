//! Cost of scripts: one check of one file, and twenty rules over the corpus.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::{Choice, Linter, PluginRegistry, Settings};
use skillc_script::Host;
use skillc_tests::{World, corpus};
use tempfile::TempDir;

use crate::fleet::time_lint;
use crate::race::median;

/// A rule about heading levels, in Rhai.
const LEVELS: &str = include_str!("levels.rhai");

/// Rules such as a team would write.
const TWENTY: &str = include_str!("twenty.rhai");

/// A file of about 5 KB with a realistic number of headings.
const SECTION: &str = "## Part\n\nWords that fill a line of this paragraph, as many as a writer of manuals puts there.\n\
    Another line, a bit shorter than the one before it was.\n\nA second paragraph follows, with `code` and what it is \
    good for, so that the part has the length that parts have.\n\n### Below it\n\n- a point of a list\n- and one more\n\n";
const SECTIONS: usize = 16;

const RUNS: usize = 1_000;

/// Returns the median time of a scripted check of a 5 KB file.
pub(crate) fn check_of_a_file() -> Duration {
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    let text = format!("# Demo\n\n{}", SECTION.repeat(SECTIONS));
    assert!((4_800..5_400).contains(&text.len()), "{}", text.len());
    write_files(&dir, &[("SKILL.md", &text)]);
    let skill = read_skill(&dir);
    let mut plugins = PluginRegistry::default();
    let script = Host::default().load("levels.rhai", LEVELS.as_bytes());
    let script = script.expect("should load");
    script.register(&mut plugins).expect("no other plug-ins");
    let linter = Linter::new(&plugins, &Choice::default(), Settings::default()).expect("a run");
    let times = (0..RUNS).map(|_| {
        let begun = Instant::now();
        assert_eq!(linter.run(&skill), []);
        begun.elapsed()
    });
    median(times.collect())
}

/// Returns the time that twenty more rules add to a single-threaded lint of the corpus; `None` without a corpus.
pub(crate) fn twenty_rules() -> Option<Duration> {
    let skills = corpus::skills()?;
    let world = World::new();
    let script = world.cwd.join("twenty.rhai");
    fs::write(&script, TWENTY).expect("should be writable");
    let run = |with: bool| -> Command {
        let mut run = world.process(env!("CARGO_BIN_EXE_skc-under-test"), &["lint"]);
        run.args(&skills).env("RAYON_NUM_THREADS", "1");
        if with {
            run.arg("--plugin").arg(&script);
        }
        run
    };
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..5 {
        for with in [false, true] {
            times[usize::from(with)].push(time_lint(run(with)));
        }
    }
    let [without, with] = times.map(median);
    Some(with.saturating_sub(without))
}
