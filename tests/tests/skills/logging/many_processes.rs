//! Many processes logging concurrently.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};

use skillc_tests::{Output, World};

use crate::logging::support::{SKC, counts, local, primary, rows};

/// A program that runs `skc` many times in one process.
const CROWD: &str = env!("CARGO_BIN_EXE_skc-crowd");

const PROCESSES: usize = 64;
const ROWS: usize = 200;

/// Number of processes that start the real program for each row.
const REAL: usize = 2;

/// Starts a process that writes all its rows under its own run id.
fn start(world: &World, at: usize) -> Child {
    let loops = format!("i=0; while [ $i -lt {ROWS} ]; do \"$@\" || exit 1; i=$((i+1)); done");
    let times = ROWS.to_string();
    let words = ["open", "demo", "SKILL.md"];
    let mut command = if at < REAL && cfg!(unix) {
        let mut command = world.process("/bin/sh", &["-c", &loops, "sh", SKC]);
        command.args(words);
        command
    } else {
        let mut command = world.process(CROWD, &[&times]);
        command.args(words);
        command
    };
    command.env("SKC_RUN_ID", format!("process {at}"));
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// C-LOGGING@7.9.
#[test]
fn sixty_four_concurrent_processes_lose_no_row() {
    let world = World::demo(&[]);
    let running: Vec<Child> = (0..PROCESSES).map(|at| start(&world, at)).collect();
    for child in running {
        let output = Output::new(child.wait_with_output().expect("the process exits")).success();
        assert_eq!(output.stderr, "");
    }
    let mut by_run: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows(&primary(&world))
        .into_iter()
        .chain(rows(&local(&world)))
    {
        *by_run.entry(row.run_id).or_default() += 1;
    }
    let expected = (0..PROCESSES).map(|at| (format!("process {at}"), ROWS));
    assert_eq!(by_run, expected.collect());
    // On a loaded machine, a process may still time out waiting for the lock; its row then goes to the local log.
    let (_, beside) = counts(&world);
    assert!(beside * 100 <= PROCESSES * ROWS, "{beside}");
}

/// C-LOGGING@7.9: the first process creates the log, and no other process creates it again.
#[test]
fn concurrent_first_uses_lose_no_row() {
    for _ in 0..5 {
        let world = World::demo(&[]);
        let run = || {
            let mut command = world.process(SKC, &["outline", "demo"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().expect("the program starts")
        };
        let running: Vec<Child> = (0..20).map(|_| run()).collect();
        for child in running {
            let output =
                Output::new(child.wait_with_output().expect("the process exits")).success();
            assert_eq!(output.stderr, "");
        }
        assert_eq!(counts(&world), (20, 0));
    }
}
