//! Unusable and read-only files.

use super::*;

use std::fs;
use std::time::Duration;

use crate::pages_testkit::share_pages;

#[test]
fn a_damaged_file_is_left_unchanged() {
    let (place, mut registry) = registry(&["a"]);
    let many: Vec<String> = (0..500).map(|n| format!("skill-{n}")).collect();
    let disk = Disk::with(many.iter().map(|name| skill(name)));
    disk.sync(&mut registry).unwrap();
    drop(registry);
    let whole = fs::read(&place.db).unwrap();
    let mut holes = whole.clone();
    holes[100..4096].fill(0x5a);
    let texts = b"not a database".repeat(100);
    for bytes in [b"x", &texts[..], &whole[..whole.len() / 2], &holes] {
        fs::write(&place.db, bytes).unwrap();
        let opened = SkillRegistry::open(&place.db);
        assert_eq!(
            message(opened, &place),
            "error[E066]: registry unusable: 'DB': it is damaged"
        );
        assert!(fs::read(&place.db).unwrap() == bytes);
        let read = SkillRegistry::open_to_read(&place.db);
        assert!(message(read, &place).ends_with("it is damaged"));
        assert!(fs::read(&place.db).unwrap() == bytes);
    }
}

#[test]
fn damage_found_midway_leaves_no_partial_replacement() {
    let (place, mut registry) = registry(&[]);
    let disk = Disk::with((0..200).map(|n| SkillRow {
        body: "x".repeat(3_000),
        ..skill(&format!("skill-{n:03}"))
    }));
    disk.sync(&mut registry).unwrap();
    drop(registry);
    let mut bytes = fs::read(&place.db).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle / 4096 * 4096..][..4096 * 8].fill(0xff);
    fs::write(&place.db, &bytes).unwrap();
    let mut registry = SkillRegistry::open(&place.db).unwrap();
    assert!(message(registry.list(SkillFilter::default()), &place).contains("it is damaged"));
    assert!(
        message(Disk::with_skills(&["b"]).sync(&mut registry), &place).contains("it is damaged")
    );
    drop(registry);
    assert!(fs::read(&place.db).unwrap() == bytes);
}

#[test]
fn a_file_that_uses_pages_twice_is_damaged() {
    for name in ["sqlite_autoindex_skills_1", "skills", "skill_heads"] {
        let (place, registry) = registry(&["a"]);
        drop(registry);
        share_pages(&place.db, name);
        let registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
        assert!(
            message(registry.check(), &place).ends_with("it is damaged"),
            "{name}"
        );
    }
    let (_place, registry) = registry(&["a"]);
    registry.check().unwrap();
}

/// Tests an index without damaged pages whose entries all lead to the same row.
#[test]
fn a_row_that_is_listed_many_times_is_damage() {
    let (place, mut registry) = registry(&[]);
    let disk = Disk::with((0..20).map(|n| SkillRow {
        body: "x".repeat(if n == 0 { 100_000 } else { 1 }),
        ..skill(&format!("skill-{n:02}"))
    }));
    disk.sync(&mut registry).unwrap();
    drop(registry);
    place.run("PRAGMA journal_mode = DELETE");
    let bytes = fs::read(&place.db).unwrap();
    // An entry is a header of three bytes, the name, and the number of the row. (The number 1 has no byte of its own.)
    let mut changed = bytes.clone();
    for number in 1..20_u8 {
        let entry = [format!("skill-{number:02}").as_bytes(), &[number + 1]].concat();
        for at in 0..bytes.len() - entry.len() {
            if bytes[at..].starts_with(&entry) {
                changed[at + entry.len() - 1] = 1;
            }
        }
    }
    assert!(changed != bytes);
    fs::write(&place.db, &changed).unwrap();
    let registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
    registry.check().unwrap();
    let listed = registry.list(SkillFilter::default());
    assert!(message(listed, &place).ends_with("it is damaged"));
}

/// A journal that would enlarge the database to terabytes, or that is a pipe, which would block forever.
#[cfg(unix)]
#[test]
fn a_file_with_an_unusable_journal_is_not_used() {
    let mut enlarging: Vec<u8> = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    for number in [0, 0, 1_u32 << 31, 512, 4096] {
        enlarging.extend(number.to_be_bytes());
    }
    enlarging.resize(512, 0);
    for is_pipe in [false, true] {
        let (place, registry) = registry(&["a"]);
        drop(registry);
        let before = fs::read(&place.db).unwrap();
        let journal = crate::sidecar::beside(&place.db, crate::sidecar::JOURNAL);
        if is_pipe {
            let made = std::process::Command::new("mkfifo").arg(&journal).status();
            assert!(made.unwrap().success());
        } else {
            fs::write(&journal, &enlarging).unwrap();
        }
        let expected = "error[E066]: registry unusable: 'DB': it is not a skill registry";
        assert_eq!(message(SkillRegistry::open(&place.db), &place), expected);
        let read = SkillRegistry::open_to_read(&place.db);
        assert_eq!(message(read, &place), expected);
        assert!(fs::read(&place.db).unwrap() == before);
    }
}

#[test]
fn values_that_no_sync_writes_are_damage() {
    for sql in [
        "UPDATE skills SET capabilities = '{'",
        "UPDATE skills SET capabilities = '[1]'",
        "UPDATE skills SET body = x'ff'",
        "UPDATE skills SET description = cast(x'ff' AS TEXT)",
    ] {
        let (place, registry) = registry(&["a"]);
        place.run(sql);
        assert!(
            message(registry.skill("a"), &place).ends_with("it is damaged"),
            "{sql}"
        );
        let listed = registry.list(SkillFilter::default());
        assert!(message(listed, &place).ends_with("it is damaged"), "{sql}");
    }
    let (place, registry) = registry(&["a"]);
    place.run("UPDATE skill_heads SET bytes = -1");
    assert!(message(registry.heads(), &place).ends_with("it is damaged"));
    place.run("UPDATE registry_meta SET value = 'x' WHERE key = 'roots'");
    assert!(message(registry.sources(), &place).ends_with("it is damaged"));
}

#[test]
fn special_files_are_not_used() {
    let place = TempDatabase::new();
    fs::create_dir_all(&place.db).unwrap();
    let expected = "error[E066]: registry unusable: 'DB': it is not a skill registry";
    assert_eq!(message(SkillRegistry::open(&place.db), &place), expected);
    assert_eq!(
        message(SkillRegistry::open_to_read(&place.db), &place),
        expected
    );
    assert_eq!(place.db.read_dir().unwrap().count(), 0);

    let place = TempDatabase::new();
    fs::create_dir_all(place.folder().parent().unwrap()).unwrap();
    fs::write(place.folder(), "a file where the folder should be").unwrap();
    assert!(message(SkillRegistry::open(&place.db), &place).starts_with("error[E066]"));
    assert!(SkillRegistry::open_to_read(&place.db).unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn a_symlink_in_place_of_the_file_is_not_followed() {
    let place = TempDatabase::new();
    place.make_folder();
    let target = place.folder().join("elsewhere");
    std::os::unix::fs::symlink(&target, &place.db).unwrap();
    SkillRegistry::open(&place.db).err().expect("a fault");
    assert!(!target.exists());
}

#[test]
fn a_locked_file_is_reported_as_locked() {
    let (place, mut registry) = registry(&["a"]);
    let other = Connection::open(&place.db).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let open = registry.open.as_ref().unwrap();
    open.connection
        .busy_timeout(Duration::from_millis(20))
        .unwrap();
    let expected = "error[E066]: registry unusable: 'DB': it is locked by another program";
    assert_eq!(
        message(Disk::with_skills(&["b"]).sync(&mut registry), &place),
        expected
    );
    // Readers do not wait for writers.
    assert_eq!(names(&registry), "a");
    drop(other);
    Disk::with_skills(&["b"]).sync(&mut registry).unwrap();
    assert_eq!(names(&registry), "b");
    drop(registry);

    let other = Connection::open(&place.db).unwrap();
    let exclusive = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t(x);";
    other.execute_batch(exclusive).unwrap();
    let opened = file::open(&place.db, None, Duration::from_millis(20)).at(&place.db);
    assert_eq!(message(opened, &place), expected);
}

#[test]
fn a_registry_waits_for_others_for_five_seconds() {
    let (place, registry) = registry(&[]);
    let readable = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
    let memory = SkillRegistry::in_memory().unwrap();
    for registry in [registry, readable, memory] {
        let open = registry.open.unwrap();
        let wait: i64 = open
            .connection
            .query_row("PRAGMA busy_timeout", [], |row| row.get(0))
            .unwrap();
        assert_eq!(wait, 5_000);
    }
}

/// Changes the permissions of a file or folder. Returns whether this process is subject to them; root is not.
#[cfg(unix)]
fn allow(path: &Path, mode: u32) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    path.metadata().unwrap().uid() != 0
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_read_and_left_unchanged() {
    let expected = "error[E066]: registry unusable: 'DB': permission denied";
    for (file, folder) in [(0o444, 0o755), (0o444, 0o555), (0o644, 0o555)] {
        let (place, registry) = registry(&["a"]);
        drop(registry);
        let before = fs::read(&place.db).unwrap();
        allow(&place.db, file);
        let is_bound = allow(&place.folder(), folder);
        let mut registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
        assert_eq!(names(&registry), "a");
        if is_bound {
            let opened = SkillRegistry::open(&place.db)
                .and_then(|mut registry| Disk::with_skills(&["b"]).sync(&mut registry));
            assert_eq!(message(opened, &place), expected);
            let synced = Disk::with_skills(&["b"]).sync(&mut registry);
            assert_eq!(message(synced, &place), expected);
            assert_eq!(names(&registry), "a", "it is still open");
        }
        drop(registry);
        assert!(fs::read(&place.db).unwrap() == before);
        allow(&place.folder(), 0o755);
    }
}

#[cfg(unix)]
#[test]
fn a_registry_that_cannot_be_created_is_an_error() {
    let place = TempDatabase::new();
    place.make_folder();
    if allow(&place.folder(), 0o555) {
        let fault = SkillRegistry::open(&place.db).err().expect("a fault");
        assert_eq!(fault.trouble, RegistryTrouble::Denied);
        let below = place.folder().join("below/it.db");
        let fault = SkillRegistry::open(&below).err().expect("a fault");
        assert_eq!(fault.trouble, RegistryTrouble::Denied);
    }
    allow(&place.folder(), 0o755);
}

#[test]
fn an_error_has_the_path_and_the_reason() {
    let place = TempDatabase::with("CREATE TABLE other(x);");
    let fault = SkillRegistry::open(&place.db).err().unwrap();
    let path = place.db.display();
    assert_eq!(
        fault.to_string(),
        format!("'{path}': it is not a skill registry")
    );
}
