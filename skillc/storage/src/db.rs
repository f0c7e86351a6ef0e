//! Opening databases, and errors in words.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use skillc_core::Error;

use crate::cjk_tokenizer;

/// Opens an index for reading: no lock file, no journal, nothing written.
pub(crate) fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    cjk_tokenizer::register(&connection)?;
    Ok(connection)
}

/// Opens a file that only this process knows, for writing at full speed: no journal, no waiting for the disk. If anything
/// fails the file is thrown away.
pub(crate) fn open_private(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    cjk_tokenizer::register(&connection)?;
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

/// Turns a failed write into E999.
pub(crate) fn write_error(path: &Path, error: &rusqlite::Error) -> Error {
    Error::internal(format!(
        "writing search index '{}': {error}",
        path.display()
    ))
}
