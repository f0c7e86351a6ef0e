//! Rows of different lengths, all in a single vector. If each row were a vector, reading the rows in order would be
//! much slower, because most of these vectors would not be in the processor's cache.
//!
//! Design: R27.

use std::mem;

/// Rows of different lengths.
#[derive(Debug, Clone)]
pub(super) struct Rows<T> {
    all: Vec<T>,
    /// The end of each row in `all`.
    ends: Vec<usize>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T: Copy> Rows<T> {
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.all.extend(row);
        self.ends.push(self.all.len());
    }

    /// Returns the row at an index.
    pub(super) fn row(&self, at: usize) -> &[T] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[at]]
    }
}

impl<T: Copy + Default> Rows<T> {
    /// Creates `count` rows from elements, each with the index of its row. The elements of a row keep their order.
    pub(super) fn grouped(
        count: usize,
        elements: impl Iterator<Item = (usize, T)> + Clone,
    ) -> Self {
        let mut ends = vec![0; count];
        for (row, _) in elements.clone() {
            ends[row] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            // Set the entry to the start of the row. It becomes the end when the row is filled.
            total += mem::replace(end, total);
        }
        let mut all = vec![T::default(); total];
        for (row, element) in elements {
            all[ends[row]] = element;
            ends[row] += 1;
        }
        Self { all, ends }
    }
}
