//! The result of a request: a value, or an error with a message for the user.

use lsp_server::ErrorCode;
use serde::Serialize;
use serde_json::Value;

/// The result of a request.
pub(crate) type Answer = Result<Value, Fault>;

/// The error response to a request.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Fault {
    /// Creates the error for a request with wrong parameters.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    /// Creates the error for a request that is not possible, with a message for the user.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::RequestFailed, message)
    }

    /// Creates the error for a request that the client has cancelled.
    pub(crate) fn cancelled() -> Self {
        Self::new(ErrorCode::RequestCanceled, "cancelled")
    }

    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }
}

impl From<skillc_core::Error> for Fault {
    fn from(error: skillc_core::Error) -> Self {
        Self::refused(error.message())
    }
}

/// Converts a result to JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> Answer {
    let value = serde_json::to_value(value);
    value.map_err(|error| Fault::new(ErrorCode::InternalError, error.to_string()))
}
