//! A finding with its severity and position, ready to show.
//!
//! Design: C-DIAGNOSTICS, R22.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::error::{Error, Warning};
use skillc_core::path::RelPath;
use skillc_core::source::lines::Span;

use crate::rule::fix::Fix;
use crate::rule::{RuleMeta, SCRIPT_FAILED};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The skill does not work, or does not work in every client. The command fails.
    Error,
    /// The skill can be improved.
    Warning,
}

impl Severity {
    /// Returns `error` or `warning`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A finding that a rule reports, with everything needed to show it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The rule's code, such as `SKL205`.
    pub rule: Cow<'static, str>,
    /// The rule's name, such as `heading-hierarchy`.
    pub name: Cow<'static, str>,
    /// The severity of the finding.
    pub severity: Severity,
    /// What is wrong with the skill.
    pub message: String,
    /// The file, relative to the skill's root; `None` if the finding is about the skill as a whole.
    pub file: Option<RelPath>,
    /// The span in that file; empty and at the start if the finding is about the file as a whole.
    pub span: Span,
    /// The 1-based line of the span's start; 1 if the file is not a document.
    pub line: usize,
    /// The 1-based column of the span's start, in characters.
    pub column: usize,
    /// Other spans of the same file that explain the finding, in the order in which they were added.
    pub labels: Vec<Label>,
    /// How to fix the finding, in one line, unless the message already explains it.
    pub help: Option<String>,
    /// An automatic fix.
    pub fix: Option<Fix>,
}

/// A labelled span that explains a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The span in the finding's file.
    pub span: Span,
    /// A short label.
    pub text: String,
}

impl Diagnostic {
    /// Creates a finding of a rule about the skill as a whole.
    pub(crate) fn new(meta: &RuleMeta, message: String) -> Self {
        Self::from_parts(meta.code.clone(), meta.name.clone(), meta.severity, message)
    }

    /// Creates the report of a failed rule. `file`: the file in which the rule failed; `None` for the skill as a whole.
    pub(crate) fn from_fault(file: Option<RelPath>, message: String) -> Self {
        let (code, name) = SCRIPT_FAILED;
        Self {
            file,
            ..Self::from_parts(code.into(), name.into(), Severity::Error, message)
        }
    }

    pub(crate) fn from_parts(
        rule: Cow<'static, str>,
        name: Cow<'static, str>,
        severity: Severity,
        message: String,
    ) -> Self {
        Self {
            rule,
            name,
            severity,
            message,
            file: None,
            span: Span::default(),
            line: 1,
            column: 1,
            labels: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// Makes this finding a warning, regardless of the rule's severity.
    pub fn warning(&mut self) -> &mut Self {
        self.severity = Severity::Warning;
        self
    }

    /// Makes this finding an error, regardless of the rule's severity.
    pub fn error(&mut self) -> &mut Self {
        self.severity = Severity::Error;
        self
    }

    /// Labels another span of the same file that explains the finding, such as `H1 here`.
    pub fn label(&mut self, span: Span, text: impl Into<String>) -> &mut Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Sets a one-line help text.
    pub fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.help = Some(text.into());
        self
    }

    /// Sets the automatic fix.
    pub fn fix(&mut self, fix: Fix) -> &mut Self {
        self.fix = Some(fix);
        self
    }

    /// Returns the first line of the finding as the specification defines it: `error[E300]: SKL101 name-required: …`.
    pub fn headline(&self) -> String {
        headline(&self.rule, &self.name, self.severity, &self.message)
    }

    /// Returns the code in the headline: `E300` or `W300`.
    pub const fn code(&self) -> &'static str {
        match self.severity {
            Severity::Error => "E300",
            Severity::Warning => "W300",
        }
    }
}

/// Returns the first line of a finding as the specification defines it: `error[E300]: SKL101 name-required: …`.
///
/// `rule`, `name`: code and name of the rule.
pub fn headline(rule: &str, name: &str, severity: Severity, message: &str) -> String {
    let finding = format!("{rule} {name}: {message}");
    match severity {
        Severity::Error => Error::LintError { finding }.to_string(),
        Severity::Warning => Warning::LintWarning { finding }.to_string(),
    }
}
