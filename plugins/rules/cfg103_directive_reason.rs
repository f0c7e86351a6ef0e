//! CFG103 directive-reason.

use skillc_lint::{Directives, Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a directive without a reason.
    ///
    /// ## Why
    /// Without a reason, later readers cannot tell whether the directive is still needed. `skilllint-enable` needs no
    /// reason.
    ///
    /// The rule is disabled by default: each team decides whether directives need a reason.
    ///
    /// ## Example
    /// ```markdown
    /// <!-- skilllint-disable-next-line SKL301 -->
    /// See [the log](output/run.log).
    /// ```
    /// Write instead:
    /// ```markdown
    /// <!-- skilllint-disable-next-line SKL301 -- written by the first step -->
    /// See [the log](output/run.log).
    /// ```
    ///
    /// ## Source
    /// skillc's own directives: see the page 'Suppressing findings' in the book.
    pub(crate) struct DirectiveReason {
        code: "CFG103",
        name: "directive-reason",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for DirectiveReason {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_directives(&self, directives: &Directives<'_>, out: &mut Findings<'_>) {
        let list = directives.list.iter();
        for directive in list.filter(|directive| directive.suppresses() && !directive.has_reason) {
            out.at(directive.span, "the directive has no reason")
                .help("add one after ' -- '");
        }
    }
}
