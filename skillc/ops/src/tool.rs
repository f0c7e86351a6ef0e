//! How an operation is offered to agents, beyond what its request and response say.
//!
//! Source: RFC-0007 C-MCP-SERVER, RULINGS R7.

/// An operation as a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// What it is called where tools are listed for people.
    pub title: &'static str,
    /// What it does and when to use it, for a model; one or two short sentences.
    pub about: &'static str,
    /// What a call changes.
    pub effect: Effect,
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
    /// It adds what is not there.
    Adds,
    /// It also replaces what is there.
    Replaces,
}

/// What a client that only reads text gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultText {
    /// The response's JSON form, on one line.
    Json,
    /// The response's text form, as on the command line.
    Plain,
}
