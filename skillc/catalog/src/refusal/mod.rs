//! The reasons for not loading a skill, from which the error codes of the command line and of MCP are derived.
//!
//! A refusal discloses neither the skill's content nor the names of its files.
//!
//! Design: catalog-commands, catalog-tools, CAT-PERM.7, CAT-PERM.9.

mod details;

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use skillc_core::Error;
use skillc_core::error::Candidates;
use skillc_core::shell::shell_word;

use crate::entry::unreadable;
use crate::invocation::DISABLE_MODEL;
use crate::settings::Rule;

pub use details::{Candidate, Details, Issue, RuleDetails};

/// Why a skill is not loaded, or one of its files is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The request is invalid.
    Invalid {
        /// The invalid argument.
        argument: &'static str,
        /// What is wrong with the argument.
        message: String,
    },
    /// All skills are disabled.
    SkillsDisabled,
    /// There is no skill of that name.
    Unknown {
        /// The requested name.
        skill: String,
        /// At most five names that the caller may have meant.
        suggestions: Vec<String>,
    },
    /// Several skills have the name.
    Ambiguous {
        /// The name.
        skill: String,
        /// The skills with that name, highest rank first.
        candidates: Vec<Candidate>,
    },
    /// The path does not belong to a skill of the catalog.
    NotInCatalog {
        /// The path as given.
        path: String,
    },
    /// The skill is disabled.
    Disabled {
        /// The skill's name.
        skill: String,
        /// The configuration file that disables it.
        file: Option<PathBuf>,
    },
    /// A rule denies the skill, or no rule applies and `permissions.default` is `deny`.
    Denied {
        /// The skill's name.
        skill: String,
        /// The rule; `None` if `permissions.default` denies the skill.
        rule: Option<Rule>,
    },
    /// A model, or an unknown requester, requested the skill, but the skill's frontmatter does not allow models to
    /// start it.
    NotForModels {
        /// The skill's name.
        skill: String,
    },
    /// The skill needs confirmation, which the user has not given.
    NeedsWord {
        /// The skill's name.
        skill: String,
    },
    /// The skill needs confirmation, and the user declined.
    Declined {
        /// The skill's name.
        skill: String,
    },
    /// The file lies outside the skill's directory, whether or not it exists.
    Escapes {
        /// The file.
        path: String,
    },
    /// The skill existed when the catalog was read, but has been removed or replaced since.
    Gone {
        /// The skill's `SKILL.md`.
        path: String,
        /// What is wrong with the file now; `None` if it does not exist.
        reason: Option<String>,
    },
    /// The skill has no such file.
    NoFile {
        /// The file.
        path: String,
    },
    /// The file exceeds the size limit.
    TooLarge {
        /// The file.
        path: String,
        /// The limit, in bytes.
        max_bytes: u64,
    },
    /// The file exists, but cannot be read; a `SKILL.md` is also rejected if it is not UTF-8 or is too large.
    Unreadable {
        /// The file.
        path: String,
        /// What is wrong with the file, such as `is not UTF-8`.
        reason: String,
    },
}

impl Refusal {
    /// Refuses a skill that was removed or replaced.
    pub(crate) fn gone(path: &str, reason: Option<Cow<'static, str>>) -> Self {
        Self::Gone {
            path: path.to_owned(),
            reason: reason.map(Cow::into_owned),
        }
    }

    pub(crate) fn escapes(path: &str) -> Self {
        Self::Escapes {
            path: path.to_owned(),
        }
    }

    pub(crate) fn unreadable(path: &str, error: &io::Error) -> Self {
        Self::unusable(path, &unreadable(error))
    }

    pub(crate) fn unusable(path: &str, reason: &str) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// Returns the machine-readable code.
    ///
    /// Design: catalog-tools. `FILE_NOT_FOUND` and `FILE_TOO_LARGE` occur only when a resource is read.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "INVALID_PARAMS",
            Self::SkillsDisabled => "SKILLS_DISABLED",
            Self::Unknown { .. } => "SKILL_NOT_FOUND",
            Self::Ambiguous { .. } => "AMBIGUOUS_NAME",
            Self::NotInCatalog { .. } => "PATH_NOT_IN_CATALOG",
            Self::Disabled { .. } => "SKILL_DISABLED",
            Self::Denied { .. } | Self::NotForModels { .. } | Self::Declined { .. } => {
                "PERMISSION_DENIED"
            }
            Self::NeedsWord { .. } => "CONFIRM_REQUIRED",
            Self::Escapes { .. } => "PATH_ESCAPE",
            Self::Gone { .. } => "SKILL_GONE",
            Self::NoFile { .. } => "FILE_NOT_FOUND",
            Self::TooLarge { .. } => "FILE_TOO_LARGE",
            Self::Unreadable { .. } => "HANDLER_ERROR",
        }
    }

    /// Returns the one-line message for programs. The command line prints the same message, unless an argument is
    /// invalid or the command line's message mentions options.
    pub fn message(&self) -> String {
        match self {
            Self::Invalid { .. } => "schema validation failed".to_owned(),
            Self::NeedsWord { skill } => format!("confirmation needed for skill '{skill}'"),
            _ => self.error().message(),
        }
    }

    /// Converts the refusal to the command line's error.
    ///
    /// Design: catalog-commands.
    pub fn error(&self) -> Error {
        match self.clone() {
            Self::Invalid { argument, message } => {
                Error::invalid_option(format!("{argument}: {message}"))
            }
            Self::SkillsDisabled => Error::SkillsDisabled {},
            Self::Unknown { skill, .. } => Error::SkillNotFound { skill },
            Self::Ambiguous { skill, candidates } => Error::AmbiguousName {
                skill,
                candidates: Candidates(candidates.into_iter().map(|one| one.path).collect()),
            },
            Self::NotInCatalog { path } => Error::PathNotInCatalog { path },
            Self::Disabled { skill, file } => Error::SkillDisabled {
                skill,
                hint: file.map(|file| format!("Disabled in {}.", file.display()).into()),
            },
            Self::Denied { skill, rule } => Error::PermissionDenied {
                skill,
                hint: Some(denied_by(rule.as_ref()).into()),
            },
            Self::NotForModels { skill } => Error::PermissionDenied {
                hint: Some(for_people(&skill).into()),
                skill,
            },
            Self::NeedsWord { skill } => Error::ConfirmationNeeded { skill },
            Self::Declined { skill } => Error::PermissionDenied {
                skill,
                hint: Some("The user declined.".into()),
            },
            Self::Escapes { path } => Error::path_escapes(path),
            Self::Gone { path, reason: None } => Error::NotASkill {
                path: parent(&path),
            },
            Self::Gone {
                path,
                reason: Some(reason),
            } => Error::internal(format!("'{path}' is not a valid skill any more: {reason}")),
            Self::NoFile { path } => Error::FileNotFound { path, hint: None },
            Self::TooLarge { path, max_bytes } => {
                Error::invalid_option(format!("'{path}' is larger than {max_bytes} bytes"))
            }
            Self::Unreadable { path, reason } => Error::internal(format!("'{path}' {reason}")),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        refusal.error()
    }
}

/// Returns a hint that names the rule or the default that denies a skill.
fn denied_by(rule: Option<&Rule>) -> String {
    match rule {
        Some(rule) => format!("Denied by {rule}."),
        None => "Denied by permissions.default in the configuration.".to_owned(),
    }
}

/// Explains how to start a skill that models may not start.
fn for_people(skill: &str) -> String {
    format!(
        "Its SKILL.md sets {DISABLE_MODEL}, so only the user can load it, for example with: skc catalog load {}",
        shell_word(skill)
    )
}

fn parent(path: &str) -> String {
    let parent = Path::new(path).parent();
    parent.map_or_else(String::new, |dir| dir.display().to_string())
}
