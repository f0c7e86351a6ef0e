//! SET101 name-twice.

use std::collections::BTreeMap;
use std::path::Path;

use skillc_lint::{Rule, RuleMeta, RunFindings, RunSkill, declare_rule};

declare_rule! {
    /// Reports a skill with the same name as another skill in the same place.
    ///
    /// ## Why
    /// A client that finds two skills with the same name shows either one of them, or both under that name. The agent
    /// cannot choose between them, and which one it gets depends on the client.
    ///
    /// The rule compares the skills of a run that are below the same `skills` directory, or in the same directory if
    /// there is no `skills` directory above it: these are the skills that one client finds. The name of a skill is the
    /// `name` in its frontmatter, or the directory's name if there is none. A skill that is copied to the directories
    /// of several clients is not reported, and neither are skills with the same name in different plug-ins of a client,
    /// because clients distinguish these.
    ///
    /// The rule only compares the skills of one run, so lint the whole directory at once.
    ///
    /// ## Example
    /// `skills/sql` and `skills/database/sql` both have:
    /// ```yaml
    /// name: sql
    /// ```
    /// Rename one of them, with its directory.
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
