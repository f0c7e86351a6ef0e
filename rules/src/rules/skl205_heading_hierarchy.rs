//! SKL205 heading-hierarchy.
//!
//! Design: C-REGISTRY.17.

use skillc_core::{Document, Heading, Skill};
use skillc_lint::{Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::support::fixes::move_up;

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
    /// ## Fix
    /// The heading moves up to the level below the one before it, with all that stands below it and beside it. This is
    /// safe: the sections stay as they are to each other. If a heading of a level in between follows, sections that were
    /// below such a one elsewhere would stand beside it; then somebody has to look at it.
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
        for (at, pair) in doc.headings.windows(2).enumerate() {
            let [above, below] = pair else { continue };
            if below.level > above.level + 1 {
                let found = out.at(below.span, too_deep(below.level, above.level + 1));
                found.label(above.span, format!("H{} here", above.level));
                if let Some(fix) = moved_up(doc, above.level, &doc.headings[at + 1..]) {
                    found.fix(fix);
                }
            }
        }
    }
}

/// Moves the first of some headings up to the level below `above`, and what belongs to it.
fn moved_up(doc: &Document, above: u8, headings: &[Heading]) -> Option<Fix> {
    let first = headings.first()?.level;
    let levels = first - above - 1;
    let within = headings.iter().take_while(|heading| heading.level > above);
    let is_sure = within.clone().all(|heading| heading.level >= first);
    let moved = within.take_while(|heading| heading.level >= first);
    let title = format!("make it H{}", above + 1);
    let edits = move_up(doc, moved, levels)?;
    Some(if is_sure {
        Fix::safe(title, edits)
    } else {
        Fix::unsafe_(title, edits)
    })
}

/// `deepest`: the deepest level that could have followed.
fn too_deep(level: u8, deepest: u8) -> String {
    let before = deepest - 1;
    format!("heading level jumps from H{before} to H{level}; use H{deepest}")
}
