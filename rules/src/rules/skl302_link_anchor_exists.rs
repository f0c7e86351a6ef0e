//! SKL302 link-anchor-exists.
//!
//! Design: C-REGISTRY.19, D-ANCHORS.

use skillc_core::{Anchor, Document, Reference, RelPath, Skill, Target};
use skillc_lint::{Findings, Fix, Rule, RuleMeta, Safety, declare_rule};

use crate::support::fixes::set_destination;
use crate::support::links::{AnchorSearch, encoded};
use crate::support::text::shown;

declare_rule! {
    /// Reports a link to a heading that does not exist in the linked Markdown file.
    ///
    /// ## Why
    /// The part after `#` tells an agent which section to read. If there is no such heading, the agent reads the whole
    /// file or the wrong part. Usually the heading was renamed after the link was written.
    ///
    /// A heading's anchor is its text in lower case, with hyphens instead of spaces, and without punctuation, as on
    /// GitHub; the second heading with the same text gets the suffix `-1`. Anchors may contain letters of any script.
    /// Case is ignored. An `id` or `name` of an HTML element is an anchor too.
    ///
    /// ## Example
    /// ```markdown
    /// See [setup](#set-up).
    ///
    /// ## Setting up
    /// ```
    /// Write instead:
    /// ```markdown
    /// See [setup](#setting-up).
    ///
    /// ## Setting up
    /// ```
    ///
    /// ## Fix
    /// Changes the fragment to the anchor of the intended heading. This is safe if the fragment is a typo of exactly
    /// one heading's anchor. If a heading only shares some words with the fragment, the fix is a guess that needs
    /// review.
    pub(crate) struct LinkAnchorExists {
        code: "SKL302",
        name: "link-anchor-exists",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for LinkAnchorExists {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let links = skill.references().in_document(&doc.path).iter();
        let missing = links.filter_map(|link| match &link.target {
            Target::File(file) if link.anchor == Anchor::Missing => Some((link, file)),
            _ => None,
        });
        let mut search = AnchorSearch::new(doc, skill);
        for (link, file) in missing {
            if out.is_full() {
                return;
            }
            let finding = out.at(link.span, no_anchor(link, file));
            let Some((near, safety)) = near_anchor(link, file, skill, &mut search) else {
                continue;
            };
            finding.help(format!("did you mean '#{near}'?"));
            let fragment = link.written.find('#').map(|at| at + 1);
            let edit = fragment.and_then(|at| set_destination(doc, link, at, &encoded(near)));
            if let Some(edit) = edit {
                let fix = Fix::safe(format!("link to '#{}'", shown(near)), vec![edit]);
                finding.fix(Fix { safety, ..fix });
            }
        }
    }
}

fn no_anchor(link: &Reference, file: &RelPath) -> String {
    let fragment = shown(link.fragment().unwrap_or_default());
    format!("no heading for anchor '#{fragment}' in '{file}'")
}

fn near_anchor<'a>(
    link: &'a Reference,
    file: &'a RelPath,
    skill: &'a Skill,
    search: &mut AnchorSearch<'a>,
) -> Option<(&'a str, Safety)> {
    let anchors = skill.references().anchors(file)?;
    search.nearest(file, link.fragment()?, anchors.iter())
}
