//! Word counts of a skill's fields.
//!
//! The words of a skill's name and description (its head) are counted when the index is built. The words of its body are
//! counted when a search first needs them: only then is the file read. If a model is used, the vector of the name and
//! description is also computed when it is first needed.
//!
//! Design: R27, R42, limits-catalog.

use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use skillc_core::source::frontmatter::Head;
use skillc_core::source::{Stamp, open_real};

use super::model::Model;
use super::rows::Rows;
use super::words::{Splitter, Word};
use crate::entry::CatalogEntry;

/// The maximum number of bytes read from a `SKILL.md`. Thousands of public skills were measured, and all are shorter.
const MAX_TEXT_BYTES: u64 = 256 << 10;

/// The number of leading bits of a hash that determine the bucket of a word; see [`Postings`].
const BUCKET_BITS: u32 = 10;

/// The word counts of two fields of a skill.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counts<'a> {
    /// The hash of each word, sorted. The hashes are stored apart from the counts, because most comparisons need only
    /// the hashes.
    pub(super) words: &'a [u32],
    /// How often each word occurs in each field.
    pub(super) times: &'a [[u16; 2]],
    /// The number of words in each field, not counting [`Word::Character`].
    pub(super) lengths: [u32; 2],
}

/// The word counts of two fields of many skills.
#[derive(Debug, Clone, Default)]
pub(super) struct CountTable {
    words: Rows<u32>,
    times: Rows<[u16; 2]>,
    lengths: Vec<[u32; 2]>,
}

/// The occurrences of a word in a skill.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Posting {
    /// The word's hash.
    hash: u32,
    /// The position of the skill in its table.
    pub(super) at: u32,
    /// How often the word occurs in each field.
    pub(super) times: [u16; 2],
}

/// The inverse of a [`CountTable`]: the skills that contain a word. A search looks up only the words of its query
/// instead of reading all words of all skills.
///
/// The words are in buckets. The hashes in a bucket start with the same bits. Buckets can be filled in linear time, and
/// are so short that reading a whole bucket takes no longer than a binary search.
#[derive(Debug, Clone)]
pub(super) struct Postings(Rows<Posting>);

/// Data about a skill that is computed when a search first needs it.
#[derive(Debug, Default)]
pub(super) struct OnDemand {
    text: OnceLock<Text>,
    /// The vector of the name and description, and the model that computed it.
    vector: OnceLock<(Arc<Model>, Box<[f32]>)>,
}

/// The word counts of a skill's body.
#[derive(Debug)]
struct Text {
    /// A table with a single row, which counts the words of two fields: the headings, and all other lines.
    counts: CountTable,
    /// The file's stamp, taken before the file was read; `None` if the file could not be read.
    stamp: Option<Stamp>,
}

impl CountTable {
    /// Adds a row with the word counts of a skill's name and description.
    pub(super) fn push_head(&mut self, entry: &CatalogEntry, splitter: &mut Splitter) {
        let fields = [(0, entry.name.as_str()), (1, &entry.description)];
        self.push_texts(fields.into_iter(), splitter);
    }

    /// Adds a row with the word counts of several strings, each with the index of its field.
    fn push_texts<'a>(
        &mut self,
        texts: impl Iterator<Item = (usize, &'a str)>,
        splitter: &mut Splitter,
    ) {
        let mut lengths = [0; 2];
        let mut all: Vec<(u32, usize)> = Vec::new();
        for (field, text) in texts {
            splitter.each_word(text, |word| match word {
                Word::Stem(hash) | Word::Pair(hash) => {
                    lengths[field] += 1;
                    all.push((hash, field));
                }
                Word::Character(hash) => all.push((hash, field)),
            });
        }
        all.sort_unstable();
        let same = || all.chunk_by(|a, b| a.0 == b.0);
        self.words.push(same().map(|same| same[0].0));
        self.times.push(same().map(|same| {
            let second = same.iter().filter(|(_, field)| *field == 1).count();
            let times = [same.len() - second, second];
            times.map(|times| u16::try_from(times).unwrap_or(u16::MAX))
        }));
        self.lengths.push(lengths);
    }

    pub(super) fn push(&mut self, counts: Counts<'_>) {
        self.words.push(counts.words.iter().copied());
        self.times.push(counts.times.iter().copied());
        self.lengths.push(counts.lengths);
    }

    /// Returns the counts of the skill at an index.
    pub(super) fn counts(&self, at: usize) -> Counts<'_> {
        Counts {
            words: self.words.row(at),
            times: self.times.row(at),
            lengths: self.lengths[at],
        }
    }

    /// Returns the counts of all skills, in order.
    pub(super) fn rows(&self) -> impl Iterator<Item = Counts<'_>> + Clone {
        (0..self.lengths.len()).map(|at| self.counts(at))
    }

    /// Returns the lengths of both fields of each skill; see [`Counts::lengths`].
    pub(super) fn lengths(&self) -> &[[u32; 2]] {
        &self.lengths
    }
}

impl Postings {
    pub(super) fn new(table: &CountTable) -> Self {
        let postings = (0..).zip(table.rows()).flat_map(|(at, counts)| {
            let words = counts.words.iter().zip(counts.times);
            words.map(move |(&hash, &times)| (bucket(hash), Posting { hash, at, times }))
        });
        Self(Rows::grouped(1 << BUCKET_BITS, postings))
    }

    /// Returns the occurrences of a word, in the order of the skills.
    pub(super) fn of(&self, hash: u32) -> impl Iterator<Item = &Posting> {
        let bucket = self.0.row(bucket(hash)).iter();
        bucket.filter(move |posting| posting.hash == hash)
    }
}

impl OnDemand {
    /// Returns the vector of the name and description; `None` if a different model has already computed a vector.
    /// `entry`: the skill.
    pub(super) fn vector(&self, entry: &CatalogEntry, model: &Arc<Model>) -> Option<&[f32]> {
        let (of, vector) = self.vector.get_or_init(|| {
            let name = entry.name.replace(['-', '_'], " ");
            let text = format!("{name}. {}", entry.description);
            (Arc::clone(model), model.vector(&text))
        });
        Arc::ptr_eq(of, model).then_some(&**vector)
    }

    /// Returns whether there is no vector yet, or the given model computed the vector.
    pub(super) fn is_from(&self, model: Option<&Arc<Model>>) -> bool {
        let Some((of, _)) = self.vector.get() else {
            return true;
        };
        model.is_some_and(|model| Arc::ptr_eq(of, model))
    }

    /// Returns the word counts of the headings and of all other lines; both are empty if the file cannot be read.
    /// `path`: the path of `SKILL.md`.
    pub(super) fn text(&self, path: &str, splitter: &mut Splitter) -> Counts<'_> {
        let text = self
            .text
            .get_or_init(|| Text::read(Path::new(path), splitter));
        text.counts.counts(0)
    }

    /// Returns whether the body has not been read yet, or has been read and the file has not changed since.
    pub(super) fn is_current(&self, path: &str) -> bool {
        let Some(Text { stamp, .. }) = self.text.get() else {
            return true;
        };
        let found = Path::new(path).symlink_metadata().ok();
        stamp.is_some() && *stamp == found.map(|found| Stamp::from_metadata(&found))
    }
}

impl Text {
    fn read(path: &Path, splitter: &mut Splitter) -> Self {
        let (mut bytes, mut stamp) = (Vec::new(), None);
        if let Ok(Some((file, metadata))) = open_real(path) {
            let read = file.take(MAX_TEXT_BYTES).read_to_end(&mut bytes);
            stamp = read.is_ok().then(|| Stamp::from_metadata(&metadata));
        }
        let start = match Head::parse(&bytes) {
            Head::Ends(end) => end,
            Head::Absent | Head::Open => 0,
        };
        let text = String::from_utf8_lossy(&bytes[start..]);
        let mut counts = CountTable::default();
        counts.push_texts(lines(&text), splitter);
        Self { counts, stamp }
    }
}

fn bucket(hash: u32) -> usize {
    (hash >> (u32::BITS - BUCKET_BITS)) as usize
}

/// Returns the lines of a Markdown document, each with the index of its field: 0 for headings, 1 for all other lines.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().map(move |line| {
        let is_fence = ["```", "~~~"].map(|fence| line.trim_start().starts_with(fence));
        is_code ^= is_fence.contains(&true);
        let is_heading = !is_code && line.starts_with('#');
        (usize::from(!is_heading), line)
    })
}
