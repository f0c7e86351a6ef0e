//! A value of a tree.

use std::fmt;
use std::sync::Arc;

use skillc_core::Span;

use super::scalar;
use super::tree::Tree;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing.
    Null,
    /// True or false.
    Bool,
    /// A number of any size, whole or not.
    Number,
    /// A text; also what a format has besides, such as dates in TOML.
    Text,
    /// Values in order.
    List,
    /// Values with keys, in order.
    Map,
}

/// A value with its place. A clone is another handle to the same tree.
#[derive(Clone)]
pub struct Node {
    tree: Arc<Tree>,
    at: u32,
}

impl Node {
    pub(super) fn top(tree: Tree) -> Self {
        Self {
            tree: Arc::new(tree),
            at: 0,
        }
    }

    /// Returns what it is.
    pub fn kind(&self) -> Kind {
        self.tree.kind(self.at)
    }

    /// Returns where it is, in bytes of the file, with quotes and brackets: it lies within the place of the list or map that
    /// it belongs to. A map without brackets begins with its first key; a table of TOML reaches from its first header or key
    /// to its last value, whatever stands between.
    pub fn span(&self) -> Span {
        self.tree.span(self.at)
    }

    /// Returns its key; `None` if it does not belong to a map.
    pub fn key(&self) -> Option<&str> {
        self.tree.key(self.at)
    }

    /// Returns where its key is, in bytes of the file, with quotes.
    pub fn key_span(&self) -> Option<Span> {
        self.tree.key_span(self.at)
    }

    /// Returns the text of a scalar: a text as it is meant, a number or a truth as it is written; `None` for null, lists and
    /// maps.
    pub fn text(&self) -> Option<&str> {
        self.tree.text(self.at)
    }

    /// Returns the value of a truth.
    pub fn as_bool(&self) -> Option<bool> {
        let text = self.text().filter(|_| self.kind() == Kind::Bool)?;
        Some(text.starts_with(['t', 'T']))
    }

    /// Returns a number that is written as a whole one and fits.
    pub fn as_i64(&self) -> Option<i64> {
        scalar::integer(self.number()?)
    }

    /// Returns the number nearest to what is written; `None` if it is too large for that. Infinite only if it is written so.
    pub fn as_f64(&self) -> Option<f64> {
        scalar::float(self.number()?)
    }

    /// Returns the number of values in a list or map; 0 for scalars.
    pub fn len(&self) -> usize {
        self.tree.inside(self.at).len()
    }

    /// Says whether nothing is in it; scalars are empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values in a list or map, in file order; those of equal keys too.
    pub fn children(&self) -> Children {
        Children {
            of: self.clone(),
            next: 0,
        }
    }

    /// Returns the value that a key of a map has. Of equal keys, which JSON alone lets pass, the first one counts.
    pub fn get(&self, key: &str) -> Option<Self> {
        let at = self.tree.find(self.at, key)?;
        Some(self.other(at))
    }

    /// Returns a value of a list or map by its 0-based place in file order.
    pub fn at(&self, index: usize) -> Option<Self> {
        let at = *self.tree.inside(self.at).get(index)?;
        Some(self.other(at))
    }

    /// Returns how much memory its tree takes beside the text, in bytes, roughly.
    pub(crate) fn tree_bytes(&self) -> usize {
        self.tree.bytes()
    }

    fn number(&self) -> Option<&str> {
        self.text().filter(|_| self.kind() == Kind::Number)
    }

    fn other(&self, at: u32) -> Self {
        Self {
            tree: Arc::clone(&self.tree),
            at,
        }
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("kind", &self.kind())
            .field("span", &self.span())
            .field("key", &self.key())
            .finish_non_exhaustive()
    }
}

/// The values in a list or map, in file order.
#[derive(Debug, Clone)]
pub struct Children {
    of: Node,
    next: usize,
}

impl Iterator for Children {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        let found = self.of.at(self.next)?;
        self.next += 1;
        Some(found)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.of.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Children {}
