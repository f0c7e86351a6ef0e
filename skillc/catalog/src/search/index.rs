//! An index that speeds up repeated searches of one catalog.
//!
//! It affects only the time of a search, never its results.
//!
//! Design: limits-catalog.

use std::collections::HashMap;

use super::words::{Lengths, Words, each_word};
use crate::entry::CatalogEntry;

/// Maps words to skills, and holds the order of the skills by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// The skills that have a word, ascending, each once.
    skills: HashMap<Box<str>, Vec<u32>>,
    /// The position of each skill in the order by scope and path.
    places: Vec<u32>,
}

impl Index {
    pub(crate) fn new(entries: &[CatalogEntry]) -> Self {
        let mut skills: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        let mut room = String::new();
        for (at, entry) in (0..).zip(entries) {
            for text in [&entry.name, &entry.description] {
                each_word(text, Lengths::ALL, &mut room, |word| {
                    match skills.get_mut(word) {
                        Some(known) if known.last() == Some(&at) => {}
                        Some(known) => known.push(at),
                        None => drop(skills.insert(word.into(), vec![at])),
                    }
                });
            }
        }
        Self {
            skills,
            places: places(entries),
        }
    }

    /// Returns, for each skill, how many of the words it has.
    pub(super) fn counts(&self, words: &Words) -> Vec<u32> {
        let mut counts = vec![0; self.places.len()];
        for word in words.iter() {
            for at in self.skills.get(word).into_iter().flatten() {
                counts[*at as usize] += 1;
            }
        }
        counts
    }

    /// Returns the position of a skill in the order by scope and path.
    pub(super) fn place(&self, at: usize) -> u32 {
        self.places[at]
    }
}

fn places(entries: &[CatalogEntry]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(entries.len()).collect();
    order.sort_unstable_by(|a, b| {
        let [a, b] = [a, b].map(|at| &entries[*at as usize]);
        (a.scope, &a.path).cmp(&(b.scope, &b.path))
    });
    let mut places = vec![0; entries.len()];
    for (place, at) in (0..).zip(order) {
        places[at as usize] = place;
    }
    places
}
