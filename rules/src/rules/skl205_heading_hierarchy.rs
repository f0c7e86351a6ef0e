//! SKL205 heading-hierarchy.

use skillc_core::{Document, Findings, Heading, Rule, RuleMeta, Skill, declare_rule};

declare_rule! {
    /// Reports a heading more than one level below the heading before it.
    ///
    /// ## Why
    /// Outlines, search and `skc show` follow the levels; a skipped level hides where a section belongs.
    ///
    /// ## Example
    /// ```markdown
    /// ## Install
    /// #### Windows
    /// ```
    /// Write instead:
    /// ```markdown
    /// ## Install
    /// ### Windows
    /// ```
    ///
    /// ## Source
    /// RFC-0008 C-REGISTRY, SKL205.
    pub(crate) struct HeadingHierarchy {
        code: "SKL205",
        name: "heading-hierarchy",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for HeadingHierarchy {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        for pair in doc.headings.windows(2) {
            let [above, below] = pair else { continue };
            if below.level > above.level + 1 {
                out.at(below.span, skipped(above, below));
            }
        }
    }
}

fn skipped(above: &Heading, below: &Heading) -> String {
    format!(
        "H{} follows H{}; expected H{} or higher",
        below.level,
        above.level,
        above.level + 1
    )
}
