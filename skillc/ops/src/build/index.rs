//! Keeps, updates or rebuilds the search index of a build.
//!
//! Files are read, hashed and parsed on all cores; a single thread writes the index. Content is dropped once it is
//! indexed, so memory use is bounded by the largest files, not by the size of the skill.
//!
//! Design: C-INDEX, R20, R21, R25.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rayon::prelude::*;
use skillc_core::budget::ScriptBudget;
use skillc_core::hash::source_hash;
use skillc_core::source::{MAX_PARSED_BYTES, WalkedFile, hash_file};
use skillc_core::{
    Error, Indexer, RelPath, Result, SkillRef, SourceFile, SourceTree, Stop, Warning,
};
use skillc_storage::freshness::{Fate, FileRow, IndexStamp};
use skillc_storage::index_writer::Identity;
use skillc_storage::{Freshness, IndexWriter, SearchIndex};

use super::sections::{Indexed, retry, write_file};
use crate::notes::Notes;
use crate::progress::Work;
use crate::runtime::record::Known;
use crate::toolkit::Toolkit;

/// The size limit of a batch in bytes. Two batches are in flight: one being read and one being written.
const BATCH_BYTES: u64 = 4 << 20;

/// If more than one in this many files has changed, a rebuild is faster than an update.
const EDIT_ONE_IN: usize = 4;

pub(crate) struct IndexJob<'a> {
    pub(crate) toolkit: &'a Toolkit,
    pub(crate) at: &'a SkillRef,
    pub(crate) tree: &'a SourceTree,
    /// The state of the files at the last build.
    pub(crate) known: Option<Freshness>,
    /// The record of the files that this user's builds wrote into the runtime directory.
    pub(crate) ours: &'a Known,
    /// The current index.
    pub(crate) current: &'a Path,
    /// The path that a new index is written to.
    pub(crate) temporary: &'a Path,
    /// The file system's time before anything was read, in nanoseconds since 1970.
    pub(crate) begun_ns: i64,
}

impl IndexJob<'_> {
    /// Returns the indexer of a file. A project's script does not index the user's own skills: it must not affect an
    /// index that is used in all projects.
    pub(crate) fn indexer_for(&self, path: &RelPath) -> Option<&Arc<dyn Indexer>> {
        let indexer = self.toolkit.plugins().indexer_for(path);
        indexer.filter(|indexer| indexer.is_for(&self.at.canonical))
    }
}

/// How the index was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    Edited,
    Rebuilt,
}

impl Change {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "unchanged",
            Self::Edited => "edited",
            Self::Rebuilt => "rebuilt",
        }
    }
}

pub(crate) struct IndexResult {
    pub(crate) change: Change,
    /// A row per file, in path order.
    pub(crate) rows: Vec<FileRow>,
    /// Whether the stored freshness table already matches and all its entries can be trusted.
    pub(crate) is_settled: bool,
    /// The stamp of the index, whether the index is new or unchanged.
    pub(crate) index: IndexStamp,
    /// The number of characters in a new or updated index, and how many of them are CJK.
    pub(crate) char_counts: Option<(u64, u64)>,
}

/// Brings the index up to date with as little work as possible.
///
/// Returns `None` if a file disappeared in the meantime.
pub(crate) fn bring_up_to_date(
    job: &IndexJob<'_>,
    notes: &mut Notes,
) -> Result<Option<IndexResult>> {
    let Some(Editable { known, stamp }) = editable(job)? else {
        return rebuild(job, notes);
    };
    let Some(rows) = look_again(job.tree, known, &job.toolkit.stop)? else {
        return Ok(None);
    };
    let is_same = |row: &&FileRow| known.get(&row.path).is_some_and(|old| old.sha == row.sha);
    let changed = rows.iter().filter(|row| !is_same(row));
    let mut changed: Vec<RelPath> = changed.map(|row| row.path.clone()).collect();
    let Some(retried) = retry(job, &rows)? else {
        return Ok(None);
    };
    changed.extend(retried.mended);
    changed.sort();
    let removed: Vec<&RelPath> = known
        .rows
        .iter()
        .map(|row| &row.path)
        .filter(|path| job.tree.get(path).is_none())
        .collect();
    if changed.is_empty() && removed.is_empty() {
        let entries = &mut job.tree.entries.iter();
        let is_settled = entries.all(|entry| known.fate(entry) != Fate::Unsure);
        retried
            .warnings
            .into_iter()
            .for_each(|told| notes.warn(told));
        return Ok(Some(IndexResult {
            change: Change::Nothing,
            rows,
            is_settled,
            index: stamp,
            char_counts: None,
        }));
    }
    if (changed.len() + removed.len()).saturating_mul(EDIT_ONE_IN) > known.rows.len() {
        return rebuild(job, notes);
    }
    retried
        .warnings
        .into_iter()
        .for_each(|told| notes.warn(told));
    edit(job, rows, &changed, &removed, notes)
}

/// An index that can be updated in place.
struct Editable<'a> {
    /// The files that the index was built from.
    known: &'a Freshness,
    stamp: IndexStamp,
}

/// Returns the index if it can be updated: this user built it, with the current indexers and tokenizer, from exactly
/// the files of the last build.
fn editable<'a>(job: &'a IndexJob<'_>) -> Result<Option<Editable<'a>>> {
    let Ok(index) = SearchIndex::open(job.current, &job.toolkit.stop) else {
        return Ok(None);
    };
    let meta = index.meta();
    if meta.skill_path != job.at.canonical.to_string_lossy() {
        return Err(Error::IndexCollision {
            hash16: job.at.hash16(),
        });
    }
    let (Some(known), Ok(stamp)) = (&job.known, IndexStamp::read(job.current)) else {
        return Ok(None);
    };
    // An index that has been written to since the last build cannot be trusted: not even a full check would detect
    // changed text.
    let fits = known.knows(stamp)
        && job.ours.has_index(&job.at.hash16(), stamp)
        && meta.is_current(known.hash(), job.toolkit.config.tokenizer)
        && meta.indexers == job.toolkit.plugins().indexer_set()
        && index.has_our_tables();
    Ok(fits.then_some(Editable { known, stamp }))
}

/// Returns the current state of every file; `None` if a file has disappeared. Only files that may have changed are
/// hashed.
fn look_again(tree: &SourceTree, known: &Freshness, stop: &Stop) -> Result<Option<Vec<FileRow>>> {
    let row = |entry: &WalkedFile, sha, stamp| {
        let old = known.get(&entry.path);
        FileRow {
            path: entry.path.clone(),
            stamp,
            sha,
            is_plain: old.is_some_and(|old| old.is_plain && old.sha == sha),
        }
    };
    let look = |entry: &WalkedFile| match known.fate(entry) {
        Fate::Same(sha) => Ok(Some(row(entry, sha, entry.stamp))),
        Fate::Unsure => {
            let hashed = hash_file(&tree.root, &entry.path, stop)?;
            Ok(hashed.map(|(sha, stamp)| row(entry, sha, stamp)))
        }
    };
    let rows: Result<Vec<Option<FileRow>>> = tree.entries.par_iter().map(look).collect();
    Ok(rows?.into_iter().collect())
}

fn rebuild(job: &IndexJob<'_>, notes: &mut Notes) -> Result<Option<IndexResult>> {
    let mut writer = IndexWriter::fill(job.temporary, job.toolkit.config.tokenizer)?;
    let entries: Vec<&WalkedFile> = job.tree.entries.iter().collect();
    let Some(rows) = add_files(job, &entries, &mut writer, notes)? else {
        return Ok(None);
    };
    finish(job, writer, Change::Rebuilt, rows)
}

fn edit(
    job: &IndexJob<'_>,
    mut rows: Vec<FileRow>,
    changed: &[RelPath],
    removed: &[&RelPath],
    notes: &mut Notes,
) -> Result<Option<IndexResult>> {
    let mut writer = IndexWriter::edit(job.current, job.temporary)?;
    for path in removed.iter().copied().chain(changed) {
        writer.remove(path)?;
    }
    let entries: Vec<&WalkedFile> = changed
        .iter()
        .filter_map(|path| job.tree.get(path))
        .collect();
    let Some(added) = add_files(job, &entries, &mut writer, notes)? else {
        return Ok(None);
    };
    for row in added {
        if let Ok(at) = rows.binary_search_by(|other| other.path.cmp(&row.path)) {
            rows[at] = row;
        }
    }
    finish(job, writer, Change::Edited, rows)
}

fn finish(
    job: &IndexJob<'_>,
    writer: IndexWriter,
    change: Change,
    rows: Vec<FileRow>,
) -> Result<Option<IndexResult>> {
    let hash = source_hash(rows.iter().map(|row| (&row.path, row.sha)));
    let char_counts = writer.finish(&Identity {
        skill_path: &job.at.canonical.to_string_lossy(),
        source_hash: hash,
        tokenizer: job.toolkit.config.tokenizer,
        indexers: &job.toolkit.plugins().indexer_set(),
        indexed_at: job.toolkit.context.clock.now(),
    })?;
    let index = IndexStamp::seal(job.temporary, job.begun_ns);
    let index = index.map_err(|e| Error::io("writing", job.temporary, &e))?;
    Ok(Some(IndexResult {
        change,
        rows,
        is_settled: false,
        index,
        char_counts: Some(char_counts),
    }))
}

/// A file that was read and hashed, with its content if it needs indexing.
struct Prepared {
    row: FileRow,
    content: Option<SourceFile>,
    is_too_large: bool,
}

type Batch = Result<Vec<Option<Prepared>>>;

/// Reads files on all cores and writes them to the index in path order.
///
/// Returns the rows of the files, in path order; `None` if a file disappeared.
fn add_files(
    job: &IndexJob<'_>,
    entries: &[&WalkedFile],
    writer: &mut IndexWriter,
    notes: &mut Notes,
) -> Result<Option<Vec<FileRow>>> {
    let work = job.toolkit.work("Indexing files", entries.len());
    let (sender, receiver) = sync_channel(0);
    thread::scope(|scope| {
        // Each side owns its end of the channel, so that neither can deadlock: when the reading thread ends, so does
        // the receiving loop; and if the writer gives up, the reading thread's next send fails.
        scope.spawn(move || prepare_all(job, entries, &sender));
        job.toolkit
            .scripts
            .for_one(|budget| write_all(job, receiver, budget, writer, &work, notes))
    })
}

fn prepare_all(job: &IndexJob<'_>, entries: &[&WalkedFile], sender: &SyncSender<Batch>) {
    let mut rest = entries;
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(batch_len(rest));
        rest = after;
        let prepared: Batch = batch.par_iter().map(|entry| prepare(job, entry)).collect();
        if sender.send(prepared).is_err() {
            return;
        }
    }
}

/// Returns the number of files in the next batch, at least one.
fn batch_len(entries: &[&WalkedFile]) -> usize {
    let mut bytes = 0;
    let fits = |entry: &&&WalkedFile| {
        bytes += entry.stamp.size.min(MAX_PARSED_BYTES);
        bytes <= BATCH_BYTES
    };
    entries.iter().take_while(fits).count().max(1)
}

fn prepare(job: &IndexJob<'_>, entry: &WalkedFile) -> Result<Option<Prepared>> {
    let root = &job.tree.root;
    let path = entry.path.clone();
    let has_indexer = job.indexer_for(&path).is_some();
    let is_too_large = entry.stamp.size > MAX_PARSED_BYTES || job.tree.is_repeated(entry);
    if !has_indexer || is_too_large {
        let hashed = hash_file(root, &path, &job.toolkit.stop)?;
        let is_too_large = has_indexer && is_too_large;
        return Ok(hashed.map(|(sha, stamp)| Prepared {
            row: FileRow {
                path,
                stamp,
                sha,
                is_plain: false,
            },
            content: None,
            is_too_large,
        }));
    }
    Ok(SourceFile::read(root, &path)?.map(|file| {
        // The beginning of the file is still indexed: this warning concerns only the rest.
        let is_too_large = path.has_extension("md") && file.document().is_cut();
        let row = FileRow {
            path,
            stamp: file.stamp,
            sha: file.sha(),
            is_plain: false,
        };
        Prepared {
            row,
            content: Some(file),
            is_too_large,
        }
    }))
}

fn write_all(
    job: &IndexJob<'_>,
    batches: Receiver<Batch>,
    budget: &ScriptBudget,
    writer: &mut IndexWriter,
    work: &Work<'_>,
    notes: &mut Notes,
) -> Result<Option<Vec<FileRow>>> {
    let mut rows = Vec::new();
    for batch in batches {
        for prepared in batch? {
            let Some(Prepared {
                mut row,
                content,
                is_too_large,
            }) = prepared
            else {
                return Ok(None);
            };
            if is_too_large {
                notes.warn(Warning::FileTooLarge {
                    path: row.path.to_string(),
                });
            }
            if let Some(file) = content {
                let indexed = write_file(job, &file, budget, writer, notes)?;
                row.is_plain = indexed == Indexed::AsPlainText;
            }
            rows.push(row);
            work.advance()?;
        }
    }
    Ok(Some(rows))
}
