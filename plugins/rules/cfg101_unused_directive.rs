//! CFG101 unused-directive.

use skillc_lint::{Directives, Findings, Outcome, Rule, RuleMeta, declare_rule};

use crate::frontmatter::shown;

declare_rule! {
    /// Reports a directive, or a selector of one, that suppresses nothing.
    ///
    /// ## Why
    /// What was suppressed has been mended, or the directive stands on another line than it should. It says something that is
    /// no longer so, and would hide the next fault of its kind.
    ///
    /// A finding counts for one directive only: one for its line, else the last `skilllint-disable` above it, else
    /// `skilllint-disable-file`. A directive is reported only if what it names ran: not after `--select` or `--ignore` left
    /// out a part of it, nor for a rule that is off, nor for rules about clients after `--for`.
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
    /// The directive is removed, or the selector, and `skilllint-enable` with it where it would end nothing. That is safe in
    /// frontmatter that can be read, at the end of a line of text, and on lines of their own between paragraphs, headings and
    /// fenced code. Anywhere else, such as in a list, in front of text or above indented code, what is around the comment may
    /// mean something else without it: there it is not.
    ///
    /// ## Source
    /// skillc's own directives: see the page 'Suppressing findings' of the manual.
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
                        .help("set their level in the configuration: rules.CFG101 = \"off\""),
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
        "'{}' is about directives, and no directive suppresses that",
        shown(selector)
    )
}
