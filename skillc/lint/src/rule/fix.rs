//! How a finding can be mended: edits that a rule proposes. Nothing is written here.
//!
//! Source: RULINGS R22.

use schemars::JsonSchema;
use serde::Serialize;

use skillc_core::path::RelPath;
use skillc_core::source::lines::Span;

/// A way to mend a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a command: `write 'allowed-tools'`.
    pub title: String,
    /// Whether it may be made unasked.
    pub safety: Safety,
    /// All of them or none; no two touch the same bytes.
    pub edits: Vec<Edit>,
}

/// Whether a fix can change what a skill means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Safety {
    /// It means the same afterwards, or what its author plainly meant.
    Safe,
    /// Somebody has to look at it.
    Unsafe,
}

/// New text for a piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file, relative to the skill's root.
    pub file: RelPath,
    /// The bytes that go; empty to insert.
    pub span: Span,
    /// What takes their place.
    pub text: String,
}

impl Fix {
    /// Makes a fix that means the same, or what was plainly meant.
    pub fn safe(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self {
            title: title.into(),
            safety: Safety::Safe,
            edits,
        }
    }

    /// Makes a fix that somebody has to look at.
    pub fn unsafe_(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self {
            safety: Safety::Unsafe,
            ..Self::safe(title, edits)
        }
    }
}
