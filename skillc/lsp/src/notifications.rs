//! The table of the notifications that do not concern the text of a document, with the event that each of them causes.

use lsp_server::RequestId;
use lsp_types::{DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, WorkspaceFolder};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::client::MAX_FOLDERS;
use crate::uris::path_of;
use crate::worker::Event;

/// The maximum number of files in one notification. If there are more, any file may have changed.
const MAX_FILES: usize = 1000;

/// The method of the notification that cancels a request.
const CANCEL: &str = "$/cancelRequest";

/// A notification of the protocol.
struct Notification {
    /// The name of the method.
    method: &'static str,
    /// Returns the event for the worker; `None` if the parameters are invalid.
    event: fn(Value) -> Option<Event>,
}

/// The notifications.
const NOTIFICATIONS: &[Notification] = &[
    Notification {
        method: CANCEL,
        event: |params| cancelled(CANCEL, &params).map(Event::Cancel),
    },
    Notification {
        method: "textDocument/didSave",
        event: |params| saved(&params),
    },
    Notification {
        method: "workspace/didChangeConfiguration",
        event: |_| Some(Event::Settings),
    },
    Notification {
        method: "workspace/didChangeWatchedFiles",
        event: |params| read(params).as_ref().map(changed),
    },
    Notification {
        method: "workspace/didChangeWorkspaceFolders",
        event: |params| read(params).as_ref().map(folders),
    },
];

/// Returns the event that a notification causes; `None` if the method is unknown or the parameters are invalid.
pub(crate) fn event(method: &str, params: Value) -> Option<Event> {
    let mut known = NOTIFICATIONS.iter();
    let known = known.find(|known| known.method == method)?;
    (known.event)(params)
}

fn read<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

/// Returns the id of the request that a notification cancels; `None` for any other notification.
pub(crate) fn cancelled(method: &str, params: &Value) -> Option<RequestId> {
    if method != CANCEL {
        return None;
    }
    RequestId::deserialize(params.get("id")?).ok()
}

fn saved(params: &Value) -> Option<Event> {
    let uri = params.pointer("/textDocument/uri")?;
    let path = path_of(uri.as_str()?)?;
    Some(Event::Files(vec![path]))
}

fn changed(params: &DidChangeWatchedFilesParams) -> Event {
    if params.changes.len() > MAX_FILES {
        return Event::Settings;
    }
    let uris = params.changes.iter().map(|change| change.uri.as_str());
    Event::Files(uris.filter_map(path_of).collect())
}

fn folders(params: &DidChangeWorkspaceFoldersParams) -> Event {
    let paths = |folders: &[WorkspaceFolder]| {
        let uris = folders.iter().map(|folder| folder.uri.as_str());
        uris.filter_map(path_of).take(MAX_FOLDERS).collect()
    };
    Event::Folders {
        added: paths(&params.event.added),
        removed: paths(&params.event.removed),
    }
}
