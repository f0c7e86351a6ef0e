//! Counting: first by what rows say, letter by letter, then by what that means.
//!
//! Logs repeat themselves, so most rows cost one look into a table of texts; each distinct text is understood once.

use std::collections::{BTreeMap, HashMap};

use skillc_storage::access_stats::{Column, LoggedRow};

/// When so many distinct texts are there they are understood, to free their memory.
const MAX_TEXTS: usize = 1 << 16;

/// What rows are counted by.
pub(super) trait Grouping: 'static {
    /// What counts are given for.
    type Key: Ord + Send;
    /// The columns that are looked at, beside the timestamp, the skill's path and the working directory.
    const COLUMNS: &'static [Column];

    /// Writes what decides on the key. Returns false if the row is not counted.
    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool;

    /// Understands such a text.
    fn key(text: &str) -> Found<Self::Key>;
}

/// What a row turned out to be.
pub(super) enum Found<K> {
    /// It counts for this.
    Key(K),
    /// It has nothing of what is counted.
    Nothing,
    /// Its arguments cannot be read.
    Malformed,
}

/// Counts by a grouping.
pub(super) struct Counts<G: Grouping> {
    texts: HashMap<Box<str>, u64>,
    found: BTreeMap<G::Key, u64>,
    malformed: u64,
    buffer: String,
}

/// What has been counted.
pub(super) struct Counted<K> {
    /// How often each was met.
    pub(super) counts: BTreeMap<K, u64>,
    /// Rows that should have counted, and could not be read.
    pub(super) malformed: u64,
}

/// Something that rows are added to.
pub(super) trait Tally: Send {
    /// Whether it wants the newest rows first, and then not all of them.
    const IS_NEWEST_FIRST: bool = false;

    /// The columns that it looks at.
    fn columns() -> Vec<Column>;

    /// Adds a row.
    fn add(&mut self, row: &LoggedRow<'_>);

    /// Adds what another has counted, of later rows.
    fn merge(&mut self, later: Self);

    /// Says whether it has found what it looks for.
    fn has_enough(&self) -> bool {
        false
    }
}

impl<G: Grouping> Default for Counts<G> {
    fn default() -> Self {
        Self {
            texts: HashMap::new(),
            found: BTreeMap::new(),
            malformed: 0,
            buffer: String::new(),
        }
    }
}

impl<G: Grouping> Tally for Counts<G> {
    fn columns() -> Vec<Column> {
        G::COLUMNS.to_vec()
    }

    fn add(&mut self, row: &LoggedRow<'_>) {
        self.buffer.clear();
        if !G::text(row, &mut self.buffer) {
            return;
        }
        if let Some(count) = self.texts.get_mut(self.buffer.as_str()) {
            *count += 1;
            return;
        }
        if self.texts.len() >= MAX_TEXTS {
            self.understand();
        }
        self.texts.insert(self.buffer.as_str().into(), 1);
    }

    fn merge(&mut self, mut later: Self) {
        self.understand();
        later.understand();
        for (key, count) in later.found {
            *self.found.entry(key).or_default() += count;
        }
        self.malformed += later.malformed;
    }
}

impl<G: Grouping> Counts<G> {
    /// Ends the counting.
    pub(super) fn finish(mut self) -> Counted<G::Key> {
        self.understand();
        Counted {
            counts: self.found,
            malformed: self.malformed,
        }
    }

    #[expect(
        clippy::iter_over_hash_type,
        reason = "counts are added up: the order does not show"
    )]
    fn understand(&mut self) {
        for (text, count) in self.texts.drain() {
            match G::key(&text) {
                Found::Key(key) => *self.found.entry(key).or_default() += count,
                Found::Nothing => {}
                Found::Malformed => self.malformed += count,
            }
        }
    }
}
