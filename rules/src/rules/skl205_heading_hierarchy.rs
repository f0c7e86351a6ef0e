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
        // Nothing stands before the first heading, which may have any level.
        let mut deepest = u8::MAX;
        for heading in &doc.headings {
            if heading.level > deepest {
                out.at(heading.span, too_deep(heading.level, deepest));
            }
            deepest = heading.level + 1;
        }
    }
}

/// `deepest`: the deepest level that could have followed.
fn too_deep(level: u8, deepest: u8) -> String {
    let before = deepest - 1;
    format!("H{level} follows H{before}; expected H{deepest} or higher")
}
