//! Concurrent and killed processes.

use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use skillc_tests::{Output, World};

use crate::registry::support::{PROGRAM, counts, listed, skill, sync, with};

const SYNC: [&str; 4] = ["registry", "sync", "-o", "json"];

fn start(world: &World) -> Child {
    let mut command = world.process(PROGRAM, &SYNC);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("a process")
}

/// REG-LOAD.2.
#[test]
fn concurrent_syncs_all_succeed_with_the_same_result() {
    let names: Vec<String> = (0..40).map(|number| format!("s{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let world = with(&names);
    let all: Vec<Child> = (0..6).map(|_| start(&world)).collect();
    for child in all {
        let output = Output::new(child.wait_with_output().expect("an end")).success();
        assert_eq!(counts(&output), [40, 0, 0, 40]);
        assert_eq!(output.stderr, "");
    }
    assert_eq!(listed(&world, &[]), names.join(","));
}

/// REG-LOAD.2, REG-LOAD.10.
#[test]
fn a_killed_sync_leaves_the_old_rows_or_the_new_ones() {
    let names: Vec<String> = (0..200).map(|number| format!("s{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let world = with(&names);
    sync(&world);
    for round in 0..12_u64 {
        for name in &names {
            skill(&world, name, &format!("version: {round}\n"));
        }
        let mut child = start(&world);
        thread::sleep(Duration::from_millis(round * 4));
        child.kill().expect("killed");
        child.wait().expect("an end");
        let list = world
            .skc(["registry", "list", "-o", "json"])
            .success()
            .json();
        let rows = list["skills"].as_array().expect("a list");
        assert_eq!(rows.len(), 200);
        let first = &rows[0]["version"];
        assert!(
            rows.iter().all(|row| row["version"] == *first),
            "round {round}"
        );
    }
    assert_eq!(counts(&sync(&world)), [200, 0, 0, 200]);
}
