//! Finds the headings of the sections around a hit.
//!
//! The line ranges of a file's sections are read only once, even for several hits, because a large file can have a hit
//! in each of its sections.
//!
//! Design: C-SEARCH.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, Row};

use crate::best_rows::FoundRow;

/// Selects the line ranges of all sections of the file `?1`. Each section comes after the sections that contain it.
const LINES: &str = "
    SELECT section_lines.rowid, start_line, end_line
    FROM files
    JOIN section_lines ON section_lines.rowid >= first_section AND section_lines.rowid < end_section
    WHERE path = ?1 ORDER BY start_line, end_line DESC, section_lines.rowid";

/// The maximum number of headings shown above a hit.
const MAX_ABOVE: usize = 32;

/// Returns a map from the rowid of each row to the headings of the sections around the row, outermost first. These are
/// the sections that begin before the row's first line, and end after it. A section that ends on this line does not
/// contain the row, because in data files, one section can end on the line on which the next section begins.
pub(crate) fn headings_above(
    index: &Connection,
    rows: &[FoundRow],
) -> rusqlite::Result<HashMap<i64, Vec<String>>> {
    let mut by_file: BTreeMap<&str, Vec<(usize, i64)>> = BTreeMap::new();
    for row in rows {
        if let Some((start, _)) = row.lines {
            by_file
                .entry(&row.file)
                .or_default()
                .push((start, row.rowid));
        }
    }
    let (mut above, mut headings) = (HashMap::new(), HashMap::new());
    for (file, mut wanted) in by_file {
        wanted.sort_unstable();
        let mut statement = index.prepare_cached(LINES)?;
        let mut lines = statement.query([file])?;
        let mut next: Option<(i64, usize, usize)> = read_lines(lines.next()?)?;
        // The sections around the current line, outermost first.
        let mut around: Vec<(i64, usize)> = Vec::new();
        for (line, rowid) in wanted {
            around.retain(|(_, end)| *end > line + 1);
            while let Some((section, start, end)) = next
                && start < line
            {
                if end > line + 1 {
                    around.push((section, end));
                }
                next = read_lines(lines.next()?)?;
            }
            let mut texts = Vec::new();
            for (section, _) in &around {
                let text = heading_of(index, *section, &mut headings)?;
                if !text.is_empty() && texts.len() < MAX_ABOVE {
                    texts.push(text.to_owned());
                }
            }
            above.insert(rowid, texts);
        }
    }
    Ok(above)
}

fn heading_of<'h>(
    index: &Connection,
    rowid: i64,
    known: &'h mut HashMap<i64, String>,
) -> rusqlite::Result<&'h str> {
    let vacant = match known.entry(rowid) {
        Entry::Occupied(known) => return Ok(known.into_mut()),
        Entry::Vacant(vacant) => vacant,
    };
    let mut statement = index.prepare_cached("SELECT section FROM sections WHERE rowid = ?1")?;
    let text = statement.query_row([rowid], |row| row.get(0)).optional()?;
    Ok(vacant.insert(text.unwrap_or_default()))
}

/// Reads a row of [`LINES`].
fn read_lines(row: Option<&Row<'_>>) -> rusqlite::Result<Option<(i64, usize, usize)>> {
    row.map(|row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .transpose()
}
