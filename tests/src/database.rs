//! Reads and changes the databases that skillc writes.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// Opens a database for reading. FTS tables with our own tokenizer cannot be queried, but their shadow tables can.
pub fn read(path: &Path) -> Connection {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database")
}

/// Returns the value of a key in the table `index_meta`.
pub fn meta(path: &Path, key: &str) -> Option<String> {
    let connection = read(path);
    let mut statement = connection
        .prepare("SELECT value FROM index_meta WHERE key = ?1")
        .expect("a table");
    statement.query_row([key], |row| row.get(0)).ok()
}

/// Runs statements on a database.
pub fn change(path: &Path, sql: &str) {
    Connection::open(path)
        .and_then(|connection| connection.execute_batch(sql))
        .expect("statements run");
}
