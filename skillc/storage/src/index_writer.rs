//! Writes the search index: from scratch, or by editing a copy file by file.
//!
//! The index is written to a file that no other process uses. When all related files are ready, the caller renames the
//! file into place.
//!
//! Design: C-INDEX, R21, R24.

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use skillc_core::cjk::is_cjk;
use skillc_core::config::Tokenizer;
use skillc_core::hash::Sha;
use skillc_core::source::open;
use skillc_core::time::Timestamp;
use skillc_core::{Error, RelPath, Result, Section};

use crate::db::{self, IfMissing};
use crate::search_index::{
    HEADINGS_INDEX, SCHEMA, SCHEMA_VERSION, char_counts, check_schema, tokenize_argument,
    tokenizer_name,
};

/// The metadata of a finished index.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// The canonical path of the source directory.
    pub skill_path: &'a str,
    /// The hash of the source that the index was built from.
    pub source_hash: Sha,
    /// The tokenizer of the index.
    pub tokenizer: Tokenizer,
    /// The indexers that were used.
    pub indexers: &'a str,
    /// The time of the build.
    pub indexed_at: Timestamp,
}

/// An index under construction.
pub struct IndexWriter {
    connection: Connection,
    path: PathBuf,
    next_section: i64,
    next_heading: i64,
    is_new: bool,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    chars: u64,
    cjk: u64,
}

impl IndexWriter {
    /// Creates an empty index at `path`. The path must not exist yet.
    ///
    /// # Errors
    /// Returns E999 if the database cannot be created.
    pub fn create(path: &Path, tokenizer: Tokenizer) -> Result<Self> {
        Self::new(path, tokenizer, IfMissing::Create)
    }

    /// Like [`create`](Self::create), but fills an empty file, which must exist. If another process moves the file away
    /// at the same time, nothing is created.
    ///
    /// # Errors
    /// Returns the errors of [`create`](Self::create), and E999 if the file does not exist.
    pub fn fill(path: &Path, tokenizer: Tokenizer) -> Result<Self> {
        Self::new(path, tokenizer, IfMissing::Fail)
    }

    fn new(path: &Path, tokenizer: Tokenizer, if_missing: IfMissing) -> Result<Self> {
        let fail = |e: rusqlite::Error| db::write_error(path, &e);
        let connection = db::open_private(path, if_missing, |_| Ok(())).map_err(fail)?;
        let schema = SCHEMA.replace("{tokenize}", tokenize_argument(tokenizer));
        let begin = "INSERT INTO sections(sections, rank) VALUES('automerge', 0); BEGIN;";
        connection
            .execute_batch(&format!("{schema}{begin}"))
            .map_err(fail)?;
        let counts = Counts::default();
        Ok(Self {
            connection,
            path: path.to_path_buf(),
            next_section: 1,
            next_heading: 1,
            is_new: true,
            counts,
        })
    }

    /// Copies the index at `from` to `path`, and opens the copy for editing. The file at `path` must exist; its content
    /// is replaced.
    ///
    /// # Errors
    /// Returns E999 if the file cannot be copied or is not an index.
    pub fn edit(from: &Path, path: &Path) -> Result<Self> {
        let copied = open(from).and_then(|old| {
            let (mut old, _) = old.ok_or(io::ErrorKind::NotFound)?;
            let mut new = OpenOptions::new().write(true).truncate(true).open(path)?;
            io::copy(&mut old, &mut new)
        });
        copied.map_err(|e| Error::io("copying", from, &e))?;
        let fail = |e: rusqlite::Error| db::write_error(path, &e);
        let connection = db::open_private(path, IfMissing::Fail, check_schema).map_err(fail)?;
        connection.execute_batch("BEGIN;").map_err(fail)?;
        let next = "SELECT coalesce(max(end_section), 1), coalesce(max(end_heading), 1) FROM files";
        let (next_section, next_heading) = connection
            .query_row(next, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(fail)?;
        let counts = Counts::default();
        Ok(Self {
            connection,
            path: path.to_path_buf(),
            next_section,
            next_heading,
            is_new: false,
            counts,
        })
    }

    /// Removes a file's rows.
    ///
    /// # Errors
    /// Returns E999 if the database fails.
    pub fn remove(&mut self, file: &RelPath) -> Result<()> {
        self.try_remove(file).map_err(|e| self.fail(&e))
    }

    /// Begins a file. The caller adds the headings and sections of the file, and then calls [`FileWriter::end`].
    pub fn begin<'a>(&'a mut self, file: &'a RelPath) -> FileWriter<'a> {
        self.counts = Counts::default();
        let (first_section, first_heading) = (self.next_section, self.next_heading);
        FileWriter {
            writer: self,
            file,
            first_section,
            first_heading,
            failed: None,
        }
    }

    /// Writes the metadata and closes the index.
    ///
    /// Returns the number of all characters in the index, and the number of Chinese, Japanese and Korean characters.
    ///
    /// # Errors
    /// Returns E999 if the database fails.
    pub fn finish(self, identity: &Identity<'_>) -> Result<(u64, u64)> {
        let path = self.path.clone();
        self.try_finish(identity)
            .map_err(|e| db::write_error(&path, &e))
    }

    fn try_remove(&self, file: &RelPath) -> rusqlite::Result<()> {
        let range = "SELECT first_section, end_section, first_heading, end_heading FROM files WHERE path = ?1";
        let row = self
            .connection
            .prepare_cached(range)?
            .query_row([file.as_str()], |row| {
                Ok::<(i64, i64, i64, i64), _>((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            });
        let (first_section, end_section, first_heading, end_heading) = match row {
            Err(rusqlite::Error::QueryReturnedNoRows) => return Ok(()),
            other => other?,
        };
        self.remove_rows(first_section..end_section, first_heading..end_heading)?;
        self.connection
            .execute("DELETE FROM files WHERE path = ?1", [file.as_str()])
            .map(drop)
    }

    fn remove_rows(
        &self,
        sections: std::ops::Range<i64>,
        headings: std::ops::Range<i64>,
    ) -> rusqlite::Result<()> {
        for sql in [
            "DELETE FROM sections WHERE rowid >= ?1 AND rowid < ?2",
            "DELETE FROM section_lines WHERE rowid >= ?1 AND rowid < ?2",
        ] {
            self.connection
                .execute(sql, (sections.start, sections.end))?;
        }
        self.connection.execute(
            "DELETE FROM headings WHERE id >= ?1 AND id < ?2",
            (headings.start, headings.end),
        )?;
        Ok(())
    }

    fn try_finish(self, identity: &Identity<'_>) -> rusqlite::Result<(u64, u64)> {
        if self.is_new {
            self.connection.execute_batch(HEADINGS_INDEX)?;
        }
        let mut put = self
            .connection
            .prepare("INSERT OR REPLACE INTO index_meta(key, value) VALUES(?1, ?2)")?;
        for (key, value) in [
            ("skill_path", identity.skill_path.to_owned()),
            ("source_hash", identity.source_hash.to_string()),
            ("schema_version", SCHEMA_VERSION.to_string()),
            ("indexed_at", identity.indexed_at.to_string()),
            ("tokenizer", tokenizer_name(identity.tokenizer).to_owned()),
            ("tokenize", tokenize_argument(identity.tokenizer).to_owned()),
            ("indexers", identity.indexers.to_owned()),
        ] {
            put.execute((key, value))?;
        }
        drop(put);
        let counts = char_counts(&self.connection)?;
        self.connection.execute_batch(
            "INSERT INTO sections(sections, rank) VALUES('automerge', 4); COMMIT;",
        )?;
        self.connection.close().map_err(|(_, error)| error)?;
        Ok(counts)
    }

    fn fail(&self, error: &rusqlite::Error) -> Error {
        db::write_error(&self.path, error)
    }
}

/// Writes the rows of one file. After the first failure, all further rows are ignored, and [`end`](Self::end) returns
/// the error.
pub struct FileWriter<'a> {
    writer: &'a mut IndexWriter,
    file: &'a RelPath,
    first_section: i64,
    first_heading: i64,
    failed: Option<rusqlite::Error>,
}

impl FileWriter<'_> {
    /// Adds a heading, for `skc show`.
    pub fn heading(&mut self, text: &str, level: u8, lines: (usize, usize)) {
        let sql = "INSERT INTO headings(id, file, text, level, start_line, end_line) VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
        let id = self.writer.next_heading;
        let text = storable(text);
        self.run(sql, (id, self.file.as_str(), text, level, lines.0, lines.1));
        self.writer.next_heading += 1;
    }

    /// Adds a section, for `skc search`.
    pub fn section(&mut self, section: &Section<'_>) {
        let id = self.writer.next_section;
        let sql = "INSERT INTO sections(rowid, file, section, content) VALUES(?1, ?2, ?3, ?4)";
        self.run(
            sql,
            (
                id,
                self.file.as_str(),
                storable(&section.heading),
                storable(&section.content),
            ),
        );
        let sql = "INSERT INTO section_lines(rowid, start_line, end_line) VALUES(?1, ?2, ?3)";
        self.run(sql, (id, section.lines.start, section.lines.end));
        self.writer.next_section += 1;
        self.writer.counts.add(&section.content);
    }

    /// Discards the sections and headings that were added for this file.
    pub fn forget(&mut self) {
        let sections = self.first_section..self.writer.next_section;
        let headings = self.first_heading..self.writer.next_heading;
        if let Err(error) = self.writer.remove_rows(sections, headings) {
            self.failed.get_or_insert(error);
        }
        self.writer.next_section = self.first_section;
        self.writer.next_heading = self.first_heading;
        self.writer.counts = Counts::default();
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// Returns E999 if any row could not be written.
    pub fn end(mut self) -> Result<()> {
        let sql = "INSERT INTO files VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let sections = (self.first_section, self.writer.next_section);
        let headings = (self.first_heading, self.writer.next_heading);
        let (chars, cjk) = (self.writer.counts.chars, self.writer.counts.cjk);
        self.run(
            sql,
            (
                self.file.as_str(),
                sections.0,
                sections.1,
                headings.0,
                headings.1,
                chars,
                cjk,
            ),
        );
        match self.failed {
            None => Ok(()),
            Some(error) => Err(self.writer.fail(&error)),
        }
    }

    fn run(&mut self, sql: &str, params: impl rusqlite::Params) {
        if self.failed.is_some() {
            return;
        }
        let done = self
            .writer
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params));
        self.failed = done.err();
    }
}

/// Replaces NUL characters, because `SQLite` would end snippets and case-insensitive comparisons at the first NUL.
///
/// Deviation: C-FORMATS keeps the text unchanged. Real text contains no NUL, and Markdown parsers replace NUL in the
/// same way.
fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

impl Counts {
    fn add(&mut self, text: &str) {
        if text.is_ascii() {
            self.chars += text.len() as u64;
            return;
        }
        for c in text.chars() {
            self.chars += 1;
            self.cjk += u64::from(is_cjk(c));
        }
    }
}
