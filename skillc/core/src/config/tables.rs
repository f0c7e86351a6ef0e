//! What the tables of the configuration set, as plain data.
//!
//! Source: CATALOG §3.5.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::Layer;
use crate::time::Timestamp;

/// What is kept of the calls of a server: `[audit]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audit {
    /// Whether calls are noted at all.
    pub enabled: bool,
    /// For how many days.
    pub retention_days: u32,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            enabled: true,
            retention_days: 90,
        }
    }
}

impl Audit {
    /// Merges what the project's file and the user's say.
    pub(super) fn merged(project: &Layer, global: &Layer) -> Self {
        let unset = Self::default();
        // A project does not keep the user from seeing what was done.
        let enabled = project.audit_enabled.filter(|on| *on);
        let enabled = enabled.or(global.audit_enabled);
        // The log is of all projects: one of them does not have the calls of the others deleted.
        let users = global.retention_days.unwrap_or(unset.retention_days);
        let of_project = project.retention_days.unwrap_or(users);
        Self {
            enabled: enabled.unwrap_or(unset.enabled),
            retention_days: users.max(of_project),
        }
    }

    /// Returns the moment before which calls are not kept; `None` if that is before all times.
    pub fn keeps_from(self, now: Timestamp) -> Option<Timestamp> {
        now.earlier(i64::from(self.retention_days) * 86_400)
    }
}

/// The skill registry: `[registry]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegistrySettings {
    /// Its file, absolute; `None` for one of the working directory's own in the user's `.skillc`.
    pub db: Option<PathBuf>,
    /// Whether a server does not start without it.
    pub strict: bool,
}

/// Which tools a server has: `[mcp] toolset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Toolset {
    /// Those of the commands: `skc_…`.
    Skc,
    /// Those of the catalog: `skill_…` and the like.
    Catalog,
    /// All of them.
    #[default]
    All,
}

impl Toolset {
    /// All that there are.
    pub const ALL: [Self; 3] = [Self::Skc, Self::Catalog, Self::All];

    /// Returns `skc`, `catalog` or `all`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skc => "skc",
            Self::Catalog => "catalog",
            Self::All => "all",
        }
    }

    /// Reads one of those words.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.as_str() == word)
    }
}

/// Where the stubs of a project's skills go: `[deploy] scope`. A user's skills always go to the user's folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeployScope {
    /// The project's own agent folders, to be committed with the code
    #[serde(alias = "repo")]
    Project,
    /// The user's agent folders
    #[default]
    #[serde(alias = "global")]
    User,
}

impl DeployScope {
    /// Both, each with its alias.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Project, "repo"), (Self::User, "global")];

    /// Returns `project` or `user`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }

    /// Reads one of those words, or its alias.
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|(scope, alias)| scope.as_str() == word || *alias == word);
        found.map(|(scope, _)| scope)
    }
}
