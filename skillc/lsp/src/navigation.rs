//! Navigation over the reference graph: definition, references and document symbols.

use std::collections::BTreeMap;

use lsp_types::{DocumentSymbolParams, GotoDefinitionParams, Range, ReferenceParams};
use serde_json::{Value, json};
use skillc_core::graph::Fragments;
use skillc_core::{Document, Heading, Reference, RelPath, Skill, Span, Target};

use crate::answer::{Answer, Fault, json};
use crate::desk::{Desk, View};
use crate::positions::{Table, Tables};
use crate::visible::visible;

/// The maximum number of symbols in an answer: fields and headings.
const MAX_SYMBOLS: usize = 5000;

/// Values of the protocol's `SymbolKind`.
const NAMESPACE: u8 = 3;
const PROPERTY: u8 = 7;
const STRING: u8 = 15;

/// A link to a folder leads to the first of these files that exists in the folder.
const OF_FOLDER: [&str; 2] = ["SKILL.md", "README.md"];

/// The target of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Aim {
    /// The file.
    pub(crate) file: RelPath,
    /// The span of the heading in the file, if the reference leads to a heading.
    pub(crate) heading: Option<Span>,
}

/// Finds the targets of references. The fragments of each document are collected once.
pub(crate) struct Aims<'s> {
    skill: &'s Skill,
    fragments: BTreeMap<&'s RelPath, Fragments<'s>>,
}

impl<'s> Aims<'s> {
    /// Creates a finder for the references of a skill.
    pub(crate) const fn new(skill: &'s Skill) -> Self {
        Self {
            skill,
            fragments: BTreeMap::new(),
        }
    }

    /// Returns the target of a reference; `None` if the target is not a file of the skill.
    pub(crate) fn of(&mut self, reference: &Reference) -> Option<Aim> {
        let file = match &reference.target {
            Target::File(file) => file.clone(),
            Target::Directory(dir) => {
                let inside = OF_FOLDER.iter().map(|name| format!("{dir}/{name}"));
                let mut inside = inside.filter_map(|path| RelPath::parse(&path).ok());
                inside.find(|path| self.skill.tree.get(path).is_some())?
            }
            _ => return None,
        };
        let heading = self.heading(&file, reference);
        Some(Aim { file, heading })
    }

    /// Returns the span of the heading that a reference's fragment refers to.
    fn heading(&mut self, file: &RelPath, reference: &Reference) -> Option<Span> {
        let document = self.skill.document(file)?;
        let fragment = reference.fragment()?;
        let known = self.fragments.entry(&document.path);
        let known = known.or_insert_with(|| Fragments::from_document(document));
        known.heading(fragment).map(|heading| heading.span)
    }
}

/// Returns the reference whose destination, or whose whole link, contains an offset.
pub(crate) fn reference_at(view: &View, at: usize) -> Option<&Reference> {
    let all = view.skill.references().in_document(&view.file);
    let is_in = |span: Span| span.start <= at && at <= span.end;
    let direct = all.iter().find(|reference| is_in(reference.span));
    direct.or_else(|| {
        let links = view.document.links.iter().filter(|link| is_in(link.span));
        let innermost = links.min_by_key(|link| link.span.end - link.span.start)?;
        let mut all = all.iter();
        all.find(|reference| reference.span == innermost.dest_span)
    })
}

/// Returns the heading at an offset.
pub(crate) fn heading_at(document: &Document, at: usize) -> Option<&Heading> {
    let mut all = document.headings.iter().chain(&document.inner_headings);
    all.find(|heading| heading.span.start <= at && at < heading.span.end)
}

/// Answers `textDocument/definition`.
pub(crate) fn definition(desk: &mut Desk, params: &GotoDefinitionParams) -> Answer {
    let of = &params.text_document_position_params;
    let Some(view) = desk.view(of.text_document.uri.as_str())? else {
        return Ok(Value::Null);
    };
    let offset = view.offset(&desk.client, of.position);
    let found = reference_at(&view, offset);
    let aim = found.and_then(|found| Aims::new(&view.skill).of(found));
    let place = aim.and_then(|aim| location(desk, &view, &aim.file, aim.heading));
    Ok(place.unwrap_or(Value::Null))
}

/// Answers `textDocument/references`: the references to a heading, to the target of a reference, or, in the
/// frontmatter, to the file.
pub(crate) fn references(desk: &mut Desk, params: &ReferenceParams) -> Answer {
    let of = &params.text_document_position;
    let Some(view) = desk.view(of.text_document.uri.as_str())? else {
        return Ok(Value::Null);
    };
    let offset = view.offset(&desk.client, of.position);
    let mut aims = Aims::new(&view.skill);
    let Some(aim) = aim_at(&view, &mut aims, offset) else {
        return Ok(Value::Null);
    };
    let target = view.skill.document(&aim.file);
    let first = target.and_then(|target| target.headings.first());
    let is_first = first.is_some_and(|first| Some(first.span) == aim.heading);
    // A reference without a fragment leads to the file, and therefore also to the file's first heading.
    let is_it = |found: &Aim| {
        let is_heading = found.heading == aim.heading || is_first && found.heading.is_none();
        found.file == aim.file && (aim.heading.is_none() || is_heading)
    };
    let mut places = Vec::new();
    if params.context.include_declaration {
        places.extend(location(desk, &view, &aim.file, aim.heading));
    }
    let mut tables = Tables::new(desk.client.encoding);
    for document in view.skill.documents() {
        let Some(uri) = desk.uri(&view.path(&document.path)) else {
            continue;
        };
        for found in view.skill.references().in_document(&document.path) {
            desk.stop.check()?;
            if aims.of(found).is_some_and(|aim| is_it(&aim)) {
                let range = tables.of(document).range(found.span);
                places.push(json!({ "uri": uri, "range": range }));
            }
        }
    }
    Ok(Value::Array(places))
}

fn aim_at(view: &View, aims: &mut Aims<'_>, at: usize) -> Option<Aim> {
    if let Some(found) = reference_at(view, at) {
        return aims.of(found);
    }
    let heading = heading_at(&view.document, at).map(|heading| heading.span);
    let is_of_file = heading.is_some() || at < view.document.body_start;
    is_of_file.then(|| Aim {
        file: view.file.clone(),
        heading,
    })
}

/// Returns a location; `None` if its path is not UTF-8. Without a span, the location is the start of the file.
fn location(desk: &Desk, view: &View, file: &RelPath, span: Option<Span>) -> Option<Value> {
    let range = match (view.skill.document(file), span) {
        (Some(document), Some(span)) => desk.client.encoding.range(document, span),
        _ => Range::default(),
    };
    Some(json!({ "uri": desk.uri(&view.path(file))?, "range": range }))
}

/// Answers `textDocument/documentSymbol`: the fields of the frontmatter, and the headings.
pub(crate) fn symbols(desk: &mut Desk, params: &DocumentSymbolParams) -> Answer {
    let uri = params.text_document.uri.as_str();
    let Some(view) = desk.view(uri)? else {
        return Ok(Value::Null);
    };
    let document = &*view.document;
    let table = Table::new(desk.client.encoding, document);
    let range = |span: Span| json(&table.range(span));
    if !desk.client.has_nested_symbols {
        let mut flat = Vec::new();
        for heading in document.headings.iter().take(MAX_SYMBOLS) {
            let place = json!({ "uri": uri, "range": range(heading.span)? });
            flat.push(json!({ "name": named(&heading.text), "kind": STRING, "location": place }));
        }
        return Ok(Value::Array(flat));
    }
    let mut all = Vec::new();
    let mut left = MAX_SYMBOLS;
    if let Some(fields) = document
        .frontmatter
        .fields()
        .filter(|of| of.iter().count() > 0)
    {
        let mut children = Vec::new();
        for field in fields.iter().take(MAX_SYMBOLS) {
            let whole = Span::new(
                field.key_span.start,
                field.value_span.end.max(field.key_span.end),
            );
            let symbol = json!({
                "name": named(&field.key),
                "kind": PROPERTY,
                "range": range(whole)?,
                "selectionRange": range(field.key_span)?,
            });
            children.push(symbol);
        }
        left -= children.len();
        let whole = range(Span::new(0, document.body_start))?;
        all.push(json!({
            "name": "frontmatter",
            "kind": NAMESPACE,
            "range": whole,
            "selectionRange": whole,
            "children": children,
        }));
    }
    let headings = &document.headings[..left.min(document.headings.len())];
    all.extend(nested(document, headings, &range)?);
    Ok(Value::Array(all))
}

/// Returns the symbols of headings, each of which contains the symbols of the headings in its section; at most six
/// levels deep.
fn nested(
    document: &Document,
    headings: &[Heading],
    range: &impl Fn(Span) -> Answer,
) -> Result<Vec<Value>, Fault> {
    let mut symbols = Vec::new();
    let mut rest = headings;
    while let Some((heading, below)) = rest.split_first() {
        let count = below
            .iter()
            .take_while(|of| of.level > heading.level)
            .count();
        let (inside, after) = below.split_at(count);
        let lines = document.lines.range(heading.line, heading.end_line);
        let section = Span::new(
            heading.span.start.min(lines.start),
            lines.end.max(heading.span.end),
        );
        symbols.push(json!({
            "name": named(&heading.text),
            "kind": STRING,
            "range": range(section)?,
            "selectionRange": range(heading.span)?,
            "children": nested(document, inside, range)?,
        }));
        rest = after;
    }
    Ok(symbols)
}

/// Returns the name of a symbol; clients refuse an empty name.
fn named(text: &str) -> String {
    match text {
        "" => "(empty)".to_owned(),
        text => visible(text),
    }
}
