//! Opens databases, and converts their errors.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use skillc_core::{Error, Stop};

use crate::cjk_tokenizer;
use crate::limits::Guarded;

/// Opens a database, usually an index, for reading. Writes nothing.
///
/// An index is never changed in place, but only replaced as a whole. Therefore, on Unix, the database is opened as
/// immutable: a `-journal` or `-wal` file from another program is ignored, and read-only directories need no special
/// case.
pub(crate) fn open_read_only(path: &Path, stop: &Stop) -> rusqlite::Result<Guarded> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if cfg!(unix) {
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(immutable_uri(path), flags)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    let connection = Guarded::new(connection, stop)?;
    cjk_tokenizer::register(&connection)?;
    Ok(connection)
}

/// Whether a missing database is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfMissing {
    Create,
    Fail,
}

/// Opens a database that is shared with other processes, for writing.
///
/// Does not follow a symlink that replaces the file after the caller's check (a race).
pub(crate) fn open_shared(path: &Path, if_missing: IfMissing) -> rusqlite::Result<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if if_missing == IfMissing::Create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    // Resolve symlinks above the file, because with `SQLITE_OPEN_NOFOLLOW`, `SQLite` refuses symlinks anywhere in the
    // path, and the path of the home directory may contain a symlink.
    let dir = path.parent().and_then(|dir| dir.canonicalize().ok());
    match dir.zip(path.file_name()).filter(|_| cfg!(unix)) {
        Some((dir, name)) => {
            let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
            Connection::open_with_flags(dir.join(name), flags)
        }
        None => Connection::open_with_flags(path, flags),
    }
}

/// Opens a database that only this process uses, for writing at full speed: without a journal and without syncing.
/// After a failure, the caller must discard the file. `check`: returns an error for a file with a foreign schema.
pub(crate) fn open_private(
    path: &Path,
    if_missing: IfMissing,
    check: impl FnOnce(&Guarded) -> rusqlite::Result<()>,
) -> rusqlite::Result<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if if_missing == IfMissing::Create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let connection = Connection::open_with_flags(path, flags)?;
    let connection = Guarded::new(connection, &Stop::default())?;
    cjk_tokenizer::register(&connection)?;
    check(&connection)?;
    connection.admit()?;
    // Defensive mode does not allow turning the journal off.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
    // Callers enforce their own time limit on a build.
    let connection = connection.into_unlimited()?;
    connection.execute_batch(
        "PRAGMA page_size = 4096;
         PRAGMA journal_mode = OFF;
         PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA cache_size = -65536;
         PRAGMA temp_store = MEMORY;",
    )?;
    connection.set_prepared_statement_cache_capacity(16);
    Ok(connection)
}

/// Returns the URI for opening an absolute Unix path as immutable. Percent-encodes every byte that may have a special
/// meaning in a URI.
fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri += &format!("%{byte:02x}"),
        }
    }
    uri + "?immutable=1"
}

/// Converts a failed write to E999.
pub(crate) fn write_error(path: &Path, error: &rusqlite::Error) -> Error {
    Error::internal(format!(
        "writing search index '{}': {error}",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_arbitrary_bytes_is_opened_and_leftovers_next_to_it_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b%20?x=1#y\u{e9}&.db");
        let connection = open_private(&path, IfMissing::Create, |_| Ok(())).unwrap();
        connection
            .execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES(7);")
            .unwrap();
        drop(connection);
        let beside = |suffix: &str| {
            let mut name = path.clone().into_os_string();
            name.push(suffix);
            std::path::PathBuf::from(name)
        };
        std::fs::write(beside("-journal"), [0xd9; 600]).unwrap();
        std::fs::write(beside("-wal"), [0x37; 600]).unwrap();
        let connection = open_read_only(&path, &Stop::default()).unwrap();
        let value: i64 = connection
            .query_row("SELECT x FROM t", [], |row| row.get(0))
            .unwrap();
        assert_eq!(value, 7);
    }
}
