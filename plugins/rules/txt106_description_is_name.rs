//! TXT106 description-is-name.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a description that only repeats the skill's name or title.
    ///
    /// ## Why
    /// An agent chooses a skill by its name and description. A description that repeats the name says neither what the
    /// skill does nor when to use it.
    ///
    /// ## Example
    /// ```yaml
    /// name: sql-format
    /// description: SQL Format
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// description: Formats SQL by the rules of the team. Use when a query is hard to read.
    /// ```
    pub(crate) struct DescriptionIsName {
        code: "TXT106",
        name: "description-is-name",
        severity: Warning,
        since: "0.3.0",
    }
}

/// Words that are ignored when a description is compared with a name.
const EMPTY: [&str; 6] = ["skill", "agent", "the", "a", "an", "for"];

impl Rule for DescriptionIsName {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let Some(fields) = doc.frontmatter.fields() else {
            return;
        };
        let Some((text, field)) = fields.text("description").zip(fields.get("description")) else {
            return;
        };
        let words = words(text);
        let name = fields.text("name").unwrap_or(&skill.at.name);
        let title = doc.headings.iter().find(|heading| heading.level == 1);
        let others = [Some(name), title.map(|title| &*title.text)];
        let is_same = |other: &str| !words.is_empty() && words == self::words(other);
        if others.into_iter().flatten().any(is_same) {
            out.at(field.place(), "description only repeats the name")
                .help("describe what the skill does and when to use it");
        }
    }
}

/// Returns the significant words of `text`, in lower case.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.filter(|word| !EMPTY.contains(&&**word)).collect()
}
