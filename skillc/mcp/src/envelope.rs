//! The envelope of catalog tools: an object with a success flag and either data or an error.
//!
//! Design: catalog-tools, R7.

use serde_json::{Value, json};
use skillc_core::Error;
use skillc_ops::catalog::model::Refusal;

use crate::arguments::Issue;
use crate::tools::{End, Failure, check_size};

/// Creates the failure for invalid arguments.
pub(crate) fn invalid(issues: Vec<Issue>) -> Failure {
    let details = json!({ "issues": issues });
    let first = issues.into_iter().next();
    let error = first.map_or_else(|| Error::invalid_option("arguments"), Error::from);
    Failure {
        code: "INVALID_PARAMS",
        message: "schema validation failed".to_owned(),
        details: Some(details),
        error: Box::new(error),
    }
}

/// Converts an error to a failure with a catalog code. `refusal`: why a skill was not loaded, if the error has this
/// cause.
pub(crate) fn failure(error: Error, refusal: Option<&Refusal>) -> Failure {
    let code = match (&error, refusal) {
        (_, Some(refusal)) => {
            let details = refusal.details();
            return Failure {
                code: refusal.code(),
                message: refusal.message(),
                details: details.and_then(|details| serde_json::to_value(details).ok()),
                error: Box::new(error),
            };
        }
        // The query consists only of `$`, which leaves nothing to search for.
        (Error::EmptyQuery {}, None) => {
            let message = "expected a non-blank string";
            return invalid(vec![Issue::new("query", "too_small", message)]);
        }
        (Error::SkillsDisabled {}, None) => Refusal::SkillsDisabled.code(),
        _ => "HANDLER_ERROR",
    };
    Failure {
        code,
        ..error.into()
    }
}

/// Returns the text and the envelope for the outcome of a call.
pub(crate) fn envelope(end: End, warnings: &[String]) -> (String, Value) {
    let (mut envelope, text) = match end {
        End::Said { value, text, .. } => (json!({"ok": true, "data": value}), text),
        End::Failed(failure) => (failed(failure), None),
        // Not reached: a call that ends with a question has no tool result.
        End::Asked(_) => (json!({"ok": false}), None),
    };
    if !warnings.is_empty() {
        envelope["warnings"] = json!(warnings);
    }
    let text = text.unwrap_or_else(|| envelope.to_string());
    match check_size(&text) {
        Ok(()) => (text, envelope),
        Err(error) => {
            let envelope = failed(failure(error, None));
            (envelope.to_string(), envelope)
        }
    }
}

fn failed(failure: Failure) -> Value {
    let mut error = json!({"code": failure.code, "message": failure.message});
    if let Some(details) = failure.details {
        error["details"] = details;
    }
    json!({"ok": false, "error": error})
}
