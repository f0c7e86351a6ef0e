//! The heads of `SKILL.md` files from an earlier scan, so that unchanged files need not be read again.
//!
//! A file is considered unchanged only if its size, ctime and inode are the same. The ctime is used because programs
//! cannot set it, unlike the mtime.
//!
//! Design: catalog-freshness, limits-catalog.

use std::fs::Metadata;

use skillc_core::source::Stamp;

/// The head of a `SKILL.md` as last read. Only heads of skills that anyone may start are stored: the files of
/// restricted skills are always read, because the restriction is not stored here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownHead {
    /// The canonical path.
    pub path: String,
    /// The file's size, in bytes.
    pub bytes: u64,
    /// The file's ctime, in nanoseconds since 1970; 0 if unknown.
    pub changed_ns: i64,
    /// The inode number.
    pub inode: u64,
    /// The skill's name.
    pub name: String,
    /// The skill's description.
    pub description: String,
}

impl KnownHead {
    /// Returns whether a file has not changed since its head was read.
    pub fn is_of(&self, metadata: &Metadata) -> bool {
        let stamp = Stamp::from_metadata(metadata);
        metadata.is_file()
            && self.changed_ns != 0
            && (self.bytes, self.changed_ns, self.inode)
                == (stamp.size, stamp.ctime_ns, stamp.inode)
    }
}

/// Known heads, looked up by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownHeads(Vec<KnownHead>);

impl KnownHeads {
    /// Creates the lookup table from the heads of valid skills. If a path occurs twice, only one of its heads is used.
    pub fn new(mut heads: Vec<KnownHead>) -> Self {
        if !heads.is_sorted_by(|a, b| a.path < b.path) {
            heads.sort_by(|a, b| a.path.cmp(&b.path));
        }
        Self(heads)
    }

    /// Returns the known head of a file, which may be out of date.
    pub fn get(&self, path: &str) -> Option<&KnownHead> {
        let at = self
            .0
            .binary_search_by(|head| (*head.path).cmp(path))
            .ok()?;
        self.0.get(at)
    }
}
