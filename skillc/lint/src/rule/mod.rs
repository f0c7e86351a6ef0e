//! What a lint rule is.
//!
//! A rule is one file that declares itself with [`declare_rule!`](crate::declare_rule). It reads the skill and reports
//! findings; severity, order and output are not its business.
//!
//! Source: RFC-0008 C-REGISTRY.

pub(crate) mod bounded;
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

/// The rule that tells of scripts that fail, by code and name.
pub const SCRIPT_FAILED: (&str, &str) = ("CFG201", "script-failed");

/// Checks something about skills. A rule has no state: it is called from several threads.
pub trait Rule: Send + Sync {
    /// Returns what the rule is.
    fn meta(&self) -> &RuleMeta;

    /// Returns the options that the rule takes.
    fn options(&self) -> &[RuleOption] {
        &[]
    }

    /// Checks the skill's own `SKILL.md`, not one of that name in a subdirectory.
    fn check_main(&self, _main: &Document, _skill: &Skill, _out: &mut Findings<'_>) {}

    /// Checks one Markdown file; called for each, `SKILL.md` included.
    fn check_document(&self, _document: &Document, _skill: &Skill, _out: &mut Findings<'_>) {}

    /// Checks the skill as a whole; called once.
    fn check_skill(&self, _skill: &Skill, _out: &mut Findings<'_>) {}

    /// Checks the skills of a run against each other; called once, and not if there is only one.
    fn check_run(&self, _skills: &[RunSkill], _out: &mut RunFindings<'_>) {}

    /// Says whether it counts against what the scripts of a project may use for one skill: it adds to
    /// [`Findings::budget`] what each check has used, and checks nothing once that is spent.
    fn is_budgeted(&self) -> bool {
        false
    }

    /// Checks the directives of one Markdown file; called last, for each that has some.
    fn check_directives(&self, _directives: &Directives<'_>, _out: &mut Findings<'_>) {}
}

/// What a rule is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMeta {
    /// Capitals and three digits: `SKL205`.
    pub code: Cow<'static, str>,
    /// A short name for people, words joined by hyphens: `heading-hierarchy`.
    pub name: Cow<'static, str>,
    /// How much its findings matter unless configured otherwise.
    pub severity: Severity,
    /// Whether it runs unless configured otherwise.
    pub activation: Activation,
    /// The user's page, in Markdown; the first paragraph is the summary.
    pub doc: Cow<'static, str>,
    /// The version that first had it.
    pub since: Cow<'static, str>,
}

/// Whether a rule runs without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// It runs.
    Default,
    /// It runs if it is selected.
    OnRequest,
    /// It runs whatever is selected, unless it is left out by its own code or name: it tells that others could not run.
    Always,
}

impl RuleMeta {
    /// Returns the first paragraph of the page, on one line, without its full stop.
    pub fn summary(&self) -> String {
        let page = self.page();
        let first: Vec<&str> = page
            .trim()
            .lines()
            .take_while(|line| !line.is_empty())
            .collect();
        first.join(" ").trim_end_matches('.').to_owned()
    }

    /// Returns the page without the blank that follows `///` on each line.
    pub fn page(&self) -> String {
        let lines = self.doc.lines();
        lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
            .collect()
    }
}

/// Takes the findings of one rule.
pub struct Findings<'a> {
    meta: &'a RuleMeta,
    settings: &'a Settings,
    document: Option<&'a Document>,
    faults: &'a Faults<'a>,
    out: &'a mut Vec<Diagnostic>,
    /// How many more findings are kept.
    left: usize,
    /// What is written to instead once no more are kept.
    discarded: Option<Box<Diagnostic>>,
}

impl<'a> Findings<'a> {
    /// Makes a sink for one rule, over one document or over the whole skill.
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
            // The one above is what makes it known that there are more.
            left: MAX_FINDINGS + 1,
            discarded: None,
        }
    }

    /// Says whether what is reported from now on is not kept: the rule has reported too much, or the run was cancelled. It may
    /// stop.
    pub fn is_full(&self) -> bool {
        self.left == 0 || self.faults.budget.stop().is_raised()
    }

    /// Returns the clients that the skill is for; none if none was named.
    pub fn clients(&self) -> &'a [Client] {
        &self.settings.clients
    }

    /// Says whether the specification is to be followed to the letter, also where public skills show it wrong.
    pub fn is_by_the_letter(&self) -> bool {
        self.settings.preset == Preset::Spec
    }

    /// Returns what is wrong with scripts that could not be loaded, one line each.
    pub fn faults(&self) -> &'a [String] {
        &self.settings.faults
    }

    /// Returns the options that the rule was given.
    pub fn options(&self) -> Options<'a> {
        Options::new(self.settings, &self.meta.code)
    }

    /// Reports at a place of the document under check; of the skill as a whole if there is none.
    pub fn at(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let file = self.document.map(|document| document.path.clone());
        self.push(file, span, message.into())
    }

    /// Reports at a place of a document, be it another than the one under check.
    pub fn within(
        &mut self,
        document: &RelPath,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Some(document.clone()), span, message.into())
    }

    /// Reports a file as a whole.
    pub fn file(&mut self, path: &RelPath, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Some(path.clone()), Span::default(), message.into())
    }

    /// Reports the skill as a whole.
    pub fn skill(&mut self, message: impl Into<String>) -> &mut Diagnostic {
        self.push(None, Span::default(), message.into())
    }

    /// Reports that the rule itself failed: as [`SCRIPT_FAILED`], not as its own finding; a fault that is met in several
    /// files once.
    pub fn fault(&self, message: impl Into<String>) {
        let file = self.document.map(|document| document.path.clone());
        self.faults.add(&self.meta.code, message.into(), file);
    }

    /// Reports that the rule went beyond a limit: nothing is kept of what it finds in the skill.
    pub fn limit_fault(&self, message: impl Into<String>) {
        let fault = LimitFault {
            checked: self.document.map(|document| document.path.clone()),
            message: message.into(),
        };
        self.faults.add_limit(&self.meta.code, fault);
    }

    /// Reports that the clock has stopped the rule, as [`Findings::limit_fault`]; after some skills it is not asked again.
    pub fn clock_fault(&self, message: impl Into<String>) {
        self.faults.add_stopped(&self.meta.code);
        self.limit_fault(message);
    }

    /// Says whether the rule is still asked, or went beyond a limit before.
    pub fn asked(&self) -> Asked {
        let file = self.document.map(|document| &document.path);
        self.faults.asked(&self.meta.code, file)
    }

    /// Returns what the scripts of a project have used for the skill.
    pub fn budget(&self) -> &'a ScriptBudget {
        self.faults.budget
    }

    /// The engine finds line and column later, for all findings of a file in one pass.
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

/// Declares a rule and registers it. The doc comment is the user's page.
///
/// With `activation: OnRequest` at the end the rule is off unless it is selected; with `Always` it is on whatever is.
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
            $crate::plugin::LinkedRule {
                rule: || ::std::sync::Arc::new($rule),
                package: env!("CARGO_PKG_NAME"),
            }
        }
    };
}
