//! Counts rows: first by their raw text, then by the key parsed from that text.
//!
//! Logs are repetitive, so most rows cost one hash lookup; each distinct text is parsed once.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::mem;

use skillc_storage::access_stats::{Column, LoggedRow};

/// Once this many distinct strings have been collected, they are parsed. This bounds memory use.
const MAX_TEXTS: usize = 1 << 16;

/// Once the collected strings have this total size, in bytes, they are parsed.
const MAX_TEXT_BYTES: usize = 16 << 20;

/// The limit, in bytes, on the total size of the strings with distinct keys. Beyond this limit, rows with new keys
/// count as malformed. The limit is needed because a log that came with a repository may contain any number of long
/// strings.
const MAX_KEY_BYTES: usize = 64 << 20;

/// A way to group rows for counting.
pub(super) trait Grouping: 'static {
    /// The key by which rows are counted.
    type Key: Ord + Send;
    /// The columns that the grouping uses, besides timestamp and skill path.
    const COLUMNS: &'static [Column];

    /// Appends the raw key of a row to `text`. Returns false if the row must not be counted.
    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool;

    /// Parses a raw key.
    fn key(text: &str) -> RowKey<Self::Key>;
}

/// The parsed key of a row.
pub(super) enum RowKey<K> {
    /// The row is counted under this key.
    Key(K),
    /// The row has no key of this kind.
    Nothing,
    /// The row's arguments cannot be parsed.
    Malformed,
}

/// Counts the rows for each key of a grouping.
pub(super) struct Counts<G: Grouping> {
    texts: HashMap<Box<str>, u64>,
    /// The size of `texts`, in bytes.
    text_bytes: usize,
    /// For each key, the number of rows, and the size of the string from which the key was parsed.
    found: BTreeMap<G::Key, (u64, usize)>,
    /// The total size, in bytes, of the strings from which the keys in `found` were parsed.
    key_bytes: usize,
    malformed: u64,
    buffer: String,
}

pub(super) struct Counted<K> {
    pub(super) counts: BTreeMap<K, u64>,
    /// The number of rows that could not be parsed.
    pub(super) malformed: u64,
}

/// Aggregates rows.
pub(super) trait Tally: Send {
    /// Whether the newest rows are read first, so that reading can stop early.
    const IS_NEWEST_FIRST: bool = false;

    /// Returns the columns that the tally uses.
    fn columns() -> Vec<Column>;

    fn add(&mut self, row: &LoggedRow<'_>);

    /// Merges the tally of later rows into this tally.
    fn merge(&mut self, later: Self);

    /// Returns whether the tally needs no more rows.
    fn has_enough(&self) -> bool {
        false
    }
}

impl<G: Grouping> Default for Counts<G> {
    fn default() -> Self {
        Self {
            texts: HashMap::new(),
            text_bytes: 0,
            found: BTreeMap::new(),
            key_bytes: 0,
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
        if self.texts.len() >= MAX_TEXTS || self.text_bytes >= MAX_TEXT_BYTES {
            self.understand();
        }
        self.text_bytes += self.buffer.len();
        self.texts.insert(self.buffer.as_str().into(), 1);
    }

    fn merge(&mut self, mut later: Self) {
        self.understand();
        later.understand();
        for (key, (count, bytes)) in later.found {
            self.count(key, count, bytes);
        }
        self.malformed += later.malformed;
    }
}

impl<G: Grouping> Counts<G> {
    pub(super) fn finish(mut self) -> Counted<G::Key> {
        self.understand();
        Counted {
            counts: self
                .found
                .into_iter()
                .map(|(key, (count, _))| (key, count))
                .collect(),
            malformed: self.malformed,
        }
    }

    #[expect(
        clippy::iter_over_hash_type,
        reason = "counts are added up: the order has no effect below the limit on keys"
    )]
    fn understand(&mut self) {
        self.text_bytes = 0;
        for (text, count) in mem::take(&mut self.texts) {
            match G::key(&text) {
                RowKey::Key(key) => self.count(key, count, text.len()),
                RowKey::Nothing => {}
                RowKey::Malformed => self.malformed += count,
            }
        }
    }

    /// Adds to the count of a key. `bytes`: the size of the string that the key was parsed from.
    fn count(&mut self, key: G::Key, count: u64, bytes: usize) {
        match self.found.entry(key) {
            Entry::Occupied(mut found) => found.get_mut().0 += count,
            Entry::Vacant(free) if self.key_bytes.saturating_add(bytes) <= MAX_KEY_BYTES => {
                self.key_bytes += bytes;
                free.insert((count, bytes));
            }
            Entry::Vacant(_) => self.malformed += count,
        }
    }
}
