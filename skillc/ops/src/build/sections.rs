//! Indexes the content of a file: the sections that its indexer finds, or the whole text if the indexer fails.
//!
//! An indexer can fail for transient reasons: a script may hit its time limit on a busy machine. Files indexed as plain
//! text are therefore recorded, and each build retries their indexers.
//!
//! Design: C-INDEX, R20.

use std::sync::Arc;

use skillc_core::budget::ScriptBudget;
use skillc_core::{IndexError, Indexer, LineIndex, RelPath, Result, Section, SourceFile, Warning};
use skillc_storage::IndexWriter;
use skillc_storage::freshness::FileRow;
use skillc_storage::index_writer::FileWriter;

use super::index::IndexJob;
use crate::notes::Notes;

/// The level of headings in files other than Markdown: such headings do not state a level.
const LEVEL_OF_OTHERS: u8 = 1;

/// The limit on the total size of the copies of a file's path in the index, in bytes: each row of the file contains a
/// copy. For a file larger than an eighth of this limit, the limit is eight times the size of the file.
const MAX_PATH_BYTES: usize = 16 << 20;

/// How a file was indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indexed {
    /// By its indexer, or not at all.
    AsFormat,
    /// As a single section of plain text: its indexer failed.
    AsPlainText,
}

/// Writes the searchable content of a file to the index.
///
/// # Errors
/// E999 if the index cannot be written.
pub(super) fn write_file(
    job: &IndexJob<'_>,
    file: &SourceFile,
    budget: &ScriptBudget,
    writer: &mut IndexWriter,
    notes: &mut Notes,
) -> Result<Indexed> {
    let Some(indexer) = job.indexer_for(&file.path) else {
        return Ok(Indexed::AsFormat);
    };
    let mut rows = writer.begin(&file.path);
    let is_markdown = file.path.has_extension("md");
    let mut first_line = None;
    let mut write = |section: Section<'_>| {
        let lines = section.lines.clone();
        first_line = Some(first_line.map_or(lines.start, |first: usize| first.min(lines.start)));
        rows.section(&section);
        if !is_markdown && !section.heading.is_empty() {
            rows.heading(&section.heading, LEVEL_OF_OTHERS, (lines.start, lines.end));
        }
    };
    let mut how = Indexed::AsFormat;
    match sections(job, indexer, file, budget, &mut write) {
        Ok(()) if indexer.indexes_other_text() => text_before(file, first_line, &mut rows),
        Ok(()) => {}
        Err(error) => {
            rows.forget();
            whole_text(file, &mut rows);
            if !error.is_known {
                notes.warn(as_plain_text(&file.path, error));
            }
            how = Indexed::AsPlainText;
        }
    }
    job.toolkit.stop.check()?;
    if is_markdown {
        let headings = file.document().headings.iter();
        let listed = headings.filter(|heading| heading.is_listed());
        for heading in listed.take(max_rows(file)) {
            let lines = (heading.line, heading.end_line);
            rows.heading(&heading.text, heading.level, lines);
        }
    }
    rows.end()?;
    Ok(how)
}

/// Passes the sections of a file to `emit`, until the run is cancelled.
///
/// # Errors
/// The errors of [`Indexer::sections_within`], and an error if the file has too many sections for the length of its
/// path.
fn sections(
    job: &IndexJob<'_>,
    indexer: &Arc<dyn Indexer>,
    file: &SourceFile,
    budget: &ScriptBudget,
    emit: &mut dyn FnMut(Section<'_>),
) -> std::result::Result<(), IndexError> {
    let (stop, max_rows, mut count) = (&job.toolkit.stop, max_rows(file), 0);
    let mut counted = |section: Section<'_>| {
        count += 1;
        if count <= max_rows && !stop.is_raised() {
            emit(section);
        }
    };
    indexer.sections_within(file, budget, &mut counted)?;
    if count > max_rows {
        return Err(IndexError::new(format!(
            "it has {count} sections; with a path this long, at most {max_rows} are indexed"
        )));
    }
    Ok(())
}

/// Returns the limit on a file's sections; the same limit applies to its headings. Every row repeats the file's path,
/// so a file with a long path and many sections would produce a huge index.
fn max_rows(file: &SourceFile) -> usize {
    let most = file.bytes.len().saturating_mul(8).max(MAX_PATH_BYTES);
    most / file.path.as_str().len().max(1)
}

/// The result of retrying the indexers that failed at the last build.
#[derive(Default)]
pub(super) struct Retried {
    /// Files to index again: their indexer succeeds now, or they have just changed.
    pub(super) mended: Vec<RelPath>,
    /// A warning for each file whose indexer failed again.
    pub(super) warnings: Vec<Warning>,
}

/// Retries the indexers of files that are indexed as plain text.
///
/// `rows`: the current files. Returns `None` if a file disappeared in the meantime.
///
/// # Errors
/// E999 if a file cannot be read.
pub(super) fn retry(job: &IndexJob<'_>, rows: &[FileRow]) -> Result<Option<Retried>> {
    let scripts = &job.toolkit.scripts;
    scripts.for_one(|budget| retry_within(job, rows, budget))
}

fn retry_within(
    job: &IndexJob<'_>,
    rows: &[FileRow],
    budget: &ScriptBudget,
) -> Result<Option<Retried>> {
    let mut retried = Retried::default();
    for row in rows.iter().filter(|row| row.is_plain) {
        job.toolkit.stop.check()?;
        let Some(file) = SourceFile::read(&job.tree.root, &row.path)? else {
            return Ok(None);
        };
        let indexer = job.indexer_for(&row.path);
        let tried = indexer.map_or(Ok(()), |indexer| {
            sections(job, indexer, &file, budget, &mut |_| {})
        });
        match tried {
            Err(error) if error.is_known && file.sha() == row.sha => {}
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

/// Writes the text before the first section if the text contains a word. Writes the whole text if there are no
/// sections.
fn text_before(file: &SourceFile, first_line: Option<usize>, rows: &mut FileWriter<'_>) {
    let text = file.text();
    let lines = LineIndex::new(text.as_bytes());
    let end = first_line.unwrap_or(lines.count() + 1);
    let content = &text[lines.range(1, end)];
    if content.contains(char::is_alphanumeric) {
        rows.section(&Section {
            heading: "".into(),
            content: content.into(),
            lines: 1..end,
        });
    }
}
