//! SKL205 heading-hierarchy.
//!
//! Design: C-REGISTRY.17.

use skillc_core::{Document, Heading, Skill};
use skillc_lint::{Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::support::fixes::move_up;

declare_rule! {
    /// Reports a heading more than one level below the previous one.
    ///
    /// ## Why
    /// Outlines, search and `skc show` use heading levels; a skipped level makes it unclear where a section belongs.
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
    /// Raises the heading, together with its subsections and siblings, to one level below the previous heading. This is
    /// safe, because the structure does not change. If a heading of an intermediate level follows, the fix needs
    /// review, because subsections could become siblings.
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

/// Moves the first heading, with its subsections and siblings, up to the level directly below `above`.
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

/// Returns the message for a heading that skips levels. `deepest`: the deepest level that is allowed here, such as 3
/// for H3.
fn too_deep(level: u8, deepest: u8) -> String {
    let before = deepest - 1;
    format!("heading level jumps from H{before} to H{level}; use H{deepest}")
}
