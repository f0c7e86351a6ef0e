//! The table of requests: the function that answers each method, and the skills that have to be linted first.

use lsp_server::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::{Answer, Fault};
use crate::desk::Desk;
use crate::{actions, completion, hover, navigation, pull, rename};

/// A request of the protocol.
pub(crate) struct Request {
    /// The name of the method.
    pub(crate) method: &'static str,
    /// The skills that have to be linted before the answer.
    pub(crate) needs: Needs,
    /// Answers the request.
    pub(crate) answer: fn(&mut Desk, Value) -> Answer,
}

/// The skills that have to be linted before a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// None.
    Nothing,
    /// The skill of the document, unless its findings are current.
    Findings,
    /// All skills that are waiting to be linted.
    All,
    /// The skill of the document, even if the skill is not known to have changed.
    Lint,
}

/// The requests.
const REQUESTS: &[Request] = &[
    Request {
        method: "codeAction/resolve",
        needs: Needs::Nothing,
        answer: |desk, params| handled(desk, params, actions::resolved),
    },
    Request {
        method: "textDocument/codeAction",
        needs: Needs::Findings,
        answer: |desk, params| handled(desk, params, actions::of_range),
    },
    Request {
        method: "textDocument/completion",
        needs: Needs::Nothing,
        answer: |desk, params| handled(desk, params, completion::at_position),
    },
    Request {
        method: "textDocument/definition",
        needs: Needs::Nothing,
        answer: |desk, params| handled(desk, params, navigation::definition),
    },
    Request {
        method: "textDocument/diagnostic",
        needs: Needs::Lint,
        answer: |desk, params| handled(desk, params, pull::of_document),
    },
    Request {
        method: "textDocument/documentSymbol",
        needs: Needs::Nothing,
        answer: |desk, params| handled(desk, params, navigation::symbols),
    },
    Request {
        method: "textDocument/hover",
        needs: Needs::Findings,
        answer: |desk, params| handled(desk, params, hover::at_position),
    },
    Request {
        method: "textDocument/prepareRename",
        needs: Needs::Nothing,
        answer: |desk, params| handled(desk, params, rename::prepared),
    },
    Request {
        method: "textDocument/references",
        needs: Needs::Nothing,
        answer: |desk, params| handled(desk, params, navigation::references),
    },
    Request {
        method: "textDocument/rename",
        needs: Needs::Nothing,
        answer: |desk, params| handled(desk, params, rename::renamed),
    },
    Request {
        method: "workspace/diagnostic",
        needs: Needs::All,
        answer: |desk, params| handled(desk, params, pull::of_workspace),
    },
    Request {
        method: "workspace/willRenameFiles",
        needs: Needs::Nothing,
        answer: |desk, params| handled(desk, params, rename::will_rename),
    },
];

/// Finds a request by its method.
pub(crate) fn request(method: &str) -> Option<&'static Request> {
    REQUESTS.iter().find(|request| request.method == method)
}

/// Returns the error for a method that is not in the table.
pub(crate) fn unknown(method: &str) -> Fault {
    let shown: String = method.chars().take(100).collect();
    Fault::new(
        ErrorCode::MethodNotFound,
        format!("unknown method '{shown}'"),
    )
}

fn handled<P: DeserializeOwned>(
    desk: &mut Desk,
    params: Value,
    answer: fn(&mut Desk, &P) -> Answer,
) -> Answer {
    let params = serde_json::from_value(params);
    let params = params.map_err(|error| Fault::params(error.to_string()))?;
    answer(desk, &params)
}
