//! Finds the sections that match a query, and ranks them. If a section and a section nested inside it both match, only
//! the inner section is kept.
//!
//! The columns are weighted: a match in the heading counts more than a match in the text, and a match in the file's
//! path counts less. The weights were chosen by cross-validation on judged queries; see `docs/src/performance.md`. A
//! bonus for adjacent words and a penalty for sections that enclose other sections were also tried, but made the
//! ranking worse.
//!
//! Design: C-SEARCH, R24.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, Row};

/// The rows that match `?1`, best first. The weights apply to `file`, `section` and `content`, in this order. The query
/// calls `bm25()` instead of selecting FTS5's column `rank`, which would be computed a second time for each row that is
/// read.
const RANKS: &str = "
    SELECT rowid, bm25(sections, 0.5, 5.0, 1.0) AS score
    FROM sections WHERE sections MATCH ?1 ORDER BY score";

/// Selects the file and the lines of the row `?1`.
const PLACE: &str = "
    SELECT file, start_line, end_line
    FROM sections LEFT JOIN section_lines ON section_lines.rowid = sections.rowid
    WHERE sections.rowid = ?1";

pub(crate) struct FoundRow {
    pub(crate) rowid: i64,
    /// The BM25 rank: a negative number; smaller is better.
    pub(crate) rank: f64,
    pub(crate) file: String,
    pub(crate) lines: Option<(usize, usize)>,
}

impl FoundRow {
    /// Reads a row of [`PLACE`].
    fn read(row: &Row<'_>, rowid: i64, rank: f64) -> rusqlite::Result<Self> {
        let (start, end): (Option<usize>, Option<usize>) = (row.get(1)?, row.get(2)?);
        Ok(Self {
            rowid,
            rank,
            file: row.get(0)?,
            lines: start.zip(end),
        })
    }

    /// Orders rows from best to worst. Breaks ties by file, then by document order.
    fn order(&self, other: &Self) -> Ordering {
        let by_rank = self.rank.total_cmp(&other.rank);
        by_rank.then_with(|| (&self.file, self.rowid).cmp(&(&other.file, other.rowid)))
    }
}

/// Returns the best matching sections, at most `limit`.
///
/// `expression`: the query in FTS5 syntax. `has_file`: returns whether to include the sections of a file.
pub(crate) fn best_rows(
    index: &Connection,
    expression: &str,
    limit: usize,
    has_file: &dyn Fn(&str) -> bool,
) -> rusqlite::Result<Vec<FoundRow>> {
    let mut best = BestRows::default();
    let mut ranks = index.prepare_cached(RANKS)?;
    let mut place = index.prepare_cached(PLACE)?;
    let mut ranked = ranks.query([expression])?;
    while let Some(row) = ranked.next()? {
        let (rowid, rank): (i64, f64) = (row.get(0)?, row.get(1)?);
        // Read all rows that tie with the last one, because ties are broken by file below.
        if best.rows.len() >= limit && best.worst() < rank {
            break;
        }
        let row = place.query_row([rowid], |row| FoundRow::read(row, rowid, rank))?;
        if has_file(&row.file) {
            best.add(row);
        }
    }
    let mut rows = best.rows;
    rows.sort_by(FoundRow::order);
    rows.truncate(limit);
    Ok(rows)
}

/// The best rows so far, none of which is nested in another.
#[derive(Default)]
struct BestRows {
    /// The rows in order of rank.
    rows: Vec<FoundRow>,
    /// For each file, the indexes in `rows` of its rows with known lines, by first line and rowid.
    by_file: HashMap<String, BTreeMap<(usize, i64), usize>>,
}

impl BestRows {
    /// Returns the rank of the last row.
    fn worst(&self) -> f64 {
        self.rows.last().map_or(f64::NEG_INFINITY, |row| row.rank)
    }

    /// Adds a row. The new row is dropped if its section encloses the section of another row. If the section of another
    /// row encloses the new section, the new row replaces that row and inherits its rank.
    fn add(&mut self, row: FoundRow) {
        let Some((start, end)) = row.lines else {
            return self.rows.push(row);
        };
        let in_file = self.by_file.entry(row.file.clone()).or_default();
        let at_or_after = (start, i64::MIN);
        // Skip the sections that begin on the same line. There can be thousands, such as all keys of minified JSON.
        let inner = in_file.range((start + 1, i64::MIN)..).next();
        if let Some((_, at)) = inner
            && self.rows[*at]
                .lines
                .is_some_and(|inner| is_within(inner, (start, end)))
        {
            return;
        }
        let outer = in_file.range(..at_or_after).next_back();
        let outer = outer.map(|(key, at)| (*key, *at));
        if let Some((key, at)) = outer
            && self.rows[at]
                .lines
                .is_some_and(|outer| is_within((start, end), outer))
        {
            in_file.remove(&key);
            in_file.insert((start, row.rowid), at);
            let rank = self.rows[at].rank;
            self.rows[at] = FoundRow { rank, ..row };
            return;
        }
        in_file.insert((start, row.rowid), self.rows.len());
        self.rows.push(row);
    }
}

/// Returns whether a section is nested in another. In data files, a section may begin on the line on which another
/// section ends.
const fn is_within(inner: (usize, usize), outer: (usize, usize)) -> bool {
    outer.0 < inner.0 && inner.1 <= outer.1 && inner.0 + 1 < outer.1
}
