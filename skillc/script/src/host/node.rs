//! JSON, YAML, TOML and CSV in scripts: values with positions.

use std::any::TypeId;
use std::sync::Arc;

use rhai::{Array, Dynamic, ImmutableString, NativeCallContext};
use skillc_core::Document;
use skillc_core::source::lines::char_floor;

use super::api::Api;
use super::file::FileView;
use super::list::{self, maybe};
use super::page::Page;
use super::piece::{Piece, Placed, int, register_placed, string};
use crate::limits::MAX_ARRAY;
use crate::meter::{HostResult, Meter};
use crate::nodes::{self, Fault, Kind, Node};

/// A value in data that was parsed from a file or from a piece of text.
#[derive(Clone)]
pub(crate) struct NodeView {
    page: Page,
    node: Node,
}

impl NodeView {
    /// Returns the fields of a document's frontmatter; if its YAML is invalid, only the fields that could be read.
    /// Returns `None` if the frontmatter is missing, is not closed, or has too many values.
    pub(crate) fn from_frontmatter(document: &Arc<Document>) -> Option<Self> {
        let fields = document.frontmatter.fields()?;
        let head = document.text.get(..document.body_start)?;
        Some(Self {
            page: Page::Document(Arc::clone(document)),
            node: nodes::fields(fields, head).ok()?,
        })
    }

    pub(super) fn tree_bytes(&self) -> usize {
        self.node.tree_bytes()
    }

    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        Some(self.with(self.node.get(key)?))
    }

    fn at(&self, index: i64) -> Option<Self> {
        let at = list::place(index, self.node.len())?;
        Some(self.with(self.node.at(at)?))
    }

    fn with(&self, node: Node) -> Self {
        let page = self.page.clone();
        Self { page, node }
    }

    /// Converts a scalar to a script value. Returns a list or map unchanged.
    fn value(&self) -> HostResult<Dynamic> {
        Ok(match self.node.kind() {
            Kind::Null => Dynamic::UNIT,
            Kind::Bool => maybe(self.node.as_bool()),
            Kind::Number => match self.node.as_i64() {
                Some(whole) => whole.into(),
                None => maybe(self.node.as_f64()),
            },
            Kind::Text => string(self.node.text().unwrap_or_default())?.into(),
            Kind::List | Kind::Map => Dynamic::from(self.clone()),
        })
    }

    /// Joins the strings of a list, or returns the text of a scalar. The result can have any length, and belongs to no
    /// file.
    fn joined(&self, separator: &str, meter: &Meter) -> HostResult<Piece> {
        if self.node.kind() != Kind::List {
            let text = self.node.text().unwrap_or_default();
            meter.charge_bytes(text.len())?;
            return Piece::made(text.to_owned(), meter);
        }
        // Each YAML alias of a string adds the whole string again, so the total length is computed and charged before
        // anything is allocated.
        let texts = || self.node.children();
        let text_len = |of: Node| of.text().unwrap_or_default().len();
        let separators = separator.len().saturating_mul(self.node.len());
        let len = texts()
            .map(text_len)
            .fold(separators, usize::saturating_add);
        meter.take(len)?;
        meter.charge(self.node.len() as u64)?;
        meter.charge_bytes(len)?;
        let mut joined = String::with_capacity(len);
        for (at, one) in texts().enumerate() {
            if at > 0 {
                joined.push_str(separator);
            }
            joined.push_str(one.text().unwrap_or_default());
        }
        Piece::from_taken(joined, meter)
    }

    fn keys(&self, meter: &Meter) -> HostResult<Array> {
        meter.charge(self.node.len().min(MAX_ARRAY) as u64)?;
        let children = self.node.children().take(MAX_ARRAY + 1);
        let mut keys = Array::new();
        for key in children.filter_map(|child| child.key().map(str::to_owned)) {
            meter.take(key.len())?;
            keys.push(string(&key)?.into());
        }
        Ok(keys)
    }

    fn key_place(&self) -> Option<Piece> {
        let (page, span) = (self.page.clone(), self.node.key_span()?);
        Some(Piece { page, span })
    }

    fn kind(&self) -> &'static str {
        match self.node.kind() {
            Kind::Null => "null",
            Kind::Bool => "bool",
            Kind::Number => "number",
            Kind::Text => "text",
            Kind::List => "list",
            Kind::Map => "map",
        }
    }
}

impl NodeView {
    /// Returns the style in which a scalar is written, such as `double-quoted`; `None` for a list, a map, or an
    /// implicit value.
    fn style(&self, meter: &Meter) -> HostResult<Option<&'static str>> {
        if matches!(self.node.kind(), Kind::List | Kind::Map) {
            return Ok(None);
        }
        let piece = self.piece();
        Ok(match piece.text().chars().next() {
            None => None,
            Some('"') => Some("double-quoted"),
            Some('\'') => Some("single-quoted"),
            Some(_) => {
                let before = &self.page.text()[..piece.span.start];
                let near = char_floor(before, before.len().saturating_sub(MAX_BEFORE_BLOCK));
                // Blank lines before the scalar are read again by each call.
                meter.charge_bytes(before.len() - near)?;
                Some(match header_before(&before[near..]) {
                    Some('|') => "literal",
                    Some('>') => "folded",
                    _ => "plain",
                })
            }
        })
    }
}

/// The maximum distance from a YAML block scalar up to its header, in bytes: a comment and blank lines can come between
/// them.
const MAX_BEFORE_BLOCK: usize = 1024;

/// Returns the indicator, `|` or `>`, in the header of a YAML block scalar. `text`: the text before the scalar.
fn header_before(text: &str) -> Option<char> {
    let above = text.trim_end_matches([' ', '\t']).strip_suffix('\n')?;
    let line = above.trim_end().rsplit('\n').next()?;
    let line = line.split(" #").next()?;
    let header = line.rsplit([' ', '\t']).next()?;
    header
        .chars()
        .next()
        .filter(|sign| matches!(sign, '|' | '>'))
}

impl Placed for NodeView {
    fn piece(&self) -> Piece {
        let (page, span) = (self.page.clone(), self.node.span());
        Piece { page, span }
    }
}

/// A data format and how to parse it.
#[derive(Clone, Copy)]
struct DataFormat {
    name: &'static str,
    read: fn(&str, usize) -> Result<Node, Fault>,
    /// Returns the memory that the parser needs in addition to the tree, in bytes.
    cost: fn(&str) -> usize,
}

/// The memory that the YAML parser allocates per line or comma before the tree exists, in bytes.
const COST_OF_YAML: usize = 256;

/// The memory charged per byte of invalid data: there is no tree to charge for, but the parser has used memory.
const COST_OF_FAILING: usize = 32;

/// Parsing costs one operation per this many bytes of data.
const BYTES_READ_PER_OPERATION: usize = 16;

/// The operations charged even for the shortest input, because a script may parse `{}` in a loop.
const OPERATIONS_OF_PARSER: u64 = 60;

const CSV: DataFormat = DataFormat {
    name: "csv",
    read: |text, base| nodes::csv(text, base, b','),
    cost: str::len,
};

const READERS: [DataFormat; 4] = [
    DataFormat {
        name: "json",
        read: nodes::json,
        cost: str::len,
    },
    DataFormat {
        name: "yaml",
        read: nodes::yaml,
        cost: cost_of_yaml,
    },
    DataFormat {
        name: "toml",
        read: nodes::toml,
        cost: nodes::cost_of_toml,
    },
    CSV,
];

fn read(
    piece: HostResult<Piece>,
    meter: &Meter,
    cost: fn(&str) -> usize,
    reader: impl Fn(&str, usize) -> Result<Node, Fault>,
) -> HostResult<NodeView> {
    let piece = piece?;
    let len = piece.text().len();
    meter.charge(operations_of_reading(len))?;
    meter.take(cost(piece.text()))?;
    let read = reader(piece.text(), piece.span.start);
    // The number of values is known only once the tree exists.
    let node = match read {
        Ok(node) => node,
        Err(fault) => {
            meter.take(len.saturating_mul(COST_OF_FAILING))?;
            return Err(fault.to_string().into());
        }
    };
    meter.take(node.tree_bytes())?;
    Ok(NodeView {
        page: piece.page,
        node,
    })
}

/// Returns the operations charged for parsing data of this size. The memory that parsing needs also limits how much a
/// call can parse.
pub(super) const fn operations_of_reading(bytes: usize) -> u64 {
    (bytes / BYTES_READ_PER_OPERATION) as u64 + OPERATIONS_OF_PARSER
}

fn cost_of_yaml(text: &str) -> usize {
    let parts = text.bytes().filter(|sign| matches!(sign, b'\n' | b','));
    text.len() + parts.count().saturating_mul(COST_OF_YAML)
}

/// Registers the functions that parse data; `piece` extracts the text from a value.
fn register_readers<T: Clone + 'static>(
    module: &mut Api,
    piece: impl Fn(&T, &Meter) -> HostResult<Piece> + Copy + 'static,
) {
    for DataFormat {
        name,
        read: reader,
        cost,
    } in READERS
    {
        module.set_native_fn(name, move |context: NativeCallContext<'_>, of: T| {
            let meter = Meter::from_context(&context);
            read(piece(&of, &meter), &meter, cost, reader)
        });
    }
    module.set_native_fn(
        CSV.name,
        move |context: NativeCallContext<'_>, of: T, separator: char| {
            let separator =
                u8::try_from(separator).map_err(|_| "a separator must be an ASCII character")?;
            let meter = Meter::from_context(&context);
            read(piece(&of, &meter), &meter, CSV.cost, |text, base| {
                nodes::csv(text, base, separator)
            })
        },
    );
}

pub(crate) fn register(module: &mut Api) {
    register_readers(module, |piece: &Piece, _| Ok(piece.clone()));
    register_readers(module, |file: &FileView, _| Ok(file.whole()));
    register_readers(module, |text: &ImmutableString, meter| {
        Piece::made(text.to_string(), meter)
    });
    register_placed::<NodeView>(module, "Node");
    register_scalars(module);
    register_insides(module);
}

/// Registers the properties of a single value.
fn register_scalars(module: &mut Api) {
    module.set_getter_fn("kind", |of: &mut NodeView| string(of.kind()));
    module.set_getter_fn(
        "style",
        |context: NativeCallContext<'_>, of: &mut NodeView| {
            let style = of.style(&Meter::from_context(&context))?;
            Ok(maybe(style.map(string).transpose()?))
        },
    );
    module.set_getter_fn("key", |of: &mut NodeView| {
        let key = of.node.key().map(string).transpose()?;
        Ok(maybe(key))
    });
    module.set_getter_fn("key_place", |of: &mut NodeView| Ok(maybe(of.key_place())));
    module.set_getter_fn("text", |of: &mut NodeView| {
        let text = of.node.text().map(string).transpose()?;
        Ok(maybe(text))
    });
    module.set_getter_fn("value", |of: &mut NodeView| of.value());
    module.set_native_fn("joined", |context: NativeCallContext<'_>, of: NodeView| {
        of.joined("", &Meter::from_context(&context))
    });
    module.set_native_fn(
        "joined",
        |context: NativeCallContext<'_>, of: NodeView, with: ImmutableString| {
            of.joined(&with, &Meter::from_context(&context))
        },
    );
}

/// Registers access to the elements of lists and maps.
fn register_insides(module: &mut Api) {
    module.set_getter_fn(
        "keys",
        |context: NativeCallContext<'_>, of: &mut NodeView| of.keys(&Meter::from_context(&context)),
    );
    let len = |of: &mut NodeView| Ok(int(of.node.len()));
    module.set_getter_fn("len", len);
    module.set_native_fn("len", len);
    module.set_getter_fn("is_empty", |of: &mut NodeView| Ok(of.node.is_empty()));
    module.set_native_fn("is_empty", |of: &mut NodeView| Ok(of.node.is_empty()));
    module.set_native_fn("get", |of: &mut NodeView, key: ImmutableString| {
        Ok(maybe(of.get(&key)))
    });
    module.set_indexer_get_fn(|of: &mut NodeView, key: ImmutableString| Ok(maybe(of.get(&key))));
    module.set_indexer_get_fn(|of: &mut NodeView, index: i64| Ok(maybe(of.at(index))));
    module.set_iter(TypeId::of::<NodeView>(), |of: Dynamic| {
        let of: NodeView = of.cast();
        let children = of.node.children();
        Box::new(children.map(move |child| Dynamic::from(of.with(child))))
    });
}
