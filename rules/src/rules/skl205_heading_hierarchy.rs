//! SKL205 heading-hierarchy.

use skillc_core::{Document, Findings, Rule, RuleMeta, Skill, declare_rule};

declare_rule! {
    /// Reports a heading that goes down more than one level at once.
    ///
    /// ## Why
    /// Outlines, search and `skc show` follow the levels; a skipped level hides where a section belongs.
    ///
    /// ## Example
    /// ```markdown
    /// # Backups
    /// ### Restoring one table
    /// ```
    /// Write instead:
    /// ```markdown
    /// # Backups
    /// ## Restoring one table
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
        // The first heading may have any level.
        for pair in doc.headings.windows(2) {
            let [above, below] = pair else { continue };
            if below.level > above.level + 1 {
                out.at(below.span, too_deep(below.level, above.level + 1))
                    .label(above.span, format!("H{} here", above.level));
            }
        }
    }
}

/// `deepest`: the deepest level that could have followed.
fn too_deep(level: u8, deepest: u8) -> String {
    let before = deepest - 1;
    format!("H{level} follows H{before}; expected H{deepest} or higher")
}
