//! SKL203 heading-match-name.
//!
//! Design: C-REGISTRY.15, D-SKL203-NAME. The specification requires the words to be consecutive.

use skillc_core::{Document, Heading, Skill};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::support::fixes::{insert, text_start};
use crate::support::name::{Name, in_title, is_in_title, is_translated, name_of, title};
use crate::support::right_name::{directory, is_right};
use crate::support::text::shown;

declare_rule! {
    /// Reports a `SKILL.md` whose title does not contain the skill's name.
    ///
    /// ## Why
    /// Agents and people refer to a skill by its name and recognize it by its title. If the two have nothing in common,
    /// a reader cannot tell whether this is the right skill. Often the title is left over from a skill that was copied
    /// to make this one.
    ///
    /// Each word of the name must be the start of a word of the title, in any order. Only letters and digits are
    /// compared, and case is ignored: `sql-format` matches `# SQL Format` and `# Format any SQL`, and `drawio` matches
    /// `# Draw.io`. If the title and the name are in different scripts, as in `# 系统化调试` for `systematic-debugging`, the
    /// title is assumed to be a translation. The name is the `name` in the frontmatter, or the directory's name if
    /// there is none.
    ///
    /// The rule is disabled by default: many good titles describe the skill in words other than its name.
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
    /// ## Fix
    /// Puts the name and a colon before the title. This needs review: it changes the wording and breaks links to the
    /// title.
    pub(crate) struct HeadingMatchName {
        code: "SKL203",
        name: "heading-match-name",
        severity: Warning,
        since: "0.2.0",
        activation: OnRequest,
    }
}

impl Rule for HeadingMatchName {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let heading = doc.headings.iter().find(|heading| heading.level == 1);
        let (Some(heading), Some(name)) = (heading, name_of(doc, skill)) else {
            return;
        };
        // Deviation: C-REGISTRY requires the words to be consecutive, which rejects most good titles.
        if is_in_title(&name.text, &heading.text) || is_translated(&name.text, &heading.text) {
            return;
        }
        let found = out.at(heading.span, without_name(&heading.text, &name));
        if let Some(span) = name.span {
            found.label(span, "the name");
        }
        found.help(format!(
            "start the title with the name: '{}' (case is ignored)",
            in_title(&name.text)
        ));
        if let Some(edit) = prefixed(doc, heading, &name.text).filter(|_| stays(&name.text, skill))
        {
            found.fix(Fix::unsafe_("start the title with the name", vec![edit]));
        }
    }
}

/// Returns whether other rules accept the name. Otherwise, the name must be changed, so the fix must not put it into
/// the title.
fn stays(name: &str, skill: &Skill) -> bool {
    let dir = directory(skill).filter(|dir| is_right(dir));
    is_right(name) && dir.is_none_or(|dir| dir == name)
}

/// Puts the name before the title.
fn prefixed(doc: &Document, heading: &Heading, name: &str) -> Option<Edit> {
    let at = text_start(doc, heading)?;
    let colon = if heading.text.is_empty() { "" } else { ": " };
    // Add a space after the marker of an empty heading.
    let blank = if doc.text[..at].ends_with('#') {
        " "
    } else {
        ""
    };
    Some(insert(doc, at, format!("{blank}{}{colon}", title(name))))
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
