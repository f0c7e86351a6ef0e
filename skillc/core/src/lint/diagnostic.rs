//! A finding with its severity and place, ready to show.
//!
//! Source: RFC-0008 C-DIAGNOSTICS, RULINGS R22.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Warning};
use crate::path::RelPath;
use crate::source::lines::Span;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The skill does not work, or not everywhere: the command fails.
    Error,
    /// The skill can be better.
    Warning,
}

/// What a rule reports, with everything needed to show it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The rule's code: `SKL205`.
    pub rule: String,
    /// The rule's name: `heading-hierarchy`.
    pub name: String,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The file, if it is about one.
    pub file: Option<RelPath>,
    /// The bytes in that file.
    pub span: Option<Span>,
    /// 1-based line of the span's start.
    pub line: Option<usize>,
    /// 1-based column of the span's start, in characters.
    pub column: Option<usize>,
}

impl Diagnostic {
    /// Returns the normative line: `error[E300]: SKL101 name-required: …`.
    pub fn headline(&self) -> String {
        let finding = format!("{} {}: {}", self.rule, self.name, self.message);
        match self.severity {
            Severity::Error => Error::LintError { finding }.to_string(),
            Severity::Warning => Warning::LintWarning { finding }.to_string(),
        }
    }

    /// Returns the code of the line: `E300` or `W300`.
    pub const fn code(&self) -> &'static str {
        match self.severity {
            Severity::Error => "E300",
            Severity::Warning => "W300",
        }
    }
}
