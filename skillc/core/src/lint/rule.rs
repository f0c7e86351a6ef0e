//! What a lint rule is.
//!
//! A rule is one file that declares itself with [`declare_rule!`](crate::declare_rule). It reads the skill and reports
//! findings; severity, order and output are not its business.
//!
//! Source: RFC-0008 C-REGISTRY.

use std::borrow::Cow;

use crate::layout::SKILL_FILE;
use crate::lint::diagnostic::{Diagnostic, Severity};
use crate::skill::Skill;
use crate::source::document::Document;
use crate::source::lines::Span;

/// Checks something about skills.
pub trait Rule: Send + Sync {
    /// Returns what the rule is.
    fn meta(&self) -> &RuleMeta;

    /// Checks one Markdown file; called for `SKILL.md` first, then in path order.
    fn check_document(&self, _document: &Document, _skill: &Skill, _out: &mut Findings<'_>) {}

    /// Checks the skill as a whole; called once, after its files.
    fn check_skill(&self, _skill: &Skill, _out: &mut Findings<'_>) {}
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
    /// The user's page, in Markdown; the first line is the summary.
    pub doc: Cow<'static, str>,
    /// The version that first had it.
    pub since: Cow<'static, str>,
}

/// Takes the findings of one rule.
pub struct Findings<'a> {
    meta: &'a RuleMeta,
    document: Option<&'a Document>,
    out: &'a mut Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    /// Makes a sink for one rule, over one document or over the whole skill.
    pub(crate) fn new(
        meta: &'a RuleMeta,
        document: Option<&'a Document>,
        out: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            meta,
            document,
            out,
        }
    }

    /// Reports at a place of the document under check.
    pub fn at(&mut self, span: Span, message: impl Into<String>) {
        let place = self
            .document
            .map(|doc| doc.lines.line_and_column(&doc.text, span.start));
        self.out.push(Diagnostic {
            rule: self.meta.code.to_string(),
            name: self.meta.name.to_string(),
            severity: self.meta.severity,
            message: message.into(),
            file: self.document.map(|doc| doc.path.clone()),
            span: Some(span),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
        });
    }
}

/// Says whether a document is the skill's own `SKILL.md`, not one of that name in a subdirectory.
pub fn is_main(document: &Document) -> bool {
    document.path.as_str() == SKILL_FILE
}

/// Declares a rule and registers it. The doc comment is the user's page.
#[macro_export]
macro_rules! declare_rule {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $rule:ident {
            code: $code:literal, name: $name:literal, severity: $severity:ident, since: $since:literal $(,)?
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
                doc: ::std::borrow::Cow::Borrowed(concat!($($doc, "\n",)*)),
                since: ::std::borrow::Cow::Borrowed($since),
            };
        }

        $crate::inventory::submit! { $crate::plugin::LinkedRule(&$rule) }
    };
}
