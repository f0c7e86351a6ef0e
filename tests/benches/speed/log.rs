//! Cost of the usage log: times the same command in a project with a log, and in one where no log can be written.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use skillc_tests::World;

use crate::race::{Race, fastest};
use crate::table::Row;

/// Number of runs of each command.
const RUNS: usize = 200;

/// Maximum time to log one row.
const MOST: Duration = Duration::from_millis(2);

/// Maximum time to log a row, as a multiple of the time of a bare insert. The product must also find the log and check
/// its location.
const OVER_INSERT: f64 = 2.0;

/// Two projects: one with a usage log, and one in which no log can be written.
pub(crate) struct Logging {
    logged: World,
    unlogged: World,
}

impl Logging {
    /// Creates both worlds and the log.
    pub(crate) fn new() -> Self {
        let [logged, unlogged] = [(); 2].map(|()| World::demo(&[]));
        for place in [".skillc/runtime", ".skillc/logs"] {
            fs::write(unlogged.cwd.join(place), "in the way").expect("a file");
        }
        let new = Self { logged, unlogged };
        time(open(&new.logged));
        new
    }

    /// Times the product and the floor alternately, each with and without a log. Returns two results for the time to
    /// log a row: one compares it with its maximum, the other with the floor.
    ///
    /// # Panics
    /// If a row is missing.
    pub(crate) fn rows(&self) -> [Row; 2] {
        let mut times: [Vec<Duration>; 4] = Default::default();
        for _ in 0..RUNS {
            let commands = [
                open(&self.logged),
                open(&self.unlogged),
                self.floor(&["log", &self.db()]),
                self.floor(&["log"]),
            ];
            for (times, command) in times.iter_mut().zip(commands) {
                times.push(time(command));
            }
        }
        self.check();
        let [with, without, insert, nothing] = times.map(fastest);
        let (ours, floor) = (with.saturating_sub(without), insert.saturating_sub(nothing));
        let against = |floor| Race { ours, floor };
        [
            Row::from_times("a row in the usage log / 2 ms", against(MOST), 1.0),
            Row::from_times("a row in the usage log", against(floor), OVER_INSERT),
        ]
    }

    /// Asserts that every run of the product and of the floor wrote a row.
    fn check(&self) {
        let log = rusqlite::Connection::open(self.db()).expect("a log");
        let count = "SELECT count(*) FROM access_log";
        let rows: usize = log.query_row(count, [], |row| row.get(0)).expect("a table");
        assert_eq!(rows, 1 + 2 * RUNS);
    }

    fn db(&self) -> String {
        let db = self.logged.demo_runtime().join(".skillc-meta/logs.db");
        db.to_string_lossy().into_owned()
    }

    fn floor(&self, args: &[&str]) -> Command {
        self.logged.process(env!("CARGO_BIN_EXE_skc-floor"), args)
    }
}

fn open(world: &World) -> Command {
    let program = env!("CARGO_BIN_EXE_skc-under-test");
    world.process(program, &["open", "demo", "SKILL.md"])
}

/// Runs a process, ignoring warnings; returns how long it took.
fn time(mut command: Command) -> Duration {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let status = command.status().expect("the program starts");
    let time = begun.elapsed();
    assert!(status.success(), "{command:?} failed");
    time
}
