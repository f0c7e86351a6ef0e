//! Hover: how clients handle a field of the frontmatter, and the page of a finding's rule.

use lsp_types::HoverParams;
use serde_json::{Value, json};
use skillc_core::source::lines::char_floor;
use skillc_core::{Document, Field};

use crate::answer::Answer;
use crate::desk::Desk;
use crate::facts;
use crate::safe_links::with_safe_links;
use crate::visible::visible;

/// The maximum number of pages in one answer.
const MAX_PAGES: usize = 3;

/// The maximum size of a page in an answer, in bytes. There is no other limit on the size of a page from a project's
/// script.
const MAX_PAGE_BYTES: usize = 16 << 10;

/// Answers `textDocument/hover`.
pub(crate) fn at_position(desk: &mut Desk, params: &HoverParams) -> Answer {
    let of = &params.text_document_position_params;
    let Some(view) = desk.view(of.text_document.uri.as_str())? else {
        return Ok(Value::Null);
    };
    let offset = view.offset(&desk.client, of.position);
    let mut parts = Vec::new();
    if let Some(field) = key_at(&view.document, offset) {
        let clients = desk.live.clients(&view.toolkit, &view.skill);
        parts.push(facts::of_field(&field.key, &clients));
    }
    let found = desk.board.of_file(&view.path(&view.file)).into_iter();
    let here = found.filter(|found| {
        let range = found.diagnostic.range;
        !found.is_whole && range.start <= of.position && of.position <= range.end
    });
    let mut rules: Vec<&str> = here.map(|found| found.rule.as_str()).collect();
    rules.dedup();
    for rule in rules.into_iter().take(MAX_PAGES) {
        let rule = view.toolkit.plugins().rule(rule);
        parts.extend(rule.map(|rule| {
            let meta = rule.meta();
            let page = meta.page();
            let page = &page[..char_floor(&page, MAX_PAGE_BYTES)];
            format!("**{} {}**\n\n{page}", meta.code, meta.name)
        }));
    }
    if parts.is_empty() {
        return Ok(Value::Null);
    }
    let text = visible(&parts.join("\n\n---\n\n"));
    let text = with_safe_links(&text);
    Ok(json!({ "contents": { "kind": "markdown", "value": text } }))
}

/// Returns the field of the frontmatter whose key contains a byte.
fn key_at(document: &Document, at: usize) -> Option<&Field> {
    let mut fields = document.frontmatter.fields()?.iter();
    fields.find(|field| field.key_span.start <= at && at <= field.key_span.end)
}
