//! Splits tables into rows and cells the same way as GitHub.

use skillc_core::{Document, Span};

/// Returns the number of columns of a table, which is the number of cells in its second line.
pub(crate) fn columns(doc: &Document, table: Span) -> usize {
    let second = doc.text[table.start..table.end].lines().nth(1);
    let second = second.unwrap_or_default();
    let row = row(second, 0);
    cells(&second[row.start..row.end]).count()
}

/// Returns whether a row has text after the last column.
pub(crate) fn is_wide(row: &str, columns: usize) -> bool {
    let mut rest = cells(row).skip(columns);
    rest.any(|cell| !cell.trim().is_empty())
}

/// Returns the position of a row in its line, without quote markers and surrounding whitespace. `start`: the offset of
/// the line.
pub(crate) fn row(line: &str, start: usize) -> Span {
    let bare = line.trim_start_matches([' ', '\t', '>']);
    let start = start + line.len() - bare.len();
    Span::new(start, start + bare.trim_end().len())
}

/// Returns the cells of a row.
pub(crate) fn cells(row: &str) -> impl Iterator<Item = &str> + Clone {
    let row = row.strip_prefix('|').unwrap_or(row);
    let is_end = row.ends_with('|') && !row.ends_with("\\|");
    let mut rest = Some(if is_end { &row[..row.len() - 1] } else { row });
    std::iter::from_fn(move || {
        let text = rest?;
        let mut is_escaped = false;
        let end = text.bytes().position(|byte| {
            let is_bar = byte == b'|' && !is_escaped;
            is_escaped = byte == b'\\';
            is_bar
        });
        let cell = end.map_or(text, |end| &text[..end]);
        rest = end.map(|end| &text[end + 1..]);
        Some(cell)
    })
}
