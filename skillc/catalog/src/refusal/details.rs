//! Machine-readable details of a refusal, besides its code.
//!
//! Design: catalog-tools.

use skillc_core::shell::shell_word;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Refusal, denied_by, for_people};
use crate::entry::CatalogEntry;
use crate::roots::Scope;
use crate::settings::{Reach, Rule};

/// Machine-readable details of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Details {
    /// The invalid arguments.
    Invalid {
        /// What is wrong with each argument.
        issues: Vec<Issue>,
    },
    /// An unknown name.
    Unknown {
        /// The names that the caller may have meant.
        suggestions: Vec<String>,
    },
    /// An ambiguous name.
    Ambiguous {
        /// The skills that have the name.
        candidates: Vec<Candidate>,
    },
    /// The path that caused the refusal.
    Path {
        /// The file.
        path: String,
    },
    /// A denial by the rules.
    Policy {
        /// The skill's name.
        skill_name: String,
        /// The rule that denies the skill, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<RuleDetails>,
        /// Why the skill is denied, or how the user can load it.
        hint: String,
    },
}

/// One invalid argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// The argument.
    pub path: Vec<&'static str>,
    /// The machine-readable kind of problem.
    pub code: &'static str,
    /// What is wrong with the argument.
    pub message: String,
}

/// A rule, as written in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleDetails {
    /// The tool to which the rule applies.
    pub tool: String,
    /// The skill to which the rule applies, if the rule names a skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_name: Option<String>,
}

impl From<&Rule> for RuleDetails {
    fn from(rule: &Rule) -> Self {
        let skill_name = match &rule.reach {
            Reach::Named(name) => Some(name.clone()),
            Reach::Every | Reach::Nothing | Reach::Unknown => None,
        };
        Self {
            tool: rule.tool.clone(),
            skill_name,
        }
    }
}

/// One of several skills to which a name can refer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Candidate {
    /// The skill's SKILL.md
    pub path: String,
    /// Where the skill applies: in the project, or for the user
    pub scope: Scope,
    /// The first 16 hex digits of the hash of the path
    pub id: String,
}

impl From<&CatalogEntry> for Candidate {
    fn from(entry: &CatalogEntry) -> Self {
        Self {
            path: entry.path.clone(),
            scope: entry.scope,
            id: entry.id.clone(),
        }
    }
}

impl Refusal {
    /// Returns machine-readable details, if there are any.
    pub fn details(&self) -> Option<Details> {
        let details = match self.clone() {
            Self::Invalid { argument, message } => Details::Invalid {
                issues: vec![Issue {
                    path: vec![argument],
                    code: "invalid",
                    message,
                }],
            },
            Self::Unknown { suggestions, .. } => Details::Unknown { suggestions },
            Self::Ambiguous { candidates, .. } => Details::Ambiguous { candidates },
            Self::NotInCatalog { path }
            | Self::Escapes { path }
            | Self::Gone { path, .. }
            | Self::NoFile { path }
            | Self::TooLarge { path, .. }
            | Self::Unreadable { path, .. } => Details::Path { path },
            Self::Denied { skill, rule } => Details::Policy {
                skill_name: skill,
                rule: rule.as_ref().map(RuleDetails::from),
                hint: denied_by(rule.as_ref()),
            },
            Self::NotForModels { skill } => Details::Policy {
                hint: for_people(&skill),
                skill_name: skill,
                rule: None,
            },
            Self::NeedsWord { skill } => Details::Policy {
                hint: format!(
                    "The user can allow it with: skc catalog allow {}",
                    shell_word(&skill)
                ),
                skill_name: skill,
                rule: None,
            },
            Self::Declined { skill } => Details::Policy {
                skill_name: skill,
                rule: None,
                hint: "The user declined.".to_owned(),
            },
            Self::SkillsDisabled | Self::Disabled { .. } => return None,
        };
        Some(details)
    }
}
