//! Heads of files that need not be read again.
//!
//! Only a file is believed to be as it was that has not been changed since: what cannot be set by hand of it is the same.
//!
//! Source: CATALOG §3.11, §3.13.

use std::fs::Metadata;

use skillc_core::source::Stamp;

/// What a file held when it was last read: the file of a skill that anyone may start. Others are always read, because what
/// restricts them is not kept here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownHead {
    /// The file, canonical.
    pub path: String,
    /// How long it was.
    pub bytes: u64,
    /// When it or its attributes were changed, in nanoseconds since 1970; 0 if nobody can say.
    pub changed_ns: i64,
    /// The number that the file system had for it.
    pub inode: u64,
    /// The skill's name.
    pub name: String,
    /// What the skill is for.
    pub description: String,
}

impl KnownHead {
    /// Says whether a file is still the one that was read.
    pub fn is_of(&self, metadata: &Metadata) -> bool {
        let stamp = Stamp::of(metadata);
        metadata.is_file()
            && self.changed_ns != 0
            && (self.bytes, self.changed_ns, self.inode)
                == (stamp.size, stamp.ctime_ns, stamp.inode)
    }
}

/// Heads of files, found by their paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownHeads(Vec<KnownHead>);

impl KnownHeads {
    /// Takes heads of valid skills; of several for one path one counts.
    pub fn new(mut heads: Vec<KnownHead>) -> Self {
        if !heads.is_sorted_by(|a, b| a.path < b.path) {
            heads.sort_by(|a, b| a.path.cmp(&b.path));
        }
        Self(heads)
    }

    /// Returns what is known of a file, whether or not it is still true.
    pub fn of(&self, path: &str) -> Option<&KnownHead> {
        let at = self
            .0
            .binary_search_by(|head| (*head.path).cmp(path))
            .ok()?;
        self.0.get(at)
    }
}
