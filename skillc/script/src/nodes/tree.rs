//! The storage of a tree, and its builder.
//!
//! All values are in one vector. A second vector contains indexes of values: the children of a list or map are a range
//! of this vector. A map has another range, in which its children are sorted by key. The text of a value is a range of
//! the source unless it contains escapes.

use std::sync::Arc;

use skillc_core::Span;

use super::fault::Fault;
use super::node::{Kind, Node};
use super::{MAX_DEPTH, MAX_VALUES};

/// Marks a value without a key.
const NO_KEY: u32 = u32::MAX;

/// A tree of values, with the source that was parsed.
pub(super) struct Tree {
    text: Box<str>,
    base: usize,
    values: Vec<Value>,
    keys: Vec<Key>,
    /// The decoded values and keys that differ from the source.
    decoded: Vec<Arc<str>>,
    /// For each list or map, the indexes of its children in file order. For a map, the same indexes follow again,
    /// sorted by key. Children with the same key stay in file order.
    order: Vec<u32>,
}

struct Value {
    kind: Kind,
    span: Range,
    key: u32,
    body: Body,
}

struct Key {
    span: Range,
    text: Piece,
}

/// A range of the source. `u32` is enough, because the source has at most 32 MiB.
#[derive(Clone, Copy, Default)]
struct Range {
    start: u32,
    end: u32,
}

#[derive(Clone, Copy)]
enum Piece {
    Source(Range),
    Decoded(u32),
}

#[derive(Clone, Copy)]
enum Body {
    Text(Piece),
    Inside { first: u32, len: u32 },
}

impl Tree {
    /// Returns the memory that the tree's values use, not counting their text.
    pub(super) fn bytes(&self) -> usize {
        let (values, keys) = (self.values.len(), self.keys.len());
        values * size_of::<Value>() + keys * size_of::<Key>() + self.order.len() * size_of::<u32>()
    }

    pub(super) fn kind(&self, at: u32) -> Kind {
        self.value(at).kind
    }

    pub(super) fn span(&self, at: u32) -> Span {
        self.place(self.value(at).span)
    }

    pub(super) fn key(&self, at: u32) -> Option<&str> {
        let key = self.keys.get(self.value(at).key as usize)?;
        Some(self.piece(key.text))
    }

    pub(super) fn key_span(&self, at: u32) -> Option<Span> {
        let key = self.keys.get(self.value(at).key as usize)?;
        Some(self.place(key.span))
    }

    pub(super) fn text(&self, at: u32) -> Option<&str> {
        match self.value(at).body {
            Body::Text(_) if self.kind(at) == Kind::Null => None,
            Body::Text(piece) => Some(self.piece(piece)),
            Body::Inside { .. } => None,
        }
    }

    /// Returns the indexes of the values of a list or a map in file order.
    pub(super) fn inside(&self, at: u32) -> &[u32] {
        match self.value(at).body {
            Body::Inside { first, len } => &self.order[first as usize..(first + len) as usize],
            Body::Text(_) => &[],
        }
    }

    /// Finds the first value with a key in a map, by binary search.
    pub(super) fn find(&self, at: u32, key: &str) -> Option<u32> {
        let value = self.value(at);
        let Body::Inside { first, len } = value.body else {
            return None;
        };
        if value.kind != Kind::Map {
            return None;
        }
        let sorted = &self.order[(first + len) as usize..(first + 2 * len) as usize];
        let from = sorted.partition_point(|at| self.key(*at) < Some(key));
        let found = *sorted.get(from)?;
        (self.key(found) == Some(key)).then_some(found)
    }

    fn value(&self, at: u32) -> &Value {
        &self.values[at as usize]
    }

    fn piece(&self, piece: Piece) -> &str {
        match piece {
            Piece::Source(range) => &self.text[range.start as usize..range.end as usize],
            Piece::Decoded(at) => &self.decoded[at as usize],
        }
    }

    fn place(&self, range: Range) -> Span {
        let offset = |at: u32| self.base.saturating_add(at as usize);
        Span::new(offset(range.start), offset(range.end))
    }
}

/// The text of a scalar or of a key.
pub(super) enum Content {
    /// Identical to a range of the source.
    Source(Span),
    /// Different from the source.
    Decoded(Arc<str>),
}

impl Content {
    /// Creates the content `decoded`, which is written at `span` in the source `text`. If the source contains the same
    /// string at this span, with or without quotes around it, stores only the range.
    pub(super) fn decoded(text: &str, span: Span, decoded: &str) -> Self {
        Self::find(text, span, decoded).unwrap_or_else(|| Self::Decoded(decoded.into()))
    }

    /// Like [`Content::decoded`], for a string that is already shared.
    pub(super) fn from_shared(text: &str, span: Span, decoded: &Arc<str>) -> Self {
        Self::find(text, span, decoded).unwrap_or_else(|| Self::Decoded(Arc::clone(decoded)))
    }

    fn find(text: &str, span: Span, decoded: &str) -> Option<Self> {
        let inner = Span::new(span.start + 1, span.end.saturating_sub(1));
        let is_it = |at: &Span| text.get(at.start..at.end) == Some(decoded);
        [span, inner].into_iter().find(is_it).map(Self::Source)
    }
}

/// Builds a tree from values added in file order, and enforces the bounds.
pub(super) struct Builder<'t> {
    text: &'t str,
    tree: Tree,
    /// The open lists and maps, each with the length of `waiting` when the list or map was opened.
    open: Vec<(u32, usize)>,
    /// The children added so far to the lists and maps that are still open.
    waiting: Vec<u32>,
    /// The key of the next value.
    key: u32,
}

impl<'t> Builder<'t> {
    /// Starts a tree. `text`: the source, at most 32 MiB.
    pub(super) fn new(text: &'t str, base: usize) -> Self {
        Self {
            text,
            tree: Tree {
                text: text.into(),
                base,
                values: Vec::new(),
                keys: Vec::new(),
                decoded: Vec::new(),
                order: Vec::new(),
            },
            open: Vec::new(),
            waiting: Vec::new(),
            key: NO_KEY,
        }
    }

    /// Returns the kind of the innermost open list or map.
    pub(super) fn innermost(&self) -> Option<Kind> {
        self.open.last().map(|(at, _)| self.tree.kind(*at))
    }

    /// Sets the key of the next value.
    pub(super) fn key(&mut self, span: Span, text: Content) {
        let text = self.keep(text);
        self.key = number(self.tree.keys.len());
        self.tree.keys.push(Key {
            span: range(span),
            text,
        });
    }

    /// Adds a scalar.
    pub(super) fn scalar(&mut self, kind: Kind, span: Span, text: Content) -> Result<(), Fault> {
        let text = self.keep(text);
        self.add(kind, span, Body::Text(text))?;
        Ok(())
    }

    /// Opens a list or map. The values that are added before the list or map is closed are its children. `at`: the
    /// approximate offset at which the list or map begins.
    pub(super) fn open(&mut self, kind: Kind, at: usize) -> Result<(), Fault> {
        if self.open.len() >= MAX_DEPTH {
            let reason = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(self.fault(at, &reason));
        }
        let body = Body::Inside { first: 0, len: 0 };
        let value = self.add(kind, Span::new(at, at), body)?;
        self.open.push((value, self.waiting.len()));
        Ok(())
    }

    /// Closes the innermost list or map; its span ends at `end`.
    pub(super) fn close(&mut self, end: usize) {
        if let Some((at, _)) = self.open.last() {
            let start = self.tree.value(*at).span.start as usize;
            self.close_at(Span::new(start, end));
        }
    }

    /// Closes the innermost list or map and sets its span.
    pub(super) fn close_at(&mut self, span: Span) {
        let Some((at, first_waiting)) = self.open.pop() else {
            return;
        };
        let first = number(self.tree.order.len());
        let len = number(self.waiting.len() - first_waiting);
        self.tree.order.extend(self.waiting.drain(first_waiting..));
        if self.tree.kind(at) == Kind::Map {
            let mut sorted = self.tree.order[first as usize..].to_vec();
            // The sort is stable, so that the first child is found if several have the same key.
            sorted.sort_by(|one, other| self.tree.key(*one).cmp(&self.tree.key(*other)));
            self.tree.order.extend(sorted);
        }
        let value = &mut self.tree.values[at as usize];
        value.body = Body::Inside { first, len };
        value.span = range(span);
    }

    /// Returns the root: the first value.
    pub(super) fn finish(mut self) -> Result<Node, Fault> {
        if self.tree.values.is_empty() {
            return Err(self.fault(self.text.len(), "there is no value"));
        }
        self.tree.values.shrink_to_fit();
        self.tree.order.shrink_to_fit();
        Ok(Node::top(self.tree))
    }

    /// Creates a fault at an offset of the text.
    pub(super) fn fault(&self, at: usize, reason: &str) -> Fault {
        Fault::new(self.text, self.tree.base, at, reason)
    }

    fn add(&mut self, kind: Kind, span: Span, body: Body) -> Result<u32, Fault> {
        if self.tree.values.len() >= MAX_VALUES {
            let reason = format!("more than {MAX_VALUES} values");
            return Err(self.fault(span.start, &reason));
        }
        let at = number(self.tree.values.len());
        let key = std::mem::replace(&mut self.key, NO_KEY);
        self.tree.values.push(Value {
            kind,
            span: range(span),
            key,
            body,
        });
        if !self.open.is_empty() {
            self.waiting.push(at);
        }
        Ok(at)
    }

    fn keep(&mut self, text: Content) -> Piece {
        match text {
            Content::Source(span) => Piece::Source(range(span)),
            Content::Decoded(text) => {
                self.tree.decoded.push(text);
                Piece::Decoded(number(self.tree.decoded.len() - 1))
            }
        }
    }
}

/// Converts an offset or a number of values. The conversion is lossless, because the source has at most 32 MiB, and the
/// number of values is limited.
fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

fn range(span: Span) -> Range {
    Range {
        start: number(span.start),
        end: number(span.end),
    }
}
