//! Rows of different lengths, all in a single vector. Reading them in order is much faster than reading a vector for
//! each row, because most of these vectors would not be in the processor's cache.
//!
//! Design: R27.

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

    /// Appends all rows of `other`.
    pub(super) fn append(&mut self, other: &Self) {
        let before = self.all.len();
        self.all.extend_from_slice(&other.all);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Returns the row at an index.
    pub(super) fn row(&self, at: usize) -> &[T] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[at]]
    }

    /// Returns the elements of all rows, in order.
    pub(super) fn all(&self) -> &[T] {
        &self.all
    }
}
