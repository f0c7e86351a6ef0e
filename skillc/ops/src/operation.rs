//! What an operation is, and the one way to run it.

use std::fmt::Debug;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use skillc_core::clients::Clients;
use skillc_core::config::Config;
use skillc_core::{Context, Notice, PluginRegistry, Result};

/// One command of the product.
pub trait Operation: 'static {
    /// The command's name: `search` is `skc search` and the tool `skc_search`.
    const NAME: &'static str;
    /// What it does, in one line without a full stop.
    const ABOUT: &'static str;
    /// Command lines that work, for help and documentation.
    const EXAMPLES: &'static [Example];
    /// The arguments.
    type Request: Debug + PartialEq + DeserializeOwned + JsonSchema + CliArgs;
    /// The result; its JSON is the same everywhere.
    type Response: Serialize + JsonSchema;

    /// Does it.
    ///
    /// # Errors
    /// Those of the operation; what went wrong without stopping it goes to `notes`.
    fn run(toolkit: &Toolkit, request: Self::Request, notes: &mut Notes) -> Result<Self::Response>;

    /// Says whether a response means success.
    fn verdict(_response: &Self::Response) -> Verdict {
        Verdict::Passed
    }
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

/// What operations work with.
pub struct Toolkit {
    /// The outside world.
    pub context: Context,
    /// Rules and indexers.
    pub plugins: PluginRegistry,
    /// The settings in force.
    pub config: Config,
    /// The table of agent clients.
    pub clients: Clients,
}

impl Toolkit {
    /// Reads the configuration and collects the linked plug-ins.
    ///
    /// Returns the toolkit, and what was ignored in the configuration.
    ///
    /// # Errors
    /// E999 if two plug-ins claim the same thing.
    pub fn new(context: Context) -> Result<(Self, Vec<Notice>)> {
        let plugins = PluginRegistry::linked()?;
        let (config, notices) = Config::read(&context);
        Ok((
            Self {
                context,
                plugins,
                config,
                clients: Clients::builtin(),
            },
            notices,
        ))
    }
}

/// What an operation says beside its result.
#[derive(Debug, Default)]
pub struct Notes {
    /// Warnings, in the order met.
    pub notices: Vec<Notice>,
    /// Lines for `--verbose`.
    pub details: Vec<String>,
}

impl Notes {
    /// Adds a warning.
    pub fn warn(&mut self, notice: impl Into<Notice>) {
        self.notices.push(notice.into());
    }

    /// Adds what was said elsewhere.
    pub fn append(&mut self, other: Self) {
        self.notices.extend(other.notices);
        self.details.extend(other.details);
    }

    /// Adds a line for `--verbose`.
    pub fn detail(&mut self, line: impl Into<String>) {
        self.details.push(line.into());
    }
}

/// A result and what was said beside it.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The response, or why there is none.
    pub result: Result<T>,
    /// Warnings and details, also those of a failure.
    pub notes: Notes,
}

/// Runs an operation. Every adapter calls this and nothing else.
pub fn perform<O: Operation>(toolkit: &Toolkit, request: O::Request) -> Outcome<O::Response> {
    let mut notes = Notes::default();
    let result = O::run(toolkit, request, &mut notes);
    Outcome { result, notes }
}
