//! A sync killed at any moment: no row is lost or duplicated.
//!
//! Each moment is random, but the seed is fixed. The moments are within the measured duration of a sync, or shortly
//! after its end.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use skillc_tests::{World, database, snapshot_with_logs};

use crate::sync::support::{NOTHING, SKC, access, local, of_home, of_project, put, runs};

const TIMES: usize = 50;

/// Number of rows in a local log after the first row. Each run id occurs twice in these rows, and a third of the rows
/// belong to a skill in another store.
const ROWS: usize = 600;

/// C-SYNC.3, C-SYNC.7, F-53.
#[test]
fn the_next_sync_completes_a_sync_killed_at_any_moment() {
    let world = World::demo(&[]);
    world.global_skill("demo", &[]);
    let duration = measure(&world);
    let mut seed: u64 = 1;
    let mut expected = runs_of_both(&world);
    let mut reached_by = BTreeMap::new();
    for round in 0..TIMES {
        let before = expected.len();
        expected.extend(log(&world, round));
        expected.sort();
        let mut child = start(&world);
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let us = u64::try_from(duration.as_micros()).expect("the duration is in range");
        sleep(Duration::from_micros((seed >> 33) % (us * 11 / 10)));
        child.kill().expect("owned by this test");
        child.wait().expect("the process exits");
        *reached_by.entry(reached(&world, before)).or_insert(0) += 1;
        let output = world.skc(["sync"]).success();
        assert_eq!(output.stderr, "");
        assert_eq!(runs_of_both(&world), expected, "round {round}");
        let logs = world.cwd.join(".skillc/logs");
        assert!(snapshot_with_logs(&logs).is_empty(), "round {round}");
        assert_eq!(world.skc(["sync"]).success().text(), NOTHING);
        is_sound(&world);
    }
    assert!(
        reached_by.len() > 1,
        "no sync was killed earlier or later: {reached_by:?}"
    );
}

/// How far a killed sync got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    /// No row was copied.
    Nothing,
    /// A log was being written.
    Midst,
    /// Rows were copied, and the local log is still there.
    Copied,
    /// The local log was removed.
    End,
}

/// Returns how far a killed sync got. `before`: the number of rows that were already in place.
fn reached(world: &World, before: usize) -> Reached {
    let logs = [of_project(&world.cwd, "demo"), of_home(world, "demo")];
    if logs
        .iter()
        .any(|log| log.with_file_name("logs.db-journal").exists())
    {
        Reached::Midst
    } else if !local(world, "demo").exists() {
        Reached::End
    } else if runs_of_both(world).len() > before {
        Reached::Copied
    } else {
        Reached::Nothing
    }
}

/// Fills the local log; returns the run ids.
fn log(world: &World, round: usize) -> Vec<String> {
    put(
        &local(world, "demo"),
        &access("demo", &format!("{round} first")),
    );
    let mut connection = Connection::open(local(world, "demo")).expect("a log");
    let transaction = connection.transaction().expect("a lock");
    let mut ids = vec![format!("{round} first")];
    for at in 0..ROWS {
        let id = format!("{round} {}", at / 2);
        let store = if at % 3 == 0 { &world.home } else { &world.cwd };
        let skill = store.join(".skillc/skills/demo");
        let sql = "INSERT INTO access_log(timestamp, run_id, command, skill, skill_path, cwd, args)
            VALUES(?1, ?2, 'open', 'demo', ?3, '/', '{}')";
        let time = format!("2026-01-31T08:{round:02}:00Z");
        let values = params![time, id, skill.to_str().expect("UTF-8")];
        transaction.execute(sql, values).expect("a row");
        ids.push(id);
    }
    transaction.commit().expect("rows");
    ids
}

/// Returns the run ids in both destination logs, sorted.
fn runs_of_both(world: &World) -> Vec<String> {
    let mut all = runs(&of_project(&world.cwd, "demo"));
    all.extend(runs(&of_home(world, "demo")));
    all.sort();
    all
}

/// Checks that the logs are intact and that no other file is left.
fn is_sound(world: &World) {
    for log in [of_project(&world.cwd, "demo"), of_home(world, "demo")] {
        let connection = database::read(&log);
        let found =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0));
        assert_eq!(found.as_deref(), Ok("ok"));
        let beside = log
            .parent()
            .expect("a parent")
            .read_dir()
            .expect("a directory");
        assert_eq!(beside.count(), 1);
    }
}

/// Returns the shortest duration of a sync.
fn measure(world: &World) -> Duration {
    let run = |round| {
        log(world, round);
        let begun = Instant::now();
        assert!(start(world).wait().expect("the process exits").success());
        begun.elapsed()
    };
    (TIMES..TIMES + 5).map(run).min().expect("five of them")
}

fn start(world: &World) -> Child {
    let mut command = world.process(SKC, &["sync"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// Sleeps until the moment of a kill.
fn sleep(time: Duration) {
    let (_sender, receiver) = channel::<()>();
    assert!(receiver.recv_timeout(time).is_err());
}
