//! Concurrent syncs, and commands that log while a sync runs.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use skillc_tests::{Output, World, snapshot_with_logs};

use crate::sync::support::{NOTHING, SKC, access, local, logged, of_home, put, runs};

fn start(world: &World) -> Child {
    let mut command = world.process(SKC, &["sync"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// C-SYNC.3: each log is moved by one of the syncs, and the other syncs find nothing left to move.
#[test]
fn concurrent_syncs_move_every_row_once() {
    let names = ["a", "b", "c"];
    for _ in 0..10 {
        let world = World::new();
        for name in names {
            logged(&world, name, &["x", "x", "y"]);
        }
        let running: Vec<Child> = (0..4).map(|_| start(&world)).collect();
        for child in running {
            let output =
                Output::new(child.wait_with_output().expect("the process exits")).success();
            assert_eq!(output.stderr, "");
        }
        for name in names {
            assert_eq!(runs(&of_home(&world, name)), ["x", "x", "y"]);
        }
        assert!(snapshot_with_logs(&world.cwd.join(".skillc/logs")).is_empty());
    }
}

/// C-SYNC.8: rows are logged while syncs repeatedly remove the log.
#[test]
fn rows_logged_during_a_sync_are_not_lost() {
    const WRITERS: usize = 4;
    const ROWS: usize = 150;
    let world = World::new();
    let is_over = AtomicBool::new(false);
    let moved = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let world = &world;
                scope.spawn(move || {
                    for at in 0..ROWS {
                        put(
                            &local(world, "demo"),
                            &access("demo", &format!("{writer} {at}")),
                        );
                    }
                })
            })
            .collect();
        let (world, is_over) = (&world, &is_over);
        let sync = scope.spawn(move || {
            let mut moved = 0;
            while !is_over.load(Ordering::Relaxed) {
                let output = world.skc(["sync"]);
                assert!(output.ok, "{output:?}");
                moved += usize::from(output.text() != NOTHING);
            }
            moved
        });
        let ended = writers.into_iter().map(thread::ScopedJoinHandle::join);
        let ended: Result<Vec<()>, _> = ended.collect();
        is_over.store(true, Ordering::Relaxed);
        let moved = sync.join().expect("no panic");
        ended.expect("no panic");
        moved
    });
    world.skc(["sync"]).success();
    let mut by_run: BTreeMap<String, usize> = BTreeMap::new();
    for run in runs(&of_home(&world, "demo")) {
        *by_run.entry(run).or_default() += 1;
    }
    let all = (0..WRITERS).flat_map(|writer| (0..ROWS).map(move |at| format!("{writer} {at}")));
    assert_eq!(by_run, all.map(|run| (run, 1)).collect());
    assert!(moved > 1, "the writers overlapped with a sync");
}

/// C-SYNC.8: the same with real processes that log or sync. The processes that log have a file as their home directory,
/// so they write local logs. On a busy machine, a process can be suspended while it holds the lock. Another process
/// then times out, and reports that it cannot log (W002); the test starts that process again.
#[test]
fn commands_that_log_during_syncs_lose_no_row() {
    const USES: usize = 100;
    const AT_ONCE: usize = 12;
    const ATTEMPTS: usize = 20;
    let world = World::new();
    world.directory("demo", &[]);
    let closed = world.home.join("closed");
    fs::write(&closed, "in the way").expect("a file");
    let logs = |at: usize| -> Command {
        let mut command = world.process(SKC, &["outline", "demo"]);
        command.env("SKILLC_HOME", &closed);
        command.env("SKC_RUN_ID", format!("{at:03}"));
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let finish = |(at, child): (Option<usize>, Child)| {
        let mut output = child.wait_with_output().expect("the process exits");
        if let Some(at) = at {
            let is_refused = |stderr: &[u8]| String::from_utf8_lossy(stderr).contains("[W002]");
            for _ in 0..ATTEMPTS {
                if is_refused(&output.stderr) {
                    output = logs(at).output().expect("the program runs");
                }
            }
        }
        assert_eq!(Output::new(output).success().stderr, "");
    };
    let mut running = VecDeque::new();
    for at in 0..USES {
        let child = logs(at).spawn().expect("the program starts");
        running.push_back((Some(at), child));
        if at % 2 == 0 {
            running.push_back((None, start(&world)));
        }
        while running.len() > AT_ONCE
            && let Some(oldest) = running.pop_front()
        {
            finish(oldest);
        }
    }
    for child in running {
        finish(child);
    }
    world.skc(["sync"]).success();
    let mut found = runs(&of_home(&world, "demo"));
    found.sort();
    let all = (0..USES).map(|at| format!("{at:03}"));
    assert_eq!(found, all.collect::<Vec<_>>());
    assert!(snapshot_with_logs(&world.cwd.join(".skillc/logs")).is_empty());
}
