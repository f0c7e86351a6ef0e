//! The sidecar files that `SQLite` keeps next to a database.

use std::path::{Path, PathBuf};

/// The suffix of `SQLite`'s rollback journal.
pub(crate) const JOURNAL: &str = "-journal";

/// The suffixes of all sidecar files.
pub(crate) const BESIDE: [&str; 3] = [JOURNAL, "-wal", "-shm"];

/// Returns the path of a sidecar file of a database.
pub(crate) fn beside(db: &Path, suffix: &str) -> PathBuf {
    let mut name = db.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
