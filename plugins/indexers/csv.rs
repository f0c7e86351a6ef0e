//! Tables: one section per row below the header.
#![cfg(feature = "csv")]

use std::ops::Range;

use csv::{ByteRecord, ReaderBuilder};
use skillc_core::index::TextBudget;
use skillc_core::{
    IndexError, Indexer, IndexerMeta, LineIndex, Section, SourceFile, declare_indexer,
};

declare_indexer! {
    /// Tables in CSV and TSV, one section per row
    pub(crate) struct Csv { id: "csv", extensions: ["csv", "tsv"], version: 2 }
}

impl Indexer for Csv {
    fn meta(&self) -> &IndexerMeta {
        Self::META
    }

    fn sections(
        &self,
        file: &SourceFile,
        emit: &mut dyn FnMut(Section<'_>),
    ) -> Result<(), IndexError> {
        let is_tsv = file.path.extension().as_deref() == Some("tsv");
        let text = file.text();
        let lines = LineIndex::new(text.as_bytes());
        let mut reader = ReaderBuilder::new()
            .delimiter(if is_tsv { b'\t' } else { b',' })
            .flexible(true)
            .from_reader(text.as_bytes());
        let header = reader.byte_headers().map_err(|e| fault(&e))?.clone();
        let mut budget = TextBudget::for_file(file);
        let mut row = ByteRecord::new();
        let mut count = 0_usize;
        while reader.read_byte_record(&mut row).map_err(|e| fault(&e))? {
            count += 1;
            let start = row.position().map_or(0, csv::Position::byte);
            let end = reader.position().byte();
            emit(Section {
                heading: format!("row {count}").into(),
                content: fields(&header, &row, &mut budget)?.into(),
                lines: lines_of(start..end, &text, &lines),
            });
        }
        if count == 0 && !text.trim().is_empty() {
            // If a table has no rows, its header becomes a section.
            let lines = 1..lines.count() + 1;
            emit(Section {
                heading: "".into(),
                content: text,
                lines,
            });
        }
        Ok(())
    }

    fn indexes_other_text(&self) -> bool {
        false
    }
}

/// Formats a row as `header: value` lines. A column without a header is called by its number, such as `column 3`.
/// Missing values are omitted.
fn fields(
    header: &ByteRecord,
    row: &ByteRecord,
    budget: &mut TextBudget,
) -> Result<String, IndexError> {
    let mut text = String::new();
    for (at, value) in row.iter().enumerate() {
        let value = String::from_utf8_lossy(value);
        let name = header
            .get(at)
            .map(String::from_utf8_lossy)
            .filter(|name| !name.trim().is_empty());
        let name = name.unwrap_or_else(|| format!("column {}", at + 1).into());
        budget.take(name.len() + value.len() + 3)?;
        text += &format!("{}: {}\n", name.trim(), value.trim());
    }
    Ok(text)
}

/// Returns the lines of a record. `bytes` may start with the line end of the previous record, and with empty lines.
fn lines_of(bytes: Range<u64>, text: &str, lines: &LineIndex) -> Range<usize> {
    let offset = |at: u64| usize::try_from(at).map_or(text.len(), |at| at.min(text.len()));
    let (before, end) = (offset(bytes.start), offset(bytes.end));
    let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let record = &text.as_bytes()[before.min(end)..end];
    let skipped = record.iter().take_while(|byte| is_line_end(byte)).count();
    let after = record
        .iter()
        .rev()
        .take_while(|byte| is_line_end(byte))
        .count();
    let last = end.saturating_sub(after + 1);
    lines.line(before + skipped)..lines.line(last) + 1
}

fn fault(error: &csv::Error) -> IndexError {
    IndexError::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use skillc_core::testkit::sections_of;

    use super::Csv;

    #[test]
    fn headers_that_would_inflate_the_text_are_refused() {
        let text = format!("{}\n{}", "k".repeat(4096), "0\n".repeat(4096));
        let sections = sections_of(&Csv, "a.csv", text.as_bytes());
        let error = "error: its searchable text would be more than 8 times the size of the file";
        assert_eq!(sections.lines().last(), Some(error));
    }
}
