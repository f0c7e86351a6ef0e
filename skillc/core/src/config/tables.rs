//! The settings of the configuration tables, as plain data.
//!
//! Design: catalog-config.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layer::Layer;
use crate::time::Timestamp;

/// Logging of a server's calls: `[audit]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audit {
    /// Whether calls are logged.
    pub enabled: bool,
    /// The number of days for which logged calls are kept.
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
    pub(super) fn merged(project: &Layer, global: &Layer, is_trusted: bool) -> Self {
        let unset = Self::default();
        // A project must not hide calls from the user. A project that the user does not trust must also not record
        // calls that the user does not want to record.
        let enabled = project.audit_enabled.filter(|on| *on && is_trusted);
        let enabled = enabled.or(global.audit_enabled);
        // The log covers all projects: a project must not cause the deletion of another project's calls.
        let users = global.retention_days.unwrap_or(unset.retention_days);
        let of_project = project.retention_days.unwrap_or(users);
        Self {
            enabled: enabled.unwrap_or(unset.enabled),
            retention_days: users.max(of_project),
        }
    }

    /// Returns the time before which calls are deleted; `None` if the time is out of range.
    pub fn keeps_from(self, now: Timestamp) -> Option<Timestamp> {
        now.earlier(i64::from(self.retention_days) * 86_400)
    }
}

/// The skill registry: `[registry]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegistrySettings {
    /// The absolute path of the registry's file. `None` for the default: a separate file in the user's `.skillc` for
    /// each list of searched directories.
    pub db: Option<PathBuf>,
    /// Whether a server refuses to start if the registry is unusable.
    pub strict: bool,
}

/// Which tools a server offers: `[mcp] toolset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Toolset {
    /// The tools of the commands: `skc_…`.
    Skc,
    /// The tools of the catalog: `skill_…`, `catalog_list` and `context_inspect`.
    Catalog,
    /// The tools of both sets.
    #[default]
    All,
}

impl Toolset {
    /// Every value.
    pub const ALL: [Self; 3] = [Self::Skc, Self::Catalog, Self::All];

    /// Returns `skc`, `catalog` or `all`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skc => "skc",
            Self::Catalog => "catalog",
            Self::All => "all",
        }
    }

    /// Parses `skc`, `catalog` or `all`.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.as_str() == word)
    }
}

/// What a build does before it imports a skill from outside the stores: `[security] on_import`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum OnImport {
    /// Nothing: the skill is imported without a scan.
    Off,
    /// Scans the skill, and warns unless the verdict is 'pass'.
    #[default]
    Warn,
    /// Scans the skill, refuses it if the verdict is 'block', and warns if the verdict is neither 'block' nor 'pass'.
    Block,
}

impl OnImport {
    /// All values, the most lenient first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Warn, Self::Block];

    /// Returns `off`, `warn` or `block`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }

    /// Parses `off`, `warn` or `block`.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|on| on.as_str() == word)
    }

    /// Merges the project's setting with the user's: a cloned project must not disable the user's scan.
    pub(super) fn merged(project: &Layer, global: &Layer) -> Self {
        let users = global.on_import.unwrap_or_default();
        project
            .on_import
            .map_or(users, |of_project| of_project.max(users))
    }
}

/// The folders to which the stubs of a project's skills are deployed: `[deploy] scope`. A user's skills always go to the user's folders.
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
    /// Every value with its alias.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Project, "repo"), (Self::User, "global")];

    /// Merges the project's setting with the user's: an untrusted project must not deploy to the user's folders if the
    /// user's file selects the project's folders.
    pub(super) fn merged(project: &Layer, global: &Layer, is_trusted: bool) -> Self {
        let is_fixed = !is_trusted && global.deploy == Some(Self::Project);
        let of_project = project.deploy.filter(|_| !is_fixed);
        of_project.or(global.deploy).unwrap_or_default()
    }

    /// Returns `project` or `user`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }

    /// Parses `project`, `user` or one of their aliases.
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|(scope, alias)| scope.as_str() == word || *alias == word);
        found.map(|(scope, _)| scope)
    }
}
