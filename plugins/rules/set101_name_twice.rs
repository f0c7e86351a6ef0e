//! SET101 name-twice.

use std::collections::BTreeMap;
use std::path::Path;

use skillc_lint::{Rule, RuleMeta, RunFindings, RunSkill, declare_rule};

declare_rule! {
    /// Reports a skill with the same name as another skill in the same place.
    ///
    /// ## Why
    /// A client that finds two skills with the same name shows only one of them, or shows both under that name. The
    /// agent cannot choose between the two, and the client determines which one the agent gets.
    ///
    /// The rule compares the skills that a client would find in the same place: all skills below the same `skills`
    /// directory, or, if there is no `skills` directory above them, all skills in the same directory. The name of a
    /// skill is the `name` in its frontmatter or, without a `name`, the name of its directory.
    ///
    /// Copies of a skill in the directories of several clients are not reported. Skills with the same name in different
    /// plug-ins of a client are not reported either, because clients distinguish these skills.
    ///
    /// The rule compares only the skills of one run, so lint the whole directory at once.
    ///
    /// ## Example
    /// `skills/sql` and `skills/database/sql` both have:
    /// ```yaml
    /// name: sql
    /// ```
    /// Rename one of the skills and its directory.
    pub(crate) struct NameTwice {
        code: "SET101",
        name: "name-twice",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for NameTwice {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_run(&self, skills: &[RunSkill], out: &mut RunFindings<'_>) {
        let mut first: BTreeMap<(&Path, &str), usize> = BTreeMap::new();
        for (at, skill) in skills.iter().enumerate() {
            let root = skill.root();
            let before = *first.entry((root, &skill.name)).or_insert(at);
            if before == at {
                continue;
            }
            let other = skills[before]
                .dir
                .strip_prefix(root)
                .unwrap_or(&skills[before].dir);
            let message = format!(
                "the name '{:.100}' is also used by the skill in '{}'",
                skill.name,
                other.display()
            );
            out.at(skills, at, skill.name_span, message)
                .help("give each skill a unique name");
        }
    }
}
