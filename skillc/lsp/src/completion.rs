//! Completion: keys and values of the frontmatter, paths and anchors in links, and names of skills.

use std::collections::{BTreeMap, BTreeSet};

use lsp_types::{CompletionItem, CompletionItemKind, CompletionParams, TextEdit};
use serde_json::{Value, json};
use skillc_core::clients::{Client, FieldKind};
use skillc_core::graph::Anchors;
use skillc_core::{Document, Span};

use crate::answer::{Answer, json};
use crate::desk::{Desk, View};
use crate::links::{resolved, written};
use crate::visible::visible;

/// The maximum number of items in an answer.
const MAX_ITEMS: usize = 500;

/// The boolean words that are offered for a client whose own words are unknown.
const BOOLEANS: [&str; 2] = ["true", "false"];

/// A completion item, before it is converted to the protocol's form.
struct Item {
    text: String,
    label: String,
    detail: String,
    kind: CompletionItemKind,
}

/// Answers `textDocument/completion`.
pub(crate) fn at_position(desk: &mut Desk, params: &CompletionParams) -> Answer {
    let of = &params.text_document_position;
    let Some(view) = desk.view(of.text_document.uri.as_str())? else {
        return Ok(Value::Null);
    };
    let offset = view.offset(&desk.client, of.position);
    let (start, mut items) = found(desk, &view, offset);
    let typed = view.text(Span::new(start, offset)).to_lowercase();
    items.retain(|item| item.label.to_lowercase().contains(&typed));
    let is_cut = items.len() > MAX_ITEMS;
    items.truncate(MAX_ITEMS);
    let range = desk
        .client
        .encoding
        .range(&view.document, Span::new(start, offset));
    let items: Vec<CompletionItem> = items
        .into_iter()
        .map(|item| CompletionItem {
            label: visible(&item.label),
            kind: Some(item.kind),
            detail: (!item.detail.is_empty()).then(|| visible(&item.detail)),
            text_edit: Some(TextEdit::new(range, item.text).into()),
            ..CompletionItem::default()
        })
        .collect();
    Ok(json!({ "isIncomplete": is_cut, "items": json(&items)? }))
}

/// Returns the items that can be inserted at an offset, and the start of the text that an inserted item replaces.
fn found(desk: &mut Desk, view: &View, offset: usize) -> (usize, Vec<Item>) {
    let text = &view.document.text;
    let start = text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let before = &text[start..offset];
    if is_in_frontmatter(text, offset) {
        let clients = desk.live.clients(&view.toolkit, &view.skill);
        return in_frontmatter(view, &clients, (start, offset));
    }
    if let Some(at) = destination(before) {
        return in_link(view, (start + at, offset));
    }
    let word = word_start(before);
    let sign = before[..word].chars().next_back();
    if matches!(sign, Some('`' | '/')) {
        return (start + word, names(desk));
    }
    (offset, Vec::new())
}

/// Returns whether an offset is inside the frontmatter, which need not be closed yet.
fn is_in_frontmatter(text: &str, offset: usize) -> bool {
    let before = text[..offset].trim_start_matches('\u{feff}');
    let lines = before.split('\n').map(|line| line.trim_end_matches('\r'));
    let mut lines = lines.peekable();
    if lines.next() != Some("---") {
        return false;
    }
    while let Some(line) = lines.next() {
        if lines.peek().is_none() {
            return true;
        }
        if line == "---" {
            return false;
        }
    }
    false
}

fn in_frontmatter(
    view: &View,
    clients: &[Client],
    (start, offset): (usize, usize),
) -> (usize, Vec<Item>) {
    let before = view.text(Span::new(start, offset));
    match before.split_once(':') {
        None if !before.starts_with([' ', '\t', '-', '#']) => {
            (start, keys(&view.document, clients))
        }
        Some((key, value)) if !key.starts_with([' ', '\t', '-', '#']) => {
            let typed = value.trim_start().len();
            (offset - typed, values(view, clients, key.trim_end()))
        }
        _ => (offset, Vec::new()),
    }
}

/// Returns the fields that clients read and that the frontmatter does not contain.
fn keys(document: &Document, clients: &[Client]) -> Vec<Item> {
    let mut readers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for client in clients {
        for key in client.fields() {
            readers.entry(key).or_default().push(&client.id);
        }
    }
    let fields = document.frontmatter.fields();
    let is_new = |key: &str| fields.is_none_or(|fields| fields.get(key).is_none());
    let new = readers.into_iter().filter(|(key, _)| is_new(key));
    new.map(|(key, ids)| Item {
        text: format!("{key}: "),
        label: key.to_owned(),
        detail: ids.join(", "),
        kind: CompletionItemKind::PROPERTY,
    })
    .collect()
}

/// Returns the words that clients accept as the value of a field; for `name`, the name that the skill must have.
fn values(view: &View, clients: &[Client], key: &str) -> Vec<Item> {
    let mut readers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    if key == "name" {
        readers.entry(&view.skill.at.name).or_default();
    }
    for client in clients {
        let fields = client.typed_fields.iter().filter(|field| field.key == key);
        for kind in fields.flat_map(|field| &field.kinds) {
            let words: Vec<&str> = match kind {
                FieldKind::Word(word) => vec![word.as_str()],
                FieldKind::Flag if client.booleans.is_empty() => BOOLEANS.to_vec(),
                FieldKind::Flag => client.booleans.iter().map(String::as_str).collect(),
                _ => Vec::new(),
            };
            for word in words {
                readers.entry(word).or_default().insert(&client.id);
            }
        }
    }
    let item = |(word, ids): (&str, BTreeSet<&str>)| Item {
        text: word.to_owned(),
        label: word.to_owned(),
        detail: ids.into_iter().collect::<Vec<_>>().join(", "),
        kind: CompletionItemKind::VALUE,
    };
    readers.into_iter().map(item).collect()
}

/// Returns the start of the link destination at the end of the text before the cursor: `[a](…`, `[a](<…` or `[a]: …`.
fn destination(before: &str) -> Option<usize> {
    let inline = before.rfind("](").map(|at| at + 2);
    let definition = || {
        let at = before.find("]: ")? + 3;
        before.trim_start().starts_with('[').then_some(at)
    };
    let start = inline.or_else(definition)?;
    let rest = &before[start..];
    if let Some(rest) = rest.strip_prefix('<') {
        return (!rest.contains('>')).then_some(start + 1);
    }
    (!rest.contains([')', ' ', '\t'])).then_some(start)
}

/// Returns the files of the skill or, after a `#`, the anchors of a file.
fn in_link(view: &View, (start, offset): (usize, usize)) -> (usize, Vec<Item>) {
    let typed = view.text(Span::new(start, offset));
    if let Some((path, _)) = typed.split_once('#') {
        let file = match path {
            "" => Some(view.file.clone()),
            path => resolved(&view.file, path),
        };
        let target = file.and_then(|file| view.skill.document(&file));
        return (
            start + path.len() + 1,
            target.map_or_else(Vec::new, anchors),
        );
    }
    let entries = view.skill.tree.entries.iter();
    let others = entries.filter(|entry| entry.path != view.file);
    let items = others.map(|entry| {
        let path = written(&view.file, &entry.path);
        Item {
            text: path.clone(),
            label: path,
            detail: String::new(),
            kind: CompletionItemKind::FILE,
        }
    });
    (start, items.collect())
}

fn anchors(document: &Document) -> Vec<Item> {
    let item = |id: String, detail: String| Item {
        text: id.clone(),
        label: id,
        detail,
        kind: CompletionItemKind::REFERENCE,
    };
    let ids = Anchors::heading_ids(document).into_iter();
    let of_headings = ids.zip(&document.headings);
    let of_headings = of_headings.filter(|(id, _)| !id.is_empty());
    let of_headings = of_headings.map(|(id, heading)| item(id, heading.text.clone()));
    let explicit = document.anchors.iter();
    let explicit = explicit.map(|id| item(id.clone(), String::new()));
    of_headings.chain(explicit).collect()
}

/// Returns the start of the word at the end of a string.
fn word_start(before: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    before.trim_end_matches(is_word).len()
}

/// Returns the skills of the workspace.
fn names(desk: &Desk) -> Vec<Item> {
    let skills = desk.folders.iter().flat_map(|folder| &folder.skills);
    let by_name: BTreeMap<&str, String> = skills
        .map(|at| (at.name.as_str(), at.source.display().to_string()))
        .collect();
    let item = |(name, path): (&str, String)| Item {
        text: name.to_owned(),
        label: name.to_owned(),
        detail: path,
        kind: CompletionItemKind::MODULE,
    };
    by_name.into_iter().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frontmatter_ends_at_its_second_delimiter() {
        let text = "\u{feff}---\r\nna\r\n---\r\n# A\n---\n";
        let of = |mark: &str| is_in_frontmatter(text, text.find(mark).unwrap() + mark.len());
        assert!(of("na"));
        assert!(!of("# A") && !of("\u{feff}--"));
        assert!(is_in_frontmatter("---\nna", 6) && !is_in_frontmatter("---", 3));
        assert!(!is_in_frontmatter("# A\n---\nna", 10));
    }

    #[test]
    fn a_destination_begins_after_its_bracket() {
        for (before, at) in [
            ("see [a](do", Some(8)),
            ("![a](", Some(5)),
            ("[a](<b c", Some(5)),
            ("[label]: x", Some(9)),
            ("[a](b) c", None),
            ("text: x", None),
            ("see", None),
        ] {
            assert_eq!(destination(before), at, "{before}");
        }
    }
}
