//! Concurrent programs on one registry, and a file that disappears.

use super::*;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The number of skills that each program writes.
const COUNT: usize = 60;

/// Returns a disk whose skills all have this version. Half of the skills exist only in this version.
fn disk(version: &str) -> Disk {
    Disk::with((0..COUNT).map(|n| {
        let name = if n % 2 == 0 {
            format!("s{n}")
        } else {
            format!("s{n}-{version}")
        };
        SkillRow {
            version: Some(version.into()),
            ..skill(&name)
        }
    }))
}

/// Checks that no skill is missing and that all skills have the same version. Returns that version.
fn version_of(rows: &[SkillRow]) -> String {
    assert_eq!(rows.len(), COUNT);
    let version = rows[0].version.clone().unwrap();
    assert!(
        rows.iter()
            .all(|row| row.version.as_ref() == Some(&version))
    );
    version
}

/// REG-LOAD.2.
#[test]
fn readers_during_a_sync_see_the_old_or_the_new_rows() {
    let (place, mut registry) = registry(&[]);
    disk("0").sync(&mut registry).unwrap();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut seen = std::collections::BTreeSet::new();
                    while !is_done.load(Ordering::Relaxed) {
                        let registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
                        let rows = registry.list(SkillFilter::default()).unwrap();
                        seen.insert(version_of(&rows));
                        let sources = registry.sources().unwrap();
                        assert_eq!(sources.rows.len(), COUNT);
                        assert_eq!(registry.heads().unwrap().len(), COUNT);
                    }
                    seen
                })
            })
            .collect();
        for n in 1..60 {
            disk(&n.to_string()).sync(&mut registry).unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(!reader.join().unwrap().is_empty());
        }
    });
}

/// REG-LOAD.2: no matter which thread is last, all rows are from the same thread.
#[test]
fn concurrent_syncs_wait_for_each_other() {
    let place = TempDatabase::new();
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for n in 0..4 {
            let (place, start) = (&place, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..8 {
                    // The threads also race to create the file.
                    let mut registry = SkillRegistry::open(&place.db).unwrap();
                    let synced = disk(&format!("{n}-{round}")).sync(&mut registry).unwrap();
                    assert_eq!(synced.loaded, COUNT);
                    version_of(&registry.list(SkillFilter::default()).unwrap());
                }
            });
        }
    });
    let registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
    version_of(&registry.list(SkillFilter::default()).unwrap());
    assert_eq!(registry.sources().unwrap().rows.len(), COUNT);
    drop(registry);
    assert_eq!(place.text("PRAGMA integrity_check"), "ok");
}

/// Runs in a child process: syncs as many times as the file `rounds` in its directory specifies. Does nothing in the
/// parent process, which has no such file.
#[test]
fn another_process() {
    let rounds = fs::read_to_string("rounds").unwrap_or_default();
    let Ok(rounds) = rounds.parse::<u32>() else {
        return;
    };
    let id = std::process::id();
    for round in 0..rounds {
        let mut registry = SkillRegistry::open(Path::new("./state.db")).unwrap();
        disk(&format!("{id}-{round}")).sync(&mut registry).unwrap();
    }
}

/// Starts [`another_process`] on a registry.
fn start(place: &TempDatabase, rounds: &str) -> Child {
    fs::write(place.folder().join("rounds"), rounds).unwrap();
    let name = "skill_registry::tests::together::another_process";
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .current_dir(place.folder())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// REG-LOAD.2.
#[test]
fn concurrent_syncs_of_processes_wait_for_each_other() {
    let (place, mut registry) = registry(&[]);
    disk("0").sync(&mut registry).unwrap();
    let mut others = [start(&place, "30"), start(&place, "30")];
    let mut seen = std::collections::BTreeSet::new();
    while others
        .iter_mut()
        .any(|other| other.try_wait().unwrap().is_none())
    {
        seen.insert(version_of(&registry.list(SkillFilter::default()).unwrap()));
    }
    for mut other in others {
        assert!(other.wait().unwrap().success());
    }
    assert!(seen.len() > 2, "writes of others are visible: {seen:?}");
    let last = version_of(&registry.list(SkillFilter::default()).unwrap());
    assert!(last.ends_with("-29"), "{last}");
}

/// REG-LOAD.2.
#[test]
fn a_killed_sync_leaves_the_old_or_the_new_rows() {
    let (place, mut registry) = registry(&[]);
    disk("0").sync(&mut registry).unwrap();
    drop(registry);
    for round in 0..6 {
        let mut other = start(&place, "5000");
        // Kill the process after it has written something, at a different moment each time.
        let version = || {
            let registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
            version_of(&registry.list(SkillFilter::default()).unwrap())
        };
        let old = version();
        while version() == old {
            assert!(other.try_wait().unwrap().is_none(), "it has exited");
        }
        for _ in 0..round {
            version();
        }
        other.kill().unwrap();
        other.wait().unwrap();
        version();
        let mut registry = SkillRegistry::open(&place.db).unwrap();
        disk(&format!("after-{round}")).sync(&mut registry).unwrap();
        assert_eq!(version(), format!("after-{round}"));
    }
    assert_eq!(place.text("PRAGMA integrity_check"), "ok");
}

#[test]
fn a_sync_recreates_a_removed_file() {
    for with_what_lies_beside in [false, true] {
        let (place, mut registry) = registry(&["a"]);
        for path in place.files().into_keys() {
            if with_what_lies_beside || path == place.db {
                fs::remove_file(path).unwrap();
            }
        }
        assert_eq!(names(&registry), "a", "the open file is readable");
        Disk::with_skills(&["b"]).sync(&mut registry).unwrap();
        assert_eq!(names(&registry), "b");
        drop(registry);
        assert_eq!(place.text("SELECT name FROM skills"), "b");
    }
}

#[test]
fn a_sync_after_the_file_was_replaced_writes_to_the_new_one() {
    let (place, mut registry) = registry(&["a"]);
    for path in place.files().into_keys() {
        fs::remove_file(path).unwrap();
    }
    let mut other = SkillRegistry::open(&place.db).unwrap();
    Disk::with_skills(&["other"]).sync(&mut other).unwrap();
    let synced = Disk::with_skills(&["b"]).sync(&mut registry).unwrap();
    assert_eq!(synced.pruned, 1);
    assert_eq!(names(&other), "b");
    drop((registry, other));
    assert_eq!(place.text("SELECT name FROM skills"), "b");
}

/// The WAL of a removed database must not be applied to the database that replaces it.
#[cfg(unix)]
#[test]
fn a_replacement_file_is_not_mixed_with_the_old_one() {
    let (place, mut registry) = registry(&["a"]);
    let reading = SkillRegistry::open_to_read(&place.db).unwrap();
    let other = super::registry(&["x", "y"]);
    drop(other.1);
    fs::rename(&other.0.db, &place.db).unwrap();
    let synced = Disk::with_skills(&["b"]).sync(&mut registry).unwrap();
    assert_eq!(synced.pruned, 2);
    drop((registry, reading));
    assert_eq!(place.text("SELECT name FROM skills"), "b");
}

#[cfg(unix)]
#[test]
fn a_permanently_lost_registry_is_reported() {
    let (place, mut registry) = registry(&["a"]);
    fs::remove_dir_all(place.folder()).unwrap();
    fs::write(place.folder(), "").unwrap();
    let disk = Disk::with_skills(&["b"]);
    assert!(message(disk.sync(&mut registry), &place).starts_with("error[E066]"));
    assert_eq!(
        message(registry.list(SkillFilter::default()), &place),
        "error[E066]: registry unusable: 'DB': it was deleted"
    );
    fs::remove_file(place.folder()).unwrap();
    disk.sync(&mut registry).unwrap();
    assert_eq!(names(&registry), "b");
}

#[test]
fn a_registry_opened_for_reading_can_be_synced() {
    let (place, registry) = registry(&["a"]);
    drop(registry);
    let mut registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
    Disk::with_skills(&["b"]).sync(&mut registry).unwrap();
    assert_eq!(names(&registry), "b");
    assert_eq!(registry.path(), Some(&*place.db));
}
