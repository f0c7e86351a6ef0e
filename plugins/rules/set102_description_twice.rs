//! SET102 description-twice.

use std::collections::BTreeMap;
use std::path::Path;

use skillc_lint::{Rule, RuleMeta, RunFindings, RunSkill, declare_rule};

declare_rule! {
    /// Reports a description that is identical to another skill's description.
    ///
    /// ## Why
    /// An agent chooses skills by their descriptions. If two descriptions are identical, the agent can only guess.
    ///
    /// Like SET101, the rule compares only skills of the same run that are in the same place. It ignores case,
    /// punctuation and whitespace. Similar descriptions are not reported, because a small difference may matter.
    ///
    /// The rule does not compare:
    ///
    /// - skills with `disable-model-invocation`
    /// - skills with the same name, because SET101 reports them
    /// - descriptions of fewer than four words, except non-ASCII descriptions of at least 12 characters: some languages
    ///   do not separate words
    ///
    /// ## Example
    /// `skills/report-daily` and `skills/report-weekly` both have:
    /// ```yaml
    /// description: Writes the report of the team. Use when the report is due.
    /// ```
    /// Write instead, in the second skill:
    /// ```yaml
    /// description: Writes the weekly report of the team. Use on Fridays, or when the week's report is asked for.
    /// ```
    pub(crate) struct DescriptionTwice {
        code: "SET102",
        name: "description-twice",
        severity: Warning,
        since: "0.3.0",
    }
}

/// Descriptions with fewer words are not compared.
const MIN_WORDS: usize = 4;

/// A non-ASCII description with fewer than [`MIN_WORDS`] words is compared if it has at least this many characters,
/// because some languages do not separate words.
const MIN_CHARS: usize = 12;

impl Rule for DescriptionTwice {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_run(&self, skills: &[RunSkill], out: &mut RunFindings<'_>) {
        let mut first: BTreeMap<(&Path, String), usize> = BTreeMap::new();
        for (at, skill) in skills
            .iter()
            .enumerate()
            .filter(|(_, skill)| skill.is_listed)
        {
            let Some(words) = words(&skill.description) else {
                continue;
            };
            let before = *first.entry((skill.root(), words)).or_insert(at);
            if before == at || skills[before].name == skill.name {
                continue;
            }
            let message = format!(
                // Truncate the name, which may be as long as the file.
                "the skill '{:.100}' has the same description",
                skills[before].name
            );
            out.at(skills, at, skill.description_span, message)
                .help("in each description, say how the skill differs and when to use it");
        }
    }
}

/// Returns the words of `text` in lower case, joined by spaces; `None` if there are too few.
fn words(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let joined = words.join(" ");
    let is_long =
        words.len() >= MIN_WORDS || !text.is_ascii() && joined.chars().count() >= MIN_CHARS;
    is_long.then_some(joined)
}
