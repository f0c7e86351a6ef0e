//! Findings for a client that requests them: `textDocument/diagnostic` and `workspace/diagnostic`.
//!
//! Such a client receives the findings of Markdown files only in answers to its requests. The findings of other files,
//! such as configuration files, are published.

use std::path::Path;

use lsp_types::{Diagnostic, DocumentDiagnosticParams, WorkspaceDiagnosticParams};
use serde_json::{Value, json};

use crate::answer::{Answer, json};
use crate::board::digest;
use crate::desk::Desk;

/// Returns whether a client that requests findings must request the findings of this file: true for Markdown files.
pub(crate) fn is_asked(file: &Path) -> bool {
    let extension = file.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// Returns the findings of a file, in the protocol's form.
pub(crate) fn shown(desk: &Desk, file: &Path) -> Vec<Diagnostic> {
    let found = desk.board.of_file(file).into_iter();
    found.map(|found| found.diagnostic.clone()).collect()
}

/// Answers `textDocument/diagnostic`.
pub(crate) fn of_document(desk: &mut Desk, params: &DocumentDiagnosticParams) -> Answer {
    let place = desk.place_of(params.text_document.uri.as_str());
    let file = place.map(|place| place.file.under(&place.at.canonical));
    let items = file
        .filter(|file| is_asked(file))
        .map_or_else(Vec::new, |file| shown(desk, &file));
    report(&items, params.previous_result_id.as_deref())
}

/// Answers `workspace/diagnostic`.
pub(crate) fn of_workspace(desk: &mut Desk, params: &WorkspaceDiagnosticParams) -> Answer {
    let before = |uri: &str| {
        let mut known = params.previous_result_ids.iter();
        known.find(|known| known.uri.as_str() == uri)
    };
    let mut items = Vec::new();
    let mut seen = Vec::new();
    for file in desk.board.files().filter(|file| is_asked(file)) {
        let Some(uri) = desk.uri(file) else { continue };
        let previous = before(&uri).map(|known| known.value.as_str());
        let mut item = report(&shown(desk, file), previous)?;
        item["uri"] = json!(uri);
        item["version"] = json!(desk.open_at(file).map(|(_, open)| open.version));
        items.push(item);
        seen.push(uri);
    }
    // Files that had findings, but no longer have any.
    seen.sort();
    let known = params.previous_result_ids.iter();
    let is_seen = |uri: &str| {
        seen.binary_search_by(|known| known.as_str().cmp(uri))
            .is_ok()
    };
    for gone in known.filter(|known| !is_seen(known.uri.as_str())) {
        let mut item = report(&[], Some(&gone.value))?;
        item["uri"] = json!(gone.uri.as_str());
        item["version"] = Value::Null;
        items.push(item);
    }
    Ok(json!({ "items": items }))
}

/// Returns the report on a file; without the findings if they have not changed since the previous report.
fn report(items: &[Diagnostic], previous: Option<&str>) -> Answer {
    let items = json(&items)?;
    let id = format!("{:016x}", digest(&items.to_string()));
    if previous == Some(id.as_str()) {
        return Ok(json!({ "kind": "unchanged", "resultId": id }));
    }
    Ok(json!({ "kind": "full", "resultId": id, "items": items }))
}
