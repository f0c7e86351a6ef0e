//! The `Operation` trait, and `perform`, the only way to run an operation.

use std::fmt::Debug;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use skillc_core::contained::check_project;
use skillc_core::source::Stamp;
use skillc_core::{Error, Result, Warning};

use crate::access::{self, Arguments, Use};
use crate::content::FileContent;
use crate::named_files::names_a_file;
use crate::notes::Notes;
use crate::tool::Tool;
use crate::toolkit::Toolkit;
use crate::watched::Watched;

/// A command of the product.
pub trait Operation: 'static {
    /// The command's name: `search` for `skc search` and the tool `skc_search`; `mcp status` for `skc mcp status`.
    const NAME: &'static str;
    /// A one-line description without a full stop.
    const ABOUT: &'static str;
    /// Working command lines, most common first, for help and documentation.
    const EXAMPLES: &'static [Example];
    /// The MCP tool; `None` if there is only a command.
    const TOOL: Option<Tool> = None;
    /// The arguments.
    type Request: Debug + PartialEq + DeserializeOwned + JsonSchema + CliArgs;
    /// The result; its JSON form is the same for every adapter.
    type Response: Serialize + JsonSchema;

    /// Runs the operation.
    ///
    /// # Errors
    /// Returns the errors of the operation. Problems that do not stop the operation go to `notes`.
    fn run(toolkit: &Toolkit, request: Self::Request, notes: &mut Notes) -> Result<Self::Response>;

    /// How the operation uses scripted rules and indexers.
    const SCRIPTS: Scripts = Scripts::Unused;

    /// Returns the arguments to record in the usage log.
    ///
    /// Design: C-LOGGING@7.
    fn arguments(_request: &Self::Request) -> Arguments {
        Arguments::default()
    }

    /// Checks the conditions that the schema of the arguments cannot express. A server calls this function before it
    /// records the start of the call.
    ///
    /// # Errors
    /// Returns the invalid argument.
    fn check(_toolkit: &Toolkit, _request: &Self::Request) -> std::result::Result<(), Fault> {
        Ok(())
    }

    /// Returns the message that agents receive instead of the JSON or the text form of the response, if any.
    fn for_agent(_response: &Self::Response) -> Option<&str> {
        None
    }

    /// Returns the part of the response that is the skill's own text, if any. If the text mentions files such as
    /// `scripts/run.py`, the answer includes the skill's root.
    fn shown(_response: &Self::Response) -> Option<&FileContent> {
        None
    }

    /// Updates the logged arguments after a success: adds results such as counts, and replaces requested values with
    /// the values that were found.
    fn outcome(_arguments: &mut Arguments, _response: &Self::Response) {}

    /// Extends the request to all data that an output format such as `html` shows. Called before [`run`](Self::run).
    fn for_format(_request: &mut Self::Request, _format: &str) {}

    /// Checks that a request supports an output format, such as `text` or `json`.
    ///
    /// # Errors
    /// Returns E100 for an unsupported format.
    fn check_format(_request: &Self::Request, _format: &str) -> Result<()> {
        Ok(())
    }

    /// Returns the files and directories that the response depends on, for watch mode. None by default.
    fn watched(_toolkit: &Toolkit, _request: &Self::Request) -> Watched {
        Watched::default()
    }

    /// Returns canonical paths of the written files, with their stamps right after the write: watch mode ignores these
    /// changes.
    fn written(_response: &Self::Response) -> Vec<(PathBuf, Stamp)> {
        Vec::new()
    }

    /// Returns the files and skill directories that the response was computed from: `--output` must not replace them.
    fn sources(_toolkit: &Toolkit, _response: &Self::Response) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Called after the whole response has been written. A no-op by default.
    fn delivered(_toolkit: &Toolkit, _response: &Self::Response) {}

    /// Returns whether an edit to the watched files can fix an error. False by default.
    fn is_mendable(_toolkit: &Toolkit, _request: &Self::Request, _error: &Error) -> bool {
        false
    }

    /// Returns whether a response means success.
    fn verdict(_response: &Self::Response) -> Verdict {
        Verdict::Passed
    }
}

/// Returns an operation's tool, for the list of all tools.
///
/// # Panics
/// Panics at compile time if the operation is not a tool.
pub(crate) const fn tool_of<O: Operation>() -> Tool {
    match O::TOOL {
        Some(tool) => tool,
        None => panic!("not a tool"),
    }
}

/// How an operation uses scripted rules and indexers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// Scripts are not used: `--plugin` is not offered.
    Unused,
    /// Scripts are used. A script that fails to load causes a warning.
    Used,
    /// Scripts are used. Scripts that fail to load are part of the response.
    Answered,
    /// Scripts are examined, including those named with `--plugin`. Faults of scripts are results, not errors.
    Examined,
}

/// An invalid argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The argument's name.
    pub argument: &'static str,
    /// The kind of fault, such as `required`.
    pub code: &'static str,
    /// The error message.
    pub message: &'static str,
}

/// A command line and its description.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The command line.
    pub command: &'static str,
    /// A short description.
    pub does: &'static str,
}

/// Whether a response means success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Exit status 0.
    Passed,
    /// Exit status 1 without an error message, for example because lint found errors.
    Failed,
}

/// The command line's requirements for a request: none without the `clap` feature.
#[cfg(not(feature = "clap"))]
pub trait CliArgs {}
#[cfg(not(feature = "clap"))]
impl<T> CliArgs for T {}

/// The command line's requirements for a request.
#[cfg(feature = "clap")]
pub trait CliArgs: clap::Args {}
#[cfg(feature = "clap")]
impl<T: clap::Args> CliArgs for T {}

/// A result with its notes.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The response or the error.
    pub result: Result<T>,
    /// Warnings and details, even if the operation failed.
    pub notes: Notes,
}

/// Runs an operation and logs it if it is about one skill. Every adapter calls this function.
///
/// The row of the usage log is written after the result is complete, and does not affect the result.
///
/// Design: C-LOGGING@7.
pub fn perform<O: Operation>(toolkit: &Toolkit, request: O::Request) -> Outcome<O::Response> {
    let mut notes = Notes {
        notices: toolkit.kept.news(),
        ..Notes::default()
    };
    let mut arguments = O::arguments(&request);
    let named = match O::SCRIPTS {
        Scripts::Examined => Ok(()),
        _ => toolkit.check_named_plugins(),
    };
    let named = named.and_then(|()| toolkit.stores.iter().try_for_each(check_project));
    let result = named.and_then(|()| {
        let result = O::run(toolkit, request, &mut notes);
        tell_of_plugins(toolkit, O::SCRIPTS, &mut notes);
        result
    });
    if let (Ok(response), Some(root)) = (&result, &notes.root) {
        let shown = O::shown(response);
        notes.is_root_needed = shown.is_some_and(|text| names_a_file(&text.0, root));
    }
    if let Some(at) = notes.found.take() {
        if let Ok(response) = &result {
            O::outcome(&mut arguments, response);
        }
        let used = Use {
            command: O::NAME,
            at: &at,
            arguments,
            error: result.as_ref().err(),
        };
        access::log(toolkit, used, &mut notes);
    }
    Outcome { result, notes }
}

/// Warns about scripts that failed to load, if the call used scripts.
pub(crate) fn tell_of_plugins(toolkit: &Toolkit, scripts: Scripts, notes: &mut Notes) {
    let Some(loaded) = toolkit.loaded.get() else {
        return;
    };
    let left_out = |fault: String| Warning::PluginLeftOut { fault };
    if scripts != Scripts::Examined {
        let links = loaded.left_out.iter().map(ToString::to_string);
        links.for_each(|fault| notes.warn(left_out(fault)));
    }
    if matches!(scripts, Scripts::Unused | Scripts::Used) {
        let faults = loaded.plugins.faults().iter().cloned();
        faults.for_each(|fault| notes.warn(left_out(fault)));
    }
    let notices = loaded.notices.iter().cloned();
    notices.for_each(|notice| notes.warn(left_out(notice)));
}
