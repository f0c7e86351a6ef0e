//! Threads: findings do not depend on scheduling, and threads do not block each other.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use skillc_tests::World;

use crate::linting::support::{findings, reports};

const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// Timeout for runs that normally take less than a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// The first rule that needs the reference graph builds the graph, once and in parallel.
#[test]
fn a_large_skill_is_linted_on_more_threads_than_the_machine_has() {
    let links = "[a](1.md) [b](2.md#x) `3.md`\n".repeat(60);
    let names: Vec<String> = (0..40).map(|at| format!("references/{at}.md")).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), links.as_str()))
        .collect();
    let world = World::demo(&files);
    for _ in 0..60 {
        let mut run = world.process(PROGRAM, &["lint", "demo", "--format", "concise"]);
        run.env("RAYON_NUM_THREADS", "8");
        assert!(ends(run), "the run hangs");
    }
}

/// The time is linear in the size of the text; in quadratic time, these inputs took over a minute.
#[test]
fn long_lines_without_blanks_and_many_headings_end_in_time() {
    let head = "---\nname: demo\ndescription: D. Use when testing.\n---\n\n# Demo\n\n";
    let headings = "## a\n\n### b\n\n<https://github.com/x/skills/demo/a.md>\n\n";
    for (shape, count) in [("x/。", 500_000), ("，*.md", 200_000), (headings, 30_000)] {
        let text = format!("{head}{}\n", shape.repeat(count));
        let world = World::demo(&[("SKILL.md", &text), ("a.md", "# A\n")]);
        let run = world.process(PROGRAM, &["lint", "demo", "--format", "concise"]);
        assert!(ends(run), "{shape}");
    }
}

/// C-DIAGNOSTICS.3: findings on one line are ordered by rule, then by position.
#[test]
fn findings_on_one_line_are_ordered_by_rule() {
    let body = "---\nname: demo\ndescription: D. Use when testing.\n---\n\n# Demo\n\n[z](../x.md) [a](#no) [b](no.md) [c](#not)\n";
    let world = World::demo(&[("SKILL.md", body)]);
    let run = world.skc(["lint", "demo", "-o", "json"]);
    let codes = findings(&reports(&run)[0]);
    let codes: Vec<&str> = codes.iter().map(|found| &found[..6]).collect();
    assert_eq!(codes, ["SKL301", "SKL302", "SKL302", "SKL303"]);
}

/// Runs a program; returns whether it ends before the timeout.
fn ends(mut command: Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let begun = Instant::now();
    let mut has_ended = false;
    while !has_ended && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
        has_ended = child.try_wait().expect("its state").is_some();
    }
    child.kill().expect("the process can be killed");
    child.wait().expect("its state");
    has_ended
}
