//! The interface of lint rules.
//!
//! A rule is one file that declares itself with [`declare_rule!`](crate::declare_rule). It reads the skill and reports
//! findings; the engine handles severity, order and output.
//!
//! Design: C-REGISTRY.

pub mod bounded;
pub mod code;
pub mod diagnostic;
pub mod fix;
pub mod preset;
pub mod run;
pub mod settings;

use std::borrow::Cow;

use skillc_core::budget::ScriptBudget;
use skillc_core::clients::Client;
use skillc_core::path::RelPath;
use skillc_core::skill::Skill;
use skillc_core::source::document::Document;
use skillc_core::source::lines::Span;

use crate::directive::Directives;
use crate::failing::{Asked, Faults, LimitFault};
use bounded::MAX_FINDINGS;
use diagnostic::{Diagnostic, Severity};
use preset::Preset;
use run::{RunFindings, RunSkill};
use settings::{Options, RuleOption, Settings};

/// The rule that reports failing scripts, by code and name.
pub const SCRIPT_FAILED: (&str, &str) = ("CFG201", "script-failed");

/// A lint rule. Rules are stateless, because several threads call them.
pub trait Rule: Send + Sync {
    /// Returns the rule's metadata.
    fn meta(&self) -> &RuleMeta;

    /// Returns the options that the rule accepts.
    fn options(&self) -> &[RuleOption] {
        &[]
    }

    /// Checks the skill's top-level `SKILL.md`, not a file of that name in a subdirectory.
    fn check_main(&self, _main: &Document, _skill: &Skill, _out: &mut Findings<'_>) {}

    /// Checks one Markdown file; called for each file, including `SKILL.md`.
    fn check_document(&self, _document: &Document, _skill: &Skill, _out: &mut Findings<'_>) {}

    /// Checks the skill as a whole; called once.
    fn check_skill(&self, _skill: &Skill, _out: &mut Findings<'_>) {}

    /// Compares the skills of a run with each other; called once, and only if there are several.
    fn check_run(&self, _skills: &[RunSkill], _out: &mut RunFindings<'_>) {}

    /// Reports whether the rule uses the budget that a project's scripts share for one skill. Such a rule adds the cost
    /// of each check to [`Findings::budget`], and checks nothing once the budget is spent.
    fn is_budgeted(&self) -> bool {
        false
    }

    /// Checks the directives of one Markdown file; called last, for each file that has directives.
    fn check_directives(&self, _directives: &Directives<'_>, _out: &mut Findings<'_>) {}
}

/// The metadata of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMeta {
    /// Upper-case letters and three digits, such as `SKL205`.
    pub code: Cow<'static, str>,
    /// A short readable name of words joined by hyphens, such as `heading-hierarchy`.
    pub name: Cow<'static, str>,
    /// The default severity.
    pub severity: Severity,
    /// Whether the rule runs by default.
    pub activation: Activation,
    /// The documentation page, in Markdown; the first paragraph is the summary.
    pub doc: Cow<'static, str>,
    /// The version that introduced the rule.
    pub since: Cow<'static, str>,
}

/// When a rule runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// The rule runs by default.
    Default,
    /// The rule runs only if it is selected.
    OnRequest,
    /// The rule runs regardless of which rules are selected. Only a selector that is the rule's own code or name can
    /// disable it. Such a rule reports that other rules could not run.
    Always,
}

impl RuleMeta {
    /// Returns the first paragraph of the page, on one line, without its final period.
    pub fn summary(&self) -> String {
        let page = self.page();
        let first: Vec<&str> = page
            .trim()
            .lines()
            .take_while(|line| !line.is_empty())
            .collect();
        first.join(" ").trim_end_matches('.').to_owned()
    }

    /// Returns the page without the space that follows `///` on each line.
    pub fn page(&self) -> String {
        let lines = self.doc.lines();
        lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
            .collect()
    }
}

/// The sink for the findings of one rule.
pub struct Findings<'a> {
    meta: &'a RuleMeta,
    settings: &'a Settings,
    document: Option<&'a Document>,
    faults: &'a Faults<'a>,
    out: &'a mut Vec<Diagnostic>,
    /// How many more findings are kept.
    left: usize,
    /// A scratch diagnostic, returned once the bound is reached.
    discarded: Option<Box<Diagnostic>>,
}

impl<'a> Findings<'a> {
    /// Creates a sink for one rule, on one document or on the whole skill.
    pub(crate) fn new(
        meta: &'a RuleMeta,
        settings: &'a Settings,
        document: Option<&'a Document>,
        faults: &'a Faults<'a>,
        out: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            meta,
            settings,
            document,
            faults,
            out,
            // One more than the bound, so that the overflow is noticed.
            left: MAX_FINDINGS + 1,
            discarded: None,
        }
    }

    /// Reports whether further findings are discarded, because the rule has reported too many or the run was cancelled.
    /// If so, the rule may stop.
    pub fn is_full(&self) -> bool {
        self.left == 0 || self.faults.budget.stop().is_raised()
    }

    /// Returns the clients that the skill targets; empty if none was specified.
    pub fn clients(&self) -> &'a [Client] {
        &self.settings.clients
    }

    /// Reports whether to follow the specification to the letter, even where public skills show that its wording is
    /// wrong.
    pub fn is_by_the_letter(&self) -> bool {
        self.settings.preset == Preset::Spec
    }

    /// Returns the errors of scripts that could not be loaded, one line each.
    pub fn faults(&self) -> &'a [String] {
        &self.settings.faults
    }

    /// Returns the options set for the rule.
    pub fn options(&self) -> Options<'a> {
        Options::new(self.settings, &self.meta.code)
    }

    /// Reports a finding at a span of the current document; on the skill as a whole if there is no current document.
    pub fn at(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let file = self.document.map(|document| document.path.clone());
        self.push(file, span, message.into())
    }

    /// Reports a finding at a span of a document, which need not be the current document.
    pub fn within(
        &mut self,
        document: &RelPath,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Some(document.clone()), span, message.into())
    }

    /// Reports a finding on a file as a whole.
    pub fn file(&mut self, path: &RelPath, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Some(path.clone()), Span::default(), message.into())
    }

    /// Reports a finding on the skill as a whole.
    pub fn skill(&mut self, message: impl Into<String>) -> &mut Diagnostic {
        self.push(None, Span::default(), message.into())
    }

    /// Reports that the rule itself failed. The result is a finding of [`SCRIPT_FAILED`], not of this rule. A fault in
    /// several files is reported once.
    pub fn fault(&self, message: impl Into<String>) {
        let file = self.document.map(|document| document.path.clone());
        self.faults.add(&self.meta.code, message.into(), file);
    }

    /// Reports that the rule exceeded a limit: all its findings in the skill are discarded.
    pub fn limit_fault(&self, message: impl Into<String>) {
        let fault = LimitFault {
            checked: self.document.map(|document| document.path.clone()),
            message: message.into(),
        };
        self.faults.add_limit(&self.meta.code, fault);
    }

    /// Reports that the rule timed out, like [`Findings::limit_fault`]. A rule that times out in several skills is
    /// disabled for the rest of the run.
    pub fn clock_fault(&self, message: impl Into<String>) {
        self.faults.add_stopped(&self.meta.code);
        self.limit_fault(message);
    }

    /// Returns whether the rule is still run, or has exceeded a limit.
    pub fn asked(&self) -> Asked {
        let file = self.document.map(|document| &document.path);
        self.faults.asked(&self.meta.code, file)
    }

    /// Returns the budget that the project's scripts share for this skill.
    pub fn budget(&self) -> &'a ScriptBudget {
        self.faults.budget
    }

    /// Adds a finding. The engine later sets the line and column of all findings of a file in one pass.
    fn push(&mut self, file: Option<RelPath>, span: Span, message: String) -> &mut Diagnostic {
        let found = Diagnostic {
            file,
            span,
            ..Diagnostic::new(self.meta, message)
        };
        if self.left == 0 {
            return self.discarded.insert(Box::new(found));
        }
        self.left -= 1;
        self.out.push(found);
        let last = self.out.len() - 1;
        &mut self.out[last]
    }
}

/// Declares and registers a rule. The doc comment is its documentation page.
///
/// With `activation: OnRequest` at the end, the rule is disabled unless it is selected. With `activation: Always`, the
/// rule runs regardless of the selection.
#[macro_export]
macro_rules! declare_rule {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $rule:ident {
            code: $code:literal, name: $name:literal, severity: $severity:ident, since: $since:literal $(,)?
        }
    ) => {
        $crate::declare_rule! {
            $(#[doc = $doc])*
            $vis struct $rule {
                code: $code, name: $name, severity: $severity, since: $since, activation: Default,
            }
        }
    };
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $rule:ident {
            code: $code:literal, name: $name:literal, severity: $severity:ident, since: $since:literal,
            activation: $activation:ident $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy)]
        $vis struct $rule;

        impl $rule {
            const META: &'static $crate::RuleMeta = &$crate::RuleMeta {
                code: ::std::borrow::Cow::Borrowed($code),
                name: ::std::borrow::Cow::Borrowed($name),
                severity: $crate::Severity::$severity,
                activation: $crate::Activation::$activation,
                doc: ::std::borrow::Cow::Borrowed(concat!($($doc, "\n",)*)),
                since: ::std::borrow::Cow::Borrowed($since),
            };
        }

        $crate::inventory::submit! {
            $crate::plugin_registry::LinkedRule {
                rule: || ::std::sync::Arc::new($rule),
                package: env!("CARGO_PKG_NAME"),
            }
        }
    };
}
