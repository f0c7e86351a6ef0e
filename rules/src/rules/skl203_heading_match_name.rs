//! SKL203 heading-match-name.
//!
//! Design: C-REGISTRY.15, D-SKL203-NAME. The specification asks for the words one after the other.

use skillc_core::{Document, Heading, Skill};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::support::fixes::{insert, text_start};
use crate::support::name::{Name, in_title, is_in_title, is_translated, name_of, title};
use crate::support::right_name::{directory, is_right};
use crate::support::text::shown;

declare_rule! {
    /// Reports a title of `SKILL.md` that does not contain the skill's name.
    ///
    /// ## Why
    /// Agents and people call a skill by its name and recognise it by its title. If one says nothing of the other, a reader
    /// cannot tell whether the right skill was opened, and after a copy from another skill it often was not.
    ///
    /// Each word of the name has to begin a word of the title, in whatever order. Only letters and digits count, not
    /// capitals: `sql-format` is in `# SQL Format` and in `# Format any SQL`, and `drawio` in `# Draw.io`. A title in another script
    /// than the name, such as `# 系统化调试` for `systematic-debugging`, is taken for its translation. The name is that of the
    /// frontmatter; if there is none, that of the directory.
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
    /// The name and a colon are put before the title. Somebody has to look at it: it is a change of wording, and links from
    /// elsewhere to the title lead to nothing then.
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
        // Deviation: C-REGISTRY wants the words one after the other, which finds fault with most good titles.
        if is_in_title(&name.text, &heading.text) || is_translated(&name.text, &heading.text) {
            return;
        }
        let found = out.at(heading.span, without_name(&heading.text, &name));
        if let Some(span) = name.span {
            found.label(span, "the name");
        }
        found.help(format!(
            "begin the title with the name: '{}'; capitals do not matter",
            in_title(&name.text)
        ));
        if let Some(edit) = prefixed(doc, heading, &name.text).filter(|_| stays(&name.text, skill))
        {
            found.fix(Fix::unsafe_("begin the title with the name", vec![edit]));
        }
    }
}

/// Says whether nothing else is wrong with the name: a title must not get one that is about to go.
fn stays(name: &str, skill: &Skill) -> bool {
    let dir = directory(skill).filter(|dir| is_right(dir));
    is_right(name) && dir.is_none_or(|dir| dir == name)
}

/// Puts the name before the title.
fn prefixed(doc: &Document, heading: &Heading, name: &str) -> Option<Edit> {
    let at = text_start(doc, heading)?;
    let colon = if heading.text.is_empty() { "" } else { ": " };
    // Between the sign of a heading without text and its end there is no blank.
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
