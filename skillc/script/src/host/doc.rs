//! Documents as scripts see them: text, lines, frontmatter, headings, links, code blocks, references.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use rhai::{ImmutableString, NativeCallContext};
use skillc_core::graph::Anchors;
use skillc_core::{Document, LinkKind, ListItem, Span};

use super::api::Api;
use super::finder::Patterns;
use super::list::{self, List, maybe};
use super::node::{NodeView, operations_of_reading};
use super::page::{Page, Runs};
use super::pattern::register_search;
use super::piece::{Piece, Placed, int, register_placed, string};
use super::skill::{Referred, SkillView};
use crate::meter::{HostResult, Meter};

/// A Markdown file.
#[derive(Clone)]
pub(crate) struct Doc {
    pub(crate) document: Arc<Document>,
    skill: SkillView,
    frontmatter: Rc<OnceCell<Option<NodeView>>>,
    anchors: Rc<OnceCell<Vec<ImmutableString>>>,
}

impl Doc {
    pub(crate) fn new(document: Arc<Document>, skill: SkillView) -> Self {
        Self {
            document,
            skill,
            frontmatter: Rc::default(),
            anchors: Rc::default(),
        }
    }

    fn page(&self) -> Page {
        Page::Document(Arc::clone(&self.document))
    }

    fn whole(&self) -> Piece {
        Piece::whole(self.page())
    }

    fn body(&self) -> Piece {
        Piece {
            page: self.page(),
            span: Span::new(self.document.body_start, self.document.text.len()),
        }
    }

    fn frontmatter(&self, meter: &Meter) -> HostResult<Option<NodeView>> {
        if let Some(known) = self.frontmatter.get() {
            return Ok(known.clone());
        }
        meter.charge(operations_of_reading(self.document.body_start))?;
        meter.take(self.document.body_start)?;
        let read = NodeView::from_frontmatter(&self.document);
        meter.take(read.as_ref().map_or(0, NodeView::tree_bytes))?;
        Ok(self.frontmatter.get_or_init(|| read).clone())
    }

    fn headings(&self) -> List<Heading> {
        let (document, anchors) = (Arc::clone(&self.document), Rc::clone(&self.anchors));
        List::new(self.document.headings.len(), move |at| Heading {
            part: Part::new(&document, at),
            anchors: Rc::clone(&anchors),
        })
    }

    fn list_items(&self) -> List<Item> {
        let document = Arc::clone(&self.document);
        let make = move |at| Item(Part::new(&document, at));
        List::new(self.document.list_items.len(), make)
    }

    fn links(&self) -> List<Link> {
        let document = Arc::clone(&self.document);
        let make = move |at| Link(Part::new(&document, at));
        List::new(self.document.links.len(), make)
    }

    fn code_blocks(&self) -> List<CodeBlock> {
        let document = Arc::clone(&self.document);
        let make = move |at| CodeBlock(Part::new(&document, at));
        List::new(self.document.code_blocks.len(), make)
    }

    fn pieces(&self, spans: fn(&Document) -> &[Span]) -> List<Piece> {
        let document = Arc::clone(&self.document);
        List::new(spans(&self.document).len(), move |at| Piece {
            page: Page::Document(Arc::clone(&document)),
            span: spans(&document)[at],
        })
    }

    fn references(&self) -> List<Referred> {
        self.skill.references(&self.document)
    }
}

/// A part of a document, identified by its index.
#[derive(Clone)]
pub(crate) struct Part {
    document: Arc<Document>,
    at: usize,
}

impl Part {
    fn new(document: &Arc<Document>, at: usize) -> Self {
        let document = Arc::clone(document);
        Self { document, at }
    }

    fn piece(&self, span: Span) -> Piece {
        let page = Page::Document(Arc::clone(&self.document));
        Piece { page, span }
    }
}

#[derive(Clone)]
struct Heading {
    part: Part,
    /// The link anchors of the document's headings, computed on first use.
    anchors: Rc<OnceCell<Vec<ImmutableString>>>,
}

impl Heading {
    fn inner(&self) -> &skillc_core::Heading {
        &self.part.document.headings[self.part.at]
    }

    /// Returns the text of the heading's section, including the heading.
    fn section(&self) -> Piece {
        let (of, document) = (self.inner(), &self.part.document);
        let range = document.lines.range(of.line, of.end_line);
        self.part.piece(Span::new(range.start, range.end))
    }

    /// Returns the heading's link anchor, without `#`.
    fn anchor(&self, meter: &Meter) -> HostResult<ImmutableString> {
        let document = &self.part.document;
        if self.anchors.get().is_none() {
            let headings = document.headings.iter().chain(&document.inner_headings);
            let bytes = headings.map(|heading| size_of::<String>() + heading.text.len());
            let bytes: usize = bytes.sum();
            meter.charge_bytes(bytes)?;
            meter.take(bytes)?;
        }
        let anchors = self.anchors.get_or_init(|| {
            let anchors = Anchors::heading_ids(document).into_iter();
            anchors.map(Into::into).collect()
        });
        Ok(anchors.get(self.part.at).cloned().unwrap_or_default())
    }

    /// Returns the text of the heading with its markup, but without `#`, underline and surrounding whitespace.
    fn title(&self) -> Piece {
        let whole = self.piece();
        let line = whole.text().lines().next().unwrap_or_default();
        let bare = line.trim_start_matches([' ', '#']);
        let start = line.len() - bare.len();
        let full = bare.trim_end();
        // Hashes at the end of a heading are markup only if the heading begins with hashes, and a space or tab precedes
        // the hashes at the end.
        let open = full.trim_end_matches('#');
        let is_closed = start > 0 && open.len() < full.len() && open.ends_with([' ', '\t']);
        let text = if is_closed { open.trim_end() } else { full };
        whole.part(start, start + text.len())
    }
}

impl Placed for Heading {
    fn piece(&self) -> Piece {
        self.part.piece(self.inner().span)
    }
}

#[derive(Clone)]
struct Link(Part);

impl Link {
    fn inner(&self) -> &skillc_core::Link {
        &self.0.document.links[self.0.at]
    }
}

impl Placed for Link {
    fn piece(&self) -> Piece {
        self.0.piece(self.inner().span)
    }
}

#[derive(Clone)]
struct Item(Part);

impl Item {
    fn inner(&self) -> &ListItem {
        &self.0.document.list_items[self.0.at]
    }

    /// Returns the text after the item's marker.
    fn content(&self) -> Piece {
        let ListItem { span, marker, .. } = *self.inner();
        let whole = self.0.piece(Span::new(marker.end.min(span.end), span.end));
        whole.trimmed()
    }
}

impl Placed for Item {
    fn piece(&self) -> Piece {
        self.0.piece(self.inner().span)
    }
}

#[derive(Clone)]
struct CodeBlock(Part);

impl CodeBlock {
    fn inner(&self) -> &skillc_core::CodeBlock {
        &self.0.document.code_blocks[self.0.at]
    }

    /// Returns the code in the block. If its lines are contiguous in the document, the result is a piece of the
    /// document, otherwise a copy whose positions are mapped back to the document.
    fn content(&self, meter: &Meter) -> HostResult<Piece> {
        let whole = self.piece();
        match self.inner().content.as_slice() {
            [] => {
                let text = whole.text();
                let start = text.find('\n').map_or(text.len(), |at| at + 1);
                Ok(whole.part(start, start))
            }
            [one] => Ok(self.0.piece(*one)),
            runs => {
                let runs = Runs::copy(&self.0.document, runs, meter)?;
                Ok(Piece::whole(Page::Runs(Arc::new(runs))))
            }
        }
    }
}

impl Placed for CodeBlock {
    fn piece(&self) -> Piece {
        self.0.piece(self.inner().span)
    }
}

pub(super) const fn kind_name(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Inline => "inline",
        LinkKind::Reference => "reference",
        LinkKind::Autolink => "autolink",
        LinkKind::Image => "image",
        _ => "other",
    }
}

pub(crate) fn register(module: &mut Api, patterns: &Arc<Patterns>) {
    module.set_custom_type::<Doc>("Document");
    register_search(module, patterns, |doc: &Doc, _| Ok(doc.whole()));
    module.set_getter_fn("path", |doc: &mut Doc| string(doc.document.path.as_str()));
    module.set_getter_fn("text", |doc: &mut Doc| Ok(doc.whole()));
    module.set_getter_fn("body", |doc: &mut Doc| Ok(doc.body()));
    module.set_getter_fn("lines", |doc: &mut Doc| Ok(doc.whole().lines()));
    module.set_getter_fn("is_main", |doc: &mut Doc| {
        Ok(doc.skill.skill().is_main(&doc.document))
    });
    module.set_getter_fn(
        "frontmatter",
        |context: NativeCallContext<'_>, doc: &mut Doc| {
            Ok(maybe(doc.frontmatter(&Meter::from_context(&context))?))
        },
    );
    module.set_native_fn(
        "field",
        |context: NativeCallContext<'_>, doc: &mut Doc, key: ImmutableString| {
            let fields = doc.frontmatter(&Meter::from_context(&context))?;
            Ok(maybe(fields.and_then(|map| map.get(&key))))
        },
    );
    module.set_getter_fn("headings", |doc: &mut Doc| Ok(doc.headings()));
    module.set_getter_fn("links", |doc: &mut Doc| Ok(doc.links()));
    module.set_getter_fn("code_blocks", |doc: &mut Doc| Ok(doc.code_blocks()));
    module.set_getter_fn("list_items", |doc: &mut Doc| Ok(doc.list_items()));
    module.set_getter_fn("code_spans", |doc: &mut Doc| {
        Ok(doc.pieces(|document| &document.code_spans))
    });
    module.set_getter_fn("tables", |doc: &mut Doc| {
        Ok(doc.pieces(|document| &document.tables))
    });
    module.set_getter_fn("html_blocks", |doc: &mut Doc| {
        Ok(doc.pieces(|document| &document.html_blocks))
    });
    module.set_getter_fn("inline_html", |doc: &mut Doc| {
        Ok(doc.pieces(|document| &document.inline_html))
    });
    module.set_native_fn("line_range", |doc: &mut Doc, first: i64, last: i64| {
        Ok(doc.whole().line_range(first, last))
    });
    module.set_getter_fn("references", |doc: &mut Doc| Ok(doc.references()));
    list::register::<Piece>(module, "Texts");
    register_parts(module);
}

fn register_parts(module: &mut Api) {
    register_placed::<Heading>(module, "Heading");
    list::register::<Heading>(module, "Headings");
    module.set_getter_fn("level", |of: &mut Heading| Ok(i64::from(of.inner().level)));
    module.set_getter_fn("text", |of: &mut Heading| string(&of.inner().text));
    module.set_getter_fn(
        "title",
        |context: NativeCallContext<'_>, of: &mut Heading| {
            Meter::from_context(&context).charge_bytes(of.piece().text().len())?;
            Ok(of.title())
        },
    );
    module.set_getter_fn("section", |of: &mut Heading| Ok(of.section()));
    module.set_getter_fn("end_line", |of: &mut Heading| Ok(int(of.inner().end_line)));

    module.set_getter_fn(
        "anchor",
        |context: NativeCallContext<'_>, of: &mut Heading| {
            of.anchor(&Meter::from_context(&context))
        },
    );

    register_placed::<Item>(module, "ListItem");
    list::register::<Item>(module, "ListItems");
    module.set_getter_fn("level", |of: &mut Item| Ok(i64::from(of.inner().level)));
    module.set_getter_fn("number", |of: &mut Item| {
        Ok(maybe(of.inner().number.map(i64::from)))
    });
    module.set_getter_fn("is_done", |of: &mut Item| Ok(maybe(of.inner().is_done)));
    module.set_getter_fn("marker", |of: &mut Item| Ok(of.0.piece(of.inner().marker)));
    module.set_getter_fn(
        "content",
        |context: NativeCallContext<'_>, of: &mut Item| {
            let content = of.content();
            // Charge for the whitespace that was skipped to find the content.
            let blanks = of.piece().text().len() - content.text().len();
            Meter::from_context(&context).charge_bytes(blanks)?;
            Ok(content)
        },
    );

    register_placed::<Link>(module, "Link");
    list::register::<Link>(module, "Links");
    module.set_getter_fn("dest", |of: &mut Link| string(&of.inner().dest));
    module.set_getter_fn("kind", |of: &mut Link| string(kind_name(of.inner().kind)));
    module.set_getter_fn("label", |of: &mut Link| {
        Ok(of.0.piece(of.inner().label_span))
    });
    module.set_getter_fn("destination", |of: &mut Link| {
        Ok(of.0.piece(of.inner().dest_span))
    });

    register_placed::<CodeBlock>(module, "CodeBlock");
    list::register::<CodeBlock>(module, "CodeBlocks");
    module.set_getter_fn("info", |of: &mut CodeBlock| {
        let info = of.inner().info.as_deref().map(string).transpose()?;
        Ok(maybe(info))
    });
    module.set_getter_fn("language", |of: &mut CodeBlock| {
        let info = of.inner().info.as_deref().unwrap_or_default();
        string(info.split([' ', ',', '{', '\t']).next().unwrap_or_default())
    });
    module.set_getter_fn(
        "content",
        |context: NativeCallContext<'_>, of: &mut CodeBlock| {
            of.content(&Meter::from_context(&context))
        },
    );
}
