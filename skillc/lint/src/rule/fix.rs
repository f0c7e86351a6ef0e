//! Fixes: edits that a rule proposes for a finding. This module writes nothing.
//!
//! Design: R22.

use schemars::JsonSchema;
use serde::Serialize;

use skillc_core::path::RelPath;
use skillc_core::source::lines::Span;

/// A proposed fix for a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the fix does, as an imperative, such as `write 'allowed-tools'`.
    pub title: String,
    /// Whether the fix may be applied without review.
    pub safety: Safety,
    /// The edits, which must be applied together or not at all. They do not overlap.
    pub edits: Vec<Edit>,
}

/// Whether a fix can change the meaning of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Safety {
    /// The fix preserves the meaning, or restores what the author clearly intended.
    Safe,
    /// The result needs review.
    Unsafe,
}

/// A replacement for a range of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file, relative to the skill's root.
    pub file: RelPath,
    /// The range to replace; empty to insert.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

impl Fix {
    /// Creates a fix that preserves the meaning, or restores what the author clearly intended.
    pub fn safe(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self {
            title: title.into(),
            safety: Safety::Safe,
            edits,
        }
    }

    /// Creates a fix that needs review.
    pub fn unsafe_(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self {
            safety: Safety::Unsafe,
            ..Self::safe(title, edits)
        }
    }
}
