//! What is indexed of a file: the sections of its format, or all of its text where that fails.
//!
//! A format may fail where it would not another time: a script has limits that depend on the machine. So a file that is
//! indexed as plain text is remembered as such, and each build tries its format again and says if that still fails.
//!
//! Source: RFC-0004 C-INDEX, RULINGS R20.

use skillc_core::{IndexError, LineIndex, RelPath, Result, Section, SourceFile, Warning};
use skillc_storage::IndexWriter;
use skillc_storage::freshness::FileRow;
use skillc_storage::index_writer::FileWriter;

use super::index::IndexJob;
use crate::operation::Notes;

/// How a file was indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indexed {
    /// As its format has it, or not at all.
    AsFormat,
    /// As one piece of text: its format failed.
    AsPlainText,
}

/// Writes what is to be found of a file.
///
/// # Errors
/// E999 if the index cannot be written.
pub(super) fn write_file(
    job: &IndexJob<'_>,
    file: &SourceFile,
    writer: &mut IndexWriter,
    notes: &mut Notes,
) -> Result<Indexed> {
    let Some(indexer) = job.toolkit.plugins().indexer_for(&file.path) else {
        return Ok(Indexed::AsFormat);
    };
    let mut rows = writer.begin(&file.path);
    if file.path.has_extension("md") {
        let headings = file.document().headings.iter();
        for heading in headings.filter(|heading| heading.is_listed()) {
            let lines = (heading.line, heading.end_line);
            rows.heading(&heading.text, heading.level, lines);
        }
    }
    let mut how = Indexed::AsFormat;
    if let Err(error) = indexer.sections(file, &mut |section| rows.section(&section)) {
        rows.forget_sections();
        whole_text(file, &mut rows);
        notes.warn(as_plain_text(&file.path, error));
        how = Indexed::AsPlainText;
    }
    rows.end()?;
    Ok(how)
}

/// The files that are as they were when their format failed.
#[derive(Default)]
pub(super) struct Retried {
    /// Those to index anew: their format can be read now.
    pub(super) mended: Vec<RelPath>,
    /// Why the format of each of the others still fails.
    pub(super) warnings: Vec<Warning>,
}

/// Tries again the format of the files that are indexed as plain text.
///
/// `rows`: the files as they are. Returns `None` if one went away meanwhile.
///
/// # Errors
/// E999 if a file cannot be read.
pub(super) fn retry(job: &IndexJob<'_>, rows: &[FileRow]) -> Result<Option<Retried>> {
    let mut retried = Retried::default();
    for row in rows.iter().filter(|row| row.is_plain) {
        job.toolkit.stop.check()?;
        let Some(file) = SourceFile::read(&job.tree.root, &row.path)? else {
            return Ok(None);
        };
        let indexer = job.toolkit.plugins().indexer_for(&row.path);
        let tried = indexer.map_or(Ok(()), |indexer| indexer.sections(&file, &mut |_| {}));
        match tried {
            Err(error) if file.sha() == row.sha => {
                retried.warnings.push(as_plain_text(&row.path, error));
            }
            _ => retried.mended.push(row.path.clone()),
        }
    }
    Ok(Some(retried))
}

fn as_plain_text(path: &RelPath, error: IndexError) -> Warning {
    Warning::IndexedAsPlainText {
        path: path.to_string(),
        reason: error.message,
    }
}

fn whole_text(file: &SourceFile, rows: &mut FileWriter<'_>) {
    let text = file.text();
    let lines = 1..LineIndex::new(text.as_bytes()).count() + 1;
    rows.section(&Section {
        heading: "".into(),
        content: text,
        lines,
    });
}
