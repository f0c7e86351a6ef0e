//! The metadata of an operation's MCP tool.
//!
//! Design: C-MCP-SERVER, catalog-tools, R7.

use skillc_core::inventory;

inventory::collect!(Tool);

/// Returns whether a tool of that name exists, to check the rules in the configuration.
pub(crate) fn is_tool(name: &str) -> bool {
    let mut all = inventory::iter::<Tool>.into_iter();
    all.any(|tool| tool.name == name)
}

/// The MCP tool of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// The name used in calls and in configuration rules.
    pub name: &'static str,
    /// The title for people.
    pub title: &'static str,
    /// What the tool does and when to use it, for a model; one or two short sentences.
    pub about: &'static str,
    /// The kind of data that a call changes.
    pub effect: Effect,
    /// The form of the tool's results. It also determines the toolset to which the tool belongs.
    pub form: Form,
    /// The text of a result.
    pub text: ResultText,
    /// Whether a call returns content of a skill: text, file names, or a build.
    pub gives_skill: bool,
}

/// The kind of data that a call changes, besides logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The call changes nothing.
    Reads,
    /// The call only changes a cache. Two calls must not write the cache at the same time.
    Caches,
    /// The call only adds data.
    Adds,
    /// The call adds and replaces data.
    Replaces,
}

/// The form of a tool's results. Design: R7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The response or, if the call fails, the same error text as on the command line. This is the form of the tools
    /// for skill authors.
    Response,
    /// An envelope with a success flag, and data or an error. This is the form of the catalog's tools.
    Envelope,
}

/// The text of a result, for clients that do not use structured content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultText {
    /// The JSON form, on one line.
    Json,
    /// The text form, as on the command line.
    Plain,
}
