//! Limits on how many items of a text a check examines. A check never leaves items out silently: SEC118 reports the
//! file.

use std::cell::Cell;

/// Whether a check has left out items of a text.
#[derive(Debug, Default)]
pub(crate) struct LeftOut(Cell<bool>);

impl LeftOut {
    /// Notes that a check has left out items.
    pub(crate) fn note(&self) {
        self.0.set(true);
    }

    pub(crate) fn is_noted(&self) -> bool {
        self.0.get()
    }
}

/// Iterators whose items a check examines.
pub(crate) trait Examined: Iterator + Sized {
    /// Like [`Iterator::take`], but notes in `left_out` if there are more items.
    fn most(self, most: usize, left_out: &LeftOut) -> Most<'_, Self> {
        Most {
            items: self,
            room: most,
            left_out,
        }
    }
}

impl<I: Iterator> Examined for I {}

/// The first items of an iterator.
#[derive(Debug)]
pub(crate) struct Most<'a, I> {
    items: I,
    /// The number of items that may follow.
    room: usize,
    left_out: &'a LeftOut,
}

impl<I: Iterator> Iterator for Most<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let item = self.items.next()?;
        if self.room == 0 {
            self.left_out.note();
            return None;
        }
        self.room -= 1;
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_items_that_are_left_out_are_noted() {
        for (count, expected, is_noted) in [(0, 0, false), (3, 3, false), (4, 3, true)] {
            let left_out = LeftOut::default();
            assert_eq!((0..count).most(3, &left_out).count(), expected);
            assert_eq!(left_out.is_noted(), is_noted, "{count}");
        }
        // A check that finds what it looks for leaves nothing out.
        let left_out = LeftOut::default();
        assert!((0..9).most(3, &left_out).any(|n| n == 2));
        assert!(!left_out.is_noted());
    }
}
