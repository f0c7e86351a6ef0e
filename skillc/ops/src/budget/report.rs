//! The response of `skc budget`.

use schemars::JsonSchema;
use serde::Serialize;

/// The listings of clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BudgetResponse {
    /// Size of the context that was assumed, in tokens
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// Most tokens that a listing may have
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
    /// Clients, in the order of the table or of the request
    pub clients: Vec<ClientListing>,
}

/// What a client tells an agent of all its skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientListing {
    /// Client's id
    pub client: String,
    /// Where and when its limits were seen
    pub source: String,
    /// Skills that are listed
    pub listed: usize,
    /// Characters of all names and descriptions
    pub characters: usize,
    /// The same in tokens, estimated
    pub tokens: usize,
    /// The same in bytes
    pub bytes: usize,
    /// Most that is listed, if that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Most skills that are listed, if that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_skills: Option<usize>,
    /// Used part of the budget, in percent, rounded up
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<usize>,
    /// What is beyond the budget, in its unit
    pub over: usize,
    /// Skills beyond the most
    pub over_skills: usize,
    /// Tokens beyond those that were allowed
    pub over_max: usize,
    /// What the client leaves out first, if that is known; of which skills is not
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves_out: Option<String>,
    /// How many of the largest entries have to go so that the others fit, if any number is enough
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest: Option<usize>,
    /// Skills, the largest entry first
    pub skills: Vec<Entry>,
}

/// How much is listed at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Budget {
    /// How many
    pub amount: usize,
    /// Of what
    pub unit: BudgetUnit,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BudgetUnit {
    /// Estimated tokens
    Tokens,
    /// Unicode characters
    Characters,
    /// Bytes of UTF-8
    Bytes,
}

/// What is listed of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Entry {
    /// Skill's name
    pub skill: String,
    /// Skill's directory
    pub path: String,
    /// What becomes of it
    pub state: EntryState,
    /// Characters of its name and description, as listed
    pub characters: usize,
    /// The same in tokens, estimated
    pub tokens: usize,
    /// The same in bytes
    pub bytes: usize,
}

/// What becomes of a skill in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryState {
    /// Its name and its description are listed
    Listed,
    /// Its description is over the client's limit and cut there
    Cut,
    /// It has no description; what is listed in its place is not counted
    NameOnly,
    /// Agents are not told of it, as its author wants
    Hidden,
    /// Another skill of its name is listed in its place
    Shadowed,
    /// The client does not load it
    NotLoaded,
}

impl EntryState {
    /// Returns whether the skill appears in the listing.
    pub const fn is_listed(self) -> bool {
        !matches!(self, Self::Hidden | Self::Shadowed | Self::NotLoaded)
    }
}

impl Budget {
    /// Returns a size in the unit of the budget.
    pub const fn of(&self, characters: usize, tokens: usize, bytes: usize) -> usize {
        match self.unit {
            BudgetUnit::Tokens => tokens,
            BudgetUnit::Characters => characters,
            BudgetUnit::Bytes => bytes,
        }
    }
}
