//! What an operation is, and the one way to run it.

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

/// One command of the product.
pub trait Operation: 'static {
    /// The command's name: `search` is `skc search` and the tool `skc_search`; `mcp status` is a command of a group.
    const NAME: &'static str;
    /// What it does, in one line without a full stop.
    const ABOUT: &'static str;
    /// Command lines that work, for help and documentation.
    const EXAMPLES: &'static [Example];
    /// How agents are offered it; `None` if it is for the command line only.
    const TOOL: Option<Tool> = None;
    /// The arguments.
    type Request: Debug + PartialEq + DeserializeOwned + JsonSchema + CliArgs;
    /// The result; its JSON is the same everywhere.
    type Response: Serialize + JsonSchema;

    /// Does it.
    ///
    /// # Errors
    /// Those of the operation; what went wrong without stopping it goes to `notes`.
    fn run(toolkit: &Toolkit, request: Self::Request, notes: &mut Notes) -> Result<Self::Response>;

    /// What the operation does with rules and indexers that are scripts.
    const SCRIPTS: Scripts = Scripts::Unused;

    /// Names the arguments that the access log keeps.
    ///
    /// Design: C-LOGGING@7.
    fn arguments(_request: &Self::Request) -> Arguments {
        Arguments::default()
    }

    /// Says what is wrong with arguments that their schema allows: asked by a server before it notes that the call begins.
    ///
    /// # Errors
    /// The fault.
    fn check(_toolkit: &Toolkit, _request: &Self::Request) -> std::result::Result<(), Fault> {
        Ok(())
    }

    /// Returns what an agent reads of the response, if that is neither its JSON nor its text form.
    fn for_agent(_response: &Self::Response) -> Option<&str> {
        None
    }

    /// Returns the part of the response that is a skill's own text, if that is what it shows. What the text calls
    /// `scripts/run.py` is then looked for in the skill, so that the answer can say where that is.
    fn shown(_response: &Self::Response) -> Option<&FileContent> {
        None
    }

    /// Puts what was found in the place of what was asked for, where the log keeps that.
    fn outcome(_arguments: &mut Arguments, _response: &Self::Response) {}

    /// Asks for everything that a page shows: called before [`run`](Self::run) if the response is to be one.
    fn for_page(_request: &mut Self::Request) {}

    /// Makes sure that the response will have the format that was asked for: `text`, `json` …
    ///
    /// # Errors
    /// E100 for a format that this request has no answer in.
    fn check_format(_request: &Self::Request, _format: &str) -> Result<()> {
        Ok(())
    }

    /// Says what the answer depends on, for those who want another after each edit. By default nothing does.
    fn watched(_toolkit: &Toolkit, _request: &Self::Request) -> Watched {
        Watched::default()
    }

    /// Names the files that were written, canonical, with their stamps right afterwards: that edit is none of the user's.
    fn written(_response: &Self::Response) -> Vec<(PathBuf, Stamp)> {
        Vec::new()
    }

    /// Names the files, and the skills by their directories, that the response was made from: `--output` must not replace them.
    fn sources(_toolkit: &Toolkit, _response: &Self::Response) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Notes that the whole response has been written to whoever asked. By default that makes no difference.
    fn delivered(_toolkit: &Toolkit, _response: &Self::Response) {}

    /// Says whether an edit of what the answer depends on can mend an error. By default none can.
    fn is_mendable(_toolkit: &Toolkit, _request: &Self::Request, _error: &Error) -> bool {
        false
    }

    /// Says whether a response means success.
    fn verdict(_response: &Self::Response) -> Verdict {
        Verdict::Passed
    }
}

/// Returns how an operation is offered, for the list of all tools.
///
/// # Panics
/// If it is not, when it is compiled.
pub(crate) const fn tool_of<O: Operation>() -> Tool {
    match O::TOOL {
        Some(tool) => tool,
        None => panic!("it is no tool"),
    }
}

/// What an operation does with rules and indexers that are scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// Nothing: none can be named for it.
    Unused,
    /// They are used; those that cannot be loaded are warned of.
    Used,
    /// They are used; its own response has those that cannot be loaded.
    Answered,
    /// They are what is looked at, those that were named included: none of their faults is an error.
    Examined,
}

/// What is wrong with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Which one.
    pub argument: &'static str,
    /// The kind of fault: `required`.
    pub code: &'static str,
    /// What is wrong, in words.
    pub message: &'static str,
}

/// A command line and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// What to type.
    pub command: &'static str,
    /// What it does, in a few words.
    pub does: &'static str,
}

/// Whether a response is a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Exit status 0.
    Passed,
    /// Exit status 1 without an error: lint found errors.
    Failed,
}

/// What a request has to be for the command line: nothing without that adapter.
#[cfg(not(feature = "clap"))]
pub trait CliArgs {}
#[cfg(not(feature = "clap"))]
impl<T> CliArgs for T {}

/// What a request has to be for the command line.
#[cfg(feature = "clap")]
pub trait CliArgs: clap::Args {}
#[cfg(feature = "clap")]
impl<T: clap::Args> CliArgs for T {}

/// A result and what was said beside it.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The response, or why there is none.
    pub result: Result<T>,
    /// Warnings and details, also those of a failure.
    pub notes: Notes,
}

/// Runs an operation and logs it, if it is about one skill. Every adapter calls this and nothing else.
///
/// The row is written when the result is there, and changes nothing in it.
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

/// Says what of the scripts was left out, if the call has asked for them.
fn tell_of_plugins(toolkit: &Toolkit, scripts: Scripts, notes: &mut Notes) {
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
