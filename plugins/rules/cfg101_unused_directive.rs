//! CFG101 unused-directive.

use skillc_lint::{Directives, Findings, Outcome, Rule, RuleMeta, declare_rule};

use crate::frontmatter::shown;

declare_rule! {
    /// Reports a directive or a selector that suppresses nothing.
    ///
    /// ## Why
    /// Either the finding has been fixed, or the directive is on the wrong line. A stale directive misleads readers,
    /// and would hide the next finding of the same kind.
    ///
    /// Only one directive suppresses a finding: the directive for its line, otherwise the last `skilllint-disable`
    /// above it, otherwise `skilllint-disable-file`. A directive is only reported if at least one of its rules ran. It
    /// is not reported if `--select` or `--ignore` excluded one of its rules, or if one of its rules is a client rule
    /// and the run has `--client`: another run may need the directive.
    ///
    /// ## Example
    /// ```markdown
    /// <!-- skilllint-disable-next-line SKL205 -- a heading was here -->
    /// Text.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Text.
    /// ```
    ///
    /// ## Fix
    /// Removes the directive or the selector, and any `skilllint-enable` that then has no effect. This is safe in valid
    /// frontmatter, at the end of a line of text, and on separate lines between paragraphs, headings and fenced code.
    /// Anywhere else, such as in a list, before text or above indented code, the fix is unsafe, because removing the
    /// comment may change how the surrounding text is parsed.
    ///
    /// ## Source
    /// skillc's own directives: see the page 'Suppressing findings' in the book.
    pub(crate) struct UnusedDirective {
        code: "CFG101",
        name: "unused-directive",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for UnusedDirective {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_directives(&self, directives: &Directives<'_>, out: &mut Findings<'_>) {
        let list = directives.list.iter().enumerate();
        for (at, directive) in list.filter(|(_, directive)| directive.suppresses()) {
            if directive.is_unused() {
                out.at(directive.span, "the directive suppresses nothing")
                    .fix(directives.without(at));
                continue;
            }
            for (part_at, part) in directive.parts.iter().enumerate() {
                let Some(span) = part.selector else { continue };
                let selector = directives.text(span);
                let found = match part.outcome {
                    Outcome::Unused => out.at(span, unused(selector)),
                    Outcome::Unsuppressible => out
                        .at(span, unsuppressible(selector))
                        .help("set its level in the configuration: rules.CFG101 = \"off\""),
                    _ => continue,
                };
                found.fix(directives.without_part(at, part_at));
            }
        }
    }
}

fn unused(selector: &str) -> String {
    format!("'{}' suppresses nothing here", shown(selector))
}

fn unsuppressible(selector: &str) -> String {
    format!(
        "'{}' is a rule about directives; a directive cannot suppress it",
        shown(selector)
    )
}
