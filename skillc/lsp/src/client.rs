//! The client: its capabilities, and how to send it messages.

use std::path::PathBuf;
use std::sync::mpsc::SyncSender;

use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use skillc_core::clients::Clients;

use crate::answer::{Answer, Fault};
use crate::positions::Encoding;
use crate::transport::{Malformed, Outgoing};
use crate::uris::path_of;
use crate::visible::visible;

/// The maximum number of workspace folders.
pub(crate) const MAX_FOLDERS: usize = 100;

/// The maximum number of agent clients that are read from the options, and the maximum length of each name in
/// characters.
const MAX_NAMED: usize = 100;

/// Sends messages to the client. If the client is gone, messages are dropped; the server ends at the end of its input.
#[derive(Debug, Clone)]
pub(crate) struct Out(pub(crate) SyncSender<Outgoing>);

impl Out {
    /// Answers a request.
    pub(crate) fn answer(&self, id: RequestId, result: Answer) {
        let response = match result {
            Ok(value) => Response::new_ok(id, value),
            Err(Fault { code, message }) => Response::new_err(id, code as i32, visible(&message)),
        };
        self.send(response.into());
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        let method = method.to_owned();
        self.send(Notification { method, params }.into());
    }

    /// Sends a request. Its response is ignored.
    pub(crate) fn ask(&self, id: &str, method: &str, params: Value) {
        let (id, method) = (RequestId::from(id.to_owned()), method.to_owned());
        self.send(Request { id, method, params }.into());
    }

    /// Reports input that is not a valid message.
    pub(crate) fn fault(&self, fault: Malformed) {
        // Ignored, as in `send`.
        let _ = self.0.send(Outgoing::Fault(fault));
    }

    fn send(&self, message: Message) {
        // Ignored: the client is gone if its messages cannot be written.
        let _ = self.0.send(Outgoing::Message(message));
    }
}

/// The capabilities of the client, from the parameters of `initialize`. A capability that is missing or malformed is
/// treated as absent.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has one flag for each capability"
)]
pub(crate) struct Client {
    /// How the client counts columns.
    pub(crate) encoding: Encoding,
    /// The folders that are open.
    pub(crate) folders: Vec<PathBuf>,
    /// Whether the client requests findings instead of waiting for them.
    pub(crate) can_pull: bool,
    /// Whether the server can tell the client to request findings again.
    pub(crate) can_refresh: bool,
    /// Whether an edit can name versions of documents, and be combined with operations on files.
    pub(crate) has_document_changes: bool,
    /// Whether an edit can rename a file.
    pub(crate) can_rename_files: bool,
    /// Whether the edit of a code action can be computed later.
    pub(crate) can_resolve_edits: bool,
    /// Whether symbols can be nested.
    pub(crate) has_nested_symbols: bool,
    /// Whether the server can ask the client to watch files.
    pub(crate) can_watch: bool,
    /// Whether the server can show progress on its own initiative.
    pub(crate) has_progress: bool,
    /// The address of a rule's page, with the placeholder `{code}` for the rule's code, from
    /// `initializationOptions.rulePages`.
    pub(crate) rule_pages: Option<String>,
    /// The ids of the agent clients to lint for, from `initializationOptions.clients`; empty to use the clients in the
    /// configuration.
    pub(crate) lint_for: Vec<String>,
    /// The unknown names in the same list.
    pub(crate) unknown: Vec<String>,
}

impl Client {
    /// Reads the parameters of `initialize`.
    pub(crate) fn from_params(params: &Value) -> Self {
        let at = |path: &str| params.pointer(path);
        let has = |path: &str| at(path).and_then(Value::as_bool).unwrap_or(false);
        let lists = |path: &str, word: &str| {
            let list = at(path).and_then(Value::as_array);
            list.is_some_and(|list| list.iter().any(|of| of == word))
        };
        let encoding = if lists("/capabilities/general/positionEncodings", "utf-8") {
            Encoding::Utf8
        } else {
            Encoding::Utf16
        };
        let of_edit = "/capabilities/workspace/workspaceEdit";
        let rename = format!("{of_edit}/resourceOperations");
        let pages = at("/initializationOptions/rulePages").and_then(Value::as_str);
        let (lint_for, unknown) = agents(at("/initializationOptions/clients"));
        Self {
            encoding,
            folders: folders(params),
            can_pull: at("/capabilities/textDocument/diagnostic").is_some_and(Value::is_object),
            can_refresh: has("/capabilities/workspace/diagnostics/refreshSupport")
                || has("/capabilities/workspace/diagnostic/refreshSupport"),
            has_document_changes: has(&format!("{of_edit}/documentChanges")),
            can_rename_files: lists(&rename, "rename"),
            can_resolve_edits: lists(
                "/capabilities/textDocument/codeAction/resolveSupport/properties",
                "edit",
            ),
            has_nested_symbols: has(
                "/capabilities/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport",
            ),
            can_watch: has("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            has_progress: has("/capabilities/window/workDoneProgress"),
            rule_pages: pages.map(str::to_owned),
            lint_for,
            unknown,
        }
    }

    /// Returns the result of `initialize`.
    pub(crate) fn welcome(&self) -> Value {
        let everything = json!([{ "scheme": "file", "pattern": { "glob": "**" } }]);
        json!({
            "serverInfo": { "name": "skc", "version": env!("CARGO_PKG_VERSION") },
            "capabilities": {
                "positionEncoding": self.encoding.name(),
                "textDocumentSync": { "openClose": true, "change": 2, "save": {} },
                "diagnosticProvider": {
                    "identifier": "skc",
                    "interFileDependencies": true,
                    "workspaceDiagnostics": true,
                },
                "codeActionProvider": {
                    "codeActionKinds": ["quickfix", "source.fixAll.skc"],
                    "resolveProvider": true,
                },
                "hoverProvider": true,
                "completionProvider": { "triggerCharacters": ["(", "#", "/", ":", "`"] },
                "definitionProvider": true,
                "referencesProvider": true,
                "documentSymbolProvider": true,
                "renameProvider": { "prepareProvider": true },
                "workspace": {
                    "workspaceFolders": { "supported": true, "changeNotifications": true },
                    "fileOperations": { "willRename": { "filters": everything } },
                },
            },
        })
    }
}

/// Returns the folders that a client has open: `workspaceFolders`, or the older `rootUri`.
fn folders(params: &Value) -> Vec<PathBuf> {
    let several = params.get("workspaceFolders").and_then(Value::as_array);
    let several = several.into_iter().flatten();
    let mut uris: Vec<&Value> = several.filter_map(|folder| folder.get("uri")).collect();
    if uris.is_empty() {
        uris.extend(params.get("rootUri"));
    }
    let paths = uris.into_iter().filter_map(|uri| path_of(uri.as_str()?));
    paths.take(MAX_FOLDERS).collect()
}

/// Splits the names in a list of agent clients into known and unknown ones.
fn agents(list: Option<&Value>) -> (Vec<String>, Vec<String>) {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    let names = list.filter_map(Value::as_str).take(MAX_NAMED);
    let names = names.map(|name| name.chars().take(MAX_NAMED).collect::<String>());
    names.partition(|name| Clients::shared().client(name).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_capabilities_are_absent() {
        for params in [
            json!(null),
            json!([]),
            json!({ "capabilities": 1, "workspaceFolders": "x", "rootUri": {} }),
            json!({ "workspaceFolders": [1, {}, { "uri": "https://example.org" }] }),
        ] {
            let client = Client::from_params(&params);
            assert_eq!(client.encoding, Encoding::Utf16);
            assert!(client.folders.is_empty() && !client.can_pull, "{params}");
        }
    }

    #[test]
    fn agent_clients_are_those_that_are_known() {
        let options = json!({ "clients": ["codex", "nonsense", 1, "claude-code"] });
        let client = Client::from_params(&json!({ "initializationOptions": options }));
        assert_eq!(client.lint_for, ["codex", "claude-code"]);
        assert_eq!(client.unknown, ["nonsense"]);
        let client = Client::from_params(&json!({ "initializationOptions": { "clients": "x" } }));
        assert!(client.lint_for.is_empty() && client.unknown.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn encoding_and_folders_are_those_of_the_client() {
        let client = Client::from_params(&json!({
            "capabilities": { "general": { "positionEncodings": ["utf-16", "utf-8"] } },
            "rootUri": "file:///old",
            "workspaceFolders": [{ "uri": "file:///a%20b", "name": "a" }],
        }));
        assert_eq!(client.encoding, Encoding::Utf8);
        assert_eq!(client.folders, [PathBuf::from("/a b")]);
        let old = Client::from_params(&json!({ "rootUri": "file:///old" }));
        assert_eq!(old.folders, [PathBuf::from("/old")]);
    }
}
