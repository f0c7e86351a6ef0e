//! The response of `skc budget`.

use schemars::JsonSchema;
use serde::Serialize;

/// The listings of clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BudgetResponse {
    /// Assumed size of the context window, in tokens
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// Maximum number of tokens in a listing
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
    /// Clients, in the order of the clients table or of the request
    pub clients: Vec<ClientListing>,
}

/// A client's listing of all its skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientListing {
    /// Client's id
    pub client: String,
    /// Where and when its limits were verified
    pub source: String,
    /// Number of skills that are listed
    pub listed: usize,
    /// Size of all names and descriptions in characters
    pub characters: usize,
    /// Size of all names and descriptions in tokens, estimated
    pub tokens: usize,
    /// Size of all names and descriptions in bytes
    pub bytes: usize,
    /// Limit of the listing, if known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Maximum number of skills listed, if known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_skills: Option<usize>,
    /// Percentage of the limit used, rounded up
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<usize>,
    /// Excess over the limit, in the limit's unit
    pub over: usize,
    /// Number of skills above the maximum
    pub over_skills: usize,
    /// Number of tokens above the requested maximum
    pub over_max: usize,
    /// What the client drops first, if known; which skills are affected is not known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves_out: Option<String>,
    /// How many of the largest entries to remove so that the rest fits, if any number suffices
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest: Option<usize>,
    /// Skills, the largest entry first
    pub skills: Vec<ListedSkill>,
}

/// The limit of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Budget {
    /// The amount
    pub amount: usize,
    /// Unit of the amount
    pub unit: BudgetUnit,
}

/// Unit of a limit.
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

/// A skill's entry in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedSkill {
    /// Skill's name
    pub skill: String,
    /// Skill's directory
    pub path: String,
    /// Whether and how it is listed
    pub state: EntryState,
    /// Size of its name and description, as listed, in characters
    pub characters: usize,
    /// Size of its name and description, as listed, in tokens, estimated
    pub tokens: usize,
    /// Size of its name and description, as listed, in bytes
    pub bytes: usize,
}

/// Whether and how a skill is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryState {
    /// Its name and description are listed in full
    Listed,
    /// Its description is over the client's limit and is truncated
    Cut,
    /// It has no description; the client's replacement text is not counted
    NameOnly,
    /// Hidden from agents by its author
    Hidden,
    /// Shadowed by another skill of the same name
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
    /// Selects the size in the budget's unit.
    pub const fn used(&self, characters: usize, tokens: usize, bytes: usize) -> usize {
        match self.unit {
            BudgetUnit::Tokens => tokens,
            BudgetUnit::Characters => characters,
            BudgetUnit::Bytes => bytes,
        }
    }
}
