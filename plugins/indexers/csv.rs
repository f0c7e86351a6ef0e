//! Tables: a section for each row below the header.
#![cfg(feature = "csv")]

use std::fmt::Write;

use csv::{ByteRecord, ReaderBuilder};
use skillc_core::index::TextBudget;
use skillc_core::{IndexError, Indexer, IndexerMeta, Section, SourceFile, declare_indexer};

declare_indexer! {
    /// Tables in CSV and TSV, a row at a time
    pub(crate) struct Csv { id: "csv", extensions: ["csv", "tsv"], version: 1 }
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
        let delimiter = if file.path.extension().as_deref() == Some("tsv") {
            b'\t'
        } else {
            b','
        };
        let text = file.text();
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(text.as_bytes());
        let header = reader
            .byte_headers()
            .map_err(|e| IndexError::new(e.to_string()))?
            .clone();
        let mut budget = TextBudget::of(file);
        let mut row = ByteRecord::new();
        let mut number = 0_usize;
        while reader
            .read_byte_record(&mut row)
            .map_err(|e| IndexError::new(e.to_string()))?
        {
            number += 1;
            let content = fields(&header, &row, &mut budget)?;
            let start = row.position().map_or(1, |position| line(position.line()));
            let end = line(reader.position().line()).max(start + 1);
            emit(Section {
                heading: format!("row {number}").into(),
                content: content.into(),
                lines: start..end,
            });
        }
        Ok(())
    }
}

/// Writes a row as `header: value` lines. A value beyond the header is named by its column; a missing one is left out.
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
        writeln!(text, "{}: {}", name.trim(), value.trim())
            .map_err(|e| IndexError::new(e.to_string()))?;
    }
    Ok(text)
}

fn line(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
