//! SKL301 link-file-exists.
//!
//! Source: RFC-0008 C-REGISTRY, SKL301; LEDGER D-LINK-SCOPE.

use skillc_core::{
    Document, Findings, Fix, Reference, Rule, RuleMeta, Skill, Target, declare_rule,
};

use crate::support::fixes::set_destination;
use crate::support::targets::Targets;
use crate::support::text::shown;

declare_rule! {
    /// Reports a link or image whose file is not in the skill.
    ///
    /// ## Why
    /// An agent follows links to read on. A link to nothing costs it a failed call, and what you meant to say there is
    /// never read. Links are relative to the file they stand in, as everywhere in Markdown.
    ///
    /// Only relative links are looked at: no URLs, no mail addresses, no paths from the root of the disk, nothing in code,
    /// and no destination with a placeholder such as `{name}` or `<name>`. A query (`?raw=1`) is ignored, and `%20` may
    /// stand for a space. What is no link of Markdown is not checked either: `href` and `src` in HTML, wiki links such as
    /// `[[page]]`, and `[text][label]` without a definition of the label.
    ///
    /// ## Example
    /// In `references/api.md`, where `references/errors.md` is meant:
    /// ```markdown
    /// See [errors](references/errors.md).
    /// ```
    /// Write instead:
    /// ```markdown
    /// See [errors](errors.md).
    /// ```
    ///
    /// ## Fix
    /// The destination becomes the file that was meant. This is safe where only the way of writing the path was wrong: it
    /// counts from the skill's root, has `\` for `/`, or letters in the wrong case. A file with a similar name, another
    /// extension, or the same name in another folder is a guess that somebody has to look at: a link to the wrong file
    /// misleads more than one to nothing.
    pub(crate) struct LinkFileExists {
        code: "SKL301",
        name: "link-file-exists",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for LinkFileExists {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let mut targets = Targets::new(doc, skill);
        for link in skill.references().of(&doc.path) {
            let Target::Missing(path) = &link.target else {
                continue;
            };
            if out.is_full() {
                return;
            }
            let finding = out.at(link.span, not_found(link));
            let Some((meant, safety)) = targets.meant(&link.written, path) else {
                continue;
            };
            finding.help(format!("did you mean '{}'?", shown(&meant)));
            if let Some(edit) = set_destination(doc, link, 0, &meant) {
                let fix = Fix::safe(format!("link to '{}'", shown(&meant)), vec![edit]);
                finding.fix(Fix { safety, ..fix });
            }
        }
    }
}

fn not_found(link: &Reference) -> String {
    format!("link target not found: '{}'", shown(&link.written))
}
