//! Cost of scripts: one check of one file, compared with parsing that file; and linting the corpus with twenty scripted
//! rules, compared with linting it without them.

use std::fs;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use pulldown_cmark::{Options, Parser};
use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::{Choice, Linter, PluginRegistry, Settings};
use skillc_script::Host;
use skillc_tests::{World, corpus};
use tempfile::TempDir;

use crate::fleet::time_lint;
use crate::race::{Race, fastest};

/// A rule about heading levels, in Rhai.
const LEVELS: &str = include_str!("levels.rhai");

/// Rules of the kind that a team would write.
const TWENTY: &str = include_str!("twenty.rhai");

/// A file of about 5 KB with a realistic number of headings.
const SECTION: &str = "## Part\n\nWords that fill a line of this paragraph, as many as a writer of manuals puts there.\n\
    Another line, a bit shorter than the one before it was.\n\nA second paragraph follows, with `code` and what it is \
    good for, so that the part has the length that parts have.\n\n### Below it\n\n- a point of a list\n- and one more\n\n";
const SECTIONS: usize = 16;

const RUNS: usize = 1_000;

/// Returns the fastest times of a scripted check of a 5 KB file, and of parsing this file.
pub(crate) fn check_of_a_file() -> Race {
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
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        let begun = Instant::now();
        assert_eq!(linter.run(&skill), []);
        times[0].push(begun.elapsed());
        let begun = Instant::now();
        let parser = Parser::new_ext(&text, Options::ENABLE_GFM | Options::ENABLE_TABLES);
        black_box(parser.into_offset_iter().count());
        times[1].push(begun.elapsed());
    }
    let [ours, floor] = times.map(fastest);
    Race { ours, floor }
}

/// Returns the time that twenty more rules add to a single-threaded lint of the corpus, and the time without them;
/// `None` without a corpus.
pub(crate) fn twenty_rules() -> Option<Race> {
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
    let [without, with] = times.map(fastest);
    Some(Race {
        ours: with.saturating_sub(without),
        floor: without,
    })
}
