//! SKL203 heading-match-name.

use skillc_core::{Document, Findings, Rule, RuleMeta, Skill, declare_rule};

use crate::support::links::shown;
use crate::support::name::{Name, folded, in_title, name_of};

declare_rule! {
    /// Reports a title of `SKILL.md` that does not contain the skill's name.
    ///
    /// ## Why
    /// Agents and people call a skill by its name and recognise it by its title. If one says nothing of the other, a reader
    /// cannot tell whether the right skill was opened, and after a copy from another skill it often was not.
    ///
    /// Capitals do not matter, and a hyphen is as good as a blank: `sql-format` is in `# SQL Format` and in
    /// `# The sql-format skill`. Otherwise the name must stand there as it is: `drawio` is not in `# Draw.io`. The name is
    /// that of the frontmatter; if there is none, that of the directory.
    ///
    /// ## Example
    /// ```markdown
    /// ---
    /// name: sql-format
    /// ---
    /// # Readable queries
    /// ```
    /// Write instead:
    /// ```markdown
    /// ---
    /// name: sql-format
    /// ---
    /// # SQL Format: readable queries
    /// ```
    ///
    /// ## Source
    /// RFC-0008 C-REGISTRY, SKL203; the name of the frontmatter goes before the directory's.
    pub(crate) struct HeadingMatchName {
        code: "SKL203",
        name: "heading-match-name",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for HeadingMatchName {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let title = doc.headings.iter().find(|heading| heading.level == 1);
        let (Some(title), Some(name)) = (title, name_of(doc, skill)) else {
            return;
        };
        if folded(&title.text).contains(&folded(&name.text)) {
            return;
        }
        let found = out.at(title.span, without_name(&title.text, &name));
        if let Some(span) = name.span {
            found.label(span, "the name");
        }
        found.help(format!(
            "begin the title with the name: '{}'; capitals do not matter",
            in_title(&name.text)
        ));
    }
}

fn without_name(title: &str, name: &Name<'_>) -> String {
    let whose = if name.span.is_some() {
        "name"
    } else {
        "directory's name"
    };
    let (title, name) = (shown(title), shown(&name.text));
    format!("H1 '{title}' does not contain the {whose} '{name}'")
}
