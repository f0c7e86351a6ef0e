//! CFG001 skill-file-name.

use skillc_core::Skill;
use skillc_core::layout::SKILL_FILE;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a main file named `skill.md` or similar instead of exactly `SKILL.md`.
    ///
    /// ## Why
    /// Most clients, and commands such as `skc build`, look for a file named `SKILL.md` and do not accept a directory
    /// without one. On a case-insensitive file system, as on macOS and Windows, the skill works, but it is not found
    /// when it is checked out on Linux.
    ///
    /// Other rules check such a file as if it had the correct name.
    ///
    /// ## Example
    /// ```text
    /// sql-format/
    ///   skill.md
    /// ```
    /// Write instead:
    /// ```text
    /// sql-format/
    ///   SKILL.md
    /// ```
    ///
    /// ## Source
    /// The Agent Skills standard: a skill is a directory with a `SKILL.md`.
    pub(crate) struct SkillFileName {
        code: "CFG001",
        name: "skill-file-name",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for SkillFileName {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        if let Some(main) = skill.main()
            && main.path.as_str() != SKILL_FILE
        {
            let found = main.path.as_str();
            out.file(&main.path, misnamed(found))
                .help(format!("rename it: 'git mv {found} {SKILL_FILE}'"));
        }
    }
}

fn misnamed(found: &str) -> String {
    format!("the skill's file is named '{found}'; expected '{SKILL_FILE}'")
}
