//! SKL302 link-anchor-exists.

use skillc_core::{
    Anchor, Document, Findings, Reference, RelPath, Rule, RuleMeta, Skill, Target, declare_rule,
};

use crate::support::links::{max_searches, nearest};
use crate::support::text::shown;

declare_rule! {
    /// Reports a link to a heading that the Markdown file does not have.
    ///
    /// ## Why
    /// The part behind `#` tells an agent which section to read. If no heading has that name, it reads the whole file or
    /// the wrong part of it, most often because the heading was renamed after the link was written.
    ///
    /// A heading is named by its text in lower case with hyphens for blanks and without punctuation, as GitHub does it;
    /// the second heading of the same text ends with `-1`. Letters of every script count, upper and lower case do not
    /// matter, and an explicit `id` or `name` in HTML is as good as a heading.
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
    /// ## Source
    /// RFC-0008 C-REGISTRY, SKL302; LEDGER D-ANCHORS.
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
        let links = skill.references().of(&doc.path).iter();
        let missing = links.filter_map(|link| match &link.target {
            Target::File(file) if link.anchor == Anchor::Missing => Some((link, file)),
            _ => None,
        });
        let max_searches = max_searches(doc, skill);
        for (at, (link, file)) in missing.enumerate() {
            let finding = out.at(link.span, no_anchor(link, file));
            let near = (at < max_searches).then(|| near_anchor(link, file, skill));
            if let Some(near) = near.flatten() {
                finding.help(format!("did you mean '#{near}'?"));
            }
        }
    }
}

fn no_anchor(link: &Reference, file: &RelPath) -> String {
    let fragment = shown(link.fragment().unwrap_or_default());
    format!("no heading for anchor '#{fragment}' in '{file}'")
}

fn near_anchor<'a>(link: &Reference, file: &RelPath, skill: &'a Skill) -> Option<&'a str> {
    let anchors = skill.references().anchors(file)?;
    nearest(link.fragment()?, anchors.iter())
}
