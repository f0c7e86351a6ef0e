//! Reads the search index.
//!
//! An index is opened read-only and validated before it is trusted: its tables must be those of this program, and its
//! metadata must be complete. An index that cannot be read is [`Unusable`]. The caller decides whether a readable index
//! is current.
//!
//! Design: C-INDEX, C-SEARCH, C-SHOW, R8, R24.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rusqlite::{Connection, ErrorCode, OptionalExtension, Params};
use skillc_core::config::Tokenizer;
use skillc_core::error::Suggestion;
use skillc_core::hash::Sha;
use skillc_core::{IndexerMeta, Stop};

use crate::best_rows::best_rows;
use crate::db;
use crate::headings_above::headings_above;
use crate::limits::Guarded;
use crate::schema_check::{self, Allowed, Schema};
use crate::search_query::{
    MAX_ALL_TOKENS, MAX_LOOKUP_TOKENS, check_raw, distinct, phrase, shorten, terms,
};
use crate::snippet::{Marking, Passages, Query};

/// The schema version of new indexes. An index with an older version is never current.
pub(crate) const SCHEMA_VERSION: i64 = 2;

/// The tables. The placeholder `{tokenize}` is replaced by the tokenizer.
pub(crate) const SCHEMA: &str = include_str!("schema/search_v2.sql");

/// The statement that creates the index on headings. It runs after all rows have been inserted.
pub(crate) const HEADINGS_INDEX: &str =
    "CREATE INDEX idx_headings_text ON headings(text COLLATE NOCASE)";

/// The shadow tables that FTS5 creates for `sections`.
const SHADOWS: [&str; 5] = [
    "CREATE TABLE 'sections_data'(id INTEGER PRIMARY KEY, block BLOB)",
    "CREATE TABLE 'sections_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
    "CREATE TABLE 'sections_content'(id INTEGER PRIMARY KEY, c0, c1, c2)",
    "CREATE TABLE 'sections_docsize'(id INTEGER PRIMARY KEY, sz BLOB)",
    "CREATE TABLE 'sections_config'(k PRIMARY KEY, v) WITHOUT ROWID",
];

/// The maximum length of a value in `index_meta`, in bytes: longer than any path.
const MAX_META_BYTES: i64 = 64 << 10;

/// Selects the metadata that this program uses, except values longer than `?1` bytes.
const META: &str = "
    SELECT key, value FROM index_meta
    WHERE key IN ('indexers', 'schema_version', 'skill_path', 'source_hash', 'tokenizer')
          AND octet_length(value) <= ?1";

/// Selects the first row that matches `?1`, and a snippet that shows the matching word. If the row is longer than `?2`
/// bytes, the snippet is NULL.
const SPELLING: &str = "
    SELECT rowid,
           iif(octet_length(file) + octet_length(section) + octet_length(content) <= ?2,
               snippet(sections, -1, '[MATCH]', '[/MATCH]', '', 1), NULL)
    FROM sections WHERE sections MATCH ?1 LIMIT 1";

/// Selects the innermost section that contains the line `?2` of the file `?1`. The query looks up the file's range of
/// rows first, because the full-text table has no index by file, and would have to be scanned in full.
const SECTION_AT: &str = "
    SELECT section, start_line, end_line
    FROM files
    JOIN section_lines ON section_lines.rowid >= first_section AND section_lines.rowid < end_section
    JOIN sections ON sections.rowid = section_lines.rowid
    WHERE path = ?1 AND start_line <= ?2 AND end_line > ?2
    ORDER BY start_line DESC, end_line, section_lines.rowid DESC LIMIT 1";

/// The reason why an index cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// The file does not exist.
    Missing,
    /// The file exists but cannot be read as an index.
    Corrupt,
    /// A call took too much time or memory, or was cancelled.
    Interrupted,
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted | ErrorCode::OutOfMemory) => Self::Interrupted,
            _ => Self::Corrupt,
        }
    }
}

/// The metadata of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexMeta {
    /// The canonical path of the source directory.
    pub skill_path: String,
    /// The source hash at the time of the build.
    pub source_hash: String,
    /// The schema version.
    pub schema_version: i64,
    /// `porter` or `unicode61`.
    pub tokenizer: String,
    /// The indexers that built the index; empty if another program built it.
    pub indexers: String,
}

impl IndexMeta {
    /// Returns whether the index has a current schema and was built from the source with this hash, regardless of the
    /// tokenizer.
    pub fn is_of(&self, source_hash: Sha) -> bool {
        self.source_hash == source_hash.to_string() && self.schema_version >= SCHEMA_VERSION
    }

    fn tokenizer(&self) -> Tokenizer {
        if self.tokenizer == tokenizer_name(Tokenizer::Ascii) {
            Tokenizer::Ascii
        } else {
            Tokenizer::Cjk
        }
    }

    /// Returns whether this version of an indexer was used to build the index.
    pub fn has_indexer(&self, indexer: &IndexerMeta) -> bool {
        let wanted = format!("{}@{}", indexer.id, indexer.version);
        self.indexers.split(' ').any(|built| built == wanted)
    }

    /// Returns whether the index has a current schema, and was built from the source with this hash and with this
    /// tokenizer.
    ///
    /// Design: C-INDEX.
    pub fn is_current(&self, source_hash: Sha, tokenizer: Tokenizer) -> bool {
        self.is_of(source_hash) && self.tokenizer == tokenizer_name(tokenizer)
    }
}

/// How a query is interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Matching {
    /// A section must contain every word, in any order.
    #[default]
    Words,
    /// A section must contain the words as a phrase.
    Phrase,
    /// The query is in FTS5 syntax.
    Raw,
}

/// A search for sections.
#[derive(Clone, Copy)]
pub struct SectionQuery<'a> {
    /// The text of the query.
    pub text: &'a str,
    /// How the query is interpreted.
    pub matching: Matching,
    /// The maximum number of hits.
    pub limit: usize,
    /// Returns whether to search a file.
    pub has_file: &'a dyn Fn(&str) -> bool,
    /// The work budget for marking words in the hits; `None` for the budget of one command.
    pub marking: Option<&'a Marking>,
}

impl<'a> SectionQuery<'a> {
    /// Creates a search in all files for all words of a string.
    pub fn words(text: &'a str, limit: usize) -> Self {
        Self {
            text,
            matching: Matching::Words,
            limit,
            has_file: &|_| true,
            marking: None,
        }
    }

    /// Returns the query for the database; `None` if the query has no words.
    ///
    /// `tokenize`: the `tokenize` argument of the index.
    fn parse(&self, tokenize: &str) -> rusqlite::Result<Option<Query>> {
        let mut terms = match self.matching {
            Matching::Words => distinct(terms(self.text), tokenize)?,
            Matching::Phrase => phrase(self.text).into_iter().collect(),
            Matching::Raw => return Ok(Some(Query::raw(&self.text.replace('\0', "")))),
        };
        shorten(&mut terms, MAX_ALL_TOKENS, tokenize)?;
        Ok((!terms.is_empty()).then(|| Query::new(&terms)))
    }
}

/// The reason why a search failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchFault {
    /// The index cannot be used.
    Unusable(Unusable),
    /// The query is not valid FTS5 syntax, or has too many tokens. The string is the error message.
    Syntax(String),
}

/// A search result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The path of the file, relative to the skill's root.
    pub file: String,
    /// The section's heading; empty for a whole file or text before the first heading.
    pub section: String,
    /// The headings of the sections that contain this section, outermost first.
    pub above: Vec<String>,
    /// The matching passage, with `[MATCH]` and `[/MATCH]` around the words. If the budget for marking words was spent,
    /// the beginning of the section.
    pub snippet: String,
    /// The BM25 score with weighted columns: a positive number; larger is better.
    pub score: f64,
    /// The 1-based first line, and the line after the last one; `None` if another program built the index.
    pub lines: Option<(usize, usize)>,
}

/// A section that can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedHeading {
    /// The path of the file, relative to the skill's root. The headings of a file share this string, because there can
    /// be many headings, and the path can be long.
    pub file: Arc<str>,
    /// The text of the heading; empty for a whole file or text before the first heading.
    pub text: String,
    /// The 1-based line of the heading.
    pub start_line: usize,
    /// The 1-based line after the section.
    pub end_line: usize,
}

/// A heading of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineHeading {
    /// The level, from 1 to 6.
    pub level: u8,
    /// The text of the heading.
    pub text: String,
    /// The 1-based line of the heading.
    pub line: usize,
}

/// An open index.
pub struct SearchIndex {
    connection: Guarded,
    meta: IndexMeta,
    /// Whether the index had all tables of the current schema when it was opened.
    has_our_tables: bool,
}

impl SearchIndex {
    /// Opens an index and validates it. `stop`: cancels slow operations of this call, and of later calls until
    /// [`restart`](Self::restart) is called.
    ///
    /// # Errors
    /// Returns [`Unusable::Missing`] if `path` does not exist, [`Unusable::Corrupt`] for every other failure.
    pub fn open(path: &Path, stop: &Stop) -> Result<Self, Unusable> {
        if path.symlink_metadata().is_err() {
            return Err(Unusable::Missing);
        }
        if !path.is_file() {
            return Err(Unusable::Corrupt);
        }
        let corrupt = |_| Unusable::Corrupt;
        let connection = db::open_read_only(path, stop).map_err(corrupt)?;
        let length = path.metadata().map_err(|_| Unusable::Corrupt)?.len();
        if is_cut_short(&connection, length).map_err(corrupt)? {
            return Err(Unusable::Corrupt);
        }
        let schema = checked_schema(&connection).map_err(corrupt)?;
        connection.admit().map_err(corrupt)?;
        let meta = read_meta(&connection).map_err(corrupt)?;
        let meta = meta.ok_or(Unusable::Corrupt)?;
        let has_our_tables = schema.holds_all(our_tables(meta.tokenizer()));
        Ok(Self {
            connection,
            meta,
            has_our_tables,
        })
    }

    /// Restarts the deadline for another command on an open index. `stop`: cancels that command.
    pub fn restart(&self, stop: &Stop) {
        self.connection.restart(stop);
    }

    /// Returns the metadata of the index.
    pub fn meta(&self) -> &IndexMeta {
        &self.meta
    }

    /// Returns whether the index has all tables of the current schema.
    pub fn has_our_tables(&self) -> bool {
        self.has_our_tables
    }

    /// Finds the sections that match a query, best first. Breaks ties by file, then by document order. If a section and
    /// a section nested inside it both match, only the inner section is returned.
    ///
    /// Returns `None` for a query without words.
    ///
    /// # Errors
    /// Returns [`SearchFault::Syntax`] for an invalid or very long raw query, [`SearchFault::Unusable`] if the index
    /// cannot be read.
    pub fn search(&self, asked: &SectionQuery<'_>) -> Result<Option<Vec<Hit>>, SearchFault> {
        let failed = |error: rusqlite::Error| SearchFault::Unusable(error.into());
        if asked.matching == Matching::Raw {
            let checked = check_raw(asked.text, self.tokenize()).map_err(failed)?;
            checked.map_err(SearchFault::Syntax)?;
        }
        let query = asked.parse(self.tokenize());
        let Some(query) = query.map_err(failed)? else {
            return Ok(None);
        };
        let hits = self.hits(&query, asked);
        hits.map(Some).map_err(|error| match error {
            rusqlite::Error::SqliteFailure(code, Some(message))
                if asked.matching == Matching::Raw && code.code == ErrorCode::Unknown =>
            {
                SearchFault::Syntax(message)
            }
            error => SearchFault::Unusable(error.into()),
        })
    }

    /// Returns the query words that no section contains, as written in the query. Ignores words without letters and
    /// digits.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    pub fn unknown_words<'q>(&self, query: &'q str) -> Result<Vec<&'q str>, Unusable> {
        let has_letters = |word: &&str| word.contains(char::is_alphanumeric);
        let words = query.split_ascii_whitespace().filter(has_letters);
        let (words, mut terms): (Vec<&str>, Vec<String>) = words
            .filter_map(|word| Some((word, terms(word).pop()?)))
            .unzip();
        shorten(&mut terms, MAX_LOOKUP_TOKENS, self.tokenize())?;
        let mut unknown = Vec::new();
        for (word, term) in words.into_iter().zip(terms) {
            if !unknown.contains(&word) && !self.contains(&term)? {
                unknown.push(word);
            }
        }
        Ok(unknown)
    }

    fn contains(&self, term: &str) -> Result<bool, Unusable> {
        let sql = "SELECT EXISTS (SELECT 1 FROM sections WHERE sections MATCH ?1)";
        let found = self.connection.prepare_cached(sql);
        let found = found.and_then(|mut found| found.query_row([term], |row| row.get(0)));
        found.map_err(Unusable::from)
    }

    /// Calls `visit` with each (stemmed) term of the index, in no particular order.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    pub fn each_term(&self, visit: impl FnMut(String)) -> Result<(), Unusable> {
        self.read_terms(visit).map_err(Unusable::from)
    }

    fn read_terms(&self, mut visit: impl FnMut(String)) -> rusqlite::Result<()> {
        // Create the table in the temporary database, because the index is opened read-only.
        let table =
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab(main, sections, row)";
        self.connection.execute_batch(table)?;
        let mut statement = self
            .connection
            .prepare_cached("SELECT term FROM temp.terms")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            visit(row.get(0)?);
        }
        Ok(())
    }

    /// Returns a word, in lower case, that has the stem `word` and occurs in one of the sections; `None` if no section
    /// contains such a word.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    pub fn spelling(&self, word: &str) -> Result<Option<String>, Unusable> {
        self.read_spelling(word).map_err(Unusable::from)
    }

    /// Finds the headings whose text equals `text`, ignoring case, ordered by file and line.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    ///
    /// Design: C-SHOW.
    pub fn headings(
        &self,
        text: &str,
        file: Option<&str>,
    ) -> Result<Vec<IndexedHeading>, Unusable> {
        let found = if text.is_ascii() {
            self.read_headings("WHERE text = ?1 COLLATE NOCASE", [text])
        } else {
            let wanted = text.to_lowercase();
            let all = self.read_headings("", []);
            all.map(|all| {
                all.into_iter()
                    .filter(|heading| heading.text.to_lowercase() == wanted)
                    .collect()
            })
        };
        found
            .map(|all| in_file(all, file).collect())
            .map_err(Unusable::from)
    }

    /// Returns all headings, ordered by file and line. If several headings are on the same line, the heading of the
    /// longest section comes first.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    pub fn all_headings(&self, file: Option<&str>) -> Result<Vec<IndexedHeading>, Unusable> {
        let all = self.read_headings("", []).map_err(Unusable::from)?;
        Ok(in_file(all, file).collect())
    }

    /// Returns a map from the path of each file to its headings, in document order. Files without headings are not
    /// included.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    pub fn outlines(&self) -> Result<HashMap<String, Vec<OutlineHeading>>, Unusable> {
        self.read_outlines().map_err(Unusable::from)
    }

    /// Returns the innermost section of a file that contains a line, even if the section has no heading.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    pub fn section_at(&self, file: &str, line: usize) -> Result<Option<IndexedHeading>, Unusable> {
        self.read_section_at(file, line).map_err(Unusable::from)
    }

    /// Finds headings similar to `text`: first headings that begin with `text`, then headings that contain it, both
    /// ordered by file and line. If `text` is the path of a file, all headings of the file count as similar.
    ///
    /// `limit`: the maximum number of suggestions. A heading that occurs twice in a file is suggested once.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    pub fn suggestions(
        &self,
        text: &str,
        file: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Suggestion>, Unusable> {
        let wanted = text.to_lowercase();
        let (mut first, mut second, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for heading in self.all_headings(file)? {
            let lower = heading.text.to_lowercase();
            let suggestion = Suggestion {
                heading: heading.text,
                file: heading.file.to_string(),
            };
            let is_path = suggestion.file == text;
            if !is_path && !lower.contains(&wanted) || !seen.insert(suggestion.clone()) {
                continue;
            }
            if lower.starts_with(&wanted) {
                first.push(suggestion);
            } else {
                second.push(suggestion);
            }
        }
        first.extend(second);
        first.truncate(limit);
        Ok(first)
    }

    /// Returns the number of all characters in the index, and the number of Chinese, Japanese and Korean characters.
    ///
    /// # Errors
    /// Returns the reason why the index cannot be read.
    pub fn char_counts(&self) -> Result<(u64, u64), Unusable> {
        char_counts(&self.connection).map_err(Unusable::from)
    }

    fn hits(&self, query: &Query, asked: &SectionQuery<'_>) -> rusqlite::Result<Vec<Hit>> {
        let rows = best_rows(
            &self.connection,
            &query.expression,
            asked.limit,
            asked.has_file,
        )?;
        let mut above = headings_above(&self.connection, &rows)?;
        let whole = Marking::default();
        let marking = asked.marking.unwrap_or(&whole);
        let passages = Passages::new(&self.connection, self.tokenize(), query, marking);
        let hits = rows.into_iter().map(|row| {
            let (section, snippet) = passages.of(row.rowid)?;
            Ok(Hit {
                above: above.remove(&row.rowid).unwrap_or_default(),
                file: row.file,
                section,
                snippet,
                score: -row.rank,
                lines: row.lines,
            })
        });
        hits.collect()
    }

    fn read_spelling(&self, word: &str) -> rusqlite::Result<Option<String>> {
        let query = Query::new(&terms(word));
        let mut statement = self.connection.prepare_cached(SPELLING)?;
        let params = (&query.expression, query.short_bytes());
        let found = statement.query_row(params, |row| Ok((row.get(0)?, row.get(1)?)));
        let Some((rowid, snippet)) = found.optional()? else {
            return Ok(None);
        };
        let marked: Option<String> = snippet;
        let snippet = if let Some(marked) = marked {
            marked
        } else {
            let marking = Marking::default();
            let passages = Passages::new(&self.connection, self.tokenize(), &query, &marking);
            let (_, passage) = passages.of(rowid)?;
            passage
        };
        let after = snippet.split_once("[MATCH]");
        let found = after.and_then(|(_, after)| after.split_once("[/MATCH]"));
        Ok(found.map(|(spelling, _)| spelling.to_lowercase()))
    }

    fn read_headings(
        &self,
        condition: &str,
        params: impl Params,
    ) -> rusqlite::Result<Vec<IndexedHeading>> {
        let columns = "SELECT file, text, start_line, end_line, level FROM headings";
        let mut statement = self.connection.prepare_cached(&format!(
            "{columns} {condition} ORDER BY file, start_line, end_line DESC, id"
        ))?;
        let mut last: Arc<str> = "".into();
        let rows = statement.query_map(params, |row| {
            // The level is not used, but a row without a level is corrupt.
            row.get::<_, u8>(4)?;
            let file = row.get_ref(0)?.as_str()?;
            if *last != *file {
                last = file.into();
            }
            Ok(IndexedHeading {
                file: Arc::clone(&last),
                text: row.get(1)?,
                start_line: row.get(2)?,
                end_line: row.get(3)?,
            })
        })?;
        rows.collect()
    }

    fn read_outlines(&self) -> rusqlite::Result<HashMap<String, Vec<OutlineHeading>>> {
        // The rows of a file are consecutive, so its path is looked up once.
        let sql = "SELECT file, text, level, start_line FROM headings ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut outlines: HashMap<String, Vec<OutlineHeading>> = HashMap::new();
        let (mut file, mut headings) = (String::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let of = row.get_ref(0)?.as_str()?;
            if of != file {
                let done = std::mem::replace(&mut file, of.to_owned());
                outlines.insert(done, std::mem::take(&mut headings));
            }
            headings.push(OutlineHeading {
                level: row.get(2)?,
                text: row.get(1)?,
                line: row.get(3)?,
            });
        }
        outlines.insert(file, headings);
        Ok(outlines)
    }

    fn read_section_at(&self, file: &str, line: usize) -> rusqlite::Result<Option<IndexedHeading>> {
        let mut statement = self.connection.prepare_cached(SECTION_AT)?;
        let found = statement.query_row((file, line), |row| {
            Ok(IndexedHeading {
                file: file.into(),
                text: row.get(0)?,
                start_line: row.get(1)?,
                end_line: row.get(2)?,
            })
        });
        found.optional()
    }

    /// Returns the `tokenize` argument that an index with this metadata must have.
    fn tokenize(&self) -> &'static str {
        tokenize_argument(self.meta.tokenizer())
    }
}

/// Returns the value of `index_meta.tokenizer` for a tokenizer.
pub(crate) const fn tokenizer_name(tokenizer: Tokenizer) -> &'static str {
    match tokenizer {
        Tokenizer::Ascii => "porter",
        Tokenizer::Cjk => "unicode61",
    }
}

/// Returns the form of the indexes that are built with a tokenizer. An index with another form is never current,
/// whatever source it was built from.
pub fn index_form(tokenizer: Tokenizer) -> String {
    format!("{}@{SCHEMA_VERSION}", tokenizer_name(tokenizer))
}

/// Returns the full `tokenize` argument for a tokenizer.
pub(crate) const fn tokenize_argument(tokenizer: Tokenizer) -> &'static str {
    match tokenizer {
        Tokenizer::Ascii => "porter unicode61",
        Tokenizer::Cjk => "skc unicode61",
    }
}

pub(crate) fn char_counts(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let sql = "SELECT coalesce(sum(chars), 0), coalesce(sum(cjk_chars), 0) FROM files";
    connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Keeps only the headings of a file, or all headings if no file is given.
fn in_file(all: Vec<IndexedHeading>, file: Option<&str>) -> impl Iterator<Item = IndexedHeading> {
    let is_in_file = move |heading: &IndexedHeading| file.is_none_or(|file| *heading.file == *file);
    all.into_iter().filter(is_in_file)
}

/// Reads the metadata; `None` if a required key is missing, or the version is not a number.
fn read_meta(connection: &Connection) -> rusqlite::Result<Option<IndexMeta>> {
    let mut statement = connection.prepare(META)?;
    let rows = statement.query_map([MAX_META_BYTES], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut values: HashMap<String, String> = rows.collect::<rusqlite::Result<_>>()?;
    Ok((|| {
        Some(IndexMeta {
            skill_path: values.remove("skill_path")?,
            source_hash: values.remove("source_hash")?,
            schema_version: values.remove("schema_version")?.parse().ok()?,
            tokenizer: values.remove("tokenizer")?,
            indexers: values.remove("indexers").unwrap_or_default(),
        })
    })())
}

/// Returns whether the file is truncated. `SQLite` only checks whole pages.
fn is_cut_short(connection: &Connection, length: u64) -> rusqlite::Result<bool> {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    connection.query_row(sql, [], |row| Ok(row.get::<_, u64>(0)? > length))
}

/// Checks that the schema contains only tables and indexes that this program creates. In an index of an older version,
/// some of these may be missing.
pub(crate) fn check_schema(connection: &Guarded) -> rusqlite::Result<()> {
    checked_schema(connection).map(drop)
}

/// Reads the schema, and checks it as [`check_schema`] does.
fn checked_schema(connection: &Guarded) -> rusqlite::Result<Schema> {
    let schema = Schema::read(connection)?;
    let is_index = |tokenizer| {
        let mut statements = our_tables(tokenizer).to_vec();
        statements.push(HEADINGS_INDEX.to_owned());
        statements.extend(SHADOWS.map(str::to_owned));
        schema.holds_only(&Allowed {
            tables: &[],
            statements: &statements,
        })
    };
    if is_index(Tokenizer::Ascii) || is_index(Tokenizer::Cjk) {
        Ok(schema)
    } else {
        Err(rusqlite::Error::InvalidQuery)
    }
}

/// Returns the statements that create the tables of an index.
fn our_tables(tokenizer: Tokenizer) -> &'static [String] {
    static TABLES: [OnceLock<Vec<String>>; 2] = [const { OnceLock::new() }; 2];
    let tables = match tokenizer {
        Tokenizer::Ascii => &TABLES[0],
        Tokenizer::Cjk => &TABLES[1],
    };
    tables.get_or_init(|| {
        schema_check::statements(&SCHEMA.replace("{tokenize}", tokenize_argument(tokenizer)))
    })
}
