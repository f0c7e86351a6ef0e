//! The `scope` argument: the same words on every command and tool.
//!
//! Responses keep the words that their specifications prescribe: `global` in lists, `repo` in the catalog.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::layout::Scope;

/// Which skills to include.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum ScopeFilter {
    /// Skills of the project
    #[cfg_attr(feature = "clap", value(alias = "repo"))]
    #[serde(alias = "repo")]
    Project,
    /// Skills of the user
    #[cfg_attr(feature = "clap", value(alias = "global"))]
    #[serde(alias = "global")]
    User,
    /// Both
    #[default]
    All,
}

impl ScopeFilter {
    /// Returns whether skills of a scope are included.
    pub(crate) fn has(self, scope: Scope) -> bool {
        match self {
            Self::Project => scope == Scope::Project,
            Self::User => scope == Scope::Global,
            Self::All => true,
        }
    }

    /// Converts to the catalog's scope; `None` means all scopes.
    pub fn in_catalog(self) -> Option<skillc_catalog::Scope> {
        match self {
            Self::Project => Some(skillc_catalog::Scope::Repo),
            Self::User => Some(skillc_catalog::Scope::User),
            Self::All => None,
        }
    }
}
