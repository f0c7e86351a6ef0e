//! Creates databases whose pages are used more than once, for tests.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

/// The number of pages between the root and the leaf.
const LEVELS: usize = 17;

/// The number of times that each page refers to the next, in addition to its last reference.
const FAN: usize = 40;

/// Makes a table, or an index, of a single small page seem to contain 41 to the power of 17 times as many rows: a
/// series of pages is inserted above the page, and each of them refers to the next 41 times.
pub(crate) fn share_pages(db: &Path, name: &str) {
    let connection = Connection::open(db).unwrap();
    let mode = "PRAGMA journal_mode = DELETE";
    connection.query_row(mode, [], |_| Ok(())).unwrap();
    let number = |sql: &str| -> usize {
        let number: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        usize::try_from(number).unwrap()
    };
    let root = number(&format!(
        "SELECT rootpage FROM sqlite_schema WHERE name = '{name}'"
    ));
    let size = number("PRAGMA page_size");
    drop(connection);
    let mut bytes = fs::read(db).unwrap();
    let pages = bytes.len() / size;
    let leaf = bytes[(root - 1) * size..root * size].to_vec();
    // The first cell: its position is the first number after the header of eight bytes.
    let at = usize::from(u16::from_be_bytes([leaf[8], leaf[9]]));
    let (kind, key) = match leaf[0] {
        // In a table, the key is the largest row number below the reference.
        13 => (5, vec![100]),
        10 => (2, leaf[at..=at + usize::from(leaf[at])].to_vec()),
        other => panic!("not a leaf: {other}"),
    };
    let above = |child: usize| {
        let child = u32::try_from(child).unwrap().to_be_bytes();
        let cell = [&child[..], &key].concat();
        let mut page = vec![0; size];
        let start = size - FAN * cell.len();
        page[0] = kind;
        page[4] = u8::try_from(FAN).unwrap();
        page[5..7].copy_from_slice(&u16::try_from(start).unwrap().to_be_bytes());
        page[8..12].copy_from_slice(&child);
        for number in 0..FAN {
            let at = start + number * cell.len();
            page[at..at + cell.len()].copy_from_slice(&cell);
            let pointer = u16::try_from(at).unwrap().to_be_bytes();
            page[12 + 2 * number..][..2].copy_from_slice(&pointer);
        }
        page
    };
    bytes[(root - 1) * size..root * size].copy_from_slice(&above(pages + 1));
    for level in 1..LEVELS {
        bytes.extend(above(pages + level + 1));
    }
    bytes.extend(leaf);
    // The header contains the number of pages, and the change for which this number is valid.
    let total = u32::try_from(bytes.len() / size).unwrap();
    bytes[28..32].copy_from_slice(&total.to_be_bytes());
    bytes.copy_within(24..28, 92);
    fs::write(db, bytes).unwrap();
}
