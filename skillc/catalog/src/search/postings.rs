//! The inverse of word counts: the skills that contain a word. A search looks up only the words of its query, instead of
//! reading all words of all skills.
//!
//! Design: R27.

use super::fields::CountTable;
use super::rows::Rows;

/// The number of leading bits of a hash that determine its bucket.
const BUCKET_BITS: u32 = 10;

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

/// The words of several skills, in buckets. The hashes in a bucket start with the same bits. Buckets can be filled in
/// linear time, and are so short that reading a whole bucket takes no longer than a binary search.
#[derive(Debug, Clone)]
pub(super) struct Postings(Rows<Posting>);

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

fn bucket(hash: u32) -> usize {
    (hash >> (u32::BITS - BUCKET_BITS)) as usize
}
