//! Removal of unused registry files.

use super::*;

use std::fs;
use std::time::{Duration, SystemTime};

use skillc_core::time::Timestamp;

/// A time before the tests create any files.
const LONG_AGO: Timestamp = Timestamp(1_000_000_000);

/// A folder of closed registry files, each with one skill.
struct Folder {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

impl Folder {
    fn with(names: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("registry");
        for name in names {
            let mut registry = SkillRegistry::open(&path.join(name)).unwrap();
            Disk::with_skills(&["a"]).sync(&mut registry).unwrap();
        }
        Self { _dir: dir, path }
    }

    /// Sets a file's modification time, in seconds.
    fn age(&self, name: &str, at: Timestamp) {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(at.0.unsigned_abs());
        let file = fs::File::options().append(true).open(self.path.join(name));
        file.unwrap().set_modified(at).unwrap();
    }

    fn names(&self) -> Vec<String> {
        let entries = self.path.read_dir().unwrap().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

const ONE: &str = "0123456789abcdef.db";
const OTHER: &str = "fedcba9876543210.db";

/// catalog-files: files that have not been used for the retention time are removed.
#[test]
fn old_registries_are_removed_and_others_kept() {
    let folder = Folder::with(&[ONE, OTHER]);
    folder.age(ONE, Timestamp(LONG_AGO.0 - 1));
    folder.age(OTHER, LONG_AGO);
    fs::write(folder.path.join(format!("{ONE}-shm")), "left").unwrap();
    fs::write(folder.path.join(format!("{ONE}-wal")), "").unwrap();
    folder.age(&format!("{ONE}-wal"), Timestamp(LONG_AGO.0 - 1));
    assert_eq!(remove_unused(&folder.path, LONG_AGO), Ok(1));
    assert_eq!(folder.names(), [OTHER]);
    assert_eq!(remove_unused(&folder.path, LONG_AGO), Ok(0));
}

/// catalog-files: to check whether a file is in use, it is opened, which creates a WAL.
#[test]
fn an_old_registry_without_a_wal_is_removed() {
    let folder = Folder::with(&[ONE]);
    folder.age(ONE, Timestamp(LONG_AGO.0 - 1));
    assert_eq!(folder.names(), [ONE]);
    assert_eq!(remove_unused(&folder.path, LONG_AGO), Ok(1));
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn files_not_named_like_a_registry_are_kept() {
    let names = [
        "0123456789ABCDEF.db",
        "0123456789abcde.db",
        "notes.db",
        "0123456789abcdef.txt",
    ];
    let folder = Folder::with(&[]);
    fs::create_dir(&folder.path).unwrap();
    for name in names {
        fs::write(folder.path.join(name), "mine").unwrap();
        folder.age(name, Timestamp(1));
    }
    fs::create_dir(folder.path.join(ONE)).unwrap();
    assert_eq!(remove_unused(&folder.path, Timestamp(i64::MAX / 2)), Ok(0));
    assert_eq!(folder.names().len(), names.len() + 1);
}

#[test]
fn a_registry_in_use_is_kept() {
    let folder = Folder::with(&[ONE, OTHER]);
    let path = folder.path.join(ONE);
    let later = Timestamp(i64::from(u32::MAX));
    let open = SkillRegistry::open(&path).unwrap();
    let reading = SkillRegistry::open_to_read(&folder.path.join(OTHER)).unwrap();
    assert_eq!(remove_unused(&folder.path, later), Ok(0));
    drop((open, reading));
    assert_eq!(remove_unused(&folder.path, later), Ok(2));
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_recent_wal_keeps_an_old_file() {
    let folder = Folder::with(&[ONE]);
    folder.age(ONE, Timestamp(1));
    fs::write(folder.path.join(format!("{ONE}-wal")), "new").unwrap();
    assert_eq!(remove_unused(&folder.path, LONG_AGO), Ok(0));
}

#[test]
fn a_damaged_registry_is_removed_like_others() {
    let folder = Folder::with(&[]);
    fs::create_dir(&folder.path).unwrap();
    fs::write(folder.path.join(ONE), "no database".repeat(100)).unwrap();
    assert_eq!(remove_unused(&folder.path, LONG_AGO), Ok(0));
    folder.age(ONE, Timestamp(1));
    assert_eq!(remove_unused(&folder.path, LONG_AGO), Ok(1));
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_missing_folder_has_nothing_to_remove() {
    let folder = Folder::with(&[]);
    assert_eq!(remove_unused(&folder.path, LONG_AGO), Ok(0));
    fs::write(&folder.path, "").unwrap();
    assert_eq!(remove_unused(&folder.path.join("below"), LONG_AGO), Ok(0));
}
