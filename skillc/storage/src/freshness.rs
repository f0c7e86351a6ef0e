//! The freshness table: the stamp and digest of each file at the time of the last build.
//!
//! A file with an unchanged stamp has not changed, unless it was written at about the time when the table was begun. In
//! that case, a second write may have left the same stamp, so the file is hashed again (git's rule for racily clean
//! index entries). The table is only an optimization: without it, every file is hashed.
//!
//! Design: D-STALE, R21.

use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use skillc_core::hash::{Sha, source_hash};
use skillc_core::source::{Stamp, WalkedFile, hash_file, read_start};
use skillc_core::{RelPath, Result, SourceTree, Stop};

/// The magic word at the start of a table.
const MAGIC: &str = "skillc-stamps-1";

/// The mark that follows the digest of a file that is indexed as plain text.
const PLAIN: &str = "?";

/// The maximum size of a table, in bytes, which is enough for 100,000 files with long paths. A larger table is not read
/// completely.
const MAX_TABLE_BYTES: u64 = 512 << 20;

/// The maximum time, in nanoseconds, between two writes that leave equal stamps on a file system with coarse
/// timestamps.
pub const COARSE_CLOCK_NS: i64 = 2_000_000_000;

/// The state of a skill's files at the last build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freshness {
    /// The file system's time before the first file was examined, in nanoseconds since 1970.
    pub taken_ns: i64,
    /// The search index that was built from these files.
    pub index: IndexStamp,
    /// The form of this index: see [`index_form`](crate::search_index::index_form). `None` in the tables of older
    /// versions.
    pub form: Option<String>,
    /// The files, sorted bytewise by path.
    pub rows: Vec<FileRow>,
}

/// The stamp of a search index. Renaming the file does not change the stamp, but writing to the file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexStamp {
    size: u64,
    mtime_ns: i64,
    inode: u64,
}

impl IndexStamp {
    /// Sets the time of a finished index to a time before its build, so that any later write changes the stamp.
    ///
    /// `begun_ns`: the file system's time when the build began, in nanoseconds since 1970.
    ///
    /// # Errors
    /// Returns I/O errors. It is not an error if the file system cannot set times, but such an index is not trusted
    /// later.
    pub fn seal(path: &Path, begun_ns: i64) -> io::Result<Self> {
        let older_ns = u64::try_from(begun_ns - COARSE_CLOCK_NS).unwrap_or_default();
        let file = File::options().write(true).open(path)?;
        file.set_modified(UNIX_EPOCH + Duration::from_nanos(older_ns))
            .unwrap_or_default();
        Self::read(path)
    }

    /// Reads the stamp of a file.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub fn read(path: &Path) -> io::Result<Self> {
        path.metadata()
            .map(|found| Stamp::from_metadata(&found).into())
    }
}

impl From<Stamp> for IndexStamp {
    fn from(stamp: Stamp) -> Self {
        let Stamp {
            size,
            mtime_ns,
            inode,
            ..
        } = stamp;
        Self {
            size,
            mtime_ns,
            inode,
        }
    }
}

/// The state of one file at the last build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// The path of the file, relative to the skill's root.
    pub path: RelPath,
    /// The stamp that the file had before it was hashed.
    pub stamp: Stamp,
    /// The digest of the file's content.
    pub sha: Sha,
    /// Whether the file is indexed as plain text because its format could not be parsed.
    pub is_plain: bool,
}

/// Whether a file has changed since the table was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The content is unchanged, and has this digest.
    Same(Sha),
    /// The file may have changed and must be hashed.
    Unsure,
}

impl Freshness {
    /// Reads a table. Returns `None` if the file does not exist or is corrupt.
    pub fn read(path: &Path) -> Option<Self> {
        let text = String::from_utf8(read_start(path, MAX_TABLE_BYTES).ok()?).ok()?;
        let (head, body) = text.split_once('\n')?;
        let mut words = head.split(' ');
        if words.next()? != MAGIC {
            return None;
        }
        let taken_ns = words.next()?.parse().ok()?;
        let count: usize = words.next()?.parse().ok()?;
        let index = IndexStamp {
            size: words.next()?.parse().ok()?,
            mtime_ns: words.next()?.parse().ok()?,
            inode: words.next()?.parse().ok()?,
        };
        let form = words.next().map(str::to_owned);
        let rows: Vec<FileRow> = body
            .split_terminator('\0')
            .map(read_row)
            .collect::<Option<_>>()?;
        let is_sorted = rows.windows(2).all(|pair| pair[0].path < pair[1].path);
        (rows.len() == count && is_sorted).then_some(Self {
            taken_ns,
            index,
            form,
            rows,
        })
    }

    /// Serializes the table.
    pub fn to_text(&self) -> String {
        let IndexStamp {
            size,
            mtime_ns,
            inode,
        } = self.index;
        let (taken_ns, count) = (self.taken_ns, self.rows.len());
        let mut text = format!("{MAGIC} {taken_ns} {count} {size} {mtime_ns} {inode}");
        if let Some(form) = &self.form {
            // Older versions ignore the words after the inode.
            text.push(' ');
            text.push_str(form);
        }
        text.push('\n');
        text.reserve(self.rows.len() * 160);
        for row in &self.rows {
            let FileRow {
                path, stamp, sha, ..
            } = row;
            let mark = if row.is_plain { PLAIN } else { "" };
            let Stamp {
                size,
                mtime_ns,
                ctime_ns,
                inode,
            } = stamp;
            write!(
                text,
                "{size} {mtime_ns} {ctime_ns} {inode} {sha}{mark} {path}\0"
            )
            .expect("writing to a string cannot fail");
        }
        text
    }

    /// Returns whether an index was built together with the table, and has not been written to since.
    pub fn knows(&self, index: IndexStamp) -> bool {
        self.index == index && index.mtime_ns < self.taken_ns
    }

    /// Returns the source hash of the files in the table.
    pub fn hash(&self) -> Sha {
        source_hash(self.rows.iter().map(|row| (&row.path, row.sha)))
    }

    /// Returns the row of a file.
    pub fn get(&self, path: &RelPath) -> Option<&FileRow> {
        self.rows
            .binary_search_by(|row| row.path.cmp(path))
            .ok()
            .map(|at| &self.rows[at])
    }

    /// Returns whether a file may have changed.
    pub fn fate(&self, entry: &WalkedFile) -> Fate {
        match self.get(&entry.path) {
            Some(row) if row.stamp == entry.stamp && self.is_settled(row.stamp) => {
                Fate::Same(row.sha)
            }
            _ => Fate::Unsure,
        }
    }

    /// Returns whether a file or directory received this stamp so long before the table was begun that any later change
    /// must result in a different stamp.
    pub fn is_settled(&self, stamp: Stamp) -> bool {
        let changed_ns = stamp.mtime_ns.max(stamp.ctime_ns);
        let is_coarse = stamp.mtime_ns % 1_000_000_000 == 0;
        let margin_ns = if is_coarse { COARSE_CLOCK_NS } else { 0 };
        changed_ns.saturating_add(margin_ns) < self.taken_ns
    }
}

/// Returns the current hash of a skill's source, hashing only files that may have changed since the table was written.
///
/// Returns `None` if a file vanished or grew in the meantime, or if the files are too large to hash. In each case, the
/// source has changed: the build would have refused files of this size.
///
/// # Errors
/// Returns E999 if a file cannot be read, or if the run is cancelled meanwhile.
pub fn live_hash(tree: &SourceTree, known: Option<&Freshness>, stop: &Stop) -> Result<Option<Sha>> {
    if tree.check_sizes().is_err() {
        return Ok(None);
    }
    let mut files = Vec::with_capacity(tree.entries.len());
    for entry in &tree.entries {
        let sha = match known.map_or(Fate::Unsure, |known| known.fate(entry)) {
            Fate::Same(sha) => sha,
            Fate::Unsure => match hash_file(&tree.root, &entry.path, stop)? {
                Some((sha, _)) => sha,
                None => return Ok(None),
            },
        };
        files.push((&entry.path, sha));
    }
    Ok(Some(source_hash(files)))
}

fn read_row(text: &str) -> Option<FileRow> {
    let mut words = text.splitn(6, ' ');
    let stamp = Stamp {
        size: words.next()?.parse().ok()?,
        mtime_ns: words.next()?.parse().ok()?,
        ctime_ns: words.next()?.parse().ok()?,
        inode: words.next()?.parse().ok()?,
    };
    let sha = words.next()?;
    let plain = sha.strip_suffix(PLAIN);
    let (sha, is_plain) = (Sha::parse(plain.unwrap_or(sha))?, plain.is_some());
    let path = words.next()?;
    let parsed = RelPath::parse(path).ok()?;
    (parsed.as_str() == path).then_some(FileRow {
        path: parsed,
        stamp,
        sha,
        is_plain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, mtime_ns: i64) -> FileRow {
        let stamp = Stamp {
            size: 1,
            mtime_ns,
            ctime_ns: mtime_ns,
            inode: 7,
        };
        FileRow {
            path: RelPath::parse(path).unwrap(),
            stamp,
            sha: Sha::digest(path.as_bytes()),
            is_plain: path.ends_with('c'),
        }
    }

    fn table(taken_ns: i64, rows: Vec<FileRow>) -> Freshness {
        Freshness {
            taken_ns,
            index: IndexStamp {
                size: 9,
                mtime_ns: 5,
                inode: 8,
            },
            form: Some("porter@2".to_owned()),
            rows,
        }
    }

    fn fate(changed_ns: i64, taken_ns: i64) -> Fate {
        let row = row("a", changed_ns);
        let entry = WalkedFile {
            path: row.path.clone(),
            stamp: row.stamp,
        };
        table(taken_ns, vec![row]).fate(&entry)
    }

    #[test]
    fn a_table_round_trips() {
        let table = table(12, vec![row("a b\n", 3), row("b/c", -4)]);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("stamps");
        std::fs::write(&path, table.to_text()).unwrap();
        assert_eq!(Freshness::read(&path), Some(table.clone()));
        let text = table.to_text();
        let older = Freshness {
            form: None,
            ..table
        };
        std::fs::write(&path, text.replace(" porter@2\n", "\n")).unwrap();
        assert_eq!(Freshness::read(&path), Some(older.clone()));
        assert_eq!(older.to_text(), text.replace(" porter@2\n", "\n"));
        for damaged in [
            &text[..text.len() - 9],
            "",
            "skillc-stamps-1 x 0\n",
            "other 1 0\n",
            "skillc-stamps-1 1 1\n",
            "skillc-stamps-1 1 0\n",
            "skillc-stamps-1 1 0 1 2 x\n",
        ] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(Freshness::read(&path), None, "{damaged:?}");
        }
    }

    #[test]
    fn an_index_is_trusted_until_it_is_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        std::fs::write(&old, "index").unwrap();
        let taken_ns = Stamp::from_metadata(&old.metadata().unwrap()).mtime_ns;
        let index = IndexStamp::seal(&old, taken_ns).unwrap();
        let table = Freshness {
            index,
            ..table(taken_ns, Vec::new())
        };
        std::fs::rename(&old, &new).unwrap();
        assert!(table.knows(IndexStamp::read(&new).unwrap()));
        std::fs::write(&new, "other").unwrap();
        assert!(!table.knows(IndexStamp::read(&new).unwrap()));
    }

    #[test]
    fn an_index_that_could_not_be_backdated_is_not_trusted() {
        let table = table(5, Vec::new());
        assert!(!table.knows(table.index));
    }

    #[test]
    fn a_file_written_as_the_table_was_started_is_hashed_again() {
        assert!(matches!(fate(1_000_000_001, 1_000_000_002), Fate::Same(_)));
        assert_eq!(fate(1_000_000_002, 1_000_000_002), Fate::Unsure);
        assert_eq!(fate(1_000_000_003, 1_000_000_002), Fate::Unsure);
    }

    #[test]
    fn whole_seconds_need_a_wider_margin() {
        assert_eq!(fate(5_000_000_000, 6_500_000_000), Fate::Unsure);
        assert!(matches!(fate(5_000_000_000, 7_500_000_000), Fate::Same(_)));
    }

    #[test]
    fn a_changed_stamp_or_an_unknown_file_is_hashed() {
        let known = table(100, vec![row("a", 1)]);
        let entry = |path: &str, mtime_ns| WalkedFile {
            path: RelPath::parse(path).unwrap(),
            stamp: row(path, mtime_ns).stamp,
        };
        assert_eq!(known.fate(&entry("a", 2)), Fate::Unsure);
        assert_eq!(known.fate(&entry("b", 1)), Fate::Unsure);
    }
}
