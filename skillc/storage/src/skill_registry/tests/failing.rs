//! Syncs that fail midway.

use super::*;

use std::fs;

/// REG-LOAD.2, REG-LOAD.10.
#[test]
fn a_failure_at_any_step_rolls_back() {
    for trigger in [
        "BEFORE INSERT ON main.skills WHEN new.name = 'x'",
        "AFTER UPDATE ON main.skills WHEN new.name = 'b'",
        "BEFORE DELETE ON main.skills",
        "BEFORE DELETE ON main.skill_sources",
        "AFTER INSERT ON main.skill_sources WHEN new.name = 'x'",
        "AFTER INSERT ON main.skill_heads WHEN new.name = 'x'",
        "BEFORE UPDATE ON main.registry_meta WHEN new.key = 'synced_at'",
    ] {
        let (place, mut registry) = registry(&["a", "b", "c"]);
        let before = content(&registry);
        run(
            &registry,
            &format!(
                "CREATE TEMP TRIGGER fails {trigger} BEGIN SELECT raise(ABORT, 'on purpose'); END"
            ),
        );
        let mut disk = Disk::with_skills(&["a", "b", "x"]);
        disk.at_ms += 1;
        disk.winners[0].body.push('!');
        disk.winners[1].body.push('!');
        assert_eq!(
            message(disk.sync(&mut registry), &place),
            "error[E066]: registry unusable: 'DB': on purpose",
            "{trigger}"
        );
        assert_eq!(content(&registry), before, "{trigger}");
        let other = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
        assert_eq!(content(&other), before, "{trigger}");
        run(&registry, "DROP TRIGGER temp.fails");
        disk.sync(&mut registry).unwrap();
        assert_eq!(names(&registry), "a,b,x");
    }
}

/// REG-LOAD.2: a trigger in the database raises an error, or deletes rows.
#[test]
fn a_file_with_triggers_is_not_written() {
    for action in ["SELECT raise(ABORT, 'no')", "DELETE FROM skills"] {
        let (place, mut registry) = registry(&["a", "b"]);
        let before = content(&registry);
        let sql = format!(
            "CREATE TRIGGER t AFTER INSERT ON skills WHEN new.name = 'c' BEGIN {action}; END"
        );
        place.run(&sql);
        assert_eq!(
            message(Disk::with_skills(&["a", "c"]).sync(&mut registry), &place),
            "error[E066]: registry unusable: 'DB': it has triggers not created by skc"
        );
        assert_eq!(content(&registry), before);
    }
}

/// REG-LOAD.10.
#[test]
fn a_full_disk_rolls_back() {
    let (place, mut registry) = registry(&["a", "b"]);
    let before = content(&registry);
    let open = registry.open.as_ref().unwrap();
    let limit = "PRAGMA max_page_count = 20";
    open.connection.query_row(limit, [], |_| Ok(())).unwrap();
    let mut disk = Disk::with_skills(&["a", "c", "d"]);
    disk.winners[2].body = "x".repeat(100_000);
    assert!(message(disk.sync(&mut registry), &place).contains("full"));
    assert_eq!(content(&registry), before);
}

/// REG-LOAD.2: a process is killed before it commits.
#[test]
fn writes_of_a_killed_sync_are_rolled_back() {
    let (place, registry) = registry(&["a", "b"]);
    let before = content(&registry);
    let bodies =
        "UPDATE skills SET body = hex(randomblob(20000)); DELETE FROM skills WHERE name = 'b';";
    run(
        &registry,
        &format!("PRAGMA cache_size = 4; BEGIN IMMEDIATE; {bodies}"),
    );
    let files = place.files();
    let written: usize = files.values().map(Vec::len).sum();
    assert!(written > 60_000, "some of it is in the files: {written}");
    drop(registry);
    for (path, bytes) in files {
        fs::write(path, bytes).unwrap();
    }
    let readable = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
    assert_eq!(content(&readable), before);
    let mut registry = SkillRegistry::open(&place.db).unwrap();
    assert_eq!(content(&registry), before);
    Disk::with_skills(&["c"]).sync(&mut registry).unwrap();
    assert_eq!(names(&registry), "c");
}
