//! The text output of `skc rules`: a table.

use std::io;

use anstyle::AnsiColor;
use skillc_lint::Severity;
use skillc_ops::rules::{ListedRule, RulesResponse};

use crate::page::Painted;
use crate::{Page, Render};

impl Render for RulesResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.rules.is_empty() {
            return page.line("No matching rules.");
        }
        let widest = |of: fn(&ListedRule) -> &str, title: &str| {
            let widths = self.rules.iter().map(|rule| of(rule).chars().count());
            widths.max().unwrap_or_default().max(title.len())
        };
        let code = widest(|rule| &rule.code, "CODE");
        let name = widest(|rule| &rule.name, "NAME");
        let header = format!(
            "{:code$}  {:name$}  SEVERITY  DEFAULT   SUMMARY",
            "CODE", "NAME"
        );
        page.parts(&[page.strong(header)])?;
        for rule in &self.rules {
            let head = format!("{:code$}  {:name$}  ", rule.code, rule.name);
            let gap = " ".repeat("SEVERITY".len() - rule.severity.as_str().len());
            let default = if rule.default { "enabled " } else { "disabled" };
            page.parts(&[
                page.plain(head),
                severity(rule.severity, page),
                page.plain(format_args!("{gap}  {default}  {}", rule.summary)),
            ])?;
        }
        Ok(())
    }
}

/// Returns a severity with its colour.
pub(super) fn severity(severity: Severity, page: &Page<'_>) -> Painted {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    page.coloured(color, severity.as_str())
}
