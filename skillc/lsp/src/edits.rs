//! Converts edits of files to the form that the client supports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types::TextEdit;
use serde_json::{Map, Value, json};

use crate::desk::Desk;

/// Edits by the canonical path of their file.
pub(crate) type Edits = BTreeMap<PathBuf, Vec<TextEdit>>;

/// Converts edits to a `WorkspaceEdit` of the protocol.
///
/// `renamed`: a file to rename after the edits; its edits refer to the old path. Renaming requires a client that can
/// combine edits with operations on files.
pub(crate) fn workspace_edit(desk: &Desk, edits: &Edits, renamed: Option<(&Path, &Path)>) -> Value {
    let named = edits
        .iter()
        .filter_map(|(file, edits)| Some((file, desk.uri(file)?, edits)));
    if !desk.client.has_document_changes {
        let changes: Map<String, Value> =
            named.map(|(_, uri, edits)| (uri, json!(edits))).collect();
        return json!({ "changes": changes });
    }
    let mut changes: Vec<Value> = named
        .map(|(file, uri, edits)| {
            let version = desk.open_at(file).map(|(_, open)| open.version);
            json!({ "textDocument": { "uri": uri, "version": version }, "edits": edits })
        })
        .collect();
    if let Some((old, new)) = renamed
        && let (Some(old), Some(new)) = (desk.uri(old), desk.uri(new))
    {
        changes.push(json!({ "kind": "rename", "oldUri": old, "newUri": new }));
    }
    json!({ "documentChanges": changes })
}
