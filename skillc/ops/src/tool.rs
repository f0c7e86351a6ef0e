//! How an operation is offered to agents, beyond what its request and response say.
//!
//! Design: C-MCP-SERVER, catalog-tools, R7.

use skillc_core::inventory;

inventory::collect!(Tool);

/// Says whether there is a tool of that name, so that rules of the configuration can be about it.
pub(crate) fn is_tool(name: &str) -> bool {
    let mut all = inventory::iter::<Tool>.into_iter();
    all.any(|tool| tool.name == name)
}

/// An operation as a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// What clients call, and what rules of the configuration name.
    pub name: &'static str,
    /// What it is called where tools are listed for people.
    pub title: &'static str,
    /// What it does and when to use it, for a model; one or two short sentences.
    pub about: &'static str,
    /// What a call changes.
    pub effect: Effect,
    /// What its answers look like, and so the set that it belongs to.
    pub form: Form,
    /// What the text of a result is.
    pub text: ResultText,
    /// Whether a call gives somebody the skill that it is for: its text, the names of its files, or a build of it.
    pub gives_skill: bool,
}

/// What a call changes beside the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// Nothing but a cache, which two calls must not write at once.
    Caches,
    /// It adds what is not there.
    Adds,
    /// It also replaces what is there.
    Replaces,
}

/// What the answers of a tool look like. Design: R7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The response, or the command line's error as a text: the tools for those who make skills.
    Response,
    /// An object that says whether it went well, around data or an error: the tools of the catalog.
    Envelope,
}

/// What a client that only reads text gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultText {
    /// The answer's JSON form, on one line.
    Json,
    /// The response's text form, as on the command line.
    Plain,
}
