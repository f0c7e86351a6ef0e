//! Calls an operation with a JSON request, and writes its response as JSON.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use skillc_core::{Context, Error, Notice, Result, Stop};
use skillc_ops::{NoProgress, Notes, Operation, Toolkit, hint, perform};

use crate::process;

/// A call of an operation.
pub(crate) struct Call {
    /// The operation's name: `catalog search`.
    pub(crate) operation: String,
    /// The request, as JSON.
    pub(crate) request: String,
    /// The working directory of the call; `None` for the working directory of the process.
    pub(crate) directory: Option<PathBuf>,
}

/// The answer of a call that succeeded.
#[derive(Serialize)]
struct Success<'a, T> {
    response: &'a T,
    /// The source directory of the skill that the response is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    warnings: Vec<String>,
}

/// The answer of a call that failed.
#[derive(Serialize)]
struct Failure {
    error: Reason,
    warnings: Vec<String>,
}

/// Why a call failed.
#[derive(Serialize)]
struct Reason {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// Calls an operation. Returns its answer as JSON.
pub(crate) fn answer(call: &Call, stop: &Stop) -> String {
    let answered = context(call.directory.as_deref())
        .and_then(|context| process::with_threads(|| answer_in(call, context, stop)))
        .flatten();
    answered.unwrap_or_else(|error| failure(&error, None, Vec::new()))
}

/// Returns the context of a call: the context of the process, but with `directory` as the working directory if it is
/// given.
fn context(directory: Option<&Path>) -> Result<Context> {
    let mut context = Context::from_process()?;
    // The executable of this process is the interpreter, not `skc`.
    context.program = None;
    if let Some(directory) = directory {
        let cwd = context.cwd.join(directory);
        if !cwd.is_dir() {
            let message = format!("'{}' is not a directory", directory.display());
            return Err(Error::invalid_option(message));
        }
        context.cwd = cwd;
    }
    Ok(context)
}

/// Invokes a macro for each operation that a Python program can call. The macro's arguments are the function that
/// performs the operation, and the operation's type.
macro_rules! each_python_operation {
    ($row:ident) => {
        $row!(perform_shared, skillc_ops::lint::Lint);
        $row!(perform_shared, skillc_ops::scan::Scan);
        $row!(perform_shared, skillc_ops::build::Build);
        $row!(perform_shared, skillc_ops::outline::Outline);
        $row!(perform_shared, skillc_ops::search::Search);
        $row!(perform_shared, skillc_ops::show::Show);
        // These operations need a new toolkit: a shared toolkit caches the catalog for up to a second, but a program
        // that has just written a skill expects to find the skill.
        $row!(perform_fresh, skillc_ops::catalog::list::CatalogList);
        $row!(perform_fresh, skillc_ops::catalog::load::CatalogLoad);
        $row!(perform_fresh, skillc_ops::catalog::search::CatalogSearch);
        $row!(perform_fresh, skillc_ops::registry::sync::RegistrySync);
    };
}

fn answer_in(call: &Call, context: Context, stop: &Stop) -> Result<String> {
    macro_rules! answer_if_named {
        ($perform:ident, $operation:ty) => {
            if <$operation>::NAME == call.operation {
                return $perform::<$operation>(context, &call.request, stop);
            }
        };
    }
    each_python_operation!(answer_if_named);
    let operation = &call.operation;
    Err(Error::internal(format!("no operation '{operation}'")))
}

/// Performs an operation with the toolkit that all calls share.
fn perform_shared<O: Operation>(context: Context, request: &str, stop: &Stop) -> Result<String> {
    let (toolkit, notices) = process::toolkit(context)?;
    let toolkit = toolkit.for_call(Box::new(NoProgress), stop.clone());
    Ok(perform_json::<O>(&toolkit, request, &notices))
}

/// Performs an operation with a new toolkit.
fn perform_fresh<O: Operation>(context: Context, request: &str, stop: &Stop) -> Result<String> {
    let (mut toolkit, notices) = Toolkit::new(context)?;
    toolkit.stop = stop.clone();
    Ok(perform_json::<O>(&toolkit, request, &notices))
}

/// Performs an operation. Returns its answer as JSON.
///
/// `notices`: warnings from before the call.
fn perform_json<O: Operation>(toolkit: &Toolkit, request: &str, notices: &[Notice]) -> String {
    let request = match parse::<O>(toolkit, request) {
        Ok(request) => request,
        Err(error) => return failure(&error, None, texts(notices)),
    };
    let outcome = perform::<O>(toolkit, request);
    let Notes {
        notices: more,
        hint: known,
        root,
        ..
    } = outcome.notes;
    let mut warnings = texts(notices);
    warnings.extend(texts(&more));
    let response = match outcome.result {
        Ok(response) => response,
        Err(error) => {
            let known = known.or_else(|| hint(&toolkit.context, &error));
            return failure(&error, known, warnings);
        }
    };
    let success = Success {
        response: &response,
        root: root.map(|root| root.to_string_lossy().into_owned()),
        warnings,
    };
    match serde_json::to_string(&success) {
        Ok(text) => {
            O::delivered(toolkit, &response);
            text
        }
        Err(error) => failure(&Error::internal(error.to_string()), None, Vec::new()),
    }
}

/// Parses a request.
///
/// # Errors
/// E100 if a value is invalid.
fn parse<O: Operation>(toolkit: &Toolkit, request: &str) -> Result<O::Request> {
    let invalid = |error: serde_json::Error| Error::invalid_option(error.to_string());
    let value: Value = serde_json::from_str(request).map_err(invalid)?;
    // Parse the value instead of the text: otherwise, the message would give a line and column of JSON that the user
    // has not written.
    let request = serde_json::from_value(value).map_err(invalid)?;
    let checked = O::check(toolkit, &request);
    checked
        .map_err(|fault| Error::invalid_option(format!("{}: {}", fault.argument, fault.message)))?;
    Ok(request)
}

/// Returns the text of each warning, with its details.
fn texts(notices: &[Notice]) -> Vec<String> {
    let text = |notice: &Notice| match notice.details() {
        Some(details) => format!("{notice}\n{details}"),
        None => notice.to_string(),
    };
    notices.iter().map(text).collect()
}

/// Returns the answer of a call that failed, as JSON. `known`: a hint to add to the details of the error.
fn failure(error: &Error, known: Option<String>, warnings: Vec<String>) -> String {
    let lines: Vec<String> = error.details().into_iter().chain(known).collect();
    let failure = Failure {
        error: Reason {
            code: error.code(),
            message: error.message(),
            hint: (!lines.is_empty()).then(|| lines.join("\n")),
        },
        warnings,
    };
    // Serializing strings cannot fail.
    serde_json::to_string(&failure).unwrap_or_default()
}
