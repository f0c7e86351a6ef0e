//! JSON, YAML, TOML and CSV in scripts: values with their places.

use std::any::TypeId;
use std::sync::Arc;

use rhai::{Array, Dynamic, ImmutableString, NativeCallContext};
use skillc_core::Document;

use super::api::Api;
use super::file::FileView;
use super::list::{self, maybe};
use super::page::Page;
use super::piece::{Piece, Placed, int, register_placed, string};
use crate::meter::{HostResult, Meter};
use crate::nodes::{self, Fault, Kind, Node};

/// A value of a file, or of a piece of one.
#[derive(Clone)]
pub(crate) struct NodeView {
    page: Page,
    node: Node,
}

impl NodeView {
    /// Returns the fields of a document's frontmatter; `None` if it has none that can be read.
    pub(crate) fn of_frontmatter(document: &Arc<Document>) -> Option<Self> {
        let fields = document.frontmatter.fields()?;
        let head = document.text.get(..document.body_start)?;
        Some(Self {
            page: Page::Document(Arc::clone(document)),
            node: nodes::fields(fields, head).ok()?,
        })
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

    /// Returns the value as scripts have such values; of a list or map itself.
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

    /// Returns the texts of a list, or the one text, joined: of any length, but of no file.
    fn joined(&self, separator: &str, meter: &Meter) -> HostResult<Piece> {
        if self.node.kind() != Kind::List {
            let text = self.node.text().unwrap_or_default();
            return Piece::made(text.to_owned(), meter);
        }
        meter.take(separator.len().saturating_mul(self.node.len()))?;
        let mut joined = String::new();
        for (at, one) in self.node.children().enumerate() {
            if at > 0 {
                joined.push_str(separator);
            }
            joined.push_str(one.text().unwrap_or_default());
        }
        Piece::made(joined, meter)
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

impl Placed for NodeView {
    fn piece(&self) -> Piece {
        let (page, span) = (self.page.clone(), self.node.span());
        Piece { page, span }
    }
}

type Reader = fn(&str, usize) -> Result<Node, Fault>;

const READERS: [(&str, Reader); 4] = [
    ("json", nodes::json),
    ("yaml", nodes::yaml),
    ("toml", nodes::toml),
    ("csv", |text, base| nodes::csv(text, base, b',')),
];

fn read(
    context: &NativeCallContext<'_>,
    piece: HostResult<Piece>,
    reader: impl Fn(&str, usize) -> Result<Node, Fault>,
) -> HostResult<NodeView> {
    let piece = piece?;
    let meter = Meter::of(context);
    // A tree has a copy of its text; how many values are in it is seen when they are there.
    meter.take(piece.text().len())?;
    let node = reader(piece.text(), piece.span.start).map_err(|fault| fault.to_string())?;
    meter.take(node.tree_bytes())?;
    Ok(NodeView {
        page: piece.page,
        node,
    })
}

/// Makes the functions known that read what `piece` makes of a value.
fn register_readers<T: Clone + Send + Sync + 'static>(
    module: &mut Api,
    piece: impl Fn(&T, &Meter) -> HostResult<Piece> + Copy + Send + Sync + 'static,
) {
    for (name, reader) in READERS {
        module.set_native_fn(name, move |context: NativeCallContext<'_>, of: T| {
            read(&context, piece(&of, &Meter::of(&context)), reader)
        });
    }
    module.set_native_fn(
        "csv",
        move |context: NativeCallContext<'_>, of: T, separator: char| {
            let separator =
                u8::try_from(separator).map_err(|_| "a separator is an ASCII character")?;
            let piece = piece(&of, &Meter::of(&context));
            read(&context, piece, |text, base| {
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

/// Makes known what a value is by itself.
fn register_scalars(module: &mut Api) {
    module.set_getter_fn("kind", |of: &mut NodeView| string(of.kind()));
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
        of.joined("", &Meter::of(&context))
    });
    module.set_native_fn(
        "joined",
        |context: NativeCallContext<'_>, of: NodeView, with: ImmutableString| {
            of.joined(&with, &Meter::of(&context))
        },
    );
}

/// Makes known what is in a list or a map.
fn register_insides(module: &mut Api) {
    module.set_getter_fn("keys", |of: &mut NodeView| {
        let keys = of.node.children();
        let keys: HostResult<Array> = keys
            .filter_map(|child| child.key().map(|key| Ok(string(key)?.into())))
            .collect();
        keys
    });
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
