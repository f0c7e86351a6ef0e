//! A value in a tree.

use std::fmt;
use std::sync::Arc;

use skillc_core::Span;

use super::scalar;
use super::tree::Tree;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Null, or no value.
    Null,
    /// True or false.
    Bool,
    /// A number of any size, integer or not.
    Number,
    /// A string, or a value of any other type, such as a date in TOML.
    Text,
    /// Values in order.
    List,
    /// Values with keys, in order.
    Map,
}

/// A value with its position. A clone is another handle to the same tree.
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

    /// Returns the type of the value.
    pub fn kind(&self) -> Kind {
        self.tree.kind(self.at)
    }

    /// Returns the value's span in the file, in bytes, including quotes and brackets. The span is within the span of
    /// the enclosing list or map. A map without brackets begins with its first key; a TOML table extends from its first
    /// header or key to its last value, including anything in between.
    pub fn span(&self) -> Span {
        self.tree.span(self.at)
    }

    /// Returns the key of the value; `None` if the value is not in a map.
    pub fn key(&self) -> Option<&str> {
        self.tree.key(self.at)
    }

    /// Returns the span of the value's key in the file, in bytes, including quotes.
    pub fn key_span(&self) -> Option<Span> {
        self.tree.key_span(self.at)
    }

    /// Returns the text of a scalar: the decoded string, or the number or boolean as written. Returns `None` for null,
    /// lists and maps.
    pub fn text(&self) -> Option<&str> {
        self.tree.text(self.at)
    }

    /// Returns the value of a boolean; `None` for any other value.
    pub fn as_bool(&self) -> Option<bool> {
        let text = self.text().filter(|_| self.kind() == Kind::Bool)?;
        Some(text.starts_with(['t', 'T']))
    }

    /// Returns the value of a number that is written as an integer and fits into an `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        scalar::integer(self.number()?)
    }

    /// Returns the `f64` that is nearest to a number; `None` on overflow, and for any other value. The result is
    /// infinite only if the number is written as infinity.
    pub fn as_f64(&self) -> Option<f64> {
        scalar::float(self.number()?)
    }

    /// Returns the number of values in a list or map; 0 for scalars.
    pub fn len(&self) -> usize {
        self.tree.inside(self.at).len()
    }

    /// Returns whether the value has no elements; scalars have none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values in a list or map, in file order, including those of duplicate keys.
    pub fn children(&self) -> Children {
        Children {
            of: self.clone(),
            next: 0,
        }
    }

    /// Returns the value of a key in a map. If the key occurs several times, which only JSON allows, returns the first
    /// value.
    pub fn get(&self, key: &str) -> Option<Self> {
        let at = self.tree.find(self.at, key)?;
        Some(self.other(at))
    }

    /// Returns a value of a list or map, given its 0-based index in file order.
    pub fn at(&self, index: usize) -> Option<Self> {
        let at = *self.tree.inside(self.at).get(index)?;
        Some(self.other(at))
    }

    /// Returns the approximate memory of the whole tree in addition to the text, in bytes.
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
