//! Duplicate rows, and rows that only look like duplicates.

use std::fs;

use skillc_storage::Access;
use skillc_tests::World;

use crate::sync::support::{
    access, later, local, logged, of_home, of_project, put, rows, runs, synced,
};

/// D-SYNC-DEDUP, F-53.
#[test]
fn repetitions_within_one_second_are_all_moved() {
    let world = World::demo(&[]);
    logged(&world, "demo", &["a"; 3]);
    assert_eq!(world.skc(["sync"]).success().text(), synced(3, "demo"));
    assert_eq!(runs(&of_project(&world.cwd, "demo")), ["a"; 3]);
}

/// D-SYNC-DEDUP, C-SYNC.3.
#[test]
fn only_missing_copies_are_inserted() {
    for (here, there, missing) in [(3, 1, 2), (3, 3, 0), (1, 3, 0), (2, 0, 2), (5, 4, 1)] {
        let world = World::demo(&[]);
        logged(&world, "demo", &vec!["a"; here]);
        logged(&world, "demo", &["other"]);
        let log = of_project(&world.cwd, "demo");
        for _ in 0..there {
            put(&log, &access("demo", "a"));
        }
        let output = world.skc(["sync"]).success();
        assert_eq!(output.text(), synced(missing + 1, "demo"));
        let after = runs(&log);
        let copies = after.iter().filter(|run| *run == "a").count();
        assert_eq!(
            (copies, after.len()),
            (here.max(there), here.max(there) + 1)
        );
        assert!(!local(&world, "demo").exists());
    }
}

/// D-SYNC-DEDUP: two rows are duplicates only if all columns are equal.
#[test]
fn a_row_that_differs_in_one_column_is_another() {
    let base = access("demo", "a");
    let others = [
        later(&base, 1),
        Access {
            run_id: "A".into(),
            ..base.clone()
        },
        Access {
            command: "show".into(),
            ..base.clone()
        },
        Access {
            skill: "Demo".into(),
            ..base.clone()
        },
        Access {
            skill_path: "/gone/other".into(),
            ..base.clone()
        },
        Access {
            cwd: "/".into(),
            ..base.clone()
        },
        Access {
            args: "{}".into(),
            ..base.clone()
        },
        Access {
            error: Some(String::new()),
            ..base.clone()
        },
    ];
    let world = World::new();
    put(&of_home(&world, "demo"), &base);
    for other in &others {
        put(&local(&world, "demo"), other);
    }
    put(&local(&world, "demo"), &base);
    let output = world.skc(["sync"]).success();
    assert_eq!(output.text(), synced(others.len(), "demo"));
    let mut all = rows(&of_home(&world, "demo"));
    assert_eq!(all.len(), 1 + others.len());
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 1 + others.len());
}

/// C-SYNC.3: a sync was interrupted after it copied the local log and before it removed that log.
#[test]
fn a_log_that_was_copied_before_is_only_removed() {
    let world = World::demo(&[]);
    logged(&world, "demo", &["a", "b", "b"]);
    let bytes = fs::read(local(&world, "demo")).expect("a log");
    world.skc(["sync"]).success();
    let after = fs::read(of_project(&world.cwd, "demo")).expect("a log");
    fs::create_dir_all(local(&world, "demo").parent().expect("a parent")).expect("directories");
    fs::write(local(&world, "demo"), bytes).expect("a log");
    assert_eq!(world.skc(["sync"]).success().text(), synced(0, "demo"));
    assert_eq!(
        fs::read(of_project(&world.cwd, "demo")).expect("a log"),
        after
    );
    assert!(!local(&world, "demo").exists());
}
